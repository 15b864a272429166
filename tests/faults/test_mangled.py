"""T16: clients whose messages come twice, out of order, from a second tab, for another hand or step, or against the rules.

A line between each client and the server does that to a share of what it sends; the player behind it knows nothing of it.
"""

import asyncio
import json
import random
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from websockets.asyncio.client import ClientConnection

from accounts.models import User
from games.clients import Client, Journal, Payload, Seen, play_hands
from games.models import Action, Table
from tests.faults import invariants
from tests.sockets import client_of, heard

SHARES: Final = {"twice": 0.1, "swapped": 0.1, "second tab": 0.05, "old hand": 0.07, "old step": 0.07, "illegal": 0.07}
HELD_SECONDS: Final = 0.15  # for so long a swapped message is held, while others overtake it
CODES: Final = {
    "old hand": {"not_in_hand"},
    "old step": {"stale", "not_in_hand"},
    "illegal": {"illegal_action", "stale", "not_in_hand"},
}


@dataclass
class Mangling(Client):
    """A client on a bad line."""

    rng: random.Random = field(default_factory=random.Random)
    did: Counter[str] = field(default_factory=Counter)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def socket(self, table_id: int) -> Any:
        return self._line(table_id)

    @asynccontextmanager
    async def _line(self, table_id: int) -> AsyncIterator["Line"]:
        async with super().socket(table_id) as socket:
            yield Line(self, table_id, socket)
            await asyncio.gather(*self.tasks)

    async def second_tab(self, table_id: int, text: str) -> None:
        """Send something from another window, and stay until it is answered."""
        async with super().socket(table_id) as tab:
            await tab.send(text)
            await heard(tab, "ack", "error")


@dataclass
class Line:
    """One connection of it."""

    client: Mangling
    table_id: int
    player: ClientConnection
    made_up: dict[str, str] = field(default_factory=dict)  # commands that nobody at the table gave, and why

    async def send(self, text: str) -> None:
        command = json.loads(text)
        what = self.client.rng.choices([*SHARES, "as it is"], [*SHARES.values(), 1 - sum(SHARES.values())])[0]
        self.client.did[what] += 1
        match what:
            case "twice":
                await self.player.send(text)
            case "swapped" if command["type"] == "act":
                self._start(self._send_later(text))
                return
            case "second tab":
                self._start(self.client.second_tab(self.table_id, text))
            case "old hand" | "old step" | "illegal" if command["type"] == "act":
                id = str(uuid.uuid4())
                self.made_up[id] = what
                await self.player.send(json.dumps({**_wrong(command, what), "id": id}))
        await self.player.send(text)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.client.tasks.add(task)
        task.add_done_callback(self.client.tasks.discard)

    async def _send_later(self, text: str) -> None:
        await asyncio.sleep(HELD_SECONDS)
        await self.player.send(text)

    async def recv(self) -> str | bytes:
        while True:
            text = await self.player.recv()
            frame = json.loads(text)
            why = self.made_up.pop(frame.get("id"), None)
            if why is None:
                return text
            assert frame["type"] == "error" and frame["code"] in CODES[why], f"{why}: {frame}"


def _wrong(command: Payload, what: str) -> Payload:
    match what:
        case "old hand":
            return {**command, "hand": command["hand"] + 10**6}
        case "old step":
            return {**command, "seq": 1}
    kind = {"kind": "pass"} if command["action"]["kind"] == "void" else {"kind": "void", "suit": "m"}
    return {**command, "action": kind}


@pytest.mark.parametrize("hands", [1, pytest.param(40, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_what_comes_mangled_is_done_once_or_refused(
    live_asgi: str, table: Table, users: list[User], hands: int
) -> None:
    seed = hands
    clients = []
    for seat, user in enumerate(users):
        client = client_of(live_asgi, user)
        clients.append(Mangling(client.url, client.username, client.cookies, random.Random(f"{seed}:{seat}")))
    journals, seen = [Journal() for _client in clients], list[Seen]()

    async def play() -> None:
        playing = [
            play_hands(client, table.pk, seat, hands, seen.append, journals[seat])
            for seat, client in enumerate(clients)
        ]
        await asyncio.gather(*playing)

    asyncio.run(play())
    did = sum((client.did for client in clients), Counter[str]())
    print(f"seed {seed}: {dict(did)}, {Action.objects.count()} rows")
    assert len(did) >= 5, "the line was too good"
    assert len(seen) == 4 * hands
    invariants.check_all(journals, seen)
