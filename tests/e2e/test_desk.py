"""An evening at the desk in a browser: an owner who is not of the site's staff runs a club with it, invitation to answer."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.ledger import balances, ledger_check
from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_join
from clubs.models import Club, Membership, Room
from games.models import Hand, Report
from games.selfplay import hand_deal
from games.tables import seat_take, table_open
from tests.e2e.conftest import PHONE, in_thread, sign_in
from tests.people import PASSWORD

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


@pytest.fixture
def owner(live_asgi: str) -> User:
    return User.objects.create_user("owner", password=PASSWORD, display_name="锦里掌柜")


@pytest.fixture
def club(owner: User) -> Club:
    return club_create(name="锦里麻将社", slug="jinli", actor=owner, welcome_coins=1_000)


def section(desk: Page, name: str) -> None:
    """Go to a section by the bar at the side."""
    desk.locator("nav.side").get_by_role("link", name=name).click()


def ask_to_join(page: Page, code: str) -> None:
    page.goto(f"/join/{code}/")
    page.get_by_role("link", name="注册并申请").click()
    page.get_by_label("用户名").fill("xiaoman")
    page.locator("[name=display_name]").fill("川西小满")
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    page.get_by_role("button", name="注册并申请").click()
    expect(page.get_by_text("锦里麻将社").first).to_be_visible()


def deal(club: Club, room: Room) -> Hand:
    """A hand of the newcomer and three others."""
    owner = User.objects.get(username="owner")
    others = [User.objects.create_user(name, password=PASSWORD) for name in ("bao", "chen", "deng")]
    Club.objects.filter(pk=club.pk).update(needs_approval=False)
    for user in others:
        member_join(code=invitation_create(club=club, actor=owner).code, user=user)
    users = [User.objects.get(username="xiaoman"), *others]
    table = table_open(room=room, user=users[0])
    for number, user in enumerate(users[1:], start=1):
        seat_take(table_id=table.pk, number=number, user=user)
    return hand_deal(table_id=table.pk, users=users)


def test_an_owner_runs_the_club(open_page: Callable[..., Page], club: Club, owner: User) -> None:
    desk, phone = open_page(), open_page(size=PHONE)
    sign_in(desk, owner)
    desk.get_by_role("main").get_by_role("link", name="工作台").click()
    expect(desk.get_by_role("heading", name="总览")).to_be_visible()

    section(desk, "俱乐部设置")
    desk.get_by_label("加入须管理员同意").check()
    desk.get_by_role("button", name="保存").click()
    expect(desk.get_by_text("已保存")).to_be_visible()

    section(desk, "成员")
    desk.get_by_role("link", name="邀请成员").click()
    desk.get_by_label("可用次数").fill("5")
    desk.get_by_role("button", name="发出邀请").click()
    expect(desk.locator("svg.qr")).to_be_visible()
    code = re.findall(r"[A-Z2-9]{8}", desk.locator("h1").inner_text())[0]
    ask_to_join(phone, code)

    section(desk, "成员")
    desk.get_by_role("navigation", name="本栏").get_by_role("link", name="入社申请").click()
    expect(desk.get_by_role("checkbox")).to_be_checked()
    desk.get_by_role("button", name="同意选中的", exact=True).click()
    expect(desk.get_by_text("已同意 1 份申请")).to_be_visible()
    newcomer = Membership.objects.get(club=club, user__username="xiaoman")
    assert newcomer.status == Membership.Status.ACTIVE

    section(desk, "成员")
    desk.get_by_role("checkbox", name="选 川西小满").check()
    desk.get_by_role("button", name="发放或收回金币").click()
    desk.get_by_label("每人金币").fill("5000")
    desk.get_by_label("事由").fill("开张")
    desk.get_by_role("button", name="下一步：核对").click()
    expect(desk.get_by_text("1,000 → 6,000")).to_be_visible()
    desk.get_by_role("button", name="发放 5,000 金币").click()
    expect(desk.get_by_role("row").filter(has_text="开张")).to_contain_text("5,000")
    assert balances(club.book).wallets == 6_000 and ledger_check(club.book) == []

    section(desk, "房间")
    desk.get_by_role("link", name="新开房间").click()
    desk.get_by_label("房间名").fill("锦江厅")
    desk.get_by_label("规则预设").select_option("qq_dingque")
    desk.get_by_label("出牌时限（秒）").fill("300")
    desk.get_by_role("button", name="开这个房间").click()
    expect(desk.get_by_role("heading", name="锦江厅", exact=True)).to_be_visible()
    desk.get_by_label("台费 A").fill("10")
    desk.get_by_role("button", name="看差别").click()
    expect(desk.locator(".diff li")).to_have_count(1)
    desk.get_by_role("button", name="存为第 2 版").click()
    expect(desk.get_by_text("现行第 2 版，").first).to_be_visible()
    room = Room.objects.get(club=club)
    assert room.terms is not None and (room.terms.version, room.terms.rake) == (2, 10)

    hand = in_thread(deal, club, room)
    section(desk, "牌桌")
    desk.get_by_role("link", name="强制结束").click()
    desk.get_by_label("事由").fill("停电了")
    desk.get_by_label("输入桌号确认").fill("1")
    desk.get_by_role("button", name="强制结束").click()
    desk.wait_for_url(f"**/hands/{hand.pk}/")
    assert Hand.objects.get(pk=hand.pk).end == "voided"

    phone.goto(f"/hands/{hand.pk}/report/")
    phone.locator("[name=kind]").select_option("fault")
    phone.locator("[name=words]").fill("我那张九万是系统打的")
    phone.locator("main .btn.primary").click()
    expect(phone.get_by_text("申诉中")).to_be_visible()

    desk.goto("/clubs/jinli/desk/")
    desk.get_by_role("link", name="1 件申诉待处理").click()
    desk.get_by_role("link", name="程序或网络故障").click()
    desk.get_by_label("给申诉人的答复").fill("停电了，这一手已作废")
    desk.get_by_role("button", name="答复并结案").click()
    expect(desk.get_by_text("没有待处理的申诉")).to_be_visible()
    assert not Report.objects.get(hand=hand).is_open
    section(desk, "操作日志")
    for said in ("处理申诉", "强制结束一局", "新建房间", "发放金币", "同意入社申请", "发出邀请", "修改俱乐部"):
        expect(desk.get_by_text(said).first).to_be_visible()


def test_on_a_phone_the_rest_stands_behind_more(open_page: Callable[..., Page], club: Club, owner: User) -> None:
    page = open_page(size=PHONE)
    sign_in(page, owner)
    page.goto("/clubs/jinli/desk/")
    bar = page.locator("nav.tabbar")
    bar.get_by_role("link", name="金币").click()
    expect(page.get_by_role("heading", name="金币", exact=True)).to_be_visible()
    bar.get_by_text("更多").click()
    bar.get_by_role("link", name="操作日志").click()
    expect(page.get_by_role("heading", name="操作日志")).to_be_visible()
    bar.get_by_text("更多").click()
    bar.get_by_role("link", name="玩家端").click()
    page.wait_for_url("**/clubs/jinli/")
