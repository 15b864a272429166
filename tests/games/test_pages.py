import html
import time
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from clubs.clubs import club_change, club_create
from clubs.members import member_coins_issue
from clubs.models import Club, Membership, Room
from clubs.rooms import room_change_terms, room_close
from games import play, tables
from games.frames import names_of, settlement_payload
from games.history import hand_steps
from games.log import folded
from games.models import Hand, Seat, SeatFigures, Table
from games.rules import PRESETS
from games.selfplay import hand_deal, hand_play_out
from games.words import payment_groups, reason_words


@pytest.fixture
def hand(table: Table, members: list[User]) -> Hand:
    return hand_play_out(table_id=table.pk, users=members[:4])


@pytest.fixture
def player(client: Client, members: list[User]) -> Client:
    client.force_login(members[0])
    return client


@pytest.fixture
def outsider(django_user_model: type[User]) -> Client:
    """An operator of another club."""
    user = django_user_model.objects.create_user("outsider")
    club_create(name="望江楼", slug="wangjiang", actor=user)
    client = Client()
    client.force_login(user)
    return client


def addresses(hand: Hand) -> list[str]:
    room = hand.table.room
    return [
        reverse("home"),
        reverse("lobby", args=[room.club.slug]),
        reverse("club_leave", args=[room.club.slug]),
        reverse("statement", args=[room.club.slug]),
        reverse("titles", args=[room.club.slug]),
        reverse("room_rules", args=[room.pk]),
        reverse("statistics", args=[room.club.slug]),
        reverse("leaderboard", args=[room.club.slug]),
        reverse("reports", args=[room.club.slug]),
        reverse("report", args=[hand.pk]),
        reverse("hand", args=[hand.pk]),
        reverse("history"),
        reverse("account"),
    ]


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_every_page_renders_for_a_member(player: Client, hand: Hand, language: str) -> None:
    for address in addresses(hand):
        page = player.get(address, headers={"accept-language": language})
        assert page.status_code == 200, address
        assert f'<html lang="{language}">' in page.text


def test_every_page_asks_a_visitor_to_sign_in(hand: Hand) -> None:
    for address in addresses(hand):
        assert Client().get(address).headers["Location"] == f"/accounts/login/?next={address}"


def test_pages_of_another_club_are_not_found(outsider: Client, hand: Hand) -> None:
    for address in addresses(hand)[1:11]:
        assert outsider.get(address).status_code == 404, address
    opened = outsider.post(reverse("table_open", args=[hand.table.room_id]))
    assert opened.status_code in (302, 404)
    assert not Seat.objects.filter(user__username="outsider").exists()


def test_a_running_hand_is_not_shown(player: Client, table: Table, members: list[User]) -> None:
    running = hand_deal(table_id=table.pk, users=members[:4])
    page = player.get(reverse("hand", args=[running.pk]))
    assert page.status_code == 409
    assert running.commitment not in page.text


def test_the_lobby_says_who_sits_and_why_a_room_is_closed_to_me(
    client: Client, operator: User, room: Room, table: Table, members: list[User]
) -> None:
    room_change_terms(room=room, actor=operator, changes={"entry_minimum": 150_000})
    client.force_login(members[4])
    page = client.get(reverse("lobby", args=[room.club.slug])).text
    assert all(name in page for name in ("Anna", "Bao", "Chen", "Deng"))
    assert "150,000" in page and "50,000" in page


def test_opening_a_table_seats_me(client: Client, practice: Room, members: list[User]) -> None:
    client.force_login(members[4])
    answer = client.post(reverse("table_open", args=[practice.pk]))
    seat = Seat.objects.get(user=members[4])
    assert answer.headers["Location"] == reverse("table", args=[seat.table_id])


def test_a_refused_table_comes_back_with_the_reason(player: Client, practice: Room, table: Table) -> None:
    answer = player.post(reverse("table_open", args=[practice.pk]), follow=True)
    assert "你已经坐在一张牌桌上" in answer.text


def test_the_statement_ties_the_hand_to_the_coins(player: Client, hand: Hand, members: list[User]) -> None:
    seat = hand.seats.get(membership__user=members[0])
    page = player.get(reverse("statement", args=[hand.table.room.club.slug])).text
    assert reverse("hand", args=[hand.pk]) in page
    assert f"{seat.balance_after:,}" in page


def test_a_long_day_of_the_statement_is_opened_by_itself(
    player: Client, club: Club, members: list[User], operator: User
) -> None:
    anna = Membership.objects.select_related("wallet__book", "club").get(user=members[0])
    before = anna.wallet.postings.count()
    for number in range(12):
        member_coins_issue(
            membership=anna, amount=number + 1, reason=f"第 {number} 笔", actor=operator, key=f"k{number}"
        )
    address = reverse("statement", args=[club.slug])
    page = player.get(address).text
    assert "第 11 笔" in page and "第 0 笔" not in page
    assert f"还有 {before + 4} 笔" in page
    today = timezone.localdate(timezone=club.zone)
    opened = player.get(address, {"day": today.isoformat()}).text
    assert "第 11 笔" in opened and "第 0 笔" in opened and "还有" not in opened
    assert "还有" in player.get(address, {"day": "nonsense"}).text


def test_a_closed_room_stays_in_the_lobby_and_says_so(
    client: Client, club: Club, operator: User, room: Room, practice: Room, members: list[User]
) -> None:
    room_close(room=room, actor=operator)
    client.force_login(members[4])
    page = client.get(reverse("lobby", args=[club.slug])).text
    assert page.index(practice.name) < page.index(room.name)
    assert "未开放" in page and "暂停入座，管理员开放后再来" in page
    assert reverse("line_join", args=[room.pk]) not in page
    for name, address in (
        ("quick", reverse("quick", args=[club.slug])),
        ("open", reverse("table_open", args=[room.pk])),
    ):
        refused = client.post(address, {"room": room.pk}, follow=True)
        assert "房间已关闭" in refused.text, name
    assert not Seat.objects.filter(user=members[4]).exists()


def test_the_rules_show_a_hand_for_every_line_of_the_fan_table(player: Client, room: Room) -> None:
    page = player.get(reverse("room_rules", args=[room.pk])).text
    table = page.split('class="t fans"')[1].split("</table>")[0]
    assert table.count("<tr>") - 1 == table.count('class="sample"') == table.count("is-win")


def test_times_are_those_of_the_club_that_one_is_in(
    client: Client, table: Table, members: list[User], operator: User, club: Club
) -> None:
    """Also on pages of no club once one has been in it, but for the admin, which is of all of them."""
    hand = hand_play_out(table_id=table.pk, users=members[:4])
    Hand.objects.filter(pk=hand.pk).update(ended_at=datetime(2026, 6, 30, 23, 30, tzinfo=UTC))
    SeatFigures.objects.filter(hand=hand).update(ended_at=datetime(2026, 6, 30, 23, 30, tzinfo=UTC))
    club_change(club=club, actor=operator, time_zone="Europe/Lisbon")
    client.force_login(operator)
    for name in ("statistics", "leaderboard", "statement", "desk", "desk_ledger", "desk_reports", "desk_audit"):
        assert "Europe/Lisbon" in client.get(reverse(name, args=[club.slug])).text, name
    for page in (reverse("hand", args=[hand.pk]), reverse("room_rules", args=[table.room_id])):
        assert "Europe/Lisbon" in client.get(page).text and "UTC+8" not in client.get(page).text, page
    assert "00:30:00" in client.get(reverse("hand", args=[hand.pk])).text
    client.force_login(members[0])
    assert "07:30" in client.get(reverse("history")).text, "in no club yet"
    assert "00:30" in client.get(reverse("history"), {"club": club.slug}).text
    client.get(reverse("lobby", args=[club.slug]))
    assert "00:30" in client.get(reverse("history")).text
    client.force_login(operator)
    client.get(reverse("lobby", args=[club.slug]))
    assert "07:30" in client.get(reverse("admin:games_hand_changelist")).text


@pytest.mark.parametrize("month", ["nonsense", "1999-01", f"{timezone.now().year + 1}-01"])
def test_a_month_without_membership_has_no_statement(player: Client, club: Club, month: str) -> None:
    assert player.get(reverse("statement", args=[club.slug]), {"month": month}).status_code == 404


@pytest.mark.parametrize("query", ["before=x", "before=99999999999999999999", "before=-1"])
def test_history_survives_any_address(player: Client, hand: Hand, query: str) -> None:
    assert player.get(f"{reverse('history')}?{query}").status_code == 200


def test_an_unknown_result_is_refused(player: Client, hand: Hand) -> None:
    assert player.get(reverse("history"), {"result": "luck"}).status_code == 400


def test_the_rules_are_linked_from_each_room_and_table_and_open_beside_the_table(
    player: Client, room: Room, table: Table
) -> None:
    address = reverse("room_rules", args=[room.pk])
    assert f'href="{address}"' in player.get(reverse("lobby", args=[room.club.slug])).text
    page = player.get(reverse("table", args=[table.pk])).text
    link = page[page.index(f'href="{address}"') :]
    assert 'target="_blank"' in link[: link.index(">")]
    assert "本桌规则" in link[: link.index("</a>")]


def test_a_room_explains_its_own_options(player: Client, room: Room, operator: User) -> None:
    room_change_terms(room=room, actor=operator, changes={"options": {"huazhu_units": 77}}, reason="")
    page = player.get(reverse("room_rules", args=[room.pk])).text
    assert "丁 付 甲、乙、丙 各 77 倍（查花猪）" in page
    assert reverse("preset_rules", args=[room.terms.preset]) in page
    assert "77 倍" not in Client().get(reverse("preset_rules", args=[room.terms.preset])).text


def test_anybody_may_read_the_presets() -> None:
    index = Client().get(reverse("rules"))
    for preset in PRESETS:
        address = reverse("preset_rules", args=[preset])
        assert address in index.text
        page = Client().get(address)
        assert page.status_code == 200 and reverse("tips") in page.text
    assert reverse("tips") in index.text and "清一色看起手" in Client().get(reverse("tips")).text
    assert Client().get("/rules/nonsense/").status_code == 404


def test_a_hand_explains_each_payment(player: Client, hand: Hand) -> None:
    page = html.unescape(player.get(reverse("hand", args=[hand.pk])).text)
    settlement = settlement_payload(folded(hand.pk))
    names = names_of(folded(hand.pk))
    for group in payment_groups(settlement["payments"]):
        assert reason_words(group, names) in page
    for note in [note for step in hand_steps(hand) for note in step["notes"]]:
        assert note in page
    for win in settlement["wins"]:
        assert win["fan_words"] in page and win["units_words"] in page
    assert "台费每人 400 币。" in page


@pytest.mark.parametrize("version", ["0", "99", "x"])
def test_rules_of_a_version_that_never_was_are_not_found(player: Client, room: Room, version: str) -> None:
    assert player.get(reverse("room_rules", args=[room.pk]), {"version": version}).status_code == 404


def test_pages_take_a_fixed_number_of_queries(
    player: Client, table: Table, members: list[User], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _hand in range(3):
        hand_play_out(table_id=table.pk, users=members[:4])
    slug = table.room.club.slug
    player.get(reverse("account"))  # the device is noted once in a while
    for address, most in (("history", 19), ("home", 24)):
        with django_assert_max_num_queries(most):
            player.get(reverse(address))
    most_of = {"lobby": 19, "statement": 18, "titles": 14, "statistics": 16, "leaderboard": 16, "reports": 14}
    for address, most in most_of.items():
        with django_assert_max_num_queries(most):
            player.get(reverse(address, args=[slug]))


# --- Calculator ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("language", "heading"), [("zh-hans", "算番器"), ("en", "Calculator")])
def test_the_calculator_is_for_everybody(
    client: Client, db: None, language: str, heading: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        page = client.get(reverse("calculator"), headers={"accept-language": language})
    assert page.status_code == 200
    assert f"<h1>{heading}</h1>" in page.text and "<noscript>" in page.text
    shown = page.context["rulesets"]
    assert [each["spec"] for each in shown["rulesets"]] == list(PRESETS)
    names = [control["name"] for control in shown["controls"]]
    assert all(list(each["options"]) == names for each in shown["rulesets"])


def test_the_calculator_opens_with_the_rules_of_a_link(client: Client, db: None) -> None:
    jj = client.get(reverse("calculator"), {"preset": "jj"}).context["rulesets"]
    assert jj["rulesets"][jj["chosen"]]["spec"] == "jj"
    changed = client.get(reverse("calculator"), {"preset": "jj", "options": '{"cap_fan": 5}'}).context["rulesets"]
    assert changed["rulesets"][changed["chosen"]]["spec"] == {"preset": "jj", "options": {"cap_fan": 5}}


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"preset": "jjj"}, "no preset jjj"),
        ({"preset": "jj", "options": '{"capfan": 5}'}, "no option capfan, given as 5"),
        ({"preset": "jj", "options": '{"cap_fan": "<b>"}'}, "option cap_fan cannot be &#x27;&lt;b&gt;&#x27;"),
        ({"preset": "jj", "options": "{"}, "Expecting"),
        ({"preset": "jj", "options": "[" * 9000}, ""),
    ],
)
def test_a_link_to_rules_that_are_none_says_why(client: Client, db: None, query: dict[str, str], named: str) -> None:
    page = client.get(reverse("calculator"), query)
    assert page.status_code == 400
    assert "链接里的规则不存在" in page.text and named in page.text


def test_the_rules_of_a_room_lead_to_the_calculator(
    player: Client, operator: User, room: Room, members: list[User]
) -> None:
    room_change_terms(room=room, actor=operator, changes={"options": {"cap_fan": 5}})
    page = player.get(reverse("room_rules", args=[room.pk]))
    link = f"{reverse('calculator')}?{page.context['calculator']}"
    assert link.replace("&", "&amp;") in page.text
    opened = player.get(link).context["rulesets"]
    assert opened["rulesets"][opened["chosen"]]["spec"] == page.context["ruleset"].spec


def test_a_practice_hand_is_marked_and_counts_nothing(player: Client, practice: Room, members: list[User]) -> None:
    table = tables.table_open(room=practice, user=members[0])
    tables.bots_fill(table_id=table.pk, user=members[0])
    hand = hand_deal(table_id=table.pk, users=members[:1])
    play.auto_switch(hand_id=hand.pk, user=members[0], on=True, command_id=str(uuid4()))
    play.tick(hand.pk)
    page = player.get(reverse("history"))
    assert page.context["sums"].hands == page.context["sums"].points == 0
    assert page.context["sums"].practice == 1
    assert "练习" in page.text
    page = player.get(reverse("hand", args=[hand.pk]))
    assert "有机器人的一局是练习，不计积分" in page.text
    assert "练习" in player.get(reverse("home")).text


def test_leaving_a_club_asks_first(player: Client, members: list[User], club: Club) -> None:
    address = reverse("club_leave", args=[club.slug])
    assert "100,000 金币" in player.get(address).text
    assert club.memberships.get(user=members[0]).status == "active"
    assert player.post(address).headers["Location"] == reverse("home")
    assert club.memberships.get(user=members[0]).status == "left"
    assert player.get(reverse("lobby", args=[club.slug])).status_code == 404


def test_the_admin_is_linked_for_the_sites_staff_alone(player: Client, operator: User, club: Club) -> None:
    link = f'href="{reverse("admin:index")}"'
    club.memberships.filter(user__username="anna").update(role="operator")
    assert link not in player.get(reverse("lobby", args=[club.slug])).text
    player.force_login(operator)
    assert link in player.get(reverse("account")).text


def test_an_operator_ends_a_hand_on_a_page_that_asks_for_the_tables_number(
    client: Client, operator: User, table: Table, members: list[User]
) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    address = reverse("hand_end", args=[hand.pk])
    client.force_login(members[4])
    assert client.get(address).status_code == 403
    client.force_login(operator)
    assert client.get(address).status_code == 200
    order = {"rule": "settle", "reason": "两人断线", "number": table.number + 1}
    assert client.post(address, order).status_code == 400
    assert client.post(address, {**order, "rule": "win"}).status_code == 400
    assert Hand.objects.get(pk=hand.pk).status == Hand.Status.PLAYING
    ended = client.post(address, {**order, "number": table.number})
    assert ended.headers["Location"] == reverse("hand", args=[hand.pk])
    for language in ("zh-hans", "en"):
        page = client.get(reverse("hand", args=[hand.pk]), headers={"accept-language": language})
        assert page.status_code == 200
        assert "两人断线" in page.text
    assert client.get(address).headers["Location"] == reverse("hand", args=[hand.pk])


def test_the_lobby_is_sent_again_only_when_it_has_changed(
    player: Client,
    club: Club,
    room: Room,
    table: Table,
    members: list[User],
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    address = reverse("lobby_live", args=[club.slug])
    player.get(reverse("lobby", args=[club.slug]))
    first = player.get(address)
    tag = first.headers["ETag"]
    assert "Deng" in first.text
    with django_assert_max_num_queries(7):
        assert player.get(address, headers={"if-none-match": tag}).status_code == 304
    tables.seat_leave(table_id=table.pk, user=members[3])
    deadline = time.monotonic() + 60
    while (again := player.get(address, headers={"if-none-match": tag})).status_code == 304:
        assert time.monotonic() < deadline, "the lobby does not change"
        time.sleep(0.1)
    assert again.status_code == 200
    assert "Deng" not in again.text
    User.objects.filter(pk=members[2].pk).update(display_name="Chenchen")
    while "Chenchen" not in (again := player.get(address, headers={"if-none-match": again.get("ETag", tag)})).text:
        assert time.monotonic() < deadline, "the lobby does not tell of another name"
        time.sleep(0.1)


def test_quick_seat_the_line_and_a_code_lead_where_they_say(
    client: Client, club: Club, room: Room, table: Table, members: list[User]
) -> None:
    client.force_login(members[4])
    lobby = reverse("lobby", args=[club.slug])
    assert client.post(reverse("line_join", args=[room.pk])).headers["Location"] == lobby
    assert "你在锦江厅排第 1 位" in client.get(lobby).text
    tables.seat_leave(table_id=table.pk, user=members[3])
    assert "锦江厅 1 号桌留给你一个座位" in client.get(lobby).text
    assert client.post(reverse("line_accept")).headers["Location"] == reverse("table", args=[table.pk])
    client.force_login(members[3])
    opened = client.post(reverse("quick", args=[club.slug]), {"room": room.pk})
    seat = Seat.objects.get(user=members[3])
    assert opened.headers["Location"] == reverse("table", args=[seat.table_id])
    tables.seat_leave(table_id=seat.table_id, user=members[3])
    client.post(reverse("table_open", args=[room.pk]), {"private": "yes"})
    private = Seat.objects.get(user=members[3]).table
    found = client.get(reverse("table_code"), {"code": private.code.lower()})
    assert found.headers["Location"] == f"{reverse('table', args=[private.pk])}?code={private.code}"
    assert client.get(reverse("table_code"), {"code": "nothing"}).status_code == 404
    typed = client.post(reverse("table_code"), {"code": "nothing"}, headers={"referer": f"http://testserver{lobby}"})
    assert typed.headers["Location"].endswith(lobby)
    assert "没有用这个口令的牌桌" in client.get(lobby).text
