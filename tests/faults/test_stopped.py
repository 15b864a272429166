"""T3: a server process stands still in the middle of its work, another takes over, and the first wakes up late."""

import signal
import time
from collections.abc import Callable
from typing import Final

import pytest

from accounts.models import User
from clubs.models import Club
from games.models import Action, Hand
from tests.faults.evening import evening_of
from tests.faults.people import room_of
from tests.servers import ServerProcess

pytestmark = [pytest.mark.postgres, pytest.mark.redis, pytest.mark.timeout(600)]
TAKEN_OVER_SECONDS: Final = 20.0  # five after which PostgreSQL gives the one up, on a busy machine
DEEP = [
    "before a row",
    "after a nonce",
    "before the settlement",
    "after the ledger",
    "before an ack",
    "after the doorbell",
]


@pytest.mark.parametrize(
    ("point", "seconds"),
    [("after a row", 0.0), *(pytest.param(point, 20.0, marks=pytest.mark.deep) for point in ("after a row", *DEEP))],
)
def test_who_wakes_up_late_has_written_nothing(
    club: Club, operator: User, users: list[User], servers: Callable[..., ServerProcess], point: str, seconds: float
) -> None:
    """Two seats on each server. It stands still for `seconds`, and at least until the other has gone on without it."""
    room = room_of(club, operator, turn_seconds=3, claim_seconds=2, reserve_seconds=0)
    first, second = servers(), servers()
    first.start(f"stop:{point}:{1 if point in DEEP[1:4] else 12}")
    second.start()
    with evening_of(room, users, first.url, second.url) as evening:
        while not first.is_stopped:
            time.sleep(0.02)
        stopped = time.monotonic()
        rows, hands = Action.objects.count(), Hand.objects.count()
        while Action.objects.count() <= rows:
            assert time.monotonic() - stopped < TAKEN_OVER_SECONDS, "nobody took over"
            time.sleep(0.05)
        took = time.monotonic() - stopped
        time.sleep(max(0.0, seconds - took))
        first.tell(signal.SIGCONT)
    print(f"stopped {point} in hand {hands}: the next step after {took:.1f} s")
    evening.check()
