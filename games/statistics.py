"""What a player's hands come to in figures, each with its definition and the size of its sample.

The page and the API tell the numbers of this module alone, which are sums over the rows of `games.figures`. Practice and void
hands have none; hands in which the program decided something for the player (time-out, 托管) are counted apart.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from math import sqrt
from typing import Any, Final

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from clubs.models import Membership
from games.models import SeatFigures
from games.rules.figures import HUAZHU, READY, UNREADY
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

_LIVE_AT_DRAW: Final = ~Q(drawn_as="")
_KONGS: Final = ("exposed", "added", "concealed")
_SUMS: Final = (
    *(
        "units",
        "points",
        "rake",
        "coins",
        "fed",
        "fan",
        "exposed_kongs",
        "added_kongs",
        "concealed_kongs",
        "kongs_paid",
    ),
    *("transfers_got", "transfers_paid", "huazhu_got", "huazhu_paid", "dajiao_got", "dajiao_paid", "refunds_got"),
    *("refunds_paid", "win_units", "fed_units", "self_draw_units", "exposed_kong_units", "added_kong_units"),
    *("concealed_kong_units", "kong_units_paid", "transfer_units", "huazhu_units", "dajiao_units", "refund_units"),
    "escape_units",
)
_COUNTS: Final = {
    "hands": Q(),
    "wins": Q(win_order__gt=0),
    "first": Q(win_order=1),
    "second": Q(win_order=2),
    "third": Q(win_order=3),
    "self_drawn": Q(win_by="self_draw"),
    "jipin": Q(is_jipin=True),
    "dealt_in": Q(fed__gt=0),
    "drawn": Q(end="drawn"),
    "live_at_draw": _LIVE_AT_DRAW,
    "ready": Q(drawn_as=READY),
    "huazhu": Q(drawn_as=HUAZHU),
    "dajiao": Q(drawn_as=UNREADY, dajiao_paid__gt=0),
    "left": Q(has_left=True),
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


def statistics(*, membership: Membership, rows: QuerySet[SeatFigures], auto: bool = False) -> Statistics:
    """A member's figures, and the club's rates beside them, over `rows` of the club (of a period, a room, a ruleset).

    `auto` asks for the hands in which the program decided something for the player, which otherwise do not count.
    """
    counted = rows.filter(is_auto=auto)
    mine = counted.filter(membership=membership)
    own, club = _summed(mine, *_SUMS), _summed(counted)
    not_asked = rows.filter(membership=membership, is_auto=not auto).count()
    best = mine.filter(is_jipin=True).select_related("hand").order_by("-uncapped_fan", "-win_units", "-ended_at")
    opponents = _opponents(mine, membership)
    return Statistics(
        hands=own["hands"],
        auto_hands=own["hands"] if auto else not_asked,
        is_auto=auto,
        **{name: own[name] for name in ("coins", "rake", "points", "units", "wins", "jipin")},
        rates=_rates(own, club),
        means=_means(own),
        finish=[own["first"], own["second"], own["third"], own["hands"] - own["wins"]],
        patterns=_patterns(mine),
        sources=_sources(own),
        best=list(best[:BEST]),
        days=_days(mine),
        opponents=opponents[:OPPONENTS],
        opponent_count=len(opponents),
    )


def _summed(rows: QuerySet[SeatFigures], *sums: str) -> dict[str, int]:
    wanted: dict[str, Any] = {name: Count("pk", condition) for name, condition in _COUNTS.items()}
    wanted |= {name: Sum(name, default=0) for name in sums}
    return rows.aggregate(**wanted)


def _rates(own: Mapping[str, int], club: Mapping[str, int]) -> list[Rate]:
    counted = {
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
    return [Rate(key, own[count], own[of], club[count], club[of]) for key, (count, of) in counted.items()]


def _means(own: Mapping[str, int]) -> list[Mean]:
    divided = {
        "coins": ("coins", "hands"),
        "units": ("units", "hands"),
        "fan": ("fan", "wins"),
        "units_won": ("win_units", "wins"),
        "units_dealt_in": ("fed_units", "fed"),
    }
    return [Mean(key, own[sum_], own[of]) for key, (sum_, of) in divided.items()]


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


def _patterns(mine: QuerySet[SeatFigures]) -> list[tuple[str, int]]:
    """How often each base pattern was won with, the most frequent first; all patterns, also those that never were."""
    times = dict(mine.filter(win_order__gt=0).values_list("pattern").annotate(Count("pk")).order_by())
    counted = [(pattern.value, times.get(pattern.value, 0)) for pattern in reversed(Pattern)]
    return sorted(counted, key=lambda each: -each[1])


def _days(mine: QuerySet[SeatFigures]) -> list[Day]:
    """The days on which there were hands, oldest first."""
    day = TruncDate("ended_at", tzinfo=timezone.get_default_timezone())
    rows = mine.annotate(day=day).values_list("day").annotate(Count("pk"), Sum("coins"), Sum("points")).order_by("day")
    days: list[Day] = []
    for on, hands, coins, points in rows:
        before = days[-1] if days else Day(on, 0, 0, 0, 0, 0)
        days.append(Day(on, hands, coins, points, before.coins_so_far + coins, before.points_so_far + points))
    return days


def _opponents(mine: QuerySet[SeatFigures], membership: Membership) -> list[Opponent]:
    """Those with whom the hands were played, the most frequent first. `hand__figures` are the other seats of each hand."""
    other = "hand__figures__membership"
    together = dict(mine.order_by().values_list(other).annotate(Count("pk")))
    together.pop(membership.pk, None)
    i_fed = _with(mine, "wins", of="source", other="seat", what=Count("hand__wins"))
    they_fed = _with(mine, "wins", of="seat", other="source", what=Count("hand__wins"))
    got = _with(mine, "payments", of="payee", other="payer", what=Sum("hand__payments__units"))
    paid = _with(mine, "payments", of="payer", other="payee", what=Sum("hand__payments__units"))
    people = Membership.objects.select_related("user").in_bulk(together)
    met = [Opponent(people[pk], hands, i_fed[pk], they_fed[pk], got[pk] - paid[pk]) for pk, hands in together.items()]
    return sorted(met, key=lambda each: (-each.hands, each.membership.pk))


def _with(mine: QuerySet[SeatFigures], rows: str, *, of: str, other: str, what: Any) -> dict[int, int]:
    """By opponent: `what` of those wins or payments in which one's own seat stands as `of` and theirs as `other`."""
    between = mine.filter(**{f"hand__{rows}__{of}": F("number"), "hand__figures__number": F(f"hand__{rows}__{other}")})
    return defaultdict(int, between.order_by().values_list("hand__figures__membership").annotate(what))
