"""The ladder of titles and how members rise and fall."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.utils.translation import override

from accounts.errors import Refused
from accounts.models import AuditEntry, User
from clubs.models import Club, LevelChange, Membership
from clubs.titles import level_for, points_add, title_names, title_progress, titles_change
from tests.races import at_once

Refusal = Callable[[Callable[[], object]], Refused]


@pytest.mark.parametrize(
    ("points", "level"),
    [
        (-(10**9), 1),
        (0, 1),
        (99, 1),
        (100, 2),
        (199, 2),
        (200, 3),
        (499, 3),
        (500_000, 21),
        (500_001, 22),
        (10**12, 22),
    ],
)
def test_the_usual_ladder(club: Club, points: int, level: int) -> None:
    assert level_for(club.titles.all(), points) == level


def test_points_move_in_full_and_levels_with_them(club: Club, anna: Membership, bao: Membership) -> None:
    assert points_add(club=club, points={anna.pk: 250}, cause="hand:1") == {anna.pk: ((0, 1), (250, 3))}
    both = points_add(club=club, points={bao.pk: 0, anna.pk: 10}, cause="hand:2")
    assert both == {anna.pk: ((250, 3), (260, 3)), bao.pk: ((0, 1), (0, 1))}
    assert points_add(club=club, points={anna.pk: -1_000}, cause="hand:3") == {anna.pk: ((260, 3), (-740, 1))}
    anna.refresh_from_db()
    assert (anna.points, anna.level) == (-740, 1)
    changes = LevelChange.objects.order_by("pk").values_list("membership", "before", "after", "points", "cause")
    assert list(changes) == [(anna.pk, 1, 3, 250, "hand:1"), (anna.pk, 3, 1, -740, "hand:3")]


def test_new_thresholds_put_members_on_new_levels(
    club: Club, operator: User, anna: Membership, bao: Membership
) -> None:
    points_add(club=club, points={anna.pk: 250}, cause="hand:1")
    titles_change(club=club, actor=operator, thresholds={3: 300}, names={3: " 新秀 "}, reason="调整")
    anna.refresh_from_db()
    assert anna.level == 2
    change = LevelChange.objects.latest("pk")
    assert (change.membership, change.before, change.after, change.cause) == (anna, 3, 2, "thresholds")
    assert LevelChange.objects.count() == 2
    assert club.titles.get(level=3).name == "新秀"
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.reason) == ("titles.changed", "调整")
    assert (entry.before, entry.after) == ({"3": ["初生牛犊", 200]}, {"3": ["新秀", 300]})
    titles_change(club=club, actor=operator, thresholds={3: 300}, reason="又一次")
    assert AuditEntry.objects.latest("pk") == entry


@pytest.mark.parametrize("usual", ["", "初生牛犊"])
def test_a_club_s_own_name_is_the_same_in_every_language(club: Club, operator: User, usual: str) -> None:
    change = partial(titles_change, club=club, actor=operator, thresholds={}, reason="调整")
    change(names={3: "新秀"})
    with override("en"):
        assert title_names(club)[3] == "新秀"
        assert title_names(club)[4] == "First Spark"
    change(names={3: usual})
    assert club.titles.get(level=3).own_name == ""
    with override("en"):
        assert title_names(club)[3] == "Young Bull"


@pytest.mark.parametrize("thresholds", [{3: 100}, {3: 99}, {2: 200}, {22: 500_000}, {5: 1_500}])
def test_thresholds_rise_strictly(club: Club, operator: User, refusal: Refusal, thresholds: dict[int, int]) -> None:
    refused = refusal(lambda: titles_change(club=club, actor=operator, thresholds=thresholds, reason="x"))
    assert refused.code == "thresholds_not_rising"
    level = next(iter(thresholds))
    assert refused.data["level"] in (level, level + 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"thresholds": {1: 5}},
        {"thresholds": {0: 5}},
        {"thresholds": {23: 600_000}},
        {"thresholds": {"3": 250}},
        {"thresholds": {3: 250.0}},
        {"thresholds": {3: None}},
        {"thresholds": {3: True}},
        {"thresholds": {22: 10**16}},
        {"names": {3: "字" * 13}},
        {"names": {3: "a\x00"}},
        {"names": {23: "x"}},
    ],
)
def test_bad_titles_are_refused_by_level(club: Club, operator: User, refusal: Refusal, wrong: dict[str, Any]) -> None:
    values = {"thresholds": {}, **wrong}
    refused = refusal(lambda: titles_change(club=club, actor=operator, reason="x", **values))
    assert refused.code == "bad_titles"
    assert set(refused.data["errors"]) == set(next(iter(wrong.values())))


def test_only_operators_change_titles_and_say_why(
    club: Club, operator: User, anna: Membership, refusal: Refusal
) -> None:
    change = partial(titles_change, club=club, thresholds={2: 150})
    assert refusal(lambda: change(actor=anna.user, reason="x")).code == "not_an_operator"
    assert refusal(lambda: change(actor=operator, reason=" ")).code == "reason_required"


def test_progress(club: Club, anna: Membership) -> None:
    def shown() -> tuple[str, str | None, int, int]:
        anna.refresh_from_db()
        progress = title_progress(anna)
        upcoming = progress["next"]
        return progress["title"].name, upcoming and upcoming.name, progress["missing"], progress["percent"]

    assert shown() == ("未闻世事", "初入江湖", 100, 0)
    points_add(club=club, points={anna.pk: -20}, cause="x")
    assert shown() == ("未闻世事", "初入江湖", 120, 0)
    points_add(club=club, points={anna.pk: 170}, cause="x")
    assert shown() == ("初入江湖", "初生牛犊", 50, 50)
    points_add(club=club, points={anna.pk: 500_000}, cause="x")
    assert shown() == ("笑傲江湖", None, 0, 100)


@pytest.mark.django_db(transaction=True)
def test_points_added_at_the_same_time_all_count(club: Club, operator: User, anna: Membership) -> None:
    add = [partial(points_add, club=club, points={anna.pk: 40}, cause=f"hand:{number}") for number in range(6)]
    change = partial(titles_change, club=club, actor=operator, thresholds={2: 190}, reason="x")
    outcomes = at_once([*add, change])
    assert not [each for each in outcomes if isinstance(each, Exception)]
    anna.refresh_from_db()
    assert (anna.points, anna.level) == (240, 3)
    level = 1
    for before, after in LevelChange.objects.order_by("pk").values_list("before", "after"):
        assert before == level
        level = after
    assert level == 3
