"""Members that play from outside, over HTTP and WebSocket alone, and check what they were shown against the API.

Nothing here touches the database: a client signs in with a form, sits down, plays by the bots' policy on its own
views and keeps what it saw. `compare` holds what four clients saw of a hand against its record.
"""

import asyncio
import json
import random
import re
import secrets
import time
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
from websockets.exceptions import ConnectionClosedError, ConnectionClosedOK, InvalidHandshake

from games import bots
from games.protocol import choice_of
from games.rules import Ruleset
from games.rules.record import judge

Payload = dict[str, Any]

_HIDDEN_FIELD: Final = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_PATIENCE: Final = 120.0  # seconds without a frame, or without a connection, after which a client gives up
_RECONNECT_SECONDS: Final = (0.1, 0.4)
_BUSY_SECONDS: Final = 0.2  # after which a command that the server could not carry out now is sent again
_HARMLESS: Final = ("stale", "too_late", "not_in_hand", "hand_running")  # what comes of playing on while a line was cut


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
        return self._open(urllib.request.Request(self.url + path))  # noqa: S310 - the address is the caller's own

    def post(self, path: str, form: dict[str, str], page: str) -> str:
        """Send a form that stands on `page`; returns the address it led to."""
        token = _HIDDEN_FIELD.search(self.get(page))
        if token is None:
            raise ClientError(f"{self.username}: no form on {page}")
        data = urllib.parse.urlencode({**form, "csrfmiddlewaretoken": token[1]}).encode()
        request = urllib.request.Request(self.url + path, data, {"Referer": self.url + page})  # noqa: S310 - the address is the caller's own
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


@dataclass
class Journal:
    """What a client sent, what was acknowledged and what refused, by command id: nothing acknowledged may ever be lost, nothing
    refused may ever have been done."""

    sent: dict[str, Payload] = field(default_factory=dict)
    acknowledged: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)

    @property
    def unanswered(self) -> list[Payload]:
        """The commands that were neither acknowledged nor refused, oldest first."""
        return [command for id, command in self.sent.items() if id not in self.acknowledged | self.refused]


async def play_hands(
    client: Client,
    table_id: int,
    seat: int,
    hands: int,
    settled: Callable[[Seen], None],
    journal: Journal | None = None,
) -> None:
    """Sit down, play `hands` hands by the policy, call `settled` after each, and get up.

    A connection that breaks is made again, and what was not acknowledged is sent again with the same id. Raises
    `ClientError` where the site refuses, or is silent for too long.
    """
    player = _Player(client, seat, hands, settled, journal or Journal())
    broken_since: float | None = None
    while not player.has_left:
        try:
            async with client.socket(table_id) as socket:
                broken_since = None
                await player.play(socket)
        except (ConnectionClosedError, InvalidHandshake, OSError) as error:
            broken_since = broken_since or time.monotonic()
            if time.monotonic() - broken_since > _PATIENCE:
                raise ClientError(f"{client.username}: no connection: {error}") from None
            await asyncio.sleep(random.uniform(*_RECONNECT_SECONDS))  # noqa: S311 - jitter
        except ConnectionClosedOK as closed:
            raise ClientError(f"{client.username}: the socket was closed: {closed}") from None


class _Player:
    """One client's part in `play_hands`, over as many connections as it takes."""

    def __init__(
        self, client: Client, seat: int, hands: int, settled: Callable[[Seen], None], journal: Journal
    ) -> None:
        self.client, self.seat, self.hands, self.settled, self.journal = client, seat, hands, settled, journal
        self.played = 0
        self.leave: str | None = None  # the id of the command to get up
        self.seen: set[int] = set()  # hands that were settled before our eyes
        self.events: dict[int, list[Payload]] = {}
        self.nonce = secrets.token_bytes(32)
        self.is_ready = False
        self.answered: set[tuple[int, str, int]] = set()  # (hand, what, decision) that was answered
        self.ruleset: Ruleset | None = None

    @property
    def has_left(self) -> bool:
        return self.leave in self.journal.acknowledged

    async def play(self, socket: ClientConnection) -> None:
        """Play on one connection until all hands are played or it breaks."""
        for command in self.journal.unanswered:
            await socket.send(json.dumps(command))
        if not self.journal.sent:
            await self._send(socket, {"type": "sit", "seat": self.seat})
        while True:
            try:
                frame = json.loads(await asyncio.wait_for(socket.recv(), _PATIENCE))
            except TimeoutError:
                raise ClientError(f"{self.client.username}: nothing heard for {_PATIENCE:.0f} s") from None
            await self._take(socket, frame)
            if self.has_left:
                return
            if self.played == self.hands and self.leave is None:
                self.leave = await self._send(socket, {"type": "leave"})

    async def _take(self, socket: ClientConnection, frame: Payload) -> None:
        if frame["type"] == "ack":
            self.journal.acknowledged.add(frame["id"])
        elif frame["type"] == "error" and frame["code"] == "busy":
            await asyncio.sleep(_BUSY_SECONDS)
            await socket.send(json.dumps(self.journal.sent[frame["id"]]))
        elif frame["type"] == "error":
            self.journal.refused.add(frame["id"])
            if frame["code"] not in _HARMLESS:
                raise ClientError(f"{self.client.username}: {frame['code']}: {frame['message']}")
        hand = frame.get("hand")
        if hand is not None:
            if frame["type"] == "snapshot":
                self.events[hand["id"]] = list(frame["log"])
            else:
                self.events.setdefault(hand["id"], []).extend(frame["events"])
            self._note_settled(hand)
        if frame["type"] in ("snapshot", "table"):
            self.ruleset = Ruleset.parse(frame["table"]["terms"]["ruleset"])
        await self._get_ready(socket, frame.get("table"))
        if hand is not None and hand["you"] is not None:
            await self._decide(socket, hand)

    def _note_settled(self, hand: Payload) -> None:
        is_new = hand["id"] not in self.seen and self.is_ready
        if hand["status"] != "settled" or hand["you"] is None or not is_new:
            return
        self.seen.add(hand["id"])
        self.played += 1
        self.is_ready, self.nonce = False, secrets.token_bytes(32)
        self.settled(Seen(hand["id"], hand["you"], self.events.pop(hand["id"]), hand["settlement"]))

    async def _get_ready(self, socket: ClientConnection, table: Payload | None) -> None:
        if self.is_ready or self.played == self.hands:
            return
        if self.played or (table and table["you"] is not None and all(table["seats"])):
            self.is_ready = True
            await self._send(socket, {"type": "ready", "nonce_commitment": sha256(self.nonce).hexdigest()})

    async def _decide(self, socket: ClientConnection, hand: Payload) -> None:
        view = hand["view"]
        if hand["nonce_wanted"] and self._first(hand, "nonce"):
            await self._send(socket, {"type": "nonce", "hand": hand["id"], "nonce": self.nonce.hex()})
        elif view and view["legal"] and not view["answered"] and self._first(hand, "act"):
            assert self.ruleset is not None, "a table comes before its hand"
            action = _choice(view, self.ruleset)
            await self._send(socket, {"type": "act", "hand": hand["id"], "seq": hand["seq"], "action": action})

    def _first(self, hand: Payload, what: str) -> bool:
        key = (hand["id"], what, hand["decision"])
        is_first = key not in self.answered
        self.answered.add(key)
        return is_first

    async def _send(self, socket: ClientConnection, command: Payload) -> str:
        id = str(uuid.uuid4())
        self.journal.sent[id] = {"id": id, **command}
        await socket.send(json.dumps(self.journal.sent[id]))
        return id


def _choice(view: Payload, ruleset: Ruleset) -> Payload:
    choice = choice_of(bots.choose(view, ruleset))
    return {key: value for key, value in msgspec.structs.asdict(choice).items() if value is not None}


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
        if [seat["balance"] or 0 for seat in shown["seats"]] != result["balances"]:  # a bot has no wallet
            faults.append(f"{where} was shown other balances than {result['balances']}")
        if not _tells(shown["payments"], result["payments"]):
            faults.append(f"{where} was shown other payments")
        if not _tells(shown["wins"], result["wins"]):
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


def _tells(shown: Sequence[Payload], recorded: Sequence[Payload]) -> bool:
    """Whether what was shown says all that was recorded; it explains it, too."""
    pairs = zip(shown, recorded, strict=False)
    return len(shown) == len(recorded) and all(there.items() <= said.items() for said, there in pairs)
