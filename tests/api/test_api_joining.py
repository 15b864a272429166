"""Joining, asking, deciding and leaving over the API; notices."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.models import Club, Invitation, Membership
from tests.api.conftest import World

Clients = Callable[[User | None], APIClient]


@pytest.fixture
def choosy(world: World) -> Club:
    """A second club of the operator, which approves its members."""
    return club_create(name="望江楼", slug="wangjiang", actor=world.operator, welcome_coins=300, needs_approval=True)


@pytest.fixture
def invitation(choosy: Club, world: World) -> Invitation:
    return invitation_create(club=choosy, actor=world.operator, max_uses=5)


def test_an_open_club_is_joined_at_once(world: World, client_of: Clients) -> None:
    code = invitation_create(club=world.club, actor=world.operator).code
    for _repeat in range(2):
        answer = client_of(world.rival).post("/api/v1/join", {"code": code.lower()})
        assert answer.status_code == 200
        assert answer.json() == {"club": {"slug": "jinli", "name": "锦里麻将社"}, "request": None}
    assert Membership.objects.filter(club=world.club, user=world.rival).count() == 1


def test_a_request_goes_from_hand_to_hand(
    world: World, choosy: Club, invitation: Invitation, client_of: Clients
) -> None:
    rival, boss = client_of(world.rival), client_of(world.operator)
    asked = rival.post("/api/v1/join", {"code": invitation.code, "message": "对门的"}).json()["request"]
    assert (asked["status"], asked["message"]) == ("pending", "对门的")
    assert rival.post("/api/v1/join", {"code": invitation.code}).json()["request"]["id"] == asked["id"]
    (seen,) = boss.get("/api/v1/clubs/wangjiang/requests/?status=pending").json()["results"]
    assert (seen["user"]["name"], seen["invitation"]) == ("rival", invitation.code)
    refused = boss.post(f"/api/v1/clubs/wangjiang/requests/{asked['id']}/refuse", {"reason": "名额已满"})
    assert (refused.json()["status"], refused.json()["decided_by"]["name"]) == ("refused", "掌柜")
    again = boss.post(f"/api/v1/clubs/wangjiang/requests/{asked['id']}/approve", {})
    assert (again.status_code, again.json()["code"]) == (409, "request_decided")
    second = rival.post("/api/v1/join", {"code": invitation.code}).json()["request"]
    assert boss.post(f"/api/v1/clubs/wangjiang/requests/{second['id']}/approve", {}).status_code == 200
    assert [each["status"] for each in rival.get("/api/v1/requests/").json()["results"]] == ["approved", "refused"]
    told = rival.get("/api/v1/notices/?kind=request").json()["results"]
    assert [each["words"] for each in told] == [
        "「望江楼」同意了你的入社申请",
        "「望江楼」没有同意你的入社申请：名额已满",
    ]
    assert told[0]["page"] == "/clubs/wangjiang/"


def test_a_request_is_withdrawn_by_its_own_person_alone(
    world: World, invitation: Invitation, client_of: Clients
) -> None:
    rival = client_of(world.rival)
    asked = rival.post("/api/v1/join", {"code": invitation.code}).json()["request"]
    for other in (world.players[0], world.operator):
        assert client_of(other).post(f"/api/v1/requests/{asked['id']}/withdraw").status_code == 404
    assert rival.post(f"/api/v1/requests/{asked['id']}/withdraw").json()["status"] == "withdrawn"
    assert rival.post(f"/api/v1/requests/{asked['id']}/withdraw").json()["code"] == "request_decided"


def test_what_cannot_be_joined_says_why(world: World, invitation: Invitation, client_of: Clients) -> None:
    code = invitation_create(club=world.club, actor=world.operator).code
    banned = client_of(world.banned).post("/api/v1/join", {"code": code})
    assert (banned.status_code, banned.json()["code"]) == (403, "banned")
    for body, status in (
        ({}, 400),
        ({"code": 5}, 400),
        ({"code": code, "club": "x"}, 400),
        ({"code": "NOSUCH22"}, 404),
    ):
        assert client_of(world.rival).post("/api/v1/join", body).status_code == status, body
    too_long = client_of(world.rival).post("/api/v1/join", {"code": invitation.code, "message": "x" * 121})
    assert too_long.status_code == 400


def test_guessing_codes_has_a_limit(world: World, client_of: Clients) -> None:
    rival = client_of(world.rival)
    answers = [rival.post("/api/v1/join", {"code": "NOSUCH22"}) for _guess in range(11)]
    assert [answer.status_code for answer in answers] == [404] * 10 + [429]


def test_a_club_is_left_unless_a_hand_is_running(world: World, client_of: Clients) -> None:
    hand = world.deal(world.table())
    anna = client_of(world.players[0])
    running = anna.post("/api/v1/clubs/jinli/leave")
    assert (running.status_code, running.json()["code"]) == (409, "hand_running")
    assert Membership.objects.get(user=world.players[0]).status == "active"
    assert hand.pk
    only = client_of(world.operator).post("/api/v1/clubs/jinli/leave")
    assert (only.status_code, only.json()["code"]) == (409, "last_operator")


def test_notices_are_read_one_by_one_or_all_at_once(world: World, client_of: Clients) -> None:
    anna = client_of(world.players[0])
    (coins,) = anna.get("/api/v1/notices/").json()["results"]
    assert (coins["kind"], coins["club"], coins["read_at"]) == ("coins", "jinli", None)
    assert client_of(world.players[1]).post("/api/v1/notices/read", {"ids": [coins["id"]]}).json() == {"read": 0}
    assert anna.post("/api/v1/notices/read", {"ids": [coins["id"]]}).json() == {"read": 1}
    assert anna.post("/api/v1/notices/read", {}).json() == {"read": 0}
    assert anna.get("/api/v1/notices/?unread=true").json()["results"] == []
    assert anna.post("/api/v1/notices/read", {"ids": ["x"]}).status_code == 400
