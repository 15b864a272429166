"""Tables, reports, the audit log, titles, settings and the overview at the desk."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, User
from accounts.templatetags.numbers import signed
from clubs.members import member_ban
from clubs.models import Club, Membership, Room
from clubs.rooms import room_change_terms
from games.models import Hand, Report, Seat, Table
from games.overview import overview
from games.periods import today
from games.reports import report_open
from games.selfplay import hand_deal, hand_play_out
from games.tables import table_end
from tests.games.rules.stories import two_winners
from tests.games.settled import settled
from tests.refusals import refusal


# --- Tables --------------------------------------------------------------------------------------------------------
def test_tables_are_watched_and_a_hand_is_ended(desk: Client, table: Table, members: list[User], owner: User) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    ending = reverse("hand_end", args=[hand.pk])
    for address in (
        reverse("desk_tables", args=["jinli"]),
        reverse("desk_tables_live", args=["jinli"]),
        reverse("desk_table", args=["jinli", table.pk]),
    ):
        page = desk.get(address).text
        assert "Anna" in page and ending in page and "最后一步" in page, address
        assert bytes(hand.seed).hex() not in page
    assert "1 桌在打" in desk.get(reverse("desk_tables", args=["jinli"])).text
    answer = desk.post(ending, {"rule": "void", "reason": "两人断线", "number": str(table.number)})
    assert answer.headers["Location"] == reverse("hand", args=[hand.pk])
    assert Hand.objects.get(pk=hand.pk).end == "voided"
    assert AuditEntry.objects.get(action="hand.stopped").actor == owner


def test_a_table_is_closed_between_hands(desk: Client, table: Table, members: list[User], owner: User) -> None:
    address = reverse("desk_table", args=["jinli", table.pk])
    hand_deal(table_id=table.pk, users=members[:4])
    desk.post(address, {"reason": "打烊"})
    table.refresh_from_db()
    assert table.closed_at is None, "a hand is running"
    refusal("hand_running", lambda: table_end(table_id=table.pk, actor=owner, reason="打烊"))
    refusal("not_an_operator", lambda: table_end(table_id=table.pk, actor=members[0], reason="打烊"))
    refusal("table_unknown", lambda: table_end(table_id=10**9, actor=owner, reason="打烊"))


def test_an_idle_table_is_closed_once(desk: Client, table: Table, members: list[User], owner: User) -> None:
    address = reverse("desk_table", args=["jinli", table.pk])
    desk.post(address, {"reason": ""})
    table.refresh_from_db()
    assert table.closed_at is None
    for _again in range(2):
        desk.post(address, {"reason": "打烊"})
    table.refresh_from_db()
    assert table.closed_at is not None and not Seat.objects.filter(table=table).exists()
    entry = AuditEntry.objects.get(action="table.closed")
    assert (entry.actor, entry.reason) == (owner, "打烊")
    page = desk.get(address).text
    assert "已散" in page
    log = desk.get(reverse("desk_audit", args=["jinli"]), {"area": "table"}).text
    assert "散掉牌桌" in log and "锦江厅 1 号桌" in log


# --- Reports -------------------------------------------------------------------------------------------------------
@pytest.fixture
def report(table: Table, members: list[User]) -> Report:
    hand = hand_play_out(table_id=table.pk, users=members[:4])
    return report_open(hand_id=hand.pk, reporter=members[0], kind="fault", words="两次点胡都没反应", seq=20)


def test_a_report_is_looked_into_and_answered(desk: Client, report: Report, members: list[User], owner: User) -> None:
    addresses = [reverse("desk_reports", args=["jinli"]), reverse("desk_report", args=["jinli", report.pk])]
    for address in addresses:
        assert "两次点胡都没反应" in desk.get(address).text
    assert f"{reverse('hand', args=[report.hand_id])}#20" in desk.get(addresses[1]).text
    assert "两次点胡" not in desk.get(addresses[0], {"kind": "abuse"}).text
    answer = desk.post(reverse("report_answer", args=[report.pk]), {"note": "是网络断了"})
    assert answer.headers["Location"] == addresses[0]
    assert "两次点胡" not in desk.get(addresses[0]).text
    assert "两次点胡" in desk.get(addresses[0], {"state": "closed"}).text
    assert "是网络断了" in desk.get(addresses[1]).text


def test_a_report_of_practice_tells_units(desk: Client, report: Report) -> None:
    seat = report.hand.seats.get(number=0)
    assert seat.coins is not None and seat.units is not None
    address = reverse("desk_report", args=["jinli", report.pk])
    assert f"{signed(seat.coins)}</b></td>" in desk.get(address).text
    report.hand.seats.filter(number=3).update(membership=None)
    assert f"{signed(seat.units)} 倍</td>" in desk.get(address).text


def test_ones_own_report_is_left_to_another(desk: Client, table: Table, members: list[User], owner: User) -> None:
    hand = settled(table, members[:4], two_winners())
    own = report_open(hand_id=hand.pk, reporter=owner, kind="other", words="我的事")
    page = desk.get(reverse("desk_report", args=["jinli", own.pk])).text
    assert "要由别的管理员来处理" in page and 'name="note"' not in page


# --- The audit log -------------------------------------------------------------------------------------------------
def test_the_log_says_who_did_what_and_why(desk: Client, room: Room, anna: Membership, owner: User) -> None:
    room_change_terms(room=room, actor=owner, changes={"rake": 500}, reason="夜场")
    member_ban(membership=anna, actor=owner, reason="多次逃跑")
    address = reverse("desk_audit", args=["jinli"])
    page = desk.get(address).text
    for words in ("修改房间条款", "锦江厅", "400", "500", "夜场", "停用成员", "Anna", "多次逃跑"):
        assert words in page, words
    assert "多次逃跑" not in desk.get(address, {"area": "room"}).text
    assert "夜场" not in desk.get(address, {"who": "多次"}).text
    assert "多次逃跑" not in desk.get(address, {"period": "dates", "until": "2020-01-01"}).text
    csv = b"".join(desk.get(reverse("desk_audit_csv", args=["jinli"]), {"area": "room"})).decode("utf-8-sig")
    assert "台费 A 400 → 500" in csv and "多次逃跑" not in csv


def test_the_log_is_told_page_by_page(desk: Client, club: Club, anna: Membership, owner: User, operator: User) -> None:
    for number in range(30):
        member_ban(membership=anna, actor=owner, reason=f"第 {number} 次停")
        Membership.objects.filter(pk=anna.pk).update(status="active")
        anna.refresh_from_db()
    AuditEntry.objects.bulk_create(
        AuditEntry(action="room.opened", subject_type="room", subject_id="1", actor=owner, book=club.book)
        for _entry in range(40)
    )
    first = desk.get(reverse("desk_audit", args=["jinli"])).text
    last = AuditEntry.objects.filter(book=club.book).order_by("-id")[49]
    assert f"before={last.pk}" in first
    older = desk.get(reverse("desk_audit", args=["jinli"]), {"before": str(last.pk)}).text
    assert "第 0 次停" in older and "第 0 次停" not in first


# --- The club ------------------------------------------------------------------------------------------------------
def test_the_club_is_changed(desk: Client, club: Club, owner: User) -> None:
    address = reverse("desk_settings", args=["jinli"])
    values = {"name": "锦里茶馆", "time_zone": "Europe/Lisbon", "welcome_coins": "800", "needs_approval": "on"}
    assert desk.post(address, values).headers["Location"] == address
    club.refresh_from_db()
    assert (club.name, club.time_zone, club.welcome_coins, club.needs_approval) == (
        "锦里茶馆",
        "Europe/Lisbon",
        800,
        True,
    )
    assert AuditEntry.objects.get(action="club.changed").actor == owner
    assert desk.post(address, {**values, "time_zone": "Nowhere/Here"}).status_code == 400
    assert desk.post(address, {**values, "welcome_coins": "-1"}).status_code == 400
    assert desk.post(address, {**values, "name": " "}).status_code == 400


def test_the_titles_are_changed_as_a_whole(desk: Client, club: Club, anna: Membership) -> None:
    address = reverse("desk_titles", args=["jinli"])
    values = {"reason": "胡一次就升"}
    for title in club.titles.all():
        values[f"name_{title.level}"] = title.name
        if title.threshold is not None:
            values[f"threshold_{title.level}"] = str(title.threshold)
    third = int(values["threshold_3"])
    assert desk.post(address, {**values, "name_2": "新手", "threshold_2": "1"}).headers["Location"] == address
    assert club.titles.get(level=2).name == "新手"
    falling = desk.post(address, {**values, "threshold_2": str(third)})
    assert falling.status_code == 400 and "须大于上一级" in falling.text
    assert desk.post(address, {**values, "reason": ""}).status_code == 400
    assert desk.get(address).text.count('name="threshold_') == 21


# --- The overview --------------------------------------------------------------------------------------------------
def test_the_overview_is_the_sum_of_the_hands(desk: Client, club: Club, table: Table, members: list[User]) -> None:
    settled(table, members[:4], two_winners())
    settled(table, members[:4], two_winners())
    told = overview(club)
    assert (told.hands, told.players, told.rake) == (2, 4, 2 * 4 * 400)
    assert [(each.room.name, each.hands, each.rake) for each in told.rooms] == [("锦江厅", 2, 3_200)]
    assert told.days[-1] == (today(club.zone), 2) and sum(hands for _day, hands in told.days) == 2
    assert (told.balances.rake, told.balances.are_even) == (3_200, True)
    assert (told.tables, told.playing, told.members) == (1, 0, 6)
    for period in ("today", "7", "30", "season"):
        page = desk.get(reverse("desk", args=["jinli"]), {"period": period}).text
        assert "3,200" in page and "账目一致" in page


def test_a_club_without_hands_has_an_overview(desk: Client, club: Club) -> None:
    assert "没有待办" in desk.get(reverse("desk", args=["jinli"])).text
