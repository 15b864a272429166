"""What a player's hands come to in figures, each with its definition and the size of its sample.

The page and the API tell the numbers of this module alone, sums of the days that `games.figures` keeps. Practice and void hands
have none; hands in which the program decided something for the player (time-out, 托管) are counted apart.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import groupby
from math import sqrt
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from clubs.models import Membership
from games.figures import FiguresAsked, Sums, sums_add, sums_none
from games.models import SeatFigures
from games.rules.options import Pattern

LEAST_HANDS: Final = 50  # of fewer no rate is told: chance alone would make it
BEST: Final = 5
OPPONENTS: Final = 20
_Z: Final = 1.96  # of an interval that holds in 95 of 100 cases

#: Rates: what each is called, and what is counted among what.
RATES: Final[Mapping[str, tuple[Promise, Promise]]] = {
    "win": (_("胡牌率"), _("胡了的手数，占手数")),
    "self_draw": (_("自摸率"), _("自摸的手数，占手数")),
    "deal_in": (_("点炮率"), _("至少点炮或被抢杠一次的手数，占手数")),
    "drawn": (_("流局率"), _("流局的手数，占手数")),
    "ready": (_("流局听牌率"), _("流局时没胡而已听牌的手数，占流局时没胡的手数")),
    "dajiao": (_("大叫率"), _("流局时没胡也没听、被查大叫的手数，占流局时没胡的手数")),
    "huazhu": (_("花猪率"), _("流局时三门的手数，占手数")),
    "jipin": (_("极品率"), _("胡了极品的手数，占手数")),
    "escape": (_("逃跑率"), _("中途离开的手数，占手数")),
}
#: Means: what each is called, and what is divided by what.
MEANS: Final[Mapping[str, tuple[Promise, Promise]]] = {
    "coins": (_("每手净金币"), _("净金币 ÷ 手数，已扣台费")),
    "units": (_("每手净倍数"), _("净倍数 ÷ 手数")),
    "fan": (_("胡一次平均番数"), _("番数之和 ÷ 胡的次数，根和杠的番在内，封顶之后")),
    "units_won": (_("胡一次平均收"), _("胡牌收的倍数 ÷ 胡的次数，杠另算")),
    "units_dealt_in": (_("点一炮平均付"), _("点炮付的倍数 ÷ 点炮次数，被抢杠在内")),
}
#: Everything that a hand's units are made of; together they are the net units.
SOURCES: Final[Mapping[str, Promise]] = {
    "win": _("胡牌"),
    "deal_in": _("点炮"),
    "self_draws": _("被自摸"),
    "exposed_kong": _("直杠"),
    "added_kong": _("补杠"),
    "concealed_kong": _("暗杠"),
    "kongs_paid": _("被杠"),
    "transfer": _("呼叫转移"),
    "dajiao": _("查大叫"),
    "huazhu": _("查花猪"),
    "refund": _("退税"),
    "escape": _("逃跑"),
}

_KONGS: Final = ("exposed", "added", "concealed")
#: What each rate counts among what, names of sums.
_COUNTED: Final = {
    "win": ("wins", "hands"),
    "self_draw": ("self_drawn", "hands"),
    "deal_in": ("dealt_in", "hands"),
    "drawn": ("drawn", "hands"),
    "ready": ("ready", "live_at_draw"),
    "dajiao": ("dajiao", "live_at_draw"),
    "huazhu": ("huazhu", "hands"),
    "jipin": ("jipin", "hands"),
    "escape": ("left", "hands"),
}
#: What each mean divides by what.
_DIVIDED: Final = {
    "coins": ("coins", "hands"),
    "units": ("units", "hands"),
    "fan": ("fan", "wins"),
    "units_won": ("win_units", "wins"),
    "units_dealt_in": ("fed_units", "fed"),
}


@dataclass(frozen=True)
class Rate:
    """How often something happened, `count` times of `of`, and how often it did in the whole club."""

    key: str
    count: int
    of: int
    club_count: int
    club_of: int

    @property
    def name(self) -> str:
        return str(RATES[self.key][0])

    @property
    def definition(self) -> str:
        return str(RATES[self.key][1])

    @property
    def share(self) -> float | None:
        """The rate, 0 to 1; None where the sample has fewer than LEAST_HANDS."""
        return self.count / self.of if self.of >= LEAST_HANDS else None

    @property
    def club_share(self) -> float | None:
        """The club's rate, on the same condition."""
        return self.club_count / self.club_of if self.club_of >= LEAST_HANDS else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Between which the true rate lies in 95 of 100 cases (Wilson), where one is told."""
        if self.share is None:
            return None
        spread = _Z * sqrt(self.share * (1 - self.share) / self.of + _Z**2 / (4 * self.of**2))
        scale, middle = 1 + _Z**2 / self.of, self.share + _Z**2 / (2 * self.of)
        return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


@dataclass(frozen=True)
class Mean:
    """A sum (coins, units or fan) divided among `of`."""

    key: str
    sum: int
    of: int

    @property
    def name(self) -> str:
        return str(MEANS[self.key][0])

    @property
    def definition(self) -> str:
        return str(MEANS[self.key][1])

    @property
    def value(self) -> Decimal | None:
        """Coins to the whole coin, everything else to a hundredth; None where there is nothing to divide among."""
        if not self.of:
            return None
        place = Decimal(1) if self.key == "coins" else Decimal("0.01")
        return (Decimal(self.sum) / self.of).quantize(place, ROUND_HALF_EVEN)


@dataclass(frozen=True)
class Source:
    """What units came from or went to: how often it was got and paid (None: it is not that, or not counted), net units."""

    key: str
    got: int | None
    paid: int | None
    units: int

    @property
    def name(self) -> str:
        return str(SOURCES[self.key])


@dataclass(frozen=True)
class Day:
    """What a day's hands came to, and all from the first one on to it."""

    day: date
    hands: int
    coins: int
    points: int
    coins_so_far: int
    points_so_far: int


@dataclass(frozen=True)
class Opponent:
    """Head to head: hands together, how often I fed a win of theirs and they one of mine, and the units between us two."""

    membership: Membership
    hands: int
    i_fed: int
    they_fed: int
    units: int

    @property
    def per_hundred(self) -> int | None:
        """My net units from them in a hundred hands; None for fewer than LEAST_HANDS."""
        return round(100 * Decimal(self.units) / self.hands) if self.hands >= LEAST_HANDS else None


@dataclass(frozen=True)
class Statistics:
    """A member's figures over some hands: net coins, rake, points and units are sums over `hands`, which are without the
    `auto_hands`, or (`is_auto`) nothing but those. `finish`: how often one was the first, second, third winner, or none."""

    hands: int
    auto_hands: int
    is_auto: bool
    coins: int
    rake: int
    points: int
    units: int
    wins: int
    rates: list[Rate]
    means: list[Mean]
    finish: list[int]
    patterns: list[tuple[str, int]]
    sources: list[Source]
    jipin: int
    best: list[SeatFigures]
    days: list[Day]
    opponents: list[Opponent]
    opponent_count: int

    def mean(self, key: str) -> Mean:
        """One of MEANS."""
        return next(mean for mean in self.means if mean.key == key)


def statistics(*, membership: Membership, asked: FiguresAsked, auto: bool = False) -> Statistics:
    """A member's figures, and the club's rates beside them, of the hands that are asked for.

    `auto` asks for the hands in which the program decided something for the player, which otherwise do not count.
    """
    whole: Any = asked.days().filter(membership=membership).values()
    days: list[Sums] = [*whole, *asked.edges(membership=membership)]
    mine = sorted((day for day in days if day["is_auto"] == auto), key=lambda day: day["day"])
    own = sums_none()
    for day in mine:
        sums_add(own, day)
    club = asked.sums({name for counted in _COUNTED.values() for name in counted}, is_auto=auto)
    best = asked.seats().filter(membership=membership, is_auto=auto, is_jipin=True)
    opponents = _opponents(own["opponents"])
    return Statistics(
        hands=own["hands"],
        auto_hands=sum(day["hands"] for day in days if day["is_auto"]),
        is_auto=auto,
        **{name: own[name] for name in ("coins", "rake", "points", "units", "wins", "jipin")},
        rates=[Rate(key, own[what], own[of], club[what], club[of]) for key, (what, of) in _COUNTED.items()],
        means=[Mean(key, own[what], own[of]) for key, (what, of) in _DIVIDED.items()],
        finish=[own["first"], own["second"], own["third"], own["hands"] - own["wins"]],
        patterns=_patterns(own["patterns"]),
        sources=_sources(own),
        best=list(best.order_by("-uncapped_fan", "-win_units", "-ended_at")[:BEST]),
        days=_days(mine),
        opponents=opponents,
        opponent_count=len(own["opponents"]),
    )


def _sources(own: Mapping[str, int]) -> list[Source]:
    return [
        Source("win", own["wins"], None, own["win_units"]),
        Source("deal_in", None, own["fed"], -own["fed_units"]),
        Source("self_draws", None, None, -own["self_draw_units"]),
        *(Source(f"{kong}_kong", own[f"{kong}_kongs"], None, own[f"{kong}_kong_units"]) for kong in _KONGS),
        Source("kongs_paid", None, own["kongs_paid"], -own["kong_units_paid"]),
        Source("transfer", own["transfers_got"], own["transfers_paid"], own["transfer_units"]),
        Source("dajiao", own["dajiao_got"], own["dajiao_paid"], own["dajiao_units"]),
        Source("huazhu", own["huazhu_got"], own["huazhu_paid"], own["huazhu_units"]),
        Source("refund", own["refunds_got"], own["refunds_paid"], own["refund_units"]),
        Source("escape", None, own["left"], own["escape_units"]),
    ]


def _patterns(times: Mapping[str, int]) -> list[tuple[str, int]]:
    """How often each base pattern was won with, the most frequent first; all patterns, also those that never were."""
    counted = [(pattern.value, times.get(pattern.value, 0)) for pattern in reversed(Pattern)]
    return sorted(counted, key=lambda each: -each[1])


def _days(mine: Iterable[Sums]) -> list[Day]:
    """The days on which there were hands, oldest first."""
    days: list[Day] = []
    for on, sums in groupby(mine, key=lambda day: day["day"]):
        rooms = list(sums)
        hands, coins, points = (sum(each[name] for each in rooms) for name in ("hands", "coins", "points"))
        before = days[-1] if days else Day(on, 0, 0, 0, 0, 0)
        days.append(Day(on, hands, coins, points, before.coins_so_far + coins, before.points_so_far + points))
    return days


def _opponents(met: Mapping[str, Sequence[int]]) -> list[Opponent]:
    """The most frequent of those with whom the hands were played."""
    first = sorted(met, key=lambda pk: (-met[pk][0], int(pk)))[:OPPONENTS]
    people = Membership.objects.select_related("user").in_bulk(map(int, first))
    return [Opponent(people[int(pk)], *met[pk]) for pk in first]
