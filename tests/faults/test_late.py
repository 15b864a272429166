"""T16, I18: sent around the deadline, a decision counts or the program's does, never both, and the stored times say which."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import pytest
from django.utils import timezone

from accounts.models import User
from clubs.models import Club
from games.clients import Client
from games.log import GRACE, folded
from games.models import Action, Hand
from games.play import hand_stop
from games.selfplay import hand_deal
from tests.faults import invariants
from tests.faults.people import room_of
from tests.people import member_of, table_of
from tests.sockets import client_of, heard, said

VOID_SECONDS: Final = 8  # in which 24 sockets open, on a busy machine too
# By seat: how many seconds before the last moment it decides, from and to. Two around it, one before it and one after it, however
# long a busy machine takes.
EARLY: Final = ((-0.05, 0.05), (-0.05, 0.05), (1.5, 4.0), (-1.5, -0.5))
TRAVEL: Final = 0.02  # seconds that a command takes to be judged
AT_ONCE: Final = 12


@pytest.mark.parametrize("hands", [6, pytest.param(504, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_around_the_deadline_one_of_two_decides(live_asgi: str, club: Club, operator: User, hands: int) -> None:
    """Four void suits a hand, a dozen hands at once at most."""
    seed = hands
    rng = random.Random(seed)
    room = room_of(club, operator, preset="qq_dingque", void_seconds=VOID_SECONDS, reserve_seconds=0)
    answers: Counter[str] = Counter()

    async def decide(client: Client, table_id: int, last: datetime, suit: str, early: float) -> None:
        async with client.socket(table_id) as socket:
            hand = (await heard(socket, "snapshot"))["hand"]
            if not hand["view"]["legal"]:  # on a busy machine the program was faster than the snapshot
                answers["not asked"] += 1
                return
            await asyncio.sleep((last - timezone.now()).total_seconds() - early)
            action = {"kind": "void", "suit": suit}
            answer = await said(socket, type="act", hand=hand["id"], seq=hand["seq"], action=action)
            answers[answer.get("code", "ack")] += 1

    async def decide_all(who: Sequence[tuple[Client, int, datetime]]) -> None:
        await asyncio.gather(
            *(
                decide(*one, rng.choice("mps"), TRAVEL + rng.uniform(*EARLY[number % 4]))
                for number, one in enumerate(who)
            )
        )

    parts = []
    for number in range(min(hands, AT_ONCE)):
        users = [member_of(club, operator, f"late{number}-{seat}") for seat in range(4)]
        parts.append((table_of(room, users), users, [client_of(live_asgi, user) for user in users]))
    played = 0
    while played < hands:
        who: list[tuple[Client, int, datetime]] = []
        for table, users, clients in parts:
            hand = hand_deal(table_id=table.pk, users=users)
            last = folded(hand.pk).began + timedelta(seconds=VOID_SECONDS + GRACE)
            who += [(client, table.pk, last) for client in clients]
            played += 1
        asyncio.run(decide_all(who))
        for table, _users, _clients in parts:
            running = Hand.objects.exclude(status=Hand.Status.SETTLED).get(table=table)
            hand_stop(hand_id=running.pk, actor=operator, rule="void", reason="test")
    print(f"seed {seed}: {played} hands, {dict(answers)}")
    assert answers.keys() <= {"ack", "too_late", "stale", "not asked"}
    assert answers["ack"] and answers["too_late"] + answers["stale"], "none was on the other side"
    for hand in Hand.objects.all():
        voids = Action.objects.filter(hand=hand, kind="void").values_list("seat", "source")
        assert sorted(seat for seat, _source in voids if seat is not None) == [0, 1, 2, 3]
    assert Action.objects.filter(kind="void", source=Action.Source.PLAYER).count() == answers["ack"]
    invariants.check_all()
