"""The first page of the desk: how the club does, and what waits."""

from typing import Final

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from games.charts import bar_chart
from games.desk.shell import DeskRequest, desk_page
from games.overview import overview as overview_of

_PERIODS: Final = {
    "today": gettext_lazy("今天"),
    "7": gettext_lazy("7 天"),
    "30": gettext_lazy("30 天"),
    "season": gettext_lazy("赛季"),
}


@require_GET
@desk_page("overview")
def overview(request: DeskRequest) -> HttpResponse:
    """`?period=` is one of `games.overview.PERIODS`."""
    period = request.GET.get("period", "today")
    if period not in _PERIODS:
        raise Http404
    told = overview_of(request.desk.club, period)
    context = {
        "overview": told,
        "period": period,
        "periods": _PERIODS,
        "chart": bar_chart(told.days),
        "most_rake": max((room.rake for room in told.rooms), default=0),
        "now": timezone.now(),
    }
    return render(request, "desk/overview.html", context)
