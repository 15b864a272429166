"""Coins, rake and level points of a hand (RULES.md section 13)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from .ruleset import Ruleset

#: The points from which on each level holds; the first level has everybody else, also below zero.
LEVEL_THRESHOLDS: Final = (
    None,
    100,
    200,
    500,
    1000,
    1500,
    2300,
    3000,
    4000,
    6000,
    9000,
    13000,
    18000,
    25000,
    35000,
    50000,
    70000,
    100_000,
    200_000,
    320_000,
    500_000,
    500_001,
)


class Settlement(NamedTuple):
    points: list[int]
    #: What each seat won or lost, after the rake.
    coins: list[int]
    rake: list[int]
    balances: list[int]


def settle(ruleset: Ruleset, units: Sequence[int], coefficient: int, rake: int, balances: Sequence[int]) -> Settlement:
    """Move the coins of a hand: losers pay what they can, winners share what was paid, everybody pays the rake."""
    points = [ruleset.base_points * seat_units for seat_units in units]
    gross = [seat_points * coefficient for seat_points in points]
    paid = [min(-amount, balance) if amount < 0 else 0 for amount, balance in zip(gross, balances, strict=True)]
    received = _shares([amount if amount > 0 else 0 for amount in gross], sum(paid))
    before_rake = [balance - out + into for balance, out, into in zip(balances, paid, received, strict=True)]
    rakes = [min(rake, balance) for balance in before_rake]
    after = [balance - taken for balance, taken in zip(before_rake, rakes, strict=True)]
    coins = [new - old for new, old in zip(after, balances, strict=True)]
    return Settlement(points, coins, rakes, after)


def _shares(claims: Sequence[int], available: int) -> list[int]:
    """Divide what was paid: in full if it suffices, else in proportion to the claims, rounded down.

    The coins left over go one each by largest remainder, then to the lowest seat.
    """
    total = sum(claims)
    if available >= total:
        return list(claims)
    shares = [claim * available // total for claim in claims]
    by_remainder = sorted(range(len(claims)), key=lambda seat: (-(claims[seat] * available % total), seat))
    for seat in by_remainder[: available - sum(shares)]:
        shares[seat] += 1
    return shares
