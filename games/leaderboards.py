"""Leaderboards of a club: its members ranked by what their hands of a day, week, month or season came to.

Only who has played enough hands stands on a board; hands played by the program (托管), practice and void ones do not count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Final

from django.db.models import Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from clubs.models import Club, Membership
from clubs.titles import title_names
from games.models import DayFigures
from games.periods import Period, period_of

#: The periods, each with the hands that one must have played in it.
THRESHOLDS: Final[Mapping[str, int]] = {"day": 5, "week": 20, "month": 60, "season": 150}
PERIODS: Final[Mapping[str, Promise]] = {
    "day": _("今日"),
    "week": _("本周"),
    "month": _("本月"),
    "season": _("赛季"),
}
#: What a board ranks by.
MEASURES: Final[Mapping[str, Promise]] = {
    "points": _("积分"),
    "coins": _("净金币"),
    "win_rate": _("胡牌率"),
    "jipin": _("极品"),
}


@dataclass(frozen=True)
class Sums:
    """What a member's hands of a period came to: coins net of rake, level points, wins, wins that were 极品."""

    membership_id: int
    hands: int
    coins: int
    points: int
    wins: int
    jipin: int

    @property
    def win_rate(self) -> Fraction:
        return Fraction(self.wins, self.hands)

    @property
    def win_share(self) -> float:
        """The win rate for showing."""
        return float(self.win_rate)

    def value(self, measure: str) -> Fraction:
        """What a board of this measure ranks by."""
        return Fraction(getattr(self, measure))


@dataclass(frozen=True)
class Place:
    """A member's place on a board. Equal values share a rank. `rank_before` is that of the period before, None: not there."""

    rank: int
    rank_before: int | None
    membership: Membership
    title: str
    sums: Sums

    @property
    def risen(self) -> int | None:
        """By how many places since the period before; below zero: fallen. None: new."""
        return None if self.rank_before is None else self.rank_before - self.rank

    @property
    def fallen(self) -> int:
        """By how many places it has fallen."""
        return max(0, -(self.risen or 0))


@dataclass(frozen=True)
class Leaderboard:
    """A club's board: all places, one's own among them (None: not enough hands), one's hands of the period, and how many
    members have played fewer than the threshold."""

    kind: str
    measure: str
    period: Period
    threshold: int
    places: list[Place]
    mine: Place | None
    my_hands: int
    below_threshold: int

    @property
    def to_next(self) -> tuple[Place, int] | None:
        """The place above one's own and what one lacks to it, in points, coins or 极品; rates have no such distance."""
        if self.mine is None or self.measure == "win_rate":
            return None
        above = next((place for place in reversed(self.places) if place.rank < self.mine.rank), None)
        if above is None:
            return None
        return above, int(above.sums.value(self.measure) - self.mine.sums.value(self.measure))


def leaderboard(*, membership: Membership, kind: str, measure: str, day: date) -> Leaderboard:
    """The board of a member's club for the period of `kind` (of PERIODS) that `day` lies in, by `measure` (of MEASURES)."""
    club, threshold = membership.club, THRESHOLDS[kind]
    period = period_of(kind, day, club.zone)
    assert period.first is not None
    before = period_of(kind, period.first - timedelta(days=1), club.zone)
    sums = _sums(club, period)
    ranks_before = _ranks([each for each in _sums(club, before) if each.hands >= threshold], measure)
    listed = [each for each in sums if each.hands >= threshold]
    ranks = _ranks(listed, measure)
    people = Membership.objects.select_related("user").in_bulk(each.membership_id for each in listed)
    titles = title_names(club)

    def place(each: Sums) -> Place:
        member = people[each.membership_id]
        return Place(ranks[member.pk], ranks_before.get(member.pk), member, titles[member.level], each)

    places = sorted(map(place, listed), key=lambda place: (place.rank, -place.sums.hands, place.membership.pk))
    return Leaderboard(
        kind=kind,
        measure=measure,
        period=period,
        threshold=threshold,
        places=places,
        mine=next((place for place in places if place.membership == membership), None),
        my_hands=next((each.hands for each in sums if each.membership_id == membership.pk), 0),
        below_threshold=len(sums) - len(listed),
    )


def _sums(club: Club, period: Period) -> list[Sums]:
    """The sums of every active member who played in the period."""
    days = DayFigures.objects.filter(
        club=club,
        day__range=(period.first, period.last),
        is_auto=False,
        membership__status=Membership.Status.ACTIVE,
    )
    names = ("hands", "coins", "points", "wins", "jipin")
    sums = days.order_by().values_list("membership").annotate(*(Sum(name) for name in names))
    return [Sums(*row) for row in sums]


def _ranks(sums: Sequence[Sums], measure: str) -> dict[int, int]:
    """The rank of each member: 1 for the highest value, equal values share one."""
    values = sorted((each.value(measure) for each in sums), reverse=True)
    first = {value: rank for rank, value in reversed(list(enumerate(values, start=1)))}
    return {each.membership_id: first[each.value(measure)] for each in sums}
