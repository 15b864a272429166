"""Every address of the desk for everybody who may ask: its operators enter, members are told who can let them, nobody else
finds anything of the club."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditEntry, Posting, Transfer, User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_ban, request_make, request_refuse
from clubs.models import Club, Membership, Room
from clubs.rooms import room_create
from games.desk.urls import urlpatterns
from games.models import Report, Table
from games.reports import report_open
from games.selfplay import hand_deal
from games.tables import seat_take, table_open
from tests.games.rules.stories import two_winners
from tests.games.settled import settled
from tests.people import member_of

#: What is only posted to.
POSTED = {
    "desk_member_change",
    "desk_requests_answer",
    "desk_room_switch",
}
NAMES = [str(pattern.name) for pattern in urlpatterns]


@pytest.fixture
def report(room: Room, seated: Callable[[Room], Table], members: list[User]) -> Report:
    """Of a hand at a table where another one is running."""
    table = seated(room)
    hand = settled(table, members[:4], two_winners())
    hand_deal(table_id=table.pk, users=members[:4])
    return report_open(hand_id=hand.pk, reporter=members[0], kind="fault", words="卡住了")


@pytest.fixture
def address(club: Club, room: Room, members: list[User], report: Report, operator: User) -> Callable[[str], str]:
    Club.objects.filter(pk=club.pk).update(needs_approval=True)
    asked = request_make(
        code=invitation_create(club=club, actor=operator).code, user=User.objects.create_user("stranger")
    )
    values = {
        "member_id": Membership.objects.get(club=club, user=members[0]).pk,
        "invitation_id": asked.invitation_id,
        "transfer_id": Transfer.objects.filter(kind=Transfer.Kind.ISSUE).earliest("pk").pk,
        "room_id": room.pk,
        "table_id": report.hand.table_id,
        "report_id": report.pk,
    }

    def of(name: str) -> str:
        pattern = next(pattern for pattern in urlpatterns if pattern.name == name)
        wanted = pattern.pattern.regex.groupindex
        return reverse(name, kwargs={"slug": club.slug, **{each: values[each] for each in wanted}})

    return of


@pytest.mark.parametrize("name", NAMES)
def test_only_its_operators_enter(
    name: str, address: Callable[[str], str], club: Club, owner: User, members: list[User], operator: User
) -> None:
    rival = User.objects.create_user("rival")
    club_create(name="对门", slug="duimen", actor=rival)
    banned = Membership.objects.get(club=club, user=members[1])
    member_ban(membership=banned, actor=owner, reason="test")
    before = (AuditEntry.objects.count(), Posting.objects.count())
    method = "post" if name in POSTED else "get"
    for user, status in (
        (None, 302),
        (members[0], 403),
        (rival, 404),
        (members[1], 403),
        (operator, 200),
        (owner, 200),
    ):
        client = Client()
        if user:
            client.force_login(user)
        if method == "post" and status == 200:
            continue  # what they do is tested with each page
        answer = getattr(client, method)(address(name))
        # A refusal of what was sent is a message on the page that it came from.
        assert answer.status_code == (302 if method == "post" and user == members[1] else status), (name, user)
        if user is None:
            assert answer.headers["Location"].startswith(reverse("account_login"))
        if user == members[0]:
            assert "工作台只对管理员开放" in answer.text
            assert "掌柜" in answer.text and owner.name in answer.text, "who can give the right"
        if user == rival:
            assert club.name not in answer.text
    assert (AuditEntry.objects.count(), Posting.objects.count()) == before


@pytest.mark.parametrize(
    "name", [name for name in NAMES if "<int:" in str(next(p for p in urlpatterns if p.name == name).pattern)]
)
def test_things_of_another_club_are_not_there(name: str, address: Callable[[str], str], owner: User) -> None:
    """An operator of a club asks for a thing of the first one below the address of their own."""
    rival = User.objects.create_user("rival")
    own = club_create(name="对门", slug="duimen", actor=rival)
    client = Client()
    client.force_login(rival)
    asked = address(name).replace("/clubs/jinli/", f"/clubs/{own.slug}/")
    for method in ("get", "post"):
        answer = getattr(client, method)(asked, {"reason": "x", "do": "ban"})
        assert answer.status_code in (404, 405), (name, method)


def test_who_may_not_enter_is_shown_no_way_in(client: Client, club: Club, members: list[User], owner: User) -> None:
    desk = reverse("desk", args=[club.slug])
    for user, is_shown in ((members[0], False), (owner, True)):
        client.force_login(user)
        for page in (reverse("home"), reverse("lobby", args=[club.slug]), reverse("leaderboard", args=[club.slug])):
            assert (desk in client.get(page).text) is is_shown, (user, page)


def test_the_bar_counts_what_waits(client: Client, address: Callable[[str], str], owner: User) -> None:
    client.force_login(owner)
    page = client.get(address("desk")).text
    assert page.count('<span class="cnt">1</span>') == 2, "a request to join and a report"
    assert 'aria-current="page"' in page


def test_a_filter_that_is_none_is_refused(client: Client, address: Callable[[str], str], owner: User) -> None:
    client.force_login(owner)
    for name, query in (
        ("desk_members", {"role": "king"}),
        ("desk_members", {"sort": "x"}),
        ("desk_ledger", {"period": "dates", "since": "x"}),
        ("desk_ledger", {"member": "x"}),
        ("desk_ledger", {"member": "9" * 30}),
        ("desk_audit", {"area": "x"}),
        ("desk_reports", {"kind": "x"}),
    ):
        assert client.get(address(name), query).status_code == 400, (name, query)
    assert client.get(address("desk"), {"period": "x"}).status_code == 404
    for name in ("desk_members", "desk_ledger", "desk_audit"):
        assert client.get(address(name), {"q": "\x00", "who": "\x00", "before": "x" * 30, "page": "x"}).status_code in (
            200,
            400,
        )


LISTS = (
    "desk",
    "desk_members",
    "desk_ledger",
    "desk_audit",
    "desk_reports",
    "desk_tables",
    "desk_rooms",
    "desk_member",
    "desk_requests",
    "desk_invitations",
)


def test_more_rows_take_no_more_queries(
    desk: Client, address: Callable[[str], str], report: Report, members: list[User], club: Club, operator: User
) -> None:
    def queries() -> dict[str, int]:
        counts = {}
        for name in LISTS:
            with CaptureQueriesContext(connection) as told:
                assert desk.get(address_of[name]).status_code == 200
            counts[name] = len(told)
        return counts

    address_of = {name: address(name) for name in LISTS}
    queries()  # the session and the device are noted once
    before = queries()
    for name in ("kim", "liu"):
        code = invitation_create(club=club, actor=operator).code
        asked = request_make(code=code, user=User.objects.create_user(name))
    request_refuse(request=asked, actor=operator, reason="x")
    Club.objects.filter(pk=club.pk).update(needs_approval=False)
    room = room_create(club=club, name="望江厅", actor=operator, preset="qq_xuezhan", pacing="instant")
    people = [member_of(club, operator, name) for name in ("fang", "gao", "hong", "ivan")]
    table = table_open(room=room, user=people[0])
    for number, user in enumerate(people[1:], start=1):
        seat_take(table_id=table.pk, number=number, user=user)
    other = room_create(club=club, name="竹林", actor=operator, preset="qq_xuezhan")
    table_open(room=other, user=member_of(club, operator, "judy"))
    for reporter in people[:3]:
        hand = settled(table, people, two_winners())
        report_open(hand_id=hand.pk, reporter=reporter, kind="other", words="再看看")
    after = queries()
    assert {name: (before[name], after[name]) for name in LISTS if after[name] > before[name]} == {}
