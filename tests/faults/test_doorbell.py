"""T13, T14: the doorbell loses, repeats and delays rings, and rings at processes that stand still. All see the whole hand."""

import asyncio
import signal
import threading
import time
import uuid
from collections.abc import Callable
from typing import Final

import pytest
from django.conf import settings

from accounts.models import User
from clubs.models import Room
from games import play
from games.clients import Payload
from games.log import folded
from games.models import Table
from games.selfplay import hand_deal
from tests.faults import invariants
from tests.faults.evening import evening_of
from tests.faults.lags import share, told
from tests.faults.people import beside
from tests.servers import ServerProcess
from tests.sockets import client_of, heard

CAUGHT_UP_SECONDS: Final = 8.0  # two on a machine of its own: docs/faults.md


@pytest.mark.parametrize("seconds", [1, pytest.param(180, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_rings_are_lost_doubled_and_late(
    room: Room, users: list[User], servers: Callable[..., ServerProcess], seconds: float
) -> None:
    """Where there is a Redis two seats play on each of two servers, which hear of each other by the doorbell alone."""
    processes = [servers() for _number in range(2 if settings.REDIS_URL else 1)]
    for seed, server in enumerate(processes):
        server.start(f"doorbell:{seed}")
    with evening_of(room, users, *(server.url for server in processes), watches=True) as evening:
        time.sleep(seconds)
    print(f"{len(processes)} servers, {len(evening.seen) // 4} hands, {told(evening.lags)}")
    evening.check()
    assert share(evening.lags, 0.95) < CAUGHT_UP_SECONDS


@pytest.mark.postgres  # what holds SQLite's one lock and stands still stops all
@pytest.mark.parametrize("events", [150, pytest.param(1000, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_a_server_that_stands_still_catches_up(
    table: Table, users: list[User], servers: Callable[..., ServerProcess], events: int
) -> None:
    """More happens while it stands still than a channel layer keeps."""
    server = servers()
    server.start()
    hand = hand_deal(table_id=table.pk, users=users)
    client = client_of(server.url, users[1])
    shown: list[Payload] = []

    async def look_on() -> None:
        async with client.socket(table.pk) as socket:
            shown.append(await heard(socket, "snapshot"))
            opened.set()
            await asyncio.to_thread(goes_on.wait)
            while shown[-1]["hand"]["seq"] < shown[0]["hand"]["seq"] + events:
                frame = await heard(socket, "event")
                assert frame["seq"] == shown[-1]["hand"]["seq"] + 1, "a gap"
                shown.append(frame)
            await asyncio.to_thread(_switch, hand.pk, users[0], 1)  # and it still hears the bell
            shown.append(await heard(socket, "event"))

    opened, goes_on = threading.Event(), threading.Event()
    with beside(look_on()) as looked:
        assert opened.wait(60)
        server.tell(signal.SIGSTOP)
        _switch(hand.pk, users[0], events)
        server.tell(signal.SIGCONT)
        goes_on.set()
        looked.result(60)
    print(f"{events} events while it stood still, {len(shown) - 2} seen after it")
    told = [event for frame in shown[1:] for event in frame["events"]]
    assert [event["on"] for event in told if event["kind"] == "auto"][:events] == [True, False] * (events // 2)
    invariants.check_all()


def _switch(hand_id: int, user: User, times: int) -> None:
    """Switch auto-play of a seat on and off: every one is an event that all can see."""
    for _time in range(times):
        on = not folded(hand_id).auto[0]
        play.auto_switch(hand_id=hand_id, user=user, on=on, command_id=str(uuid.uuid4()))
