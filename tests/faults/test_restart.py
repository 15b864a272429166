"""Servers that are restarted: one after the other nobody notices but for a moment, and all at once costs nobody time."""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from accounts.models import User
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_change_terms
from games.clients import Client, Seen, compare, play_hands
from games.clock import START_SILENCE
from games.log import folded
from games.models import Action, Hand, Heartbeat, Table
from games.rules.hand import Phase
from games.selfplay import hand_deal
from tests.faults.people import room_of
from tests.servers import ServerProcess, database_url
from tests.sockets import client_of

BACK_SECONDS = 15.0  # three on a machine of its own; in the gate two suites share the cores


@dataclass
class Roaming(Client):
    """A member behind a proxy: every connection goes to the next server that answers."""

    urls: list[str] = field(default_factory=list)

    def socket(self, table_id: int) -> connect:
        self.urls.append(self.urls.pop(0))
        self.url = self.urls[0]
        return super().socket(table_id)


@pytest.fixture
def room(club: Club, operator: User) -> Room:
    """With a beat, so that a hand lasts for as long as both servers take."""
    return room_of(club, operator, pacing=RoomTerms.Pacing.QUICK)


@pytest.fixture
def second_process(server_process: ServerProcess, tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(database_url(), tmp_path / "second.log")
    server.start()
    yield server
    server.stop()


def test_a_rolling_restart_ends_no_hand_and_everybody_is_back_soon(
    table: Table, users: list[User], server_process: ServerProcess, second_process: ServerProcess
) -> None:
    servers = [server_process, second_process]
    urls = [server.url for server in servers]
    clients = [Roaming(urls[0], user.username, client_of(urls[0], user).cookies, list(urls)) for user in users]
    watcher = Roaming(urls[0], users[0].username, clients[0].cookies, list(urls))
    seen: list[Seen] = []
    codes: list[int | None] = []
    gaps: list[float] = []
    beats: list[datetime] = []

    async def watch() -> None:
        """Hold a second line of a player, and note why it was closed and how long it took to see the table again."""
        lost: float | None = None
        while True:
            try:
                async with watcher.socket(table.pk) as socket:
                    assert json.loads(await socket.recv())["type"] == "snapshot"
                    if lost is not None:
                        gaps.append(time.monotonic() - lost)
                    lost = None
                    async for _frame in socket:
                        pass
                    raise ConnectionClosed(None, None)
            except ConnectionClosed as closed:
                codes.append(closed.rcvd.code if closed.rcvd else socket.close_code)
                lost = lost or time.monotonic()
            except (InvalidHandshake, OSError):
                pass
            await asyncio.sleep(0.3)

    async def listen() -> None:
        """Note every heartbeat, to know which silence the servers themselves could see."""
        while True:
            heart = await Heartbeat.objects.afirst()
            if heart is not None and heart.at not in beats[-1:]:
                beats.append(heart.at)
            await asyncio.sleep(0.1)

    async def restart() -> None:
        for server in servers:
            await asyncio.sleep(2)
            await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.start)

    async def talk() -> None:
        watching = [asyncio.create_task(watch()), asyncio.create_task(listen())]
        playing = [play_hands(client, table.pk, seat, 1, seen.append) for seat, client in enumerate(clients)]
        await asyncio.gather(restart(), *playing)
        for task in watching:
            task.cancel()

    asyncio.run(talk())
    assert codes
    assert set(codes) == {1012}
    assert len(gaps) == len(codes)
    assert max(gaps) < BACK_SECONDS
    hand = Hand.objects.get()
    assert hand.status == Hand.Status.SETTLED
    silences = [(later - earlier).total_seconds() for earlier, later in pairwise(beats)]
    if max(silences) < START_SILENCE:
        assert not Action.objects.filter(kind="pause").exists(), "a server ran all the time"
    assert hand.record is not None
    assert compare(seen, hand.record) == []


def test_the_time_without_a_server_is_nobodys(
    table: Table, users: list[User], operator: User, server_process: ServerProcess
) -> None:
    """A turn of eight seconds, of which twelve without a server: nobody is played for before his eight are over."""
    changes = {"turn_seconds": 8, "reserve_seconds": 0, "pacing": RoomTerms.Pacing.INSTANT}
    room_change_terms(room=table.room, actor=operator, changes=changes)
    hand = hand_deal(table_id=table.pk, users=users)
    fold = folded(hand.pk)
    assert fold.core is not None
    assert fold.core.phase is Phase.TURN
    rows = fold.seq
    time.sleep(1)  # a heartbeat of the server that now dies
    server_process.kill()
    time.sleep(12)
    server_process.start()
    deadline = time.monotonic() + 90
    while not Action.objects.filter(hand=hand, source=Action.Source.TIMER).exists():
        assert time.monotonic() < deadline, "nobody is played for any more"
        time.sleep(0.1)
    pause = Action.objects.get(hand=hand, kind="pause")
    assert pause.seq == rows + 1
    assert pause.data["seconds"] > 12
    played = Action.objects.filter(hand=hand, source=Action.Source.TIMER).earliest("seq")
    took = (played.created_at - fold.began).total_seconds() - pause.data["seconds"]
    assert took >= 8.0
    assert (played.created_at - pause.created_at).total_seconds() > 8.0
