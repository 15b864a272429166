"""Where the lines, points and words of a chart stand. All places are in per cent of the plot, so that it stretches and its words
do not; the template `components/chart.html` draws it as SVG. The numbers themselves stand in a table beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Final

from django.utils.formats import date_format
from django.utils.translation import get_language

_GAPS: Final = 4  # between the lines of a grid, at most
_DATES: Final = 4
_MINUS: Final = "\N{MINUS SIGN}"
_SHORT: Final = {
    "zh": ((10**8, " 亿"), (10**4, " 万")),
    "en": ((10**9, "B"), (10**6, "M"), (10**3, "k")),
}


@dataclass(frozen=True)
class Mark:
    """A word at a place: `x` and `y` in per cent from the left and from above."""

    x: str
    y: str
    value: int
    text: str


@dataclass(frozen=True)
class Chart:
    """A line over days. `path` is in a square of 100; `low` and `last` are points that are named; `area` goes down to 0."""

    path: str
    area: str
    ticks: list[Mark]
    dates: list[Mark]
    last: Mark
    low: Mark | None
    is_falling: bool  # at the end: the word of the last point stands below it


def line_chart(points: Sequence[tuple[date, int]]) -> Chart:
    """The chart of some values (coins or points) by day, oldest first; there is at least one."""
    values = [value for _day, value in points]
    low, high = min(0, *values), max(0, *values)
    step = _step(high - low)
    bottom, top = low // step * step, -(-high // step) * step
    top = top if top > bottom else step
    first, days = points[0][0], max((points[-1][0] - points[0][0]).days, 1)

    def across(day: date) -> str:
        return f"{100 * (day - first).days / days:.2f}" if len(points) > 1 else "100"

    def down(value: int) -> str:
        return f"{100 * (top - value) / (top - bottom):.2f}"

    path = " ".join(f"{across(day)} {down(value)}" for day, value in points)
    lowest = min(points, key=lambda point: point[1])
    return Chart(
        path=f"M{path}",
        area=f"M{across(points[0][0])} {down(0)} {path} {across(points[-1][0])} {down(0)}z",
        ticks=[Mark("0", down(value), value, axis_text(value)) for value in range(bottom, top + 1, step)],
        dates=[Mark(across(day), "100", 0, date_format(day, "MONTH_DAY_FORMAT")) for day in _spread(points)],
        last=Mark(across(points[-1][0]), down(points[-1][1]), points[-1][1], ""),
        low=Mark(across(lowest[0]), down(lowest[1]), lowest[1], "") if lowest[1] < 0 and lowest != points[-1] else None,
        is_falling=values[-1] < values[-2 if len(values) > 1 else -1],
    )


@dataclass(frozen=True)
class Bar:
    """A day's bar, its places in per cent of the plot."""

    x: str
    y: str
    width: str
    height: str
    day: date
    value: int


@dataclass(frozen=True)
class BarChart:
    """Bars from 0 for days, the last of which is still running."""

    bars: list[Bar]
    ticks: list[Mark]
    dates: list[Mark]


def bar_chart(points: Sequence[tuple[date, int]]) -> BarChart:
    """The chart of counts by day, oldest first; there is at least one."""
    highest = max(value for _day, value in points)
    step = _step(max(highest, 1))
    top = max(-(-highest // step), 1) * step
    each = 100 / len(points)
    bars = [
        Bar(
            x=f"{each * (number + 0.15):.2f}",
            y=f"{100 * (top - value) / top:.2f}",
            width=f"{each * 0.7:.2f}",
            height=f"{100 * value / top:.2f}",
            day=day,
            value=value,
        )
        for number, (day, value) in enumerate(points)
    ]
    named = [0, len(points) // 2, len(points) - 1]
    return BarChart(
        bars,
        [Mark("0", f"{100 * (top - value) / top:.2f}", value, axis_text(value)) for value in range(0, top + 1, step)],
        [
            Mark(f"{each * (number + 0.5):.2f}", "100", 0, date_format(points[number][0], "MONTH_DAY_FORMAT"))
            for number in dict.fromkeys(named)
        ],
    )


def axis_text(value: int) -> str:
    """A value on an axis, shortened: 4 万, 1.31 亿; 40k, 131M."""
    for size, name in _SHORT["zh" if (get_language() or "").startswith("zh") else "en"]:
        if abs(value) >= size:
            return f"{value / size:.4g}{name}".replace("-", _MINUS)
    return f"{value:,}".replace("-", _MINUS)


def _step(span: int) -> int:
    """The distance between two lines of a grid: 1, 2 or 5 times a power of ten."""
    step = 1
    for times in (1, 2, 5) * 19:
        if step * times * _GAPS >= span:
            return step * times
        if times == 5:
            step *= 10
    raise ValueError(span)


def _spread(points: Sequence[tuple[date, int]]) -> list[date]:
    """Some of the days, the first and the last among them, not too near to each other."""
    days = [day for day, _value in points]
    wanted = [days[0].toordinal() + (days[-1] - days[0]).days * part // (_DATES - 1) for part in range(_DATES)]
    chosen = [date.fromordinal(day) for day in wanted]
    return [chosen[0], *(day for before, day in pairwise(chosen) if day > before)]
