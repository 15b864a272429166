"""The clock of a running server: who does not decide in time is played for, and gets the seat back."""

import time
import uuid
from collections.abc import Callable

import pytest

from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club
from games import play
from games.log import Fold, fresh_fold, states
from games.models import Action, Hand
from games.rules.hand import Phase
from games.selfplay import choice_of, hand_deal
from tests.people import room_of, table_of


@pytest.fixture
def hand(club: Club, members: list[User], operator: User, live_asgi: str) -> Hand:
    room = room_of(club, operator, turn_seconds=3, void_seconds=3, claim_seconds=2, reserve_seconds=0)
    return hand_deal(table_id=table_of(room, members[:4]).pk, users=members[:4])


def wait_for(hand: Hand, happened: Callable[[Fold], bool]) -> Fold:
    """The first state of the hand after which something has happened. The hand may be further by now."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for fold in states(fresh_fold(hand), Action.objects.filter(hand=hand).order_by("seq")):
            if happened(fold):
                return fold
        time.sleep(0.05)
    raise AssertionError("the server does nothing")


def is_turn(fold: Fold) -> bool:
    return fold.core is not None and fold.core.phase is Phase.TURN


def test_an_absent_seat_is_played_and_comes_back_with_a_click(hand: Hand, members: list[User]) -> None:
    fold = wait_for(hand, is_turn)
    assert fold.core is not None
    voids = Action.objects.filter(hand=hand, kind="void")
    assert voids.filter(source=Action.Source.TIMER).exists()
    assert not any(fold.auto), "a hidden decision shows nobody as absent"
    seat = fold.core.turn
    choice = choice_of(fold, seat)

    fold = wait_for(hand, lambda fold: any(fold.auto))
    assert fold.auto[seat]
    late = Action.objects.filter(hand=hand, source=Action.Source.TIMER, seat=seat).exclude(kind="void").first()
    assert late is not None
    taken = (late.created_at - Action.objects.get(hand=hand, seq=late.seq - 1).created_at).total_seconds()
    assert taken >= 3.0
    with pytest.raises(Refused):  # the click that came too late
        play.act(
            hand_id=hand.pk, user=members[seat], seq=fold.seen[seat] - 1, choice=choice, command_id=str(uuid.uuid4())
        )

    play.auto_switch(hand_id=hand.pk, user=members[seat], on=False, command_id=str(uuid.uuid4()))
    switched = wait_for(hand, lambda fold: fold.step is not None and fold.step.row.kind == "auto")
    assert not switched.auto[seat]


def test_a_hand_that_everybody_left_alone_comes_to_its_end(hand: Hand, members: list[User]) -> None:
    for user in members[:4]:
        play.auto_switch(hand_id=hand.pk, user=user, on=True, command_id=str(uuid.uuid4()))
    wait_for(hand, lambda fold: fold.is_over)
    hand.refresh_from_db()
    assert hand.status == Hand.Status.SETTLED
    assert {row.source for row in Action.objects.filter(hand=hand, kind="discard")} == {Action.Source.TIMER}
