"""Stretches of time as people name them, in a club's time zone: the last days, a day, week, month or season, some dates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.errors import Refused

SEASON_MONTHS: Final = 3  # a season is a quarter of the calendar
DATES: Final = "dates"
ALL: Final = "all"
#: What a page offers: the last days, everything, or dates of one's own.
LAST: Final[Mapping[str, Promise]] = {
    "7": gettext_lazy("近 7 天"),
    "30": gettext_lazy("近 30 天"),
    "90": gettext_lazy("近 90 天"),
    "365": gettext_lazy("近一年"),
    ALL: gettext_lazy("全部时间"),
    DATES: gettext_lazy("自选日期"),
}


@dataclass(frozen=True)
class Period:
    """Days of a time zone from the first to the last, both included; None: without a bound."""

    zone: tzinfo
    first: date | None = None
    last: date | None = None

    @property
    def since(self) -> datetime | None:
        """The moment from which on it counts."""
        return None if self.first is None else midnight(self.first, self.zone)

    @property
    def until(self) -> datetime | None:
        """The moment before which it counts."""
        return None if self.last is None else midnight(self.last + timedelta(days=1), self.zone)


def period_asked(zone: tzinfo, period: str, since: str = "", until: str = "") -> Period:
    """The period that a page was asked for: a key of `LAST`, with `since` and `until` (2026-11-30, or empty) where it is DATES.

    Raises `Refused("bad_filter")`.
    """
    if period not in LAST:
        raise Refused("bad_filter", _("没有这样的时间范围。"))
    if period == ALL:
        return Period(zone)
    if period == DATES:
        first, last = day_asked(since), day_asked(until)
        if first and last and first > last:
            raise Refused("bad_filter", _("开始日期晚于结束日期。"))
        return Period(zone, first, last)
    return Period(zone, today(zone) - timedelta(days=int(period) - 1), today(zone))


def day_asked(text: str) -> date | None:
    """The day that a page was asked for as 2026-11-30, None where it is empty. Raises `Refused("bad_filter")`."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if not 2000 <= day.year <= 2999:
        raise Refused("bad_filter", _("日期写作 2026-11-30 这样。"))
    return day


def period_of(kind: str, day: date, zone: tzinfo) -> Period:
    """The day, week (from Monday), month or season that a day lies in."""
    match kind:
        case "day":
            return Period(zone, day, day)
        case "week":
            first = day - timedelta(days=day.weekday())
            return Period(zone, first, first + timedelta(days=6))
        case "month":
            return _months(zone, day.replace(day=1), 1)
        case "season":
            return _months(zone, day.replace(month=day.month - (day.month - 1) % SEASON_MONTHS, day=1), SEASON_MONTHS)
    raise ValueError(f"no period {kind!r}")


def today(zone: tzinfo) -> date:
    """The day that it is in a time zone."""
    return timezone.localdate(timezone=zone)


def _months(zone: tzinfo, first: date, count: int) -> Period:
    after = date(first.year + (first.month + count > 12), (first.month + count - 1) % 12 + 1, 1)
    return Period(zone, first, after - timedelta(days=1))


def midnight(day: date, zone: tzinfo) -> datetime:
    """The moment at which a day begins in a time zone."""
    return datetime.combine(day, time(), zone)
