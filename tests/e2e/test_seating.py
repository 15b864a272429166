"""Finding a seat and parting, in the browser: quick seat, a private table, the line, phrases, a hand that is ended by force."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from clubs.models import Club, Membership, Room
from clubs.rooms import room_change_terms, room_close
from games.models import Hand, Seat, Table
from games.selfplay import hand_deal
from games.tables import seat_leave
from tests.e2e.conftest import PHONE, in_thread, sign_in
from tests.e2e.player import LIMIT_MS, tap
from tests.people import table_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

LOBBY = "/clubs/jinli/"


@pytest.fixture
def enter(open_page: Callable[..., Page], member: Callable[[str], User]) -> Callable[..., Page]:
    """Signs a new member in and shows the lobby."""

    def enter_(name: str, **options: object) -> Page:
        page = open_page(**options)
        sign_in(page, member(name))
        page.goto(LOBBY)
        return page

    return enter_


def at_table(page: Page) -> Page:
    expect(page.locator("#table")).to_have_attribute("data-state", "lobby", timeout=LIMIT_MS)
    return page


def fits(page: Page) -> None:
    """Nothing sticks out to the side."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_quick_seat_phrases_muting_and_parting(hall: Room, enter: Callable[..., Page]) -> None:
    anna, bao = enter("anna", size=PHONE), enter("bao")
    fits(anna)
    tap(anna.get_by_role("button", name="快速入座"))
    at_table(anna)
    # The other's lobby shows the table without a reload.
    expect(bao.get_by_text("锦江厅 1 号桌缺 3 人")).to_be_visible(timeout=LIMIT_MS)
    bao.get_by_role("button", name="快速入座").click()
    at_table(bao)
    expect(anna.get_by_text("等人：2/4")).to_be_visible(timeout=LIMIT_MS)

    bao.locator(".tools [data-panel=phrases]").click()
    bao.get_by_role("button", name="打得漂亮！").click()
    bubble = anna.locator(".bubble")
    expect(bubble).to_have_text("打得漂亮！")
    fits(anna)
    expect(bubble).to_have_count(0, timeout=10_000)
    tap(anna.locator(".tools [data-panel=phrases]"))
    mute = anna.get_by_role("switch", name="Bao")
    tap(mute)
    expect(mute).to_have_attribute("aria-checked", "true")
    anna.reload()  # it is remembered
    at_table(anna)
    bao.keyboard.press("c")
    bao.get_by_role("button", name="哈哈哈").click()
    expect(bao.locator(".bubble")).to_have_text("哈哈哈")
    expect(bubble).to_have_count(0)
    tap(anna.locator(".tools [data-panel=phrases]"))
    tap(anna.get_by_role("switch", name="所有人"))
    expect(mute).to_be_disabled()
    tap(anna.get_by_role("switch", name="所有人"))
    tap(mute)
    expect(mute).to_have_attribute("aria-checked", "false")
    tap(anna.locator("#phrases [data-do=close]"))

    tap(anna.locator("[data-panel=menu]"))
    tap(anna.get_by_role("button", name="提议散桌"))
    tap(anna.get_by_role("button", name="同意散桌"))
    expect(anna.get_by_text("Anna 想散桌（1/2）")).to_be_visible()
    expect(bao.get_by_text("Anna 想散桌（1/2）")).to_be_visible()
    bao.get_by_role("button", name="同意散桌").click()
    bao.locator("#part").get_by_role("button", name="同意散桌").click()
    expect(bao.get_by_text("牌桌已散")).to_be_visible()
    expect(anna.get_by_text("牌桌已散")).to_be_visible(timeout=LIMIT_MS)
    assert in_thread(Seat.objects.count) == 0


def test_a_private_table_by_its_code_and_another_table(hall: Room, enter: Callable[..., Page]) -> None:
    anna, bao, chen = enter("anna"), enter("bao", size=PHONE), enter("chen")
    anna.get_by_role("button", name="开私桌").click()
    at_table(anna)
    code = anna.locator(".lobby__code").text_content() or ""
    assert re.fullmatch("[2-9A-Z]{8}", code)
    expect(bao.get_by_text("私桌，有口令才能坐").first).to_be_visible(timeout=LIMIT_MS)
    bao.locator("[name=code]").fill(code.lower())
    tap(bao.get_by_role("button", name="去那桌"))
    at_table(bao)
    fits(bao)
    tap(bao.get_by_role("button", name="坐下").first)
    expect(anna.get_by_text("等人：2/4")).to_be_visible(timeout=LIMIT_MS)

    chen.get_by_role("button", name="快速入座").click()
    at_table(chen)
    tap(bao.locator("[data-panel=menu]"))
    tap(bao.get_by_role("button", name="换桌"))
    expect(bao).to_have_url(chen.url)
    expect(chen.get_by_text("等人：2/4")).to_be_visible(timeout=LIMIT_MS)
    chen.locator("[data-panel=menu]").click()
    chen.get_by_role("button", name="换桌").click()
    expect(chen.locator(".notice--error")).to_contain_text("没有别的桌在等人")


@pytest.fixture
def full(hall: Room, member: Callable[[str], User]) -> tuple[Table, list[User]]:
    """A table whose four seats are taken."""
    users = [member(name) for name in ("deng", "emma", "fang", "gao")]
    return in_thread(table_of, hall, users), users


def test_the_line_gives_a_seat_that_frees_up(full: tuple[Table, list[User]], enter: Callable[..., Page]) -> None:
    table, users = full
    anna = enter("anna", size=PHONE)
    tap(anna.get_by_role("button", name="排队等座"))
    expect(anna.get_by_text("你在锦江厅排第 1 位")).to_be_visible()
    fits(anna)
    in_thread(lambda: seat_leave(table_id=table.pk, user=users[3]))
    expect(anna.get_by_text("锦江厅 1 号桌留给你一个座位")).to_be_visible(timeout=LIMIT_MS)
    assert 0 < int(anna.locator("[data-until]").text_content() or 0) <= 45
    fits(anna)
    tap(anna.get_by_role("button", name="入座"))
    at_table(anna)
    assert in_thread(lambda: Seat.objects.filter(user__username="anna", table=table).exists())


@pytest.mark.parametrize("elsewhere", ["/history/", "/tables/{}/", f"{LOBBY}desk/tables/"])
def test_who_waits_is_told_of_the_seat_on_other_pages(
    full: tuple[Table, list[User]], enter: Callable[..., Page], elsewhere: str
) -> None:
    table, users = full
    anna = enter("anna", size=PHONE)
    in_thread(lambda: Membership.objects.filter(user__username="anna").update(role=Membership.Role.OPERATOR))
    tap(anna.get_by_role("button", name="排队等座"))
    expect(anna.get_by_text("你在锦江厅排第 1 位")).to_be_visible()
    anna.wait_for_function(
        "localStorage.getItem('line') !== null"
    )  # the page's module may run after its words are there
    anna.goto(elsewhere.format(table.pk))
    in_thread(lambda: seat_leave(table_id=table.pk, user=users[3]))
    note = anna.get_by_role("alert").filter(has_text="你排队等的座位来了")
    expect(note).to_be_visible(timeout=LIMIT_MS)
    fits(anna)
    tap(note.get_by_role("link", name="去入座"))
    anna.wait_for_url(f"**{LOBBY}")
    tap(anna.get_by_role("button", name="不去了"))
    expect(anna.get_by_role("button", name="快速入座")).to_be_visible()
    anna.wait_for_function("localStorage.getItem('line') === null")
    anna.goto("/history/")
    expect(note).to_have_count(0)


def test_a_closed_room_is_shown_and_not_entered(hall: Room, operator: User, enter: Callable[..., Page]) -> None:
    in_thread(lambda: room_close(room=hall, actor=operator))
    anna = enter("anna", size=PHONE)
    closed = anna.get_by_role("listitem").filter(has_text="锦江厅")
    expect(closed.get_by_text("未开放")).to_be_visible()
    expect(closed.get_by_text("暂停入座，管理员开放后再来")).to_be_visible()
    expect(closed.get_by_role("button")).to_have_count(0)
    fits(anna)
    anna.goto(f"/rooms/{hall.pk}/rules/")
    expect(anna.get_by_role("button", name="新开一桌")).to_have_count(0)


def test_an_operator_ends_a_hand_and_the_players_are_told(
    full: tuple[Table, list[User]], club: Club, hall: Room, operator: User, open_page: Callable[..., Page]
) -> None:
    table, users = full
    hand = in_thread(lambda: hand_deal(table_id=table.pk, users=users))
    player, desk = open_page(), open_page(size=PHONE)
    sign_in(player, users[0])
    player.goto(f"/tables/{table.pk}/")
    expect(player.locator("#table")).not_to_have_attribute("data-state", "connecting")
    sign_in(desk, operator)
    desk.goto(LOBBY)
    fits(desk)
    tap(desk.get_by_role("link", name="强制结束"))
    expect(desk.get_by_role("heading", name="强制结束这一手")).to_be_visible()
    fits(desk)
    desk.get_by_label("按现状结算").check()
    desk.get_by_label("事由").fill("两人断线")
    desk.get_by_label("输入桌号确认").fill("1")
    tap(desk.get_by_role("button", name="强制结束"))
    expect(desk).to_have_url(re.compile(f"/hands/{hand.pk}/$"))
    expect(desk.get_by_text("事由：两人断线").first).to_be_visible()
    expect(player.locator("#settle")).to_be_visible(timeout=LIMIT_MS)
    expect(player.locator("#settle")).to_contain_text("两人断线")


def test_watching_late(full: tuple[Table, list[User]], hall: Room, operator: User, enter: Callable[..., Page]) -> None:
    table, users = full
    anna = enter("anna", size=PHONE)
    in_thread(lambda: hand_deal(table_id=table.pk, users=users))
    anna.goto(f"/tables/{table.pk}/")
    at_table(anna)
    expect(anna.get_by_text("第 1 局正在打")).to_be_visible()
    expect(anna.get_by_text("这个房间不开放旁观")).to_be_visible()
    fits(anna)
    in_thread(lambda: Hand.objects.update(status=Hand.Status.SETTLED))
    in_thread(lambda: Table.objects.update(hands_played=1))
    in_thread(lambda: Seat.objects.update(is_ready=False))
    in_thread(lambda: room_change_terms(room=hall, actor=operator, changes={"watching": "seconds", "watch_delay": 3}))
    in_thread(lambda: hand_deal(table_id=table.pk, users=users))
    expect(anna.locator("#table")).to_have_attribute("data-state", re.compile("void|turn"), timeout=LIMIT_MS)
    expect(anna.locator(".notice--eye")).to_contain_text("晚 3 秒")
    assert anna.locator(".hand .tile:not(.back)").count() == 0
    fits(anna)
    notice, bottom = anna.locator(".notice--eye"), anna.locator(".mine .who__name")
    expect(notice).to_contain_text("Deng 的座位一侧")
    tap(anna.get_by_role("button", name="换一侧"))
    expect(notice).to_contain_text("Emma 的座位一侧")
    expect(bottom).to_have_text("Emma")
    expect(anna.locator(".seat--left .who__name")).to_have_text("Deng")
    anna.keyboard.press("v")
    expect(bottom).to_have_text("Fang")
    expect(anna.locator("#say")).to_contain_text("现在在Fang一侧")
    assert anna.locator(".hand .tile:not(.back)").count() == 0
    fits(anna)
