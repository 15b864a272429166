"""Why a hand came to what it did: the fan of a win item by item, and the rule and the facts behind each payment.

All of it beside the result, whose form RECORD.md fixes. The sentences are made in `games.words`.
"""

from collections.abc import Sequence
from typing import Any, Final

from .drawn import best_wait
from .events import EndKind, Payment, PaymentRule, Win
from .holding import Meld
from .options import SelfDrawBonus
from .patterns import fan_items, self_draw_bonus, units_of
from .ready import Wait
from .result import payment_json, win_json
from .ruleset import Ruleset
from .state import Hand
from .tiles import tile_name

Json = dict[str, Any]

#: The rules by which the payee's best ready hand is paid.
_BY_READY_HAND: Final = (PaymentRule.DAJIAO, PaymentRule.ESCAPE_DAJIAO, PaymentRule.DAJIAO_GAP)


def win_told(ruleset: Ruleset, win: Win, melds: Sequence[Meld]) -> Json:
    """A win as a result has it, with `items` of its fan, `units` that one payer pays, the `bonus` of them that a self-draw
    adds, and the `fan_origin` from which on fan doubles units."""
    return {
        **win_json(win),
        "items": _items_told(ruleset, win, melds),
        "fan_origin": ruleset.fan_origin,
        "bonus": int(self_draw_bonus(ruleset, win.moment) is SelfDrawBonus.BASE),
        "units": units_of(ruleset, win.score.multiplier, win.moment),
    }


def _items_told(ruleset: Ruleset, win: Win, melds: Sequence[Meld]) -> list[Json]:
    """The base pattern and all that adds fan to it, kongs of one kind together. They sum up to the fan before the cap."""
    told: dict[str, Json] = {}
    for item in fan_items(ruleset, tuple(melds), win.moment, win.score.base, win.score.gen):
        if item.fan or not told:
            sums = told.setdefault(str(item.name), {"name": str(item.name), "times": 0, "fan": 0})
            sums["times"] += item.times
            sums["fan"] += item.fan
    return list(told.values())


def payment_told(payment: Payment) -> Json:
    """A payment as a result has it, with its `rule` and the `tile` of its kong (or None)."""
    tile = None if payment.tile is None else tile_name(payment.tile)
    return {**payment_json(payment), "rule": payment.rule.value, "tile": tile}


def payment_explained(hand: Hand, payment: Payment) -> Json:
    """The same with `ready`, the best ready hand of the payee that it goes by, and `lower`, the payer's own (or None)."""
    ready = lower = None
    if payment.rule in _BY_READY_HAND:
        ready = best_wait(hand.ruleset, hand.seats[payment.payee])
    if payment.rule is PaymentRule.DAJIAO_GAP:
        lower = best_wait(hand.ruleset, hand.seats[payment.payer])
    return {**payment_told(payment), "ready": _wait_json(ready), "lower": _wait_json(lower)}


def waits_left(hand: Hand, number: int) -> list[str] | None:
    """The tiles that a seat was ready for when the wall ran out, none where it was not ready; None where that decides nothing."""
    seat = hand.seats[number]
    if hand.end is not EndKind.DRAWN or not seat.live or sum(seat.counts) % 3 != 1:
        return None
    return [tile_name(wait.tile) for wait in seat.waits(hand.ruleset)]


def _wait_json(wait: Wait | None) -> Json | None:
    if wait is None:
        return None
    score = wait.score
    return {
        "tile": tile_name(wait.tile),
        "base": score.base.value,
        "gen": score.gen,
        "fan": score.fan,
        "multiplier": score.multiplier,
    }
