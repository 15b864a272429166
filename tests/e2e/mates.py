"""Members who play over sockets of their own and play into a player's hands, so that a test meets every offer.

A wall cannot be chosen, so the mates see to it: they never win, kong or pung, keep the tiles that the player can use,
and discard them while the test wants an offer of that kind. What the player can use they learn from a socket of the
player's own, which watches like a second tab and also tells a test the policy's choice.
"""

import asyncio
import json
import secrets
import threading
import uuid
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from games import bots
from games.clients import Client
from games.protocol import Choice, choice_of
from games.rules import Ruleset

Payload = dict[str, Any]


class Mates:
    """Sits its clients (by seat) down at a table, where they play until `stop`; `ready` for one hand, or for none."""

    def __init__(self, table_id: int, player: Client, clients: dict[int, Client], *, ready: bool) -> None:
        self.wanted: set[str] = set()  # of "pung", "kong", "win"
        self.mine: Payload | None = None  # the player's view
        self.ruleset: Ruleset | None = None
        self.ready = ready
        self.table_id, self._player, self._clients = table_id, player, clients
        self._over = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._play()), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Hang up."""
        self._over.set()
        self._thread.join(20)
        assert not self._thread.is_alive(), "the mates did not hang up"

    def advice(self) -> Choice | None:
        """What the policy would do in the player's place, when it is asked."""
        mine = self.mine
        return choice_of(bots.choose(mine, self.ruleset)) if self.ruleset and mine and mine["legal"] else None

    async def _play(self) -> None:
        parts = [self._watch(), *(_Mate(self, seat).play(client) for seat, client in self._clients.items())]
        tasks = [asyncio.create_task(part) for part in parts]
        await asyncio.to_thread(self._over.wait)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self) -> None:
        async with self._player.socket(self.table_id) as socket:
            async for text in socket:
                frame = json.loads(text)
                self.ruleset = _ruleset_of(frame) or self.ruleset
                hand = frame.get("hand")
                if hand is not None:
                    self.mine = hand["view"] if hand["status"] == "playing" and hand["you"] is not None else None

    def discard(self, tiles: Iterable[str], usual: str) -> str:
        """The tile that a mate discards: one the player is to be offered, else one the player has no use for."""
        useful = self._useful()
        for kind in ("win", "kong", "pung"):
            for tile in tiles:
                if useful.get(tile) == kind and kind in self.wanted:
                    return tile
        return next((tile for tile in (usual, *tiles) if tile not in useful), usual)

    def _useful(self) -> dict[str, str]:
        if self.mine is None:
            return {}
        me = self.mine["seats"][self.mine["seat"]]
        held = Counter(tile for tile in me["hand"] if tile[1] != me["void"])
        useful = {tile: "kong" if count > 2 else "pung" for tile, count in held.items() if count > 1}
        return {**useful, **{wait["tile"]: "win" for wait in self.mine["waits"]}}


def _ruleset_of(frame: Payload) -> Ruleset | None:
    return Ruleset.parse(frame["table"]["terms"]["ruleset"]) if frame["type"] in ("snapshot", "table") else None


class _Mate:
    def __init__(self, mates: Mates, seat: int) -> None:
        self.mates, self.seat = mates, seat
        self.nonce = b""
        self.ruleset: Ruleset | None = None
        self.answered: set[tuple[int, int]] = set()

    async def play(self, client: Client) -> None:
        async with client.socket(self.mates.table_id) as socket:
            await self._send(socket, {"type": "sit", "seat": self.seat})
            try:
                async for text in socket:
                    await self._take(socket, json.loads(text))
            except ConnectionClosed:
                pass

    async def _take(self, socket: ClientConnection, frame: Payload) -> None:
        table, hand = frame.get("table"), frame.get("hand")
        self.ruleset = _ruleset_of(frame) or self.ruleset
        is_full = table is not None and table["you"] == self.seat and all(table["seats"])
        if self.mates.ready and is_full and not self.nonce:
            self.nonce = secrets.token_bytes(32)
            await self._send(socket, {"type": "ready", "nonce_commitment": sha256(self.nonce).hexdigest()})
        if hand is None or hand["you"] is None:
            return
        if hand["nonce_wanted"] and self.nonce:
            await self._send(socket, {"type": "nonce", "hand": hand["id"], "nonce": self.nonce.hex()})
        view, decision = hand["view"], (hand["id"], hand["decision"])
        if view and view["legal"] and not view["answered"] and decision not in self.answered:
            self.answered.add(decision)
            await self._send(
                socket, {"type": "act", "hand": hand["id"], "seq": hand["seq"], "action": self._action(view)}
            )

    def _action(self, view: Payload) -> Payload:
        if any(option["kind"] == "pass" for option in view["legal"]):
            return {"kind": "pass"}
        modest = {**view, "legal": [option for option in view["legal"] if option["kind"] in ("void", "discard")]}
        assert self.ruleset is not None, "a table comes before its hand"
        usual = choice_of(bots.choose(modest, self.ruleset))
        if usual.tile is None:
            return {"kind": "void", "suit": usual.suit}
        tiles = [option["tile"] for option in modest["legal"]]
        return {"kind": "discard", "tile": self.mates.discard(tiles, usual.tile)}

    async def _send(self, socket: ClientConnection, command: Payload) -> None:
        await socket.send(json.dumps({"id": str(uuid.uuid4()), **command}))
