"""Pages of figures: one's own statistics in a club, and its leaderboards."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.pages import SignedInRequest, page
from clubs.pages import club_entered, memberships_of
from games.charts import Chart, line_chart
from games.filters import statistics_filters
from games.leaderboards import MEASURES, PERIODS, Leaderboard, Place
from games.leaderboards import leaderboard as leaderboard_of
from games.periods import day_asked, today
from games.statistics import LEAST_HANDS, Day, Rate
from games.statistics import statistics as statistics_of
from games.words import pattern_name

_TOP = 10  # places that a board shows at first


@require_GET
@page
def statistics(request: SignedInRequest, slug: str) -> HttpResponse:
    """My figures in a club, of a period, room or ruleset; `?of=points` draws points instead of coins."""
    membership = club_entered(request, slug)
    asked = statistics_filters(club=membership.club, query=request.GET.dict())
    told = statistics_of(membership=membership, asked=asked.asked(membership.club), auto=asked.is_auto)
    of = "points" if request.GET.get("of") == "points" else "coins"
    context = {
        "membership": membership,
        "memberships": memberships_of(request.user),
        "asked": asked,
        "statistics": told,
        "means": {key: told.mean(key) for key in ("coins", "fan", "units", "units_won", "units_dealt_in")},
        "of": of,
        "chart": _trend(told.days, of),
        "axis": _axis(told.rates),
        "finish": _finish(told.finish, told.hands),
        "patterns": [(pattern_name(pattern), times) for pattern, times in told.patterns if times],
        "never": [pattern_name(pattern) for pattern, times in told.patterns if not times],
        "least": LEAST_HANDS,
    }
    return render(request, "games/statistics.html", context)


def _trend(days: Sequence[Day], of: str) -> Chart | None:
    """What the hands came to, day by day from 0 on."""
    if not days:
        return None
    start = (days[0].day - timedelta(days=1), 0)
    return line_chart([start, *((day.day, day.coins_so_far if of == "coins" else day.points_so_far) for day in days)])


@dataclass(frozen=True)
class RateRow:
    """A rate on an axis: where its point, the two ends of its interval and the club's rate stand, in per cent of the axis."""

    rate: Rate
    x: str = ""
    low: str = ""
    width: str = ""
    club_x: str = ""


def _axis(rates: Sequence[Rate]) -> dict[str, Any]:
    """The rates that are told on one axis, from 0 to `end` per cent."""
    ends = [rate.interval[1] for rate in rates if rate.interval] + [rate.club_share or 0 for rate in rates]
    end = max(10, ceil(max(ends, default=0) * 10) * 10)

    def place(share: float) -> str:
        return f"{100 * 100 * share / end:.2f}"

    rows = []
    for rate in rates:
        if rate.share is None or rate.interval is None:
            rows.append(RateRow(rate))
            continue
        low, high = rate.interval
        club = place(rate.club_share) if rate.club_share is not None else ""
        rows.append(RateRow(rate, place(rate.share), place(low), place(high - low), club))
    return {"end": end, "rows": rows}


def _finish(finish: Sequence[int], hands: int) -> list[dict[str, Any]]:
    """How often one was the first, second, third winner and none, each with its share and its part of a bar."""
    parts, start = [], 0
    for count in finish:
        share = count / hands if hands else 0.0
        parts.append(
            {"count": count, "share": share, "x": f"{100 * start / (hands or 1):.2f}", "width": f"{100 * share:.2f}"}
        )
        start += count
    return parts


@require_GET
@page
def leaderboard(request: SignedInRequest, slug: str) -> HttpResponse:
    """A board of a club: `?period=` of PERIODS, `?by=` of MEASURES, `?day=` a day of the period; `?all=yes` shows all places."""
    membership = club_entered(request, slug)
    kind, measure = request.GET.get("period", "week"), request.GET.get("by", "points")
    if kind not in PERIODS or measure not in MEASURES:
        raise Http404
    now = today(membership.club.zone)
    day = day_asked(request.GET.get("day", "")) or now
    board = leaderboard_of(membership=membership, kind=kind, measure=measure, day=day)
    places = shown(board, everything=request.GET.get("all") == "yes")
    assert board.period.first is not None and board.period.last is not None
    after = board.period.last + timedelta(days=1)
    context = {
        "membership": membership,
        "board": board,
        "periods": PERIODS,
        "measures": MEASURES,
        "shown": places,
        "hidden": len(board.places) - len(places),
        "earlier": board.period.first - timedelta(days=1),
        "later": after if after <= now else None,
        "lacking": max(0, board.threshold - board.my_hands),
    }
    return render(request, "games/leaderboard.html", context)


def shown(board: Leaderboard, *, everything: bool) -> list[Place]:
    """The first places, and one's own where it is not among them."""
    first = board.places if everything else board.places[:_TOP]
    return first if board.mine is None or board.mine in first else [*first, board.mine]
