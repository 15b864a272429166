"""Hands that are settled as played ones are, without a move of anybody."""

from collections.abc import Sequence
from datetime import datetime
from unittest.mock import patch

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from clubs.models import Membership
from games.log import Row, fresh_fold
from games.models import Hand, HandSeat, Table
from games.rules.hand import Hand as Core
from games.settlement import hand_settle


def settled(
    table: Table, users: Sequence[User], core: Core, *, at: datetime | None = None, auto: Sequence[int] = ()
) -> Hand:
    """A hand made by a test, settled now or as of `at`; the program decided something for the seats of `auto`."""
    terms = table.room.terms
    assert terms is not None
    number = Hand.objects.filter(table=table).count() + 1
    hand = Hand.objects.create(table=table, number=number, terms=terms, dealer=core.dealer, seed=bytes(32), engine="1")
    for seat, user in enumerate(users):
        member = Membership.objects.get(user=user, club=table.room.club)
        HandSeat.objects.create(hand=hand, number=seat, membership=member)
    moment = at or timezone.now()
    fold = fresh_fold(hand)
    fold.core = core
    fold.rows += [Row(seq, seat, "pass", {}, "timer", None, moment) for seq, seat in enumerate(auto, start=1)]
    with transaction.atomic(), patch("games.settlement.timezone.now", lambda: moment):
        hand_settle(fold)
    hand.refresh_from_db()
    return hand
