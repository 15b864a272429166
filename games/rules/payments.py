"""Who pays what for kongs and wins (RULES.md section 8). A payment of no units is no payment."""

from collections.abc import Iterable, Sequence

from .events import Payment, PaymentRule, Win
from .holding import MeldKind
from .patterns import Moment, units_of
from .ruleset import Ruleset
from .state import Kong


def paid_by(rule: PaymentRule, payers: Iterable[int], payee: int, units: int, tile: int | None = None) -> list[Payment]:
    """The same payment from several seats."""
    return [Payment(rule, payer, payee, units, tile) for payer in payers if units]


def kong_payments(
    ruleset: Ruleset, form: MeldKind, tile: int, seat: int, feeder: int | None, others: Sequence[int]
) -> list[Payment]:
    """What a kong collects; `others` are the other live seats."""
    match form:
        case MeldKind.EXPOSED_KONG:
            assert feeder is not None
            bystanders = [other for other in others if other != feeder]
            return [
                *paid_by(PaymentRule.EXPOSED_KONG, [feeder], seat, ruleset.exposed_kong_units, tile),
                *paid_by(PaymentRule.EXPOSED_KONG_OTHERS, bystanders, seat, ruleset.exposed_kong_others_units, tile),
            ]
        case MeldKind.ADDED_KONG:
            return paid_by(PaymentRule.ADDED_KONG, others, seat, ruleset.added_kong_units, tile)
        case MeldKind.CONCEALED_KONG:
            return paid_by(PaymentRule.CONCEALED_KONG, others, seat, ruleset.concealed_kong_units, tile)
        case MeldKind.PUNG:
            raise ValueError("a pung is no kong")


def win_payers(win_source: int | None, moment: Moment, others: Sequence[int], last_kong: Kong | None) -> list[int]:
    """Who pays for a win: the seat that fed it, the seat that fed the kong of its flower, or every other live seat."""
    if win_source is not None:
        return [win_source]
    if moment.fed_flower and last_kong is not None and last_kong.feeder is not None:
        return [last_kong.feeder]
    return list(others)


def win_payments(ruleset: Ruleset, win: Win, payers: Sequence[int]) -> list[Payment]:
    rule = PaymentRule.FED_FLOWER if win.moment.fed_flower else PaymentRule(win.by.value)
    return paid_by(rule, payers, win.seat, units_of(ruleset, win.score.multiplier, win.moment))


def kong_transfer(kong: Kong, winner: int) -> list[Payment]:
    """After a kong shot each winner gets the whole amount that the kong collected."""
    return paid_by(PaymentRule.KONG_TRANSFER, [kong.seat], winner, kong.income, kong.tile)
