"""The page of one's coins in a club, those that hands moved with their hands."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

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
from games.history import HandLine, hand_lines, seats_of


@require_GET
@page
def statement(request: SignedInRequest, slug: str) -> HttpResponse:
    """My coins in a club, one month at a time (`?month=2026-11`): opening, every line, closing."""
    membership = club_entered(request, slug)
    since, until, months = month_asked(request, membership)
    told = ledger.statement(wallet=membership.wallet, since=since, until=until)
    hand_ids = {hand_id for line in told.lines if (hand_id := ledger.hand_of(line.transfer.key))}
    played = {line.hand.pk: line for line in hand_lines(seats_of(user=request.user).filter(hand__in=hand_ids))}
    lines = [_statement_line(posting, played) for posting in told.lines]
    days = [
        (day, list(rows))
        for day, rows in groupby(lines, key=lambda line: timezone.localdate(line.posting.transfer.created_at))
    ]
    rake = sum(line.mine.rake or 0 for line in played.values())
    moved: dict[str, int] = defaultdict(int)
    for line in lines:
        moved[line.kind] += line.posting.amount
    closings = _closings(told, since, min(until, timezone.localtime()))
    context = {
        "membership": membership,
        "closings": closings,
        "chart": line_chart(closings),
        "month": since,
        "months": months,
        "is_running": until > timezone.localtime(),
        "statement": told,
        "days": [(day, rows, sum(line.posting.amount for line in rows)) for day, rows in days],
        "hands": len(played),
        "rake": rake,
        "won": moved.pop(Transfer.Kind.HAND, 0) + moved.pop(Transfer.Kind.HOLD, 0) + rake,
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
