"""Devices, switches of notices, invitations and a club's own settings by the API."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEntry, Notice, User
from accounts.notices import switches_of
from accounts.tokens import token_create
from clubs.models import Club, Invitation
from tests.api.conftest import World


@pytest.fixture
def api(world: World, client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(world.players[0])


@pytest.fixture
def desk(world: World, client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(world.operator)


def test_each_kind_is_switched_by_itself(world: World, api: APIClient) -> None:
    told = api.get("/api/v1/notices/switches/").json()["results"]
    assert [(each["kind"], each["on_site"], each["by_mail"]) for each in told] == [
        (kind, True, False) for kind in Notice.Kind.values
    ]
    assert all(each["words"] for each in told)
    answer = api.post("/api/v1/notices/switch", {"kind": "report", "by_mail": True})
    assert answer.json() | {"kind": "report", "on_site": True, "by_mail": True} == answer.json()
    api.post("/api/v1/notices/switch", {"kind": "report", "on_site": False})
    kept = {each.kind: (each.on_site, each.by_mail) for each in switches_of(world.players[0])}
    assert kept == dict.fromkeys(Notice.Kind.values, (True, False)) | {"report": (False, True)}
    for wrong in ({}, {"kind": "x"}, {"kind": "coins", "on_site": 3}, {"kind": "coins", "more": True}):
        assert api.post("/api/v1/notices/switch", wrong).status_code == 400, wrong


def test_devices_are_told_and_signed_out(world: World) -> None:
    phone, desktop = Client(HTTP_USER_AGENT="Android Chrome"), Client(HTTP_USER_AGENT="Windows Firefox")
    for browser in (phone, desktop):
        browser.force_login(world.players[0])
        browser.get("/account/")
    told = phone.get("/api/v1/devices/").json()["results"]
    assert [(each["name"], each["is_here"]) for each in told] == [
        ("Android · Chrome", True),
        ("Windows · Firefox", False),
    ]
    token = APIClient()
    token.credentials(HTTP_AUTHORIZATION=f"Bearer {token_create(user=world.players[0], name='x', expires_at=None)[1]}")
    assert [each["is_here"] for each in token.get("/api/v1/devices/").json()["results"]] == [False, False]
    assert token.post(f"/api/v1/devices/{told[1]['id']}/end").status_code == 204
    assert token.post(f"/api/v1/devices/{told[1]['id']}/end").status_code == 404
    assert desktop.get("/account/").status_code == 302 and phone.get("/account/").status_code == 200
    for wrong in ("x", "0", "9" * 30):
        assert token.post(f"/api/v1/devices/{wrong}/end").status_code == 404
    assert token.post("/api/v1/devices/others/end").status_code == 204
    assert not UserSession.objects.filter(user=world.players[0]).exists()
    assert token.get("/api/v1/devices/").json()["results"] == []


def test_an_invitation_is_made_told_and_revoked(world: World, desk: APIClient) -> None:
    soon = (timezone.now() + timedelta(days=1)).replace(microsecond=0)
    made = desk.post("/api/v1/clubs/jinli/invite", {"max_uses": 3, "expires_at": soon.isoformat()})
    assert made.status_code == 201
    told = made.json()
    assert (told["max_uses"], told["uses"], told["invitee"], told["page"]) == (3, 0, None, f"/join/{told['code']}/")
    assert Invitation.objects.get(code=told["code"]).expires_at == soon
    assert desk.get("/api/v1/clubs/jinli/invitations/?revoked=false").json()["results"][0] == told
    revoke = f"/api/v1/clubs/jinli/invitations/{told['id']}/revoke"
    revoked = desk.post(revoke).json()
    assert revoked["revoked_at"] and desk.post(revoke).json() == revoked
    assert AuditEntry.objects.filter(action="invitation.revoked").count() == 1
    assert desk.get("/api/v1/clubs/jinli/invitations/?revoked=true").json()["results"] == [revoked]


def test_one_person_is_invited_alone_and_told(world: World, desk: APIClient) -> None:
    stranger = User.objects.create_user("stranger")
    made = desk.post("/api/v1/clubs/jinli/invite", {"invitee": "stranger"})
    assert made.json()["invitee"] == {"id": str(stranger.pk), "name": "stranger"}
    assert stranger.notices.get().kind == Notice.Kind.INVITATION
    taken = desk.post("/api/v1/clubs/jinli/invite", {"invitee": world.players[0].username})
    assert (taken.status_code, taken.json()["code"]) == (409, "already_a_member")
    past = desk.post("/api/v1/clubs/jinli/invite", {"expires_at": "2020-01-01T00:00:00Z"})
    assert (past.status_code, past.json()["code"]) == (400, "bad_expiry")
    for wrong in ({"invitee": "nobody"}, {"max_uses": 0}, {"max_uses": "3"}, {"expires_at": "soon"}, {"code": "MINE"}):
        assert desk.post("/api/v1/clubs/jinli/invite", wrong).status_code == 400, wrong


def test_a_club_is_told_and_changed(world: World, desk: APIClient, api: APIClient) -> None:
    told = api.get("/api/v1/clubs/jinli/").json()
    assert told == {
        "slug": "jinli",
        "name": "锦里麻将社",
        "time_zone": "Asia/Shanghai",
        "needs_approval": False,
        "welcome_coins": 0,
    }
    changed = desk.post("/api/v1/clubs/jinli/change", {"time_zone": "Europe/Lisbon", "welcome_coins": 7})
    assert changed.json() == told | {"time_zone": "Europe/Lisbon", "welcome_coins": 7}
    entry = AuditEntry.objects.get(action="club.changed")
    assert entry.before == {"time_zone": "Asia/Shanghai", "welcome_coins": 0}
    nowhere = desk.post("/api/v1/clubs/jinli/change", {"time_zone": "Mars/Olympus"})
    assert (nowhere.status_code, nowhere.json()["code"]) == (400, "bad_time_zone")
    for wrong in ({"name": " "}, {"welcome_coins": -1}, {"needs_approval": "perhaps"}, {"slug": "x"}):
        assert desk.post("/api/v1/clubs/jinli/change", wrong).status_code == 400, wrong
    assert Club.objects.get(slug="jinli").time_zone == "Europe/Lisbon"
