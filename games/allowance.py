"""How much one person may ask of a server process: so much at once, and so much a second, over all sockets that they open."""

import time
from typing import Final

A_SECOND: Final = 10.0
BURST: Final = 40.0
COMMAND: Final = 1.0
SNAPSHOT: Final = 3.0  # which is read from the log, and is the longest of all frames
_PEOPLE: Final = 1000  # of whom it is known what they spent, before those are forgotten who have all of it again

_left: dict[int, tuple[float, float]] = {}  # by user: what was left, and when (time.monotonic)


def spend(user_id: int, cost: float = COMMAND) -> bool:
    """Take from what a person may ask. Returns whether there was enough left."""
    now = time.monotonic()
    if user_id not in _left and len(_left) >= _PEOPLE:
        _forget(now)
    left, then = _left.get(user_id, (BURST, now))
    left = min(BURST, left + (now - then) * A_SECOND)
    is_enough = left >= cost
    _left[user_id] = (left - cost if is_enough else left, now)
    return is_enough


def _forget(now: float) -> None:
    for user_id, (left, then) in tuple(_left.items()):
        if left + (now - then) * A_SECOND >= BURST:
            del _left[user_id]
