"""Charts: lines of a grid at round numbers, every point inside the plot, axes in the words of the language."""

from datetime import date, timedelta

import pytest
from django.utils.translation import override

from games.charts import axis_text, bar_chart, line_chart


def days(*values: int) -> list[tuple[date, int]]:
    return [(date(2026, 11, 1) + timedelta(days=number), value) for number, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((0, 42_400, -10_400), [-20_000, 0, 20_000, 40_000, 60_000]),
        ((0,), [0, 1]),
        ((-3, -7), [-8, -6, -4, -2, 0]),
        ((131_000_000,), [0, 50_000_000, 100_000_000, 150_000_000]),
    ],
)
def test_the_grid_holds_all_values_and_zero(values: tuple[int, ...], ticks: list[int]) -> None:
    chart = line_chart(days(*values))
    assert [tick.value for tick in chart.ticks] == ticks
    places = [float(place) for place in chart.path[1:].split(" ")]
    assert all(0 <= place <= 100 for place in places)
    assert chart.last.value == values[-1]


def test_the_lowest_point_is_named_where_it_is_a_loss_and_not_the_end() -> None:
    chart = line_chart(days(0, -5, 3))
    assert chart.low is not None and chart.low.value == -5 and chart.low.x == "50.00" and not chart.is_falling
    assert line_chart(days(0, 3, -5)).low is None and line_chart(days(0, 3, -5)).is_falling
    assert line_chart(days(4, 2, 3)).low is None


def test_dates_are_told_once_and_in_order() -> None:
    chart = line_chart(days(*range(90)))
    assert [date.x for date in chart.dates] == sorted((date.x for date in chart.dates), key=float)
    assert (chart.dates[0].x, chart.dates[-1].x) == ("0.00", "100.00") and len(chart.dates) == 4
    assert len(line_chart(days(1, 2)).dates) == 2


def test_axes_are_short_in_both_languages() -> None:
    with override("zh-hans"):
        assert [axis_text(value) for value in (0, -500, 40_000, 131_000_000)] == ["0", "−500", "4 万", "1.31 亿"]
    with override("en"):
        assert [axis_text(value) for value in (1_000, -40_000, 131_000_000)] == ["1k", "−40k", "131M"]


@pytest.mark.parametrize(
    ("values", "ticks"), [((0,), [0, 1]), ((6, 1, 3), [0, 2, 4, 6]), ((0, 612, 574), [0, 200, 400, 600, 800])]
)
def test_bars_stand_on_zero_below_round_numbers(values: tuple[int, ...], ticks: list[int]) -> None:
    chart = bar_chart(days(*values))
    assert [tick.value for tick in chart.ticks] == ticks
    for bar, value in zip(chart.bars, values, strict=True):
        assert float(bar.y) + float(bar.height) == pytest.approx(100, abs=0.02)
        assert float(bar.height) == pytest.approx(100 * value / ticks[-1], abs=0.01)
        assert float(bar.x) >= 0 and float(bar.x) + float(bar.width) <= 100
