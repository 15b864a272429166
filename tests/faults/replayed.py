"""Hands replayed in a process of their own: records in on stdin, their states and results out.

python -m tests.faults.replayed
"""

import json
import sys
from hashlib import sha256
from typing import Any

from games.rules.record import judge, replay
from games.rules.views import view_for

VIEWERS = (0, 1, 2, 3, None)


def replayed(record: dict[str, Any]) -> dict[str, Any]:
    """The states of a record's hand step by step, as hashes, and its result."""
    states = []
    for hand, _events in replay(record):
        views = [view_for(hand, seat) for seat in VIEWERS]
        states.append(sha256(json.dumps([views, hand.remaining_wall, hand.moves]).encode()).hexdigest())
    return {"states": states, "result": judge(record)}


if __name__ == "__main__":
    print(json.dumps([replayed(record) for record in json.load(sys.stdin)]))
