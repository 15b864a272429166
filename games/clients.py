"""Members that play from outside, over HTTP and WebSocket alone, and check what they were shown against the API.

Nothing here touches the database: a client signs in with a form, sits down, plays by the bots' policy on its own
views and keeps what it saw. `compare` holds what four clients saw of a hand against its record.
"""

import asyncio
import json
import re
import secrets
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookiejar import CookieJar
from typing import Any, Final

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from games import bots
from games.protocol import choice_of
from games.rules.record import judge

Payload = dict[str, Any]

_HIDDEN_FIELD: Final = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_PATIENCE: Final = 120.0  # seconds without any frame after which a client gives up


class ClientError(Exception):
    """The site did not do what a client needs."""


@dataclass
class Client:
    """One signed-in member."""

    url: str
    username: str
    cookies: CookieJar = field(default_factory=CookieJar)

    def get(self, path: str) -> str:
        """The text of a page or an API answer."""
        return self._open(urllib.request.Request(self.url + path))

    def post(self, path: str, form: dict[str, str], page: str) -> str:
        """Send a form that stands on `page`; returns the address it led to."""
        token = _HIDDEN_FIELD.search(self.get(page))
        if token is None:
            raise ClientError(f"{self.username}: no form on {page}")
        data = urllib.parse.urlencode({**form, "csrfmiddlewaretoken": token[1]}).encode()
        request = urllib.request.Request(self.url + path, data, {"Referer": self.url + page})
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        try:
            with opener.open(request) as answer:
                return str(urllib.parse.urlsplit(answer.url).path)
        except urllib.error.HTTPError as error:
            raise ClientError(f"{self.username}: POST {path}: HTTP {error.code}") from None

    def sign_in(self, password: str) -> None:
        """Sign in through the site's form."""
        path = self.post("/accounts/login/", {"login": self.username, "password": password}, "/accounts/login/")
        if path.startswith("/accounts/login"):
            raise ClientError(f"{self.username}: name or password refused")

    def socket(self, table_id: int) -> connect:
        """A connection to a table's socket."""
        cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.cookies)
        address = f"ws{self.url.removeprefix('http')}/ws/tables/{table_id}/"
        return connect(address, origin=self.url, additional_headers={"Cookie": cookie}, proxy=None)  # type: ignore[arg-type]

    def _open(self, request: urllib.request.Request) -> str:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        try:
            with opener.open(request) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            raise ClientError(f"{self.username}: GET {request.full_url}: HTTP {error.code}") from None


@dataclass
class Seen:
    """What a client was shown of one hand."""

    hand_id: int
    seat: int
    events: list[Payload]
    settlement: Payload


async def play_hands(client: Client, table_id: int, seat: int, hands: int, settled: Callable[[Seen], None]) -> None:
    """Sit down, play `hands` hands by the policy, call `settled` after each, and get up."""
    nonce = secrets.token_bytes(32)
    played = 0
    answered: tuple[int, int] | None = None  # (hand, decision) that was answered last
    events: dict[int, list[Payload]] = {}
    async with client.socket(table_id) as socket:
        await _send(socket, {"type": "sit", "seat": seat})
        wants_ready = True
        while True:
            try:
                frame = json.loads(await asyncio.wait_for(socket.recv(), _PATIENCE))
            except TimeoutError:
                raise ClientError(f"{client.username}: nothing heard for {_PATIENCE:.0f} s") from None
            except ConnectionClosed as closed:
                raise ClientError(f"{client.username}: the socket was closed: {closed}") from None
            if frame["type"] == "error" and frame["code"] not in ("stale", "too_late"):
                raise ClientError(f"{client.username}: {frame['code']}: {frame['message']}")
            hand = frame.get("hand")
            if hand is not None:
                if frame["type"] == "snapshot":
                    events[hand["id"]] = list(frame["log"])
                else:
                    events.setdefault(hand["id"], []).extend(frame.get("events", []))
                if hand["status"] == "settled" and hand["you"] is not None and not wants_ready:
                    settled(Seen(hand["id"], hand["you"], events.pop(hand["id"]), hand["settlement"]))
                    played += 1
                    if played == hands:
                        await _send(socket, {"type": "leave"})
                        await socket.close()
                        return
                    wants_ready, nonce = True, secrets.token_bytes(32)
            table = frame.get("table")
            if wants_ready and (played or (table and table["you"] is not None and all(table["seats"]))):
                await _send(socket, {"type": "ready", "nonce_commitment": sha256(nonce).hexdigest()})
                wants_ready = False
            if hand is None or hand["you"] is None:
                continue
            if hand["nonce_wanted"] and answered != (hand["id"], -1):
                answered = (hand["id"], -1)
                await _send(socket, {"type": "nonce", "hand": hand["id"], "nonce": nonce.hex()})
            view = hand["view"]
            if view and view["legal"] and not view["answered"] and answered != (hand["id"], hand["decision"]):
                answered = (hand["id"], hand["decision"])
                await _send(socket, {"type": "act", "hand": hand["id"], "seq": hand["seq"], "action": _choice(view)})


def _choice(view: Payload) -> Payload:
    choice = choice_of(bots.choose(view, view["seat"]))
    return {key: value for key, value in msgspec.structs.asdict(choice).items() if value is not None}


async def _send(socket: ClientConnection, command: Payload) -> None:
    await socket.send(json.dumps({"id": str(uuid.uuid4()), **command}))


def compare(seen: Sequence[Seen], record: Payload) -> list[str]:
    """How what the clients saw of a hand differs from its record in the API, and the record from its own judgement."""
    faults: list[str] = []
    result = record["result"]
    judged = judge({key: value for key, value in record.items() if key != "result"})
    if judged != result:
        faults.append(f"judged again the record comes to {judged}, it says {result}")
    for one in seen:
        where = f"seat {one.seat}"
        shown = one.settlement
        for key in ("units", "points", "rake", "coins"):
            values = [seat[key] for seat in shown["seats"]]
            if values != result[key]:
                faults.append(f"{where} was shown {key} {values}, the record says {result[key]}")
        if [seat["balance"] for seat in shown["seats"]] != result["balances"]:
            faults.append(f"{where} was shown other balances than {result['balances']}")
        if [_bare(payment) for payment in shown["payments"]] != result["payments"]:
            faults.append(f"{where} was shown other payments")
        if [_bare(win) for win in shown["wins"]] != result["wins"]:
            faults.append(f"{where} was shown other wins")
        discards = [[event["seat"], "discard", event["tile"]] for event in one.events if event["kind"] == "discard"]
        if discards != [action for action in record["actions"] if action[1] == "discard"]:
            faults.append(f"{where} saw other discards")
        if shown["proof"]["wall"] != record["wall"]:
            faults.append(f"{where} was shown another wall")
        if (
            sha256(b"sichuan-mahjong-seed-v1" + bytes.fromhex(shown["proof"]["seed"])).hexdigest()
            != shown["proof"]["commitment"]
        ):
            faults.append(f"{where}: the seed does not fit its commitment")
    titles = {json.dumps([seat["title_after"] for seat in one.settlement["seats"]]) for one in seen}
    if len(titles) > 1:
        faults.append("the seats were shown different titles")
    return faults


def _bare(said: Payload) -> Payload:
    return {key: value for key, value in said.items() if key != "words"}
