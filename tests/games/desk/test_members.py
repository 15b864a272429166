"""Members at the desk: the list in its orders and filters, one member, who asks to be let in, invitations."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, User
from clubs.clubs import club_change, club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_leave, request_make
from clubs.models import Club, Invitation, JoinRequest, Membership, Room
from games.models import Table
from tests.games.rules.stories import two_winners
from tests.games.settled import settled
from tests.people import member_of


def listed(desk: Client, **query: str) -> list[str]:
    """The login names that the list shows, in its order."""
    page = desk.get(reverse("desk_members", args=["jinli"]), query)
    return re.findall(r'<small class="faint cut">(\w+)', page.text)


def test_the_list_is_searched_filtered_and_sorted(
    desk: Client, club: Club, members: list[User], operator: User, anna: Membership, owner: User
) -> None:
    member_coins_issue(membership=anna, amount=5, reason="奖", actor=operator, key="more")
    assert listed(desk)[0] == "anna"
    assert listed(desk, sort="name") == ["anna", "bao", "chen", "deng", "emma", "operator"]
    assert listed(desk, sort="joined")[0] == "emma"
    assert listed(desk, q="ANN") == ["anna"] and listed(desk, q="掌柜") == ["operator"]
    assert sorted(listed(desk, role="operator")) == ["emma", "operator"]
    member_leave(membership=Membership.objects.get(club=club, user=members[1]))
    assert "bao" not in listed(desk)
    assert listed(desk, status="left") == ["bao"] and "bao" in listed(desk, status="all")
    assert listed(desk, q="nobody") == []
    csv = b"".join(desk.get(reverse("desk_members_csv", args=["jinli"]), {"q": "ann"}))
    assert csv.decode("utf-8-sig").splitlines()[1].startswith("Anna,anna,成员,正常")


def test_the_list_has_pages(desk: Client, club: Club, operator: User) -> None:
    for number in range(50):
        member_of(club, operator, f"more{number:02}")
    first, second = listed(desk, sort="name"), listed(desk, sort="name", page="2")
    assert len(first) == 50 and len(second) == 6 and not set(first) & set(second)
    assert "page=2" in desk.get(reverse("desk_members", args=["jinli"])).text


def test_the_figures_of_members_are_those_of_their_hands(
    desk: Client, table: Table, members: list[User], anna: Membership
) -> None:
    hand = settled(table, members[:4], two_winners())
    page = desk.get(reverse("desk_member", args=["jinli", anna.pk])).text
    coins = hand.seats.get(membership=anna).coins
    assert coins is not None and f"{abs(coins):,}" in page
    assert reverse("hand", args=[hand.pk]) in page and "1 手" in page
    assert listed(desk, sort="hands")[:4] == ["anna", "bao", "chen", "deng"]


def test_roles_and_suspension_need_a_reason(desk: Client, anna: Membership, owner: User) -> None:
    address = reverse("desk_member_change", args=["jinli", anna.pk])
    desk.post(address, {"do": "ban", "reason": " "})
    anna.refresh_from_db()
    assert anna.status == Membership.Status.ACTIVE
    for do, field, value in (
        ("ban", "status", "banned"),
        ("unban", "status", "active"),
        ("operator", "role", "operator"),
        ("member", "role", "member"),
    ):
        answer = desk.post(address, {"do": do, "reason": "因为这样"})
        assert answer.headers["Location"] == reverse("desk_member", args=["jinli", anna.pk])
        anna.refresh_from_db()
        assert getattr(anna, field) == value
        entry = AuditEntry.objects.latest("pk")
        assert (entry.actor, entry.reason) == (owner, "因为这样")
    log = desk.get(reverse("desk_member", args=["jinli", anna.pk])).text
    assert "停用成员" in log and "恢复成员" in log
    assert desk.post(address, {"do": "nonsense", "reason": "x"}).status_code == 404
    own = Membership.objects.get(user=owner)
    desk.post(reverse("desk_member_change", args=["jinli", own.pk]), {"do": "member", "reason": "x"})
    own.refresh_from_db()
    assert own.role == Membership.Role.OPERATOR, "not one's own"


@pytest.fixture
def pending(club: Club, operator: User) -> list[JoinRequest]:
    club_change(club=club, actor=operator, needs_approval=True)
    code = invitation_create(club=club, actor=operator, max_uses=9).code
    people = [User.objects.create_user(name) for name in ("lin", "mei", "nan")]
    return [request_make(code=code, user=user, message=f"{user.username} 想来") for user in people]


def test_requests_are_decided_together_or_not_at_all(desk: Client, club: Club, pending: list[JoinRequest]) -> None:
    address, back = reverse("desk_requests_answer", args=["jinli"]), reverse("desk_requests", args=["jinli"])
    page = desk.get(back).text
    assert all(request.message in page for request in pending)
    chosen = [str(request.pk) for request in pending]
    desk.post(address, {"request": chosen[:2], "do": "refuse", "reason": ""}, HTTP_REFERER=f"http://testserver{back}")
    assert JoinRequest.objects.filter(status="pending").count() == 3, "who is refused is told why"
    desk.post(address, {"request": chosen[:2], "do": "approve"})
    assert [request.status for request in JoinRequest.objects.order_by("pk")] == ["approved", "approved", "pending"]
    desk.post(address, {"request": chosen, "do": "refuse", "reason": "满了"})
    assert JoinRequest.objects.get(pk=chosen[2]).status == "pending", "two of them were decided already"
    desk.post(address, {"request": chosen[2:], "do": "refuse", "reason": "满了"})
    assert JoinRequest.objects.get(pk=chosen[2]).reason == "满了"
    assert "满了" in desk.get(back).text
    desk.post(address, {"do": "approve"})


def test_another_clubs_requests_are_not_decided(desk: Client, operator: User) -> None:
    other = club_create(name="青城山", slug="qingcheng", actor=operator, needs_approval=True)
    asked = request_make(code=invitation_create(club=other, actor=operator).code, user=User.objects.create_user("lin"))
    desk.post(reverse("desk_requests_answer", args=["jinli"]), {"request": [str(asked.pk)], "do": "approve"})
    asked.refresh_from_db()
    assert asked.status == "pending"


def test_an_invitation_is_made_shown_and_revoked(desk: Client, club: Club, owner: User) -> None:
    address = reverse("desk_invitations", args=["jinli"])
    answer = desk.post(address, {"max_uses": "5", "days": "7", "invitee": ""})
    made = Invitation.objects.latest("pk")
    assert answer.headers["Location"] == reverse("desk_invitation", args=["jinli", made.pk])
    assert (made.created_by, made.max_uses) == (owner, 5) and made.expires_at is not None
    page = desk.get(answer.headers["Location"]).text
    assert f"http://testserver{reverse('join_code', args=[made.code])}" in page and 'class="qr"' in page
    desk.post(answer.headers["Location"])
    made.refresh_from_db()
    assert made.revoked_at is not None and "已撤销" in desk.get(address).text
    User.objects.create_user("lin")
    desk.post(address, {"max_uses": "1", "days": "", "invitee": "lin"})
    assert Invitation.objects.latest("pk").invitee == User.objects.get(username="lin")
    for faulty in (
        {"max_uses": "0", "days": "7"},
        {"max_uses": "1", "days": "8"},
        {"max_uses": "1", "days": "7", "invitee": "nobody"},
        {"max_uses": "1", "days": "7", "invitee": "anna"},
        {"max_uses": "2", "days": "7", "invitee": "lin"},
    ):
        assert desk.post(address, faulty).status_code == 400, faulty


def test_a_members_table_is_named(desk: Client, room: Room, table: Table, anna: Membership) -> None:
    assert (
        reverse("desk_table", args=["jinli", table.pk])
        in desk.get(reverse("desk_member", args=["jinli", anna.pk])).text
    )
