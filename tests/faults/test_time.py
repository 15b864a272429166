"""T5, T15: the timekeeper is away, and clocks jump. Nobody is played for too early, nobody twice, and nobody waits for ever.

No machine's clock is set here: the server's functions that tell the time jump (`tests.faults.faulty`), its own and PostgreSQL's.
"""

import signal
import time
from collections.abc import Callable
from typing import Final

import pytest
from django.db import connection

from accounts.models import User
from clubs.rooms import room_change_terms
from games.clock import RUN_SILENCE
from games.log import GRACE, folded
from games.models import Action, Hand, Table
from games.play import RETURN_SECONDS
from games.selfplay import hand_deal
from tests.faults import invariants
from tests.servers import ServerProcess

TURN_SECONDS: Final = 3
LATEST: Final = (
    10.0  # seconds after its due time that the program may take to act for somebody; five on a machine of its own
)

HOUR: Final = 3600


@pytest.fixture
def hand(table: Table, users: list[User], operator: User) -> Callable[[], Hand]:
    """Deals a hand in which the dealer has a few seconds to decide, and nobody ever does."""
    room_change_terms(room=table.room, actor=operator, changes={"turn_seconds": TURN_SECONDS, "reserve_seconds": 0})
    return lambda: hand_deal(table_id=table.pk, users=users)


def first_played(hand: Hand, patience: float) -> float:
    """Wait until the program has decided for somebody; the moment (of this process's monotonic clock)."""
    until = time.monotonic() + patience
    while not Action.objects.filter(hand=hand, source=Action.Source.TIMER).exists():
        assert time.monotonic() < until, "nobody is played for"
        time.sleep(0.02)
    return time.monotonic()


@pytest.mark.parametrize("seconds", [8, pytest.param(30, marks=pytest.mark.deep)])
def test_the_timekeeper_is_away(hand: Callable[[], Hand], servers: Callable[..., ServerProcess], seconds: int) -> None:
    """T5: the server takes commands all the time, but nothing fires; then what is due fires once, and the time is nobody's."""
    assert seconds > RUN_SILENCE
    server = servers()
    server.start(f"clockless:{seconds}")
    dealt = hand()
    began = time.monotonic()
    time.sleep(seconds - 1)
    assert not Action.objects.filter(hand=dealt, source=Action.Source.TIMER).exists()
    while not Action.objects.filter(hand=dealt, kind="pause").exists():
        assert time.monotonic() - began < seconds + LATEST, "nothing says that it was away"
        time.sleep(0.05)
    pause = Action.objects.get(hand=dealt, kind="pause")
    dealt.refresh_from_db()
    assert dealt.due_at is not None
    left = (dealt.due_at - pause.created_at).total_seconds()
    print(f"away for {seconds} s: {pause.data['seconds']} s do not count, {left:.1f} s are left")
    assert TURN_SECONDS < left < TURN_SECONDS + GRACE + RETURN_SECONDS + 0.1
    invariants.check_all()
    if seconds > 10:
        first_played(dealt, left + LATEST)
        invariants.check_all()


@pytest.mark.parametrize(
    ("fault", "jump"),
    [
        ("clock", -HOUR),
        *(pytest.param("clock", jump, marks=pytest.mark.deep) for jump in (HOUR, 25 * HOUR, -25 * HOUR)),
        *(
            pytest.param("database clock", jump, marks=[pytest.mark.deep, pytest.mark.postgres])
            for jump in (HOUR, 25 * HOUR, -HOUR, -25 * HOUR)
        ),
    ],
)
def test_a_clock_jumps(hand: Callable[[], Hand], servers: Callable[..., ServerProcess], fault: str, jump: int) -> None:
    server = servers()
    server.start(f"{fault}:{jump}")
    dealt = hand()
    began = time.monotonic()
    time.sleep(1)
    server.tell(signal.SIGUSR1)
    took = first_played(dealt, TURN_SECONDS + RETURN_SECONDS + LATEST + 5) - began
    print(f"{fault} jumps by {jump / HOUR:+.0f} h: played for after {took:.2f} s")
    time.sleep(1)
    assert Action.objects.filter(hand=dealt, kind="discard", seq=folded(dealt.pk).seq).count() <= 1
    assert took > TURN_SECONDS
    assert took < TURN_SECONDS + GRACE + RETURN_SECONDS + LATEST
    faults = [*invariants.logs_are_dense(), *invariants.times_are_kept(), *invariants.coins_add_up()]
    assert faults == []
    assert connection.vendor == "sqlite" or fault != "clock" or took < TURN_SECONDS + GRACE + LATEST
