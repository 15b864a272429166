"""Every route of the API for everybody who may ask: the declared status, and nothing of a club for those outside it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import Transfer, User
from clubs.invitations import invitation_create
from clubs.members import request_make
from clubs.models import Club, JoinRequest
from config.api_urls import urlpatterns
from games.models import Hand
from games.reports import report_open
from tests.api.conftest import COINS, PLAYERS, World

WHO = ("anonymous", "member", "operator", "rival", "banned")
SEVERAL = {"kind": "issue", "amount": 5, "reason": "奖励", "members": ["1000000"]}
COINS_ORDER = {"kind": "issue", "amount": 5, "reason": "奖励"}


class Route(NamedTuple):
    """The arguments that a route takes and the status for each of WHO."""

    arguments: tuple[str, ...]
    statuses: tuple[int, int, int, int, int]
    method: str = "get"
    body: dict[str, Any] | None = None


LINE = {"ruleset": "chengdu", "concealed": "1199p222888s", "melds": [{"kind": "pung", "tile": "5p"}]}

OWN = (401, 200, 200, 200, 200)
CLUB = (401, 200, 200, 404, 404)
MATRIX = {
    "api_me": Route((), OWN),
    "api_clubs": Route((), OWN),
    "api_rooms": Route((), OWN),
    "api_ledger": Route((), OWN),
    "api_hands": Route((), OWN),
    "api_members": Route(("slug",), CLUB),
    "api_titles": Route(("slug",), CLUB),
    "api_club_rooms": Route(("slug",), CLUB),
    "api_club_tables": Route(("slug",), CLUB),
    "api_club_ledger": Route(("slug",), (401, 403, 200, 404, 404)),
    "api_member_coins": Route(("slug", "member"), (401, 403, 201, 404, 404), "post", COINS_ORDER),
    "api_score": Route((), (200, 200, 200, 200, 200), "post", LINE),
    "api_judge": Route((), (400, 400, 400, 400, 400), "post", LINE),
    "api_statistics": Route(("slug",), CLUB),
    "api_leaderboard": Route(("slug",), CLUB),
    "api_reports": Route(("slug",), CLUB),
    "api_hand_report": Route(("hand",), (401, 201, 201, 404, 404), "post", {"kind": "fault", "words": "卡住了"}),
    "api_report_answer": Route(("report",), (401, 403, 200, 404, 404), "post", {"note": "已查"}),
    "api_room": Route(("room",), CLUB),
    "api_line": Route((), OWN),
    "api_line_join": Route(("room",), (401, 409, 200, 404, 404), "post", {}),
    "api_line_accept": Route((), (401, 409, 409, 409, 409), "post", {}),
    "api_line_leave": Route((), (401, 204, 204, 204, 204), "post", {}),
    "api_hand": Route(("hand",), CLUB),
    "api_hand_end": Route(("hand",), (401, 403, 409, 404, 404), "post", {"rule": "void", "reason": "停电"}),
    "api_hand_record": Route(("hand",), CLUB),
    "api_hand_steps": Route(("hand",), CLUB),
    "api_notices": Route((), OWN),
    "api_notices_read": Route((), OWN, "post", {}),
    "api_switches": Route((), OWN),
    "api_switch": Route((), OWN, "post", {"kind": "report", "by_mail": True}),
    "api_devices": Route((), OWN),
    "api_device_end": Route(("device",), (401, 404, 404, 404, 404), "post", {}),
    "api_devices_end": Route((), (401, 204, 204, 204, 204), "post", {}),
    "api_club": Route(("slug",), CLUB),
    "api_club_change": Route(("slug",), (401, 403, 200, 404, 404), "post", {"time_zone": "Europe/Lisbon"}),
    "api_member": Route(("slug", "member"), (401, 403, 200, 404, 404)),
    "api_member_role": Route(("slug", "member"), (401, 403, 200, 404, 404), "post", {"role": "member", "reason": "x"}),
    "api_member_unban": Route(("slug", "member"), (401, 403, 200, 404, 404), "post", {"reason": "x"}),
    "api_members_coins": Route(("slug",), (401, 403, 400, 404, 404), "post", SEVERAL),
    "api_balances": Route(("slug",), (401, 403, 200, 404, 404)),
    "api_audit": Route(("slug",), (401, 403, 200, 404, 404)),
    "api_overview": Route(("slug",), (401, 403, 200, 404, 404)),
    "api_titles_change": Route(
        ("slug",), (401, 403, 200, 404, 404), "post", {"titles": [{"level": 2, "threshold": 6}], "reason": "x"}
    ),
    "api_room_create": Route(
        ("slug",), (401, 403, 201, 404, 404), "post", {"name": "望江厅", "terms": {"preset": "jj"}}
    ),
    "api_room_change": Route(("room",), (401, 403, 200, 404, 404), "post", {"terms": {"rake": 500}}),
    "api_table_close": Route(("table",), (401, 403, 204, 404, 404), "post", {"reason": "打烊"}),
    "api_transfer_reverse": Route(("slug", "transfer"), (401, 403, 200, 404, 404), "post", {"reason": "发错"}),
    "api_invitations": Route(("slug",), (401, 403, 200, 404, 404)),
    "api_invite": Route(("slug",), (401, 403, 201, 404, 404), "post", {"max_uses": 3}),
    "api_invitation_revoke": Route(("slug", "invitation"), (401, 403, 200, 404, 404), "post", {}),
    "api_join": Route((), (401, 404, 404, 404, 404), "post", {"code": "NOSUCH22"}),
    "api_requests": Route((), OWN),
    "api_request_withdraw": Route(("request",), (401, 404, 404, 404, 404), "post", {}),
    "api_club_requests": Route(("slug",), (401, 403, 200, 404, 404)),
    "api_request_approve": Route(("slug", "request"), (401, 403, 200, 404, 404), "post", {}),
    "api_request_refuse": Route(("slug", "request"), (401, 403, 409, 404, 404), "post", {"reason": "名额已满"}),
    "api_member_ban": Route(("slug", "member"), (401, 403, 200, 404, 404), "post", {"reason": "x"}),
    # The last one: the member is none any more, and the club's only operator stays.
    "api_club_leave": Route(("slug",), (401, 204, 409, 404, 404), "post", {}),
}


def test_the_matrix_covers_every_route() -> None:
    assert set(MATRIX) == {pattern.name for pattern in urlpatterns}


@pytest.fixture
def hand(world: World) -> Hand:
    return world.play(world.table())


@pytest.fixture
def address(world: World, hand: Hand) -> Callable[[str], str]:
    values = {
        "slug": world.club.slug,
        "member": world.membership(world.players[0]).pk,
        "room": world.room.pk,
        "table": hand.table_id,
        "transfer": Transfer.objects.filter(kind=Transfer.Kind.ISSUE).latest("pk").pk,  # who did not play
        "hand": hand.pk,
        "request": (asked := request_of_a_stranger(world)).pk,
        "invitation": asked.invitation_id,
        "device": 10**9,
        "report": report_open(hand_id=hand.pk, reporter=world.players[0], kind="result", words="少付了").pk,
    }
    return lambda name: reverse(name, args=[values[argument] for argument in MATRIX[name].arguments])


def request_of_a_stranger(world: World) -> JoinRequest:
    Club.objects.filter(pk=world.club.pk).update(needs_approval=True)
    invitation = invitation_create(club=world.club, actor=world.operator)
    return request_make(code=invitation.code, user=User.objects.create_user("stranger", display_name="Fremde"))


def test_statuses_and_leaks(
    world: World, address: Callable[[str], str], client_of: Callable[[User | None], APIClient]
) -> None:
    people = dict(zip(WHO, (None, world.players[1], world.operator, world.rival, world.banned), strict=True))
    secrets = ["Fremde", *(name.title() for name in PLAYERS), "锦江厅", "掌柜", str(COINS)]
    for name, route in MATRIX.items():
        for (who, user), status in zip(people.items(), route.statuses, strict=True):
            headers = {"Idempotency-Key": f"{name}-{who}"} if route.method == "post" else {}
            client = client_of(user)
            response = getattr(client, route.method)(address(name), route.body, headers=headers)
            assert response.status_code == status, (name, who, response.content)
            if status >= 400:
                assert response["Content-Type"] == "application/problem+json"
                assert response.json()["code"]
            if who in ("anonymous", "rival", "banned") and name != "api_me":
                assert not [secret for secret in secrets if secret in response.content.decode()], (name, who)
            # Whatever is not a route's own method is refused, and by everybody's rules.
            for method in {"get", "post", "put", "patch", "delete"} - {route.method}:
                refused = getattr(client, method)(address(name))
                assert refused.status_code in {401, 403, 404, 405}, (name, who, method)


def test_a_running_hand_is_not_there(world: World, client_of: Callable[[User | None], APIClient]) -> None:
    hand = world.deal(world.table())
    seed = bytes(Hand.objects.get(pk=hand.pk).seed).hex()
    for user in (world.players[0], world.operator):
        client = client_of(user)
        for name in ("api_hand", "api_hand_record", "api_hand_steps"):
            response = client.get(reverse(name, args=[hand.pk]))
            assert response.status_code == 404
            assert seed not in response.content.decode()
        assert client.get(reverse("api_hands")).json()["results"] == []


def test_unknown_addresses_are_problems(client_of: Callable[[User | None], APIClient], db: None) -> None:
    for path in ("/api/v1/", "/api/v1/nothing/", "/api/v1/hands/1/nothing/", "/api/v1/clubs/%00/members/"):
        response = client_of(None).get(path)
        assert response.status_code == 404, path
        assert response["Content-Type"] == "application/problem+json"
        assert response.json()["code"] == "not_found"


@pytest.mark.parametrize("wrong", ["x", "0", "-1", "1.0", "%00", "9" * 30, "9" * 5000, "%F0%9F%80%84"])
def test_ids_that_are_none(world: World, client_of: Callable[[User | None], APIClient], wrong: str) -> None:
    client = client_of(world.operator)
    for path in ("hands/{}/", "hands/{}/record", "hands/{}/steps", "rooms/{}/"):
        response = client.get("/api/v1/" + path.format(wrong))
        assert response.status_code == 404, path
    response = client.post(f"/api/v1/clubs/jinli/members/{wrong}/coins/", COINS_ORDER, headers={"Idempotency-Key": "k"})
    assert response.status_code == 404
