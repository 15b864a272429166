"""Files for spreadsheets: one's statement and history, and the reports to a club that one may see."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts import ledger
from accounts.exports import CsvResponse
from accounts.models import Posting
from accounts.pages import SignedInRequest, page
from clubs.pages import club_entered
from games.coin_pages import month_asked
from games.filters import history_filters
from games.history import hand_lines
from games.models import Report, SeatFigures
from games.reports import reports_for

_AT_ONCE: Final = 500  # rows that are read together


@require_GET
@page
def history_csv(request: SignedInRequest) -> CsvResponse:
    """The hands that the history shows, all of them."""
    seats = history_filters(user=request.user, query=request.GET.dict()).qs
    headings = [
        *(_("结束"), _("俱乐部"), _("房间"), _("桌号"), _("牌局"), _("结果"), _("极品"), _("倍"), _("积分"), _("金币")),
        *(_("台费"), _("托管步数"), _("练习"), _("同桌的人")),
    ]
    return CsvResponse("hands", headings, _hands(seats))


def _hands(seats: QuerySet[SeatFigures]) -> Iterator[list[Any]]:
    ids = seats.values_list("hand", flat=True).iterator()
    while some := list(islice(ids, _AT_ONCE)):
        for line in hand_lines(seats.filter(hand__in=some)):
            table, mine = line.hand.table, line.mine
            yield [
                *(line.hand.ended_at, table.room.club.name, table.room.name, table.number, line.hand.pk, line.outcome),
                *(line.is_jipin, mine.units, None if line.hand.is_practice else mine.points, mine.coins, mine.rake),
                *(mine.auto_actions, line.hand.is_practice, _("、").join(line.others)),
            ]


@require_GET
@page
def statement_csv(request: SignedInRequest, slug: str) -> CsvResponse:
    """My coins in a club, of one month as the page shows it: opening, every line, closing."""
    membership = club_entered(request, slug)
    since, until, _months = month_asked(request, membership)
    headings = [_("时间"), _("类别"), _("牌局"), _("事由"), _("经手人"), _("变动"), _("余额")]
    lines = ledger.statement_lines(membership.wallet, since, until).order_by("id")
    opening = ledger.balance_at(membership.wallet, since)
    return CsvResponse(f"statement-{slug}-{since:%Y-%m}", headings, _statement(lines, opening, since, until))


def _statement(lines: QuerySet[Posting], balance: int, since: datetime, until: datetime) -> Iterator[list[Any]]:
    yield [since, _("期初"), None, None, None, None, balance]
    for line in lines.iterator(_AT_ONCE):
        transfer, balance = line.transfer, line.balance_after
        yield [
            *(transfer.created_at, transfer.get_kind_display(), ledger.hand_of(transfer.key), transfer.reason),
            *(transfer.actor and transfer.actor.name, line.amount, balance),
        ]
    now, last = timezone.now(), until - timedelta(seconds=1)
    yield [min(now, last), _("现在") if now < last else _("期末"), None, None, None, None, balance]


@require_GET
@page
def reports_csv(request: SignedInRequest, slug: str) -> CsvResponse:
    """The reports of a club that I may see: an operator all of them, a member their own."""
    membership = club_entered(request, slug)
    headings = [
        *(
            _("提交时间"),
            _("类别"),
            _("牌局"),
            _("第几步"),
            _("申诉人"),
            _("说明"),
            _("待处理"),
            _("答复"),
            _("处理人"),
        ),
        _("处理时间"),
    ]
    return CsvResponse(f"reports-{slug}", headings, _reports(reports_for(membership)))


def _reports(reports: QuerySet[Report]) -> Iterator[list[Any]]:
    for report in reports.iterator(_AT_ONCE):
        yield [
            *(report.created_at, report.get_kind_display(), report.hand_id, report.seq, report.reporter.user.name),
            *(report.words, report.is_open, report.note, report.closed_by and report.closed_by.name, report.closed_at),
        ]
