"""The settlement of a drawn hand, and of an escape (RULES.md sections 9 and 12)."""

from .events import Payment, PaymentRule
from .options import RefundTo
from .payments import paid_by
from .ready import Wait, is_huazhu
from .ruleset import Ruleset
from .state import LAST_TILES, Hand, Seat


def drawn_payments(hand: Hand) -> list[Payment]:
    """Huazhu, dajiao, the gap between ready hands, and refunds, in this order."""
    ruleset = hand.ruleset
    live = hand.live_seats()
    huazhu = {number for number in live if is_huazhu(ruleset, hand.seats[number].holding)}
    ready = ready_multipliers(hand)
    unready = [number for number in live if number not in ready]
    return [
        *_huazhu(hand, huazhu),
        *_dajiao(unready if ruleset.huazhu_pays_dajiao else [n for n in unready if n not in huazhu], ready),
        *(_dajiao_gap(ready) if ruleset.dajiao_gap else ()),
        *_refunds(hand, unready, ready),
    ]


def escape_payments(hand: Hand, leaver: int) -> list[Payment]:
    """What a live seat pays that leaves: the fixed units, or with the last four tiles dajiao where that is more."""
    others = hand.live_others(leaver)
    escape = [Payment(PaymentRule.ESCAPE, leaver, other, hand.ruleset.escape_units) for other in others]
    if hand.wall_left <= LAST_TILES:
        ready = ready_multipliers(hand)
        ready.pop(leaver, None)
        dajiao = _dajiao([leaver], ready, PaymentRule.ESCAPE_DAJIAO)
        if sum(payment.units for payment in dajiao) > sum(payment.units for payment in escape):
            return dajiao
    return [payment for payment in escape if payment.units]


def ready_multipliers(hand: Hand) -> dict[int, int]:
    """The multiplier of the best ready hand of each live seat that is ready."""
    best = {number: best_wait(hand.ruleset, hand.seats[number]) for number in hand.live_seats()}
    return {number: wait.score.multiplier for number, wait in best.items() if wait is not None}


def best_wait(ruleset: Ruleset, seat: Seat) -> Wait | None:
    """The wait of a seat's best ready hand (the first of the highest fan), None where it is not ready.

    A seat that has just punged still holds the tile to be discarded: its best allowed discard counts.
    """
    if sum(seat.counts) % 3 == 1:
        found = seat.waits(ruleset)
    else:
        found = [wait for tile in seat.allowed_discards(ruleset) for wait in seat.waits_after_discard(ruleset, tile)]
    return max(found, key=lambda wait: wait.score.uncapped_fan, default=None)


def _huazhu(hand: Hand, huazhu: set[int]) -> list[Payment]:
    staying = [seat.number for seat in hand.seats if not seat.left]
    payees = staying if hand.ruleset.huazhu_pays_winners else hand.live_seats()
    units = hand.ruleset.huazhu_units
    innocent = [number for number in payees if number not in huazhu]
    return [payment for payee in innocent for payment in paid_by(PaymentRule.HUAZHU, sorted(huazhu), payee, units)]


def _dajiao(payers: list[int], ready: dict[int, int], rule: PaymentRule = PaymentRule.DAJIAO) -> list[Payment]:
    return [payment for payee, multiplier in ready.items() for payment in paid_by(rule, payers, payee, multiplier)]


def _dajiao_gap(ready: dict[int, int]) -> list[Payment]:
    return [
        Payment(PaymentRule.DAJIAO_GAP, payer, payee, higher - lower)
        for payee, higher in ready.items()
        for payer, lower in ready.items()
        if higher > lower
    ]


def _refunds(hand: Hand, unready: list[int], ready: dict[int, int]) -> list[Payment]:
    """A seat that is not ready gives back what its kongs collected."""

    def is_refunded(payer: int) -> bool:
        return payer in ready if hand.ruleset.kong_refund_to is RefundTo.READY else not hand.seats[payer].left

    return [
        Payment(PaymentRule.KONG_REFUND, kong.seat, payment.payer, payment.units, kong.tile)
        for kong in hand.kongs
        if kong.seat in unready and not kong.transferred
        for payment in kong.paid
        if is_refunded(payment.payer)
    ]
