"""Coins, rake and level points of a hand (RULES.md section 13)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from .ruleset import Ruleset

#: The points from which on each level holds; the first level has everybody else, also below zero.
LEVEL_THRESHOLDS: Final = (
    ("未闻世事", None),
    ("初入江湖", 100),
    ("初生牛犊", 200),
    ("小露锋芒", 500),
    ("小有所成", 1000),
    ("街头霸王", 1500),
    ("重装上阵", 2300),
    ("小有名气", 3000),
    ("混迹江湖", 4000),
    ("八面玲珑手", 6000),
    ("学无止境", 9000),
    ("师出名门", 13000),
    ("常胜将军", 18000),
    ("横扫千军", 25000),
    ("屈指可数", 35000),
    ("空前绝后", 50000),
    ("百里挑一", 70000),
    ("家喻户晓", 100_000),
    ("鼎鼎大名", 200_000),
    ("名震江湖", 320_000),
    ("唯我独尊", 500_000),
    ("笑傲江湖", 500_001),
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
