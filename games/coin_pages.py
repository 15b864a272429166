"""The page of one's coins in a club, those that hands moved with their hands."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Final

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts import ledger
from accounts.models import Posting, Transfer
from accounts.pages import SignedInRequest, page
from clubs.models import Membership
from clubs.pages import club_entered
from games.charts import line_chart
from games.history import HandLine, hand_lines, hands_sum, seats_of
from games.models import SeatFigures

_SHOWN: Final = 8  # lines of a day, unless it is opened


@require_GET
@page
def statement(request: SignedInRequest, slug: str) -> HttpResponse:
    """My coins in a club, one month at a time (`?month=2026-11`): opening, lines, closing. Of a day the newest lines are shown,
    all of them of the day of `&day=2026-11-28`."""
    membership = club_entered(request, slug)
    since, until, months = month_asked(request, membership)
    told = ledger.statement(wallet=membership.wallet, since=since, until=until)
    seats = seats_of(user=request.user)
    sums = hands_sum(seats.filter(hand__in=_hands_of(told.lines)))
    moved: dict[str, int] = defaultdict(int)
    for posting in told.lines:
        moved[posting.transfer.kind] += posting.amount
    closings = _closings(told, since, min(until, timezone.localtime()))
    context = {
        "membership": membership,
        "closings": closings,
        "chart": line_chart(closings),
        "month": since,
        "months": months,
        "is_running": until > timezone.localtime(),
        "statement": told,
        "days": _days(told.lines, request.GET.get("day", ""), seats),
        "hands": sums.hands,
        "rake": sums.rake,
        "won": moved.pop(Transfer.Kind.HAND, 0) + moved.pop(Transfer.Kind.HOLD, 0) + sums.rake,
        "moved": [(Transfer.Kind(kind).label, amount) for kind, amount in moved.items()],
    }
    return render(request, "games/statement.html", context)


def month_asked(request: HttpRequest, membership: Membership) -> tuple[datetime, datetime, list[datetime]]:
    """The month of `?month=2026-11`, without one the present one: its first moment, that of the next, and all there are."""
    months = _months_since(timezone.localtime(membership.joined_at))
    asked = request.GET.get("month", "")
    since = next((month for month in months if f"{month:%Y-%m}" == asked), None) if asked else months[0]
    if since is None:
        raise Http404
    return since, _next_month(since), months


def _closings(told: ledger.Statement, since: datetime, until: datetime) -> list[tuple[date, int]]:
    """The balance at the end of each day of a period."""
    closing = {timezone.localdate(line.transfer.created_at): line.balance_after for line in reversed(told.lines)}
    points, balance = [], told.opening
    for past in range((until - timedelta(microseconds=1) - since).days + 1):
        day = (since + timedelta(days=past)).date()
        balance = closing.get(day, balance)
        points.append((day, balance))
    return points


@dataclass(frozen=True)
class StatementLine:
    """A posting of one's wallet, with the hand it belongs to where one was played."""

    posting: Posting
    kind: str
    played: HandLine | None

    @property
    def gross(self) -> int:
        """What the hand brought before the rake."""
        assert self.played is not None
        return (self.played.mine.coins or 0) + (self.played.mine.rake or 0)


@dataclass(frozen=True)
class StatementDay:
    """A day of a statement: what its lines come to, those that are shown, newest first, and how many are not."""

    day: date
    total: int
    lines: list[StatementLine]
    count: int
    is_opened: bool

    @property
    def hidden(self) -> int:
        return self.count - len(self.lines)


def _days(postings: Sequence[Posting], opened: str, seats: QuerySet[SeatFigures]) -> list[StatementDay]:
    """The days of a statement; hands are read for the lines that are shown alone."""
    by_day = {
        day: list(rows)
        for day, rows in groupby(postings, key=lambda line: timezone.localdate(line.transfer.created_at))
    }
    shown = {day: rows if day.isoformat() == opened else rows[:_SHOWN] for day, rows in by_day.items()}
    hand_ids = _hands_of(line for rows in shown.values() for line in rows)
    played = {line.hand.pk: line for line in hand_lines(seats.filter(hand__in=hand_ids))}
    return [
        StatementDay(
            day,
            sum(line.amount for line in rows),
            [_statement_line(line, played) for line in shown[day]],
            len(rows),
            day.isoformat() == opened,
        )
        for day, rows in by_day.items()
    ]


def _hands_of(postings: Iterable[Posting]) -> set[int]:
    """The hands that moved these coins."""
    return {hand_id for line in postings if (hand_id := ledger.hand_of(line.transfer.key))}


def _statement_line(posting: Posting, played: dict[int, HandLine]) -> StatementLine:
    hand_id = ledger.hand_of(posting.transfer.key)
    return StatementLine(posting, posting.transfer.kind, played.get(hand_id) if hand_id else None)


def _months_since(joined: datetime) -> list[datetime]:
    """The first moments of the months from this one back to the one in which somebody joined."""
    months = [_month_of(timezone.localtime())]
    while months[-1] > _month_of(joined):
        months.append(_month_of(months[-1] - timedelta(days=1)))
    return months


def _month_of(moment: datetime) -> datetime:
    return moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _next_month(month: datetime) -> datetime:
    return _month_of(month + timedelta(days=31))
