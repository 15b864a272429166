"""Who pays what for kongs and wins (RULES.md section 8). A payment of no units is no payment."""

from collections.abc import Iterable, Sequence

from .events import Payment, PaymentKind, Win
from .holding import MeldKind
from .patterns import Moment, units_of
from .ruleset import Ruleset
from .state import Kong


def paid_by(kind: PaymentKind, payers: Iterable[int], payee: int, units: int) -> list[Payment]:
    """The same payment from several seats."""
    return [Payment(kind, payer, payee, units) for payer in payers if units]


def kong_payments(
    ruleset: Ruleset, form: MeldKind, seat: int, feeder: int | None, others: Sequence[int]
) -> list[Payment]:
    """What a kong collects; `others` are the other live seats."""
    match form:
        case MeldKind.EXPOSED_KONG:
            assert feeder is not None
            bystanders = [other for other in others if other != feeder]
            return [
                *paid_by(PaymentKind.KONG, [feeder], seat, ruleset.exposed_kong_units),
                *paid_by(PaymentKind.KONG, bystanders, seat, ruleset.exposed_kong_others_units),
            ]
        case MeldKind.ADDED_KONG:
            return paid_by(PaymentKind.KONG, others, seat, ruleset.added_kong_units)
        case MeldKind.CONCEALED_KONG:
            return paid_by(PaymentKind.KONG, others, seat, ruleset.concealed_kong_units)
        case MeldKind.PUNG:
            raise ValueError("a pung is no kong")


def win_payers(win_source: int | None, moment: Moment, others: Sequence[int], last_kong: Kong | None) -> list[int]:
    """Who pays for a win: the seat that fed it, the seat that fed the kong of its flower, or every other live seat."""
    if win_source is not None:
        return [win_source]
    if moment.fed_flower and last_kong is not None and last_kong.feeder is not None:
        return [last_kong.feeder]
    return list(others)


def win_payments(ruleset: Ruleset, win: Win, moment: Moment, payers: Sequence[int]) -> list[Payment]:
    return paid_by(PaymentKind.WIN, payers, win.seat, units_of(ruleset, win.score.multiplier, moment))


def kong_transfer(kong: Kong, winner: int) -> list[Payment]:
    """After a kong shot each winner gets the whole amount that the kong collected."""
    return paid_by(PaymentKind.KONG_TRANSFER, [kong.seat], winner, kong.income)
