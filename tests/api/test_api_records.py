"""Statistics, leaderboards and reports of the API: the numbers of the pages, parameters that are refused, the way of a report."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from games.models import Hand, Report
from games.periods import today
from games.statistics import Statistics
from tests.api.conftest import World

STATISTICS = "/api/v1/clubs/jinli/statistics/"
BOARD = "/api/v1/clubs/jinli/leaderboard/"


@pytest.fixture
def hands(world: World) -> list[Hand]:
    table = world.table()
    return [world.play(table) for _hand in range(5)]


@pytest.fixture
def api(world: World, client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(world.players[0])


def test_the_api_tells_the_numbers_of_the_page(world: World, hands: list[Hand], api: APIClient) -> None:
    browser = Client()
    browser.force_login(world.players[0])
    page: Statistics = browser.get(reverse("statistics", args=["jinli"])).context["statistics"]
    told: dict[str, Any] = api.get(STATISTICS).json()
    assert told["hands"] == page.hands == 5
    for name in ("auto_hands", "coins", "rake", "points", "units", "wins", "jipin"):
        assert told[name] == getattr(page, name), name
    assert [(rate["count"], rate["of"], rate["share"]) for rate in told["rates"]] == [
        (rate.count, rate.of, rate.share) for rate in page.rates
    ]
    assert all(rate["definition"] and rate["name"] for rate in (*told["rates"], *told["means"]))
    assert list(told["finish"].values()) == page.finish
    assert [(each["pattern"], each["times"]) for each in told["patterns"]] == page.patterns
    assert [(each["key"], each["got"], each["paid"], each["units"]) for each in told["sources"]] == [
        (each.key, each.got, each.paid, each.units) for each in page.sources
    ]
    assert [mean["value"] for mean in told["means"]] == [
        None if mean.value is None else str(mean.value) for mean in page.means
    ]
    assert [(each["name"], each["units"]) for each in told["opponents"]] == [
        (each.membership.user.name, each.units) for each in page.opponents
    ]
    assert [day["coins_so_far"] for day in told["days"]] == [day.coins_so_far for day in page.days]


def test_statistics_of_a_period_a_room_and_a_ruleset(world: World, hands: list[Hand], api: APIClient) -> None:
    assert hands[1].ended_at is not None
    since = hands[1].ended_at.isoformat()

    def count(**query: Any) -> int:
        hands_told: int = api.get(STATISTICS, query).json()["hands"]
        return hands_told

    assert count() == count(room=world.room.pk) == count(ruleset="qq_dingque") == 5
    assert (count(since=since), count(until=since), count(room=world.room.pk + 1), count(auto="only")) == (4, 1, 0, 0)
    for wrong in ({"auto": "yes"}, {"ruleset": "none"}, {"since": "yesterday"}, {"room": "x"}, {"member": "1"}):
        answer = api.get(STATISTICS, wrong)
        assert answer.status_code == 400 and answer.json()["code"] == "invalid", wrong


def test_a_leaderboard(world: World, hands: list[Hand], api: APIClient) -> None:
    board = api.get(BOARD, {"period": "day", "by": "coins"}).json()
    assert (board["period"], board["by"], board["threshold"], board["time_zone"]) == (
        "day",
        "coins",
        5,
        "Asia/Shanghai",
    )
    assert board["first"] == board["last"] == f"{today(world.club.zone)}"
    coins = [place["coins"] for place in board["places"]]
    assert len(coins) == 4 and coins == sorted(coins, reverse=True)
    assert board["mine"]["member"] == str(world.membership(world.players[0]).pk)
    week = api.get(BOARD).json()
    assert (week["period"], week["by"], week["places"], week["mine"], week["my_hands"]) == (
        "week",
        "points",
        [],
        None,
        5,
    )
    for wrong in ({"period": "year"}, {"by": "luck"}, {"day": "today"}, {"limit": "5"}):
        assert api.get(BOARD, wrong).status_code == 400, wrong


def test_a_report_goes_to_the_operators_and_comes_back(
    world: World, hands: list[Hand], api: APIClient, client_of: Callable[[User | None], APIClient]
) -> None:
    order = {"kind": "result", "words": "少付了", "seq": 12}
    sent = api.post(f"/api/v1/hands/{hands[0].pk}/report", order)
    assert sent.status_code == 201
    assert sent.json() | {"is_open": True, "seq": 12, "note": ""} == sent.json()
    again = api.post(f"/api/v1/hands/{hands[0].pk}/report", order)
    assert (again.status_code, again.json()["code"]) == (409, "report_open")
    for wrong in ({}, {"kind": "x", "words": "y"}, {"kind": "fault", "words": 7}, {**order, "more": 1}):
        assert api.post(f"/api/v1/hands/{hands[1].pk}/report", wrong).status_code == 400
    other = client_of(world.players[1])
    assert other.get("/api/v1/clubs/jinli/reports/").json()["results"] == []
    answer = f"/api/v1/reports/{sent.json()['id']}/answer"
    assert other.post(answer, {"note": "x"}).json()["code"] == "not_an_operator"
    desk = client_of(world.operator)
    assert [each["words"] for each in desk.get("/api/v1/clubs/jinli/reports/?is_open=true").json()["results"]] == [
        "少付了"
    ]
    closed = desk.post(answer, {"note": "对过了"})
    assert (closed.status_code, closed.json()["note"], closed.json()["is_open"]) == (200, "对过了", False)
    assert desk.post(answer, {"note": "又"}).json()["code"] == "report_closed"
    assert api.get("/api/v1/clubs/jinli/reports/").json()["results"][0]["note"] == "对过了"
    assert Report.objects.count() == 1
