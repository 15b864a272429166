"""T1: `kill -9` at named points of the program. Nothing acknowledged is lost, nothing is done twice, the table goes on.

Four clients play hand after hand. A server that dies at one point is followed by one that dies at the next.
"""

import random
import time
import uuid
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

import pytest

from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club, Room
from clubs.rooms import room_change_terms
from games import play
from games.models import Action, Hand
from tests.faults import invariants
from tests.faults.evening import evening_of
from tests.faults.people import room_of
from tests.servers import ServerProcess

POINTS: Final = {  # and how often one comes to it in a hand, at the least
    "before a row": 40,
    "after a row": 40,
    "after a nonce": 4,
    "before the deal": 1,
    "after the deal": 1,
    "before a void suit": 2,
    "after a void suit": 2,
    "after a pass": 1,
    "after a pung": 1,
    "after a kong": 1,
    "before a time-out": 4,
    "after a time-out": 4,
    "after a win": 1,
    "after a win of several": 1,
    "before the settlement": 1,
    "after the settlement": 1,
    "before the ledger": 1,
    "after the ledger": 1,
    "between coins and points": 4,
    "before seats are freed": 1,
    "before a commit": 40,
    "after a commit": 40,
    "before the doorbell": 40,
    "after the doorbell": 40,
    "before an ack": 30,
    "after an ack": 30,
    "before a snapshot": 4,
    "after sitting down": 3,
    "before ready": 4,
    "after the start of a hand": 1,
    "before getting up": 4,
    "after getting up": 4,
    "before a heartbeat": 5,
}
GATE: Final = ("after a row", "after a time-out", "before an ack", "after the ledger")
BACK_SECONDS: Final = 15.0  # three on a machine of its own: docs/faults.md
VOIDS: Final = ("before a void suit", "after a void suit")  # which are named only where the rules ask for them
REACH_SECONDS: Final = 120.0  # in which a point is come to
SEVERAL_SECONDS: Final = 1800.0  # the same where several win with one tile, as they do in one hand of twenty-five


@pytest.mark.timeout(900)
def test_a_table_survives_kills(room: Room, users: list[User], servers: Callable[..., ServerProcess]) -> None:
    _kill_at(GATE, room, users, servers(), seed=1)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(8))
def test_a_table_survives_kills_at_every_point(
    club: Club, operator: User, users: list[User], servers: Callable[..., ServerProcess], seed: int
) -> None:
    room = room_of(club, operator, preset="dingzhang")
    _kill_at(VOIDS, room, users, servers(), seed=seed)
    room_change_terms(room=room, actor=operator, changes={"preset": "qq_xuezhan_2"})  # where several win more often
    _kill_at(POINTS.keys() - {*VOIDS}, room, users, servers(), seed=seed)


def _kill_at(names: Collection[str], room: Room, users: list[User], server: ServerProcess, *, seed: int) -> None:
    rng = random.Random(seed)
    order = rng.sample(sorted(names), len(names))
    backs: list[float] = []
    with evening_of(room, users, server.url) as evening:
        for name in order:
            server.start(f"kill:{name}:{rng.randint(1, POINTS[name])}")
            backs += _until_killed(server, users, name)
        server.start()
    print(f"seed {seed}: {len(order)} kills, {len(evening.seen) // 4} hands")
    print(f"until a hand went on: {len(backs)} times, at most {max(backs, default=0):.2f} s")
    evening.check()
    server.kill()
    assert invariants.replays_elsewhere(seed) == []
    assert max(backs, default=0) < BACK_SECONDS


def _until_killed(server: ServerProcess, users: list[User], name: str) -> list[float]:
    """Wait until the server has died; how long (seconds) after its start the hand that was running went on, if one was."""
    began = time.monotonic()
    hand = Hand.objects.exclude(status=Hand.Status.SETTLED).first()
    rows = Action.objects.count()
    back: list[float] = []
    while not server.is_killed:
        waited = time.monotonic() - began
        if hand is not None and not back and Action.objects.count() > rows:
            back.append(waited)
        if "time-out" in name:
            _let_somebody_be_played_for(users)
        assert waited < (SEVERAL_SECONDS if "several" in name else REACH_SECONDS), f"nobody came to {name}"
        time.sleep(0.02)
    return back


def _let_somebody_be_played_for(users: list[User]) -> None:
    """Switch auto-play of a player of the running hand on, as the player could."""
    hand = Hand.objects.filter(status=Hand.Status.PLAYING).first()
    if hand is not None and not Action.objects.filter(hand=hand, kind="auto").exists():
        with suppress(Refused):  # it is over
            play.auto_switch(hand_id=hand.pk, user=users[0], on=True, command_id=str(uuid.uuid4()))
