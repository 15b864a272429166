"""Hands made move by move that other tests begin with."""

from games.rules.actions import Kind
from games.rules.hand import Hand

from .tables import settle_automatic
from .test_stories import WAITING, act, hand_of, kong_that_seat_2_can_rob


def two_winners() -> Hand:
    """Seat 0 feeds seats 1 and 2, then seat 3 leaves: 1 unit to each winner, 16 to seat 0."""
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 2, Kind.WIN)
    act(hand, 1, Kind.WIN)
    settle_automatic(hand)
    act(hand, 3, Kind.LEAVE)
    return hand


def robbed() -> Hand:
    """Seat 2 robs a kong of seat 1, then seat 3 leaves: it pays 16 to seats 0 and 1."""
    hand = kong_that_seat_2_can_rob()
    act(hand, 2, Kind.WIN)
    settle_automatic(hand)
    act(hand, 3, Kind.LEAVE)
    return hand
