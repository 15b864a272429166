"""How a club does: its days in sums, what is in circulation, what is open. For the desk's first page and the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.db.models import QuerySet, Sum

from accounts.ledger import Balances, balances
from clubs.members import requests_pending
from clubs.models import Club, Membership, Room
from games.log import SEATS
from games.models import DayFigures, Hand, Report, Table
from games.periods import Period, period_of, today

#: How far back one can look; each ends today.
PERIODS: Final = ("today", "7", "30", "season")
CHART_DAYS: Final = 30


@dataclass(frozen=True)
class RoomSum:
    """What a room's hands came to."""

    room: Room
    hands: int
    rake: int


@dataclass(frozen=True)
class Overview:
    """A club over a period. `hands`, `players` and `rake` are of hands that count: without bots, and not void. `before` is how
    many hands the time of the same length before it had."""

    period: Period
    hands: int
    before: int
    players: int
    rake: int
    rooms: list[RoomSum]
    days: list[tuple[date, int]]
    balances: Balances
    members: int
    tables: int
    playing: int
    requests: int
    reports: int
    below_minimum: int


def overview(club: Club, period: str = "today") -> Overview:
    """How a club does in one of PERIODS, and in each of the last CHART_DAYS days."""
    chosen = _period(club, period)
    assert chosen.first is not None and chosen.last is not None
    length = chosen.last - chosen.first + timedelta(days=1)
    of_club = DayFigures.objects.filter(club=club).order_by()
    days = of_club.filter(day__gte=chosen.first, day__lte=chosen.last)
    earlier = of_club.filter(day__gte=chosen.first - length, day__lt=chosen.first)
    first = chosen.last - timedelta(days=CHART_DAYS - 1)
    by_day = _hands(of_club.filter(day__gte=first).values_list("day").annotate(Sum("hands")))
    open_tables = Table.objects.filter(room__club=club, closed_at=None)
    active = club.memberships.filter(status=Membership.Status.ACTIVE)
    lowest = club.rooms.filter(is_open=True, terms__isnull=False).order_by("terms__entry_minimum").first()
    return Overview(
        period=chosen,
        hands=_count(days),
        before=_count(earlier),
        players=days.values("membership").distinct().count(),
        rake=days.aggregate(sum=Sum("rake", default=0))["sum"],
        rooms=_rooms(club, days),
        days=[(day, by_day.get(day, 0)) for day in (first + timedelta(days=past) for past in range(CHART_DAYS))],
        balances=balances(club.book),
        members=active.count(),
        tables=open_tables.count(),
        playing=Hand.objects.filter(table__in=open_tables).exclude(status=Hand.Status.SETTLED).count(),
        requests=requests_pending(club).count(),
        reports=Report.objects.filter(reporter__club=club, is_open=True).count(),
        below_minimum=active.filter(wallet__balance__lt=lowest.terms.entry_minimum).count()
        if lowest and lowest.terms
        else 0,
    )


def _period(club: Club, period: str) -> Period:
    day = today(club.zone)
    match period:
        case "today":
            return Period(club.zone, day, day)
        case "season":
            return Period(club.zone, period_of("season", day, club.zone).first, day)
    return Period(club.zone, day - timedelta(days=int(period) - 1), day)


def _count(days: QuerySet[DayFigures]) -> int:
    """How many hands some days had. Who plays in one that counts is a member, so it is in the sums of all four seats."""
    seats: int = days.aggregate(sum=Sum("hands", default=0))["sum"]
    return seats // len(SEATS)


def _hands(sums: QuerySet[DayFigures, tuple[date, int]]) -> Mapping[date, int]:
    return {day: seats // len(SEATS) for day, seats in sums}


def _rooms(club: Club, days: QuerySet[DayFigures]) -> list[RoomSum]:
    """The rooms that were played in, those with most rake first."""
    sums = days.values_list("room").annotate(hands=Sum("hands"), rake=Sum("rake"))
    rooms = club.rooms.in_bulk()
    told = [RoomSum(rooms[room], hands // len(SEATS), rake) for room, hands, rake in sums]
    return sorted(told, key=lambda each: (-each.rake, -each.hands))
