"""T13, T14: the doorbell loses, repeats and delays rings, and rings at processes that stand still. All see the whole hand."""

import asyncio
import random
import signal
import threading
import uuid
from collections.abc import Callable
from typing import Any, Final

import pytest

from accounts.models import User
from games import doorbell, play
from games.clients import Journal, Payload, Seen, play_hands
from games.log import folded
from games.models import Table
from games.selfplay import hand_deal
from tests.faults import invariants
from tests.faults.lags import share, told, watch
from tests.faults.people import beside, client_of
from tests.games.test_sockets import heard
from tests.servers import ServerProcess

LOST, TWICE, LATE = 0.3, 0.1, 0.1  # shares of the rings
LATE_SECONDS: Final = 0.3
CAUGHT_UP_SECONDS: Final = 2.0


@pytest.mark.parametrize("hands", [1, pytest.param(40, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_rings_are_lost_doubled_and_late(
    live_asgi: str, table: Table, users: list[User], monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    rng = random.Random(hands)
    rings = []
    send = doorbell._send

    def unreliable(table_id: int, message: dict[str, Any]) -> None:
        what = rng.choices(["lost", "twice", "late", "sent"], [LOST, TWICE, LATE, 1 - LOST - TWICE - LATE])[0]
        rings.append(what)
        if what == "late":
            threading.Timer(LATE_SECONDS, send, [table_id, message]).start()
        for _time in range({"twice": 2, "sent": 1}.get(what, 0)):
            send(table_id, message)

    monkeypatch.setattr(doorbell, "_send", unreliable)
    clients = [client_of(live_asgi, user) for user in users]
    journals, seen, lags = [Journal() for _client in clients], list[Seen](), list[float]()

    async def play_and_watch() -> None:
        watching = asyncio.create_task(watch(clients[0], table.pk, lags))
        playing = [
            play_hands(client, table.pk, seat, hands, seen.append, journals[seat])
            for seat, client in enumerate(clients)
        ]
        await asyncio.gather(*playing)
        watching.cancel()

    asyncio.run(play_and_watch())
    print(f"seed {hands}: {len(rings)} rings, {rings.count('lost')} of them lost, {told(lags)}")
    invariants.check_all(journals, seen)
    assert share(lags, 0.95) < CAUGHT_UP_SECONDS


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
            while shown[-1]["hand"]["seq"] < shown[0]["hand"]["seq"] + events:
                frame = await heard(socket, "event")
                assert frame["seq"] == shown[-1]["hand"]["seq"] + 1, "a gap"
                shown.append(frame)
            await asyncio.to_thread(_switch, hand.pk, users[0], 1)  # and it still hears the bell
            shown.append(await heard(socket, "event"))

    opened = threading.Event()
    with beside(look_on()) as looked:
        assert opened.wait(20)
        server.tell(signal.SIGSTOP)
        _switch(hand.pk, users[0], events)
        server.tell(signal.SIGCONT)
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
