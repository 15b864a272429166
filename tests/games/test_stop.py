"""A hand that is ended from outside: void, or settled as it stands. Audited, told to the players, and provable."""

import uuid
from functools import partial

import pytest

from accounts import ledger
from accounts.models import Account, AuditEntry, Transfer, User
from clubs.models import Club, Membership, Room
from games import frames, play
from games.filters import history_filters
from games.history import hand_for, hand_steps, hands_sum, seats_of
from games.log import folded
from games.models import Hand, HandSeat, Payment, Seat, SeatFigures, Table, Win
from games.proof import days_check, hands_check
from games.rules.hand import Phase
from games.selfplay import decide, hand_deal, hand_play_out
from tests.games.test_statistics import assert_rebuilt_as_written
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def paid(hand: Hand, users: list[User]) -> bool:
    """Play until something has been paid. False if the hand is over by then."""
    fold = folded(hand.pk)
    while not fold.is_over:
        assert fold.core is not None
        if fold.core.payments:
            return True
        fold = decide(fold, min(fold.asked), users)
    return False


@pytest.fixture
def hand(table: Table, members: list[User]) -> Hand:
    """A running hand in which something has been paid."""
    while True:
        hand = hand_deal(table_id=table.pk, users=members[:4])
        if paid(hand, members) and not folded(hand.pk).is_over:
            return hand


def test_a_void_hand_counts_for_nothing(hand: Hand, members: list[User], operator: User, club: Club) -> None:
    before = dict(Account.objects.values_list("pk", "balance"))
    points = dict(Membership.objects.values_list("pk", "points"))
    counted = hands_sum(seats_of(user=members[0])).hands
    play.hand_stop(hand_id=hand.pk, actor=operator, rule="void", reason="  两人断线  ")

    hand.refresh_from_db()
    assert (hand.status, hand.end, hand.due_at) == (Hand.Status.SETTLED, "voided", None)
    assert dict(Account.objects.values_list("pk", "balance")) == before
    assert dict(Membership.objects.values_list("pk", "points")) == points
    assert not Transfer.objects.filter(key=f"hand:{hand.pk}").exists()
    assert not Payment.objects.filter(hand=hand).exists()
    assert not Win.objects.filter(hand=hand).exists()
    assert {(seat.units, seat.coins, seat.rake) for seat in HandSeat.objects.filter(hand=hand)} == {(0, 0, 0)}
    assert hand.record is not None
    assert "result" not in hand.record
    assert hand.record["stopped"]["rule"] == "void"
    assert hand.record["stopped"]["reason"] == "两人断线"
    assert hands_sum(seats_of(user=members[0])).hands == counted
    assert [seat.hand for seat in history_filters(user=members[0], query={"result": "stopped"}).qs] == [hand]
    assert list(hands_check()) == []
    assert ledger.ledger_check() == []
    assert list(days_check()) == []
    told = SeatFigures.objects.filter(hand=hand).values_list(
        "win_order", "win_units", "fed", "kong_units_paid", "units"
    )
    assert list(told) == [(0, 0, 0, 0, 0)] * 4

    entry = AuditEntry.objects.get(action="hand.stopped")
    assert (entry.actor, entry.subject_id, entry.reason, entry.book) == (
        operator,
        str(hand.pk),
        "两人断线",
        club.book,
    )
    settlement = frames.hand_payload(folded(hand.pk), members[1].pk)["settlement"]
    assert settlement["stopped"]["reason"] == "两人断线"
    assert settlement["proof"]["wall"] == hand.record["wall"]
    words = [said for step in hand_steps(hand_for(user=members[4], hand_id=hand.pk)) for said in step["words"]]
    assert any("两人断线" in said for said in words)


def test_a_hand_settled_as_it_stands_keeps_what_was_paid(
    hand: Hand, members: list[User], operator: User, club: Club
) -> None:
    fold = folded(hand.pk)
    assert fold.core is not None
    units = [seat.units for seat in fold.core.seats]
    assert any(units)
    play.hand_stop(hand_id=hand.pk, actor=operator, rule="settle", reason="两人断线")
    hand.refresh_from_db()
    assert hand.end == "stopped"
    seats = list(HandSeat.objects.filter(hand=hand))
    assert [seat.units for seat in seats] == units
    assert [seat.rake for seat in seats] == [400] * 4
    assert Transfer.objects.filter(key=f"hand:{hand.pk}").count() == 1
    assert Payment.objects.filter(hand=hand).count() == len(fold.core.payments)
    assert hand.record is not None
    assert hand.record["stopped"]["units"] == units
    assert list(SeatFigures.objects.filter(hand=hand).order_by("number").values_list("units", flat=True)) == units
    assert_rebuilt_as_written()
    assert list(hands_check()) == []
    assert ledger.ledger_check() == []


def test_the_table_plays_on_after_it(hand: Hand, table: Table, members: list[User], operator: User) -> None:
    play.hand_stop(hand_id=hand.pk, actor=operator, rule="void", reason="停电")
    assert Seat.objects.filter(table=table, is_ready=False).count() == 4
    assert hand_play_out(table_id=table.pk, users=members[:4]).number == hand.number + 1


def test_a_winner_who_left_gets_back_what_was_held(
    table: Table, members: list[User], operator: User, club: Club
) -> None:
    """Coins that were taken from a seat that left with a loss after its win go back when the hand is void."""
    before = dict(Account.objects.values_list("pk", "balance"))
    for _try in range(60):
        hand = hand_deal(table_id=table.pk, users=members[:4])
        won = None
        fold = folded(hand.pk)
        while won is None and not fold.is_over:
            fold = decide(fold, min(fold.asked), members)
            core = fold.core
            assert core is not None
            won = next((one.number for one in core.seats if one.won and core.phase is not Phase.OVER), None)
        if won is not None:
            break
        before = dict(Account.objects.values_list("pk", "balance"))
    assert won is not None
    play.leave(hand_id=hand.pk, user=members[won], escape=True, command_id=str(uuid.uuid4()))
    play.hand_stop(hand_id=hand.pk, actor=operator, rule="void", reason="停电")
    assert dict(Account.objects.values_list("pk", "balance")) == before
    for each in HandSeat.objects.filter(hand=hand).select_related("membership__wallet"):
        assert each.membership is not None
        assert each.balance_after == each.membership.wallet.balance
    assert list(hands_check()) == []


def test_who_may_and_when(hand: Hand, members: list[User], operator: User, club: Club) -> None:
    def stop(actor: User, *, reason: str = "停电", hand_id: int = hand.pk) -> None:
        play.hand_stop(hand_id=hand_id, actor=actor, rule="void", reason=reason)

    refusal("not_an_operator", lambda: stop(members[4]))
    refusal("not_an_operator", lambda: stop(members[0]))
    Membership.objects.filter(user=members[0]).update(role=Membership.Role.OPERATOR)
    refusal("own_hand", lambda: stop(members[0]))
    for reason in ("", "  ", "x" * 201, "a\x00b"):
        refusal("reason_required", partial(stop, operator, reason=reason))
    refusal("hand_unknown", lambda: stop(operator, hand_id=10**9))
    assert not folded(hand.pk).is_over
    stop(operator)
    refusal("hand_over", lambda: stop(operator))
    assert AuditEntry.objects.filter(action="hand.stopped").count() == 1


def test_void_suits_that_nobody_named_yet(room: Room, table: Table, members: list[User], operator: User) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    core = folded(hand.pk).core
    assert core is not None
    play.hand_stop(hand_id=hand.pk, actor=operator, rule="settle", reason="停电")
    hand.refresh_from_db()
    assert hand.end == "stopped"
    assert [seat.rake for seat in HandSeat.objects.filter(hand=hand)] == [400] * 4
    assert list(hands_check()) == []
