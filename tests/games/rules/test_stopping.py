"""A hand that is ended from outside: void, or settled as it stands."""

import pytest

from games.rules.actions import Kind
from games.rules.events import Event, Struck
from games.rules.hand import Hand
from games.rules.stopping import stop

from .stories import A_KONG, WAITING, act, after_two_wins, hand_of, payments


def kinds_of(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def with_a_win_declared(**options: object) -> Hand:
    """Seat 1 has said that it wins 5m; seats 2 and 3 have not answered."""
    hand = hand_of(WAITING, "5m", "", "qq_xuezhan", **options)
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 1, Kind.WIN)
    return hand


def test_void_nothing_was_won_and_nothing_is_paid() -> None:
    hand = after_two_wins()
    paid = tuple(hand.payments)
    assert len(paid) == 5
    events = stop(hand, void=True)
    assert kinds_of(events) == ["strike", "over"]
    assert isinstance(events[0], Struck) and events[0].payments == paid
    assert (hand.end, hand.payments, hand.wins) == ("voided", [], [])
    assert [seat.units for seat in hand.seats] == [0, 0, 0, 0]


def test_settled_what_was_paid_stays_paid_and_nobody_pays_for_a_hand_that_is_not_ready() -> None:
    hand = after_two_wins()
    assert kinds_of(stop(hand, void=False)) == ["over"]
    assert payments(hand) == [*A_KONG, ("win", 0, 1, 2), ("win", 0, 2, 2)]
    assert hand.end == "stopped" and [win.seat for win in hand.wins] == [1, 2]


@pytest.mark.parametrize("void", [True, False])
def test_where_nothing_was_paid_nothing_is_struck(void: bool) -> None:
    hand = hand_of(WAITING, "5m")
    assert kinds_of(stop(hand, void=void)) == ["over"]
    act_after = hand_of(WAITING, "5m")
    act(act_after, 0, Kind.DISCARD, "5m")
    assert kinds_of(stop(act_after, void=void)) == ["over"]
    assert payments(act_after) == [] and not act_after.wins


def test_a_declared_win_takes_effect_first_unless_the_hand_is_void() -> None:
    hand = with_a_win_declared()
    assert kinds_of(stop(hand, void=False)) == ["win", "pay", "over"]
    assert payments(hand) == [("win", 0, 1, 1)] and hand.end == "stopped"
    hand = with_a_win_declared()
    assert kinds_of(stop(hand, void=True)) == ["over"]
    assert payments(hand) == [] and not hand.wins and hand.end == "voided"


def test_a_declared_win_that_ends_the_hand_ends_it_as_won() -> None:
    hand = with_a_win_declared(mode="single")
    assert kinds_of(stop(hand, void=False)) == ["win", "pay", "over"]
    assert payments(hand) == [("win", 0, 1, 1)] and hand.end == "won"
