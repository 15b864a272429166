"""What the API's routes answer: shapes, filters, pages, and a number of queries that does not grow with the rows."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from accounts.tokens import token_create, token_revoke
from clubs.members import member_coins_issue
from clubs.rooms import room_change_terms, room_create
from games.rules.record import judge
from tests.api.conftest import COINS, World

Clients = Callable[[User | None], APIClient]


def _queries(client: APIClient, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_me(world: World, client_of: Clients) -> None:
    me = client_of(world.players[0]).get("/api/v1/me/").json()
    assert me["username"] == "anna"
    (membership,) = me["memberships"]
    assert membership["club"] == {"slug": "jinli", "name": "锦里麻将社"}
    assert (membership["coins"], membership["points"], membership["level"]) == (COINS, 0, 1)
    assert membership["title"] == "未闻世事"
    assert isinstance(me["id"], str)
    assert client_of(world.banned).get("/api/v1/me/").json()["memberships"][0]["status"] == "banned"


def test_tokens_sign_in_until_revoked(world: World) -> None:
    token, text = token_create(user=world.players[0], name="bot")
    client = APIClient(headers={"Authorization": f"Bearer {text}"})
    assert client.get("/api/v1/me/").json()["username"] == "anna"
    token_revoke(token=token)
    refused = client.get("/api/v1/me/")
    assert refused.status_code == 401
    assert refused["WWW-Authenticate"] == "Bearer"


def test_members_as_members_and_as_operators_see_them(world: World, client_of: Clients) -> None:
    seen = client_of(world.players[0]).get("/api/v1/clubs/jinli/members/").json()["results"]
    assert {each["name"] for each in seen} == {"掌柜", "Anna", "Bao", "Chen", "Deng"}
    assert not {"coins", "status"} & set(seen[0])
    desk = client_of(world.operator).get("/api/v1/clubs/jinli/members/").json()["results"]
    assert {"Eve": "banned"}.items() <= {each["name"]: each["status"] for each in desk}.items()
    assert {each["coins"] for each in desk} == {COINS, 0}


def test_a_presets_name_follows_the_language(world: World, client_of: Clients) -> None:
    client = client_of(world.players[0])
    labels = [
        client.get("/api/v1/rooms/", headers={"Accept-Language": language}).json()["results"][0]["terms"]["label"]
        for language in ("zh-hans", "en")
    ]
    assert labels[0] == "血战定缺 · 承包制"
    assert labels[1].isascii() and labels[1]


def test_titles_and_rooms(world: World, client_of: Clients) -> None:
    client = client_of(world.players[0])
    titles = client.get("/api/v1/clubs/jinli/titles/").json()["results"]
    assert [title["level"] for title in titles] == list(range(1, 23))
    assert titles[0]["threshold"] is None
    room_change_terms(room=world.room, actor=world.operator, changes={"rake": 500}, reason="涨价")
    (listed,) = client.get("/api/v1/rooms/?club=jinli").json()["results"]
    assert listed["terms"]["rake"] == 500
    assert listed["terms"]["unit_coins"] == listed["terms"]["base_points"] * 200
    room = client.get(f"/api/v1/rooms/{listed['id']}/").json()
    assert [(terms["version"], terms["rake"]) for terms in room["versions"]] == [(2, 500), (1, 400)]
    assert client.get("/api/v1/clubs/jinli/rooms/").json()["results"] == [listed]


def test_pages_follow_the_cursor_under_inserts(world: World, client_of: Clients) -> None:
    client = client_of(world.operator)
    for number in range(5):
        room_create(club=world.club, name=f"厅 {number}", actor=world.operator, preset="qq_xuezhan")
    page = client.get("/api/v1/rooms/?limit=2").json()
    seen = [room["id"] for room in page["results"]]
    room_create(club=world.club, name="后来的厅", actor=world.operator, preset="qq_xuezhan")
    while page["next_cursor"]:
        page = client.get(f"/api/v1/rooms/?limit=2&cursor={page['next_cursor']}").json()
        seen += [room["id"] for room in page["results"]]
    assert len(seen) == len(set(seen)) == 6


def test_ledger_and_statement(world: World, client_of: Clients) -> None:
    hand = world.play(world.table())
    anna = world.membership(world.players[0])
    desk = client_of(world.operator)
    (settled,) = desk.get("/api/v1/clubs/jinli/ledger/?kind=hand").json()["results"]
    assert settled["hand"] == str(hand.pk)
    assert sum(line["amount"] for line in settled["postings"]) == 0
    mine = desk.get(f"/api/v1/clubs/jinli/ledger/?member={anna.pk}&kind=issue").json()["results"]
    assert [transfer["reason"] for transfer in mine] == ["test"]
    lines = client_of(world.players[0]).get("/api/v1/ledger/").json()["results"]
    assert lines[0]["hand"] == str(hand.pk)
    assert lines[0]["balance_after"] == anna.wallet.balance
    assert sum(line["amount"] for line in lines) == anna.wallet.balance
    later = (timezone.now() + timedelta(hours=1)).isoformat().replace("+", "%2B")
    assert desk.get(f"/api/v1/clubs/jinli/ledger/?since={later}").json()["results"] == []
    assert len(desk.get(f"/api/v1/clubs/jinli/ledger/?until={later}").json()["results"]) == 6


def test_a_hand_and_its_record(world: World, client_of: Clients) -> None:
    hand = world.play(world.table())
    client = client_of(world.players[0])
    record = client.get(f"/api/v1/hands/{hand.pk}/record").json()
    judged = judge(record)
    payments, expected = (
        [sorted(map(str, each.items())) for each in part.pop("payments")] for part in (judged, record["result"])
    )
    assert sorted(payments) == sorted(expected)
    assert judged == record["result"]
    told = client.get(f"/api/v1/hands/{hand.pk}/").json()
    assert [seat["coins"] for seat in told["seats"]] == record["result"]["coins"]
    assert [seat["units"] for seat in told["seats"]] == record["result"]["units"]
    assert told["proof"]["wall"] == record["wall"]
    assert told["proof"]["commitment"] == hand.commitment
    assert all(payment["words"] and payment["reason"] and payment["name"] for payment in told["payments"])
    unit_coins = 6 * hand.terms.coefficient
    assert [payment["coins"] for payment in told["payments"]] == [
        payment["units"] * unit_coins for payment in told["payments"]
    ]
    assert all(sum(item["fan"] for item in win["items"]) == win["uncapped_fan"] for win in told["wins"])
    assert [note["code"] for note in told["notes"]] == (["rake"] if hand.terms.rake else [])
    assert [win["seat"] for win in told["wins"]] == [win["seat"] for win in record["result"]["wins"]]
    steps = client.get(f"/api/v1/hands/{hand.pk}/steps").json()["steps"]
    assert [step["n"] for step in steps] == list(range(len(steps)))
    assert all(len(seat["hand"]) for seat in steps[0]["view"]["seats"])


def test_filters_of_hands(world: World, client_of: Clients) -> None:
    hand = world.play(world.table())
    client = client_of(world.players[0])
    anna = world.membership(world.players[0])
    boss = world.membership(world.operator)

    def found(query: str) -> list[str]:
        return [each["id"] for each in client.get(f"/api/v1/hands/?{query}").json()["results"]]

    own = [str(hand.pk)]
    assert found(f"club=jinli&room={world.room.pk}&member={anna.pk}&result={hand.end}") == own
    assert found(f"member={boss.pk}") == found("club=duimen") == found("room=999999999999999999") == []
    assert found("since=2020-01-01T00:00:00Z") == own
    assert found("until=2020-01-01T00:00:00Z") == []


@pytest.mark.parametrize(
    "query",
    [
        "result=lost",
        "room=x",
        "room=-1",
        "member=1.5",
        "since=yesterday",
        "since=0001-01-01T00:00:00%2B14:00",
        "until=9999-12-31T23:59:59-14:00",
        "since=0001-01-01T00:00:00Z",  # which some zone reaches before, or not
        "until=9999-12-31T23:59:59Z",
        "club=%00",
        "clubs=jinli",
        "limit=0",
        "cursor=x",
    ],
)
def test_wrong_filters_are_refused(world: World, client_of: Clients, query: str) -> None:
    refused = client_of(world.players[0]).get(f"/api/v1/hands/?{query}")
    assert refused.status_code == 400, refused.content
    assert refused.json()["code"]


def test_the_number_of_queries_does_not_grow(world: World, client_of: Clients) -> None:
    table = world.table()
    world.play(table)
    member, desk = client_of(world.players[0]), client_of(world.operator)
    paths = [
        (member, "/api/v1/me/"),
        (member, "/api/v1/hands/"),
        (member, "/api/v1/rooms/"),
        (member, "/api/v1/ledger/"),
        (member, "/api/v1/clubs/jinli/rooms/"),
        (desk, "/api/v1/clubs/jinli/members/"),
        (desk, "/api/v1/clubs/jinli/ledger/"),
    ]
    for client in (member, desk):
        client.get("/api/v1/me/")  # a session's device is noted once in a while
    few = [_queries(client, path) for client, path in paths]
    assert max(few) <= 16, few
    world.play(table)
    for number in range(3):
        room_create(club=world.club, name=f"厅 {number}", actor=world.operator, preset="qq_xuezhan")
        membership = world.membership(world.players[number])
        member_coins_issue(membership=membership, amount=5, reason="x", actor=world.operator, key=f"more:{number}")
    assert [_queries(client, path) for client, path in paths] == few


def test_too_many_requests(world: World, client_of: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    from rest_framework.throttling import UserRateThrottle

    monkeypatch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": "2/min"})
    client = client_of(world.players[0])
    answers: list[Any] = [client.get("/api/v1/me/") for _number in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2]["Retry-After"]) > 0
    assert answers[2].json()["code"] == "throttled"


def test_words_follow_the_language_asked_for(world: World) -> None:
    refused = APIClient().get("/api/v1/me/", headers={"Accept-Language": "zh-hans"})
    assert refused["Content-Language"] == "zh-hans"


def test_every_time_is_rfc_3339_in_utc(world: World, client_of: Clients) -> None:
    hand = world.play(world.table())
    client = client_of(world.operator)
    paths = [
        "me/",
        "rooms/",
        "clubs/jinli/members/",
        "clubs/jinli/ledger/",
        f"hands/{hand.pk}/",
        f"hands/{hand.pk}/steps",
    ]
    for path in paths:
        times = re.findall(r'"(\d{4}-\d\d-\d\dT[^"]*)"', client.get(f"/api/v1/{path}").content.decode())
        assert times, path
        assert all(re.fullmatch(r"[-\d]{10}T[:\d]{8}(\.\d+)?Z", time) for time in times), path
