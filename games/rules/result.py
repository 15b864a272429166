"""The result of a hand, and the dealer of the next (RECORD.md "result"; RULES.md section 14)."""

from typing import TYPE_CHECKING, Any

from .events import Payment, Win
from .options import DealerRule
from .tiles import tile_name

if TYPE_CHECKING:
    from .state import Hand


def hand_result(hand: "Hand") -> dict[str, Any]:
    assert hand.end is not None, "the hand is not over"
    units = [seat.units for seat in hand.seats]
    return {
        "end": hand.end.value,
        "wins": [win_json(win) for win in hand.wins],
        "payments": [payment_json(payment) for payment in hand.payments],
        "units": units,
        "points": [hand.ruleset.base_points * sum_of_units for sum_of_units in units],
        "next_dealer": next_dealer(hand),
    }


def win_json(win: Win) -> dict[str, Any]:
    score = win.score
    return {
        "seat": win.seat,
        "from": win.source,
        "by": win.by.value,
        "tile": tile_name(win.tile),
        "base": score.base.value,
        "gen": score.gen,
        "fan": score.fan,
        "uncapped_fan": score.uncapped_fan,
        "multiplier": score.multiplier,
        "jipin": score.jipin,
    }


def payment_json(payment: Payment) -> dict[str, Any]:
    return {"kind": payment.kind.value, "payer": payment.payer, "payee": payment.payee, "units": payment.units}


def next_dealer(hand: "Hand") -> int | None:
    """The dealer of the next hand; None where it is drawn by lot."""
    rule = hand.ruleset.dealer
    if rule is DealerRule.RANDOM or any(seat.left for seat in hand.seats):
        return None
    if not hand.wins:
        return hand.dealer
    first = hand.wins[0]
    if rule is DealerRule.DISCARDER:
        return hand.dealer if first.source is None else first.source
    return first.seat if hand.fed_two is None else hand.fed_two
