"""Reports of hands: who may report and answer, the limits, the audit log, the pages and the admin."""

from collections.abc import Callable
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, Notice, User
from accounts.notices import notice_address, notice_words, notices_of
from clubs.models import Club, Membership, Room
from clubs.rooms import room_create
from games.models import Hand, Report, Table
from games.reports import MOST_A_DAY, my_report, report_close, report_open, reports_for
from games.selfplay import hand_deal
from tests.games.rules.stories import two_winners
from tests.games.settled import settled
from tests.races import at_once
from tests.refusals import refusal


@pytest.fixture
def table(club: Club, operator: User, seated: Callable[[Room], Table]) -> Table:
    return seated(room_create(club=club, name="平房", actor=operator, preset="qq_xuezhan", pacing="instant"))


@pytest.fixture
def hand(table: Table, members: list[User]) -> Hand:
    return settled(table, members[:4], two_winners())


def open_one(hand: Hand, user: User, words: str = "两次点胡都没反应", seq: int | None = None) -> Report:
    return report_open(hand_id=hand.pk, reporter=user, kind="fault", words=words, seq=seq)


def test_a_report_is_kept_audited_and_answered(hand: Hand, members: list[User], operator: User, club: Club) -> None:
    report = open_one(hand, members[0], "  卡住了  ")
    assert (report.words, report.is_open, report.reporter.user) == ("卡住了", True, members[0])
    opened = AuditEntry.objects.get(action="report.opened")
    assert (opened.actor, opened.reason, opened.book, opened.after["hand"]) == (
        members[0],
        "卡住了",
        club.book,
        hand.pk,
    )
    closed = report_close(report=report, actor=operator, note="是网络断了")
    assert (closed.is_open, closed.note, closed.closed_by) == (False, "是网络断了", operator)
    answered = AuditEntry.objects.get(action="report.closed")
    assert (answered.actor, answered.subject_id, answered.reason) == (operator, str(report.pk), "是网络断了")
    refusal("report_closed", lambda: report_close(report=report, actor=operator, note="again"))
    assert my_report(user=members[0], hand_id=hand.pk) == closed
    (notice,) = notices_of(members[0]).filter(kind=Notice.Kind.REPORT)
    assert notice_words(notice) == f"「锦里麻将社」答复了你对第 {hand.pk} 手的申诉：是网络断了"
    assert notice_address(notice) == reverse("hand", args=[hand.pk])
    assert open_one(hand, members[0]).is_open, "what goes on may be reported again"


def test_what_is_refused_leaves_nothing(
    hand: Hand, table: Table, members: list[User], operator: User, django_user_model: type[User]
) -> None:
    stranger = django_user_model.objects.create_user("stranger")
    refusal("hand_unknown", lambda: open_one(hand, stranger))
    for kind, words, seq in (
        ("nonsense", "x", None),
        ("fault", " ", None),
        ("fault", "x" * 501, None),
        ("fault", "x", 9),
    ):
        refusal(
            "bad_report", partial(report_open, hand_id=hand.pk, reporter=members[0], kind=kind, words=words, seq=seq)
        )
    running = hand_deal(table_id=table.pk, users=members[:4])
    refusal("hand_running", lambda: open_one(running, members[0]))
    assert not Report.objects.exists() and not AuditEntry.objects.filter(action="report.opened").exists()
    report = open_one(hand, members[0])
    refusal("report_open", lambda: open_one(hand, members[0]))
    refusal("not_an_operator", lambda: report_close(report=report, actor=members[1], note="x"))
    for note in ("", "  ", "x" * 501, "\x00"):
        refusal("note_required", partial(report_close, report=report, actor=operator, note=note))
    own = open_one(hand, operator)
    refusal("own_report", lambda: report_close(report=own, actor=operator, note="x"))
    assert Report.objects.filter(is_open=True).count() == 2


def test_a_day_has_a_limit(table: Table, members: list[User]) -> None:
    for _report in range(MOST_A_DAY):
        open_one(settled(table, members[:4], two_winners()), members[0])
    last = settled(table, members[:4], two_winners())
    assert refusal("too_many_reports", lambda: open_one(last, members[0])).status == 429
    assert open_one(last, members[1]).is_open


@pytest.mark.django_db(transaction=True)
def test_two_reports_at_once_are_one(hand: Hand, members: list[User]) -> None:
    outcomes = at_once([partial(open_one, hand, members[0])] * 4)
    assert Report.objects.count() == 1, outcomes
    assert AuditEntry.objects.filter(action="report.opened").count() == 1


def test_members_see_their_own_and_operators_all(
    hand: Hand, members: list[User], operator: User, club: Club, client: Client
) -> None:
    mine, theirs = open_one(hand, members[0], "我的事"), open_one(hand, members[1], "别人的事")
    seen = {user: list(reports_for(Membership.objects.get(user=user, club=club))) for user in (members[0], operator)}
    assert seen == {members[0]: [mine], operator: [theirs, mine]}
    address = reverse("reports", args=[club.slug])
    client.force_login(members[0])
    page = client.get(address).text
    assert "我的事" in page and "别人的事" not in page and "答复并结案" not in page
    client.force_login(operator)
    led = client.get(address, follow=True)
    assert led.redirect_chain == [(reverse("desk_reports", args=[club.slug]), 302)]
    assert "我的事" in led.text and "别人的事" in led.text


def test_the_pages_report_answer_and_tell(
    hand: Hand, members: list[User], operator: User, club: Club, client: Client
) -> None:
    address = reverse("report", args=[hand.pk])
    client.force_login(members[0])
    assert client.post(address, {"kind": "fault", "words": ""}).status_code == 400
    assert client.post(address, {"kind": "fault", "words": "x", "seq": "99"}).status_code == 400
    sent = client.post(address, {"kind": "fault", "words": "少付了"})
    assert sent.headers["Location"] == reverse("hand", args=[hand.pk])
    report = Report.objects.get()
    assert "申诉中" in client.get(reverse("history")).text
    assert client.post(address, {"kind": "fault", "words": "再来"}).status_code == 400
    answer = reverse("report_answer", args=[report.pk])
    client.post(answer, {"note": "我自己答"})
    assert Report.objects.get().is_open
    client.force_login(operator)
    done = client.post(answer, {"note": "对过了，没有少"})
    assert done.headers["Location"] == reverse("desk_reports", args=[club.slug])
    report.refresh_from_db()
    assert (report.is_open, report.note) == (False, "对过了，没有少")
    client.force_login(members[0])
    assert "申诉中" not in client.get(reverse("history")).text


def test_other_clubs_find_nothing(
    hand: Hand, members: list[User], client: Client, django_user_model: type[User]
) -> None:
    report = open_one(hand, members[0])
    client.force_login(django_user_model.objects.create_user("stranger"))
    for address in (reverse("report", args=[hand.pk]), reverse("reports", args=["jinli"])):
        assert client.get(address).status_code == 404
    assert client.post(reverse("report_answer", args=[report.pk]), {"note": "x"}).status_code == 404
    assert Report.objects.get().is_open


def test_the_admin_lists_and_answers(hand: Hand, members: list[User], operator: User, client: Client) -> None:
    report = open_one(hand, members[0])
    client.force_login(operator)
    listed = client.get(reverse("admin:games_report_changelist"), {"is_open__exact": "1"}).text
    assert "两次点胡都没反应" in listed and "待处理" in listed
    address = reverse("admin:games_report_answer", args=[report.pk])
    assert client.post(address, {"step": "confirm", "note": ""}).status_code == 400
    assert client.post(address, {"step": "confirm", "note": "查过了"}).status_code == 302
    report.refresh_from_db()
    assert (report.is_open, report.note, report.closed_by) == (False, "查过了", operator)
    page = client.get(reverse("admin:games_report_change", args=[report.pk])).text
    assert "查过了" in page and "已处理" in page
    assert client.post(address, {"step": "confirm", "note": "又一次"}).status_code == 400
