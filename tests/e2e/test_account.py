"""Around the table in a browser: asking to be let in, notices, devices, looks, no network, closing the account."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import request_approve
from clubs.models import JoinRequest, Room
from games.tables import table_open
from tests.e2e.conftest import DESKTOP, PHONE, in_thread, sign_in
from tests.e2e.looks import check, speak
from tests.people import PASSWORD

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]
sizes = pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])


@sizes
def test_from_asking_to_the_last_goodbye(
    open_page: Callable[..., Page],
    hall: Room,
    operator: User,
    member: Callable[[str], User],
    size: ViewportSize,
) -> None:
    choosy = club_create(name="玉林夜牌", slug="yulin", actor=operator, welcome_coins=20_000, needs_approval=True)
    invitation = invitation_create(club=choosy, actor=operator)
    anna = member("anna")
    page = open_page(size=size)
    sign_in(page, anna)

    # A link that somebody sent is pasted; the club wants to be asked.
    page.locator("#code").fill(f"{page.evaluate('location.origin')}/join/{invitation.code}/")
    page.locator("#code").press("Enter")
    page.get_by_text("给身边的人扫").click()
    expect(page.locator("svg.qr")).to_be_visible()
    check(page, "invitation")
    page.get_by_label("给管理员的话").fill("老张介绍来的")
    page.get_by_role("button", name="申请加入").click()
    expect(page.locator(".reqs")).to_contain_text("待审批")
    check(page, "requests")

    # Let in, and told so.
    unread = int(page.locator(".bell .badge").inner_text())
    request_approve(request=JoinRequest.objects.get(), actor=operator)
    page.goto("/")
    expect(page.locator(".bell .badge")).to_have_text(str(unread + 2))  # the answer and the welcome coins
    page.locator(".bell").click()
    check(page, "notices")
    page.get_by_role("link", name="「玉林夜牌」同意了你的入社申请").click()
    expect(page.locator("h1")).to_have_text("玉林夜牌")
    page.goto("/notices/")
    page.get_by_role("button", name="全部标为已读").click()
    expect(page.locator(".bell .badge")).to_have_count(0)

    # The looks of the table hold at once, on every page and after a reload.
    table = in_thread(lambda: table_open(room=hall, user=anna))
    page.goto("/account/")
    page.locator("label.swatch", has_text="靛蓝").click()
    page.locator("label.swatch", has_text="带数字").click()
    page.locator("label.swatch", has_text="深色").click()
    page.get_by_role("switch", name="声音").click()
    page.reload()
    expect(page.locator("[name=felt][value=indigo]")).to_be_checked()
    expect(page.get_by_role("switch", name="声音")).not_to_be_checked()
    for language in ("zh-hans", "en"):
        speak(page, language)
        page.reload()
        check(page, "account-looks")
    page.goto(f"/tables/{table.pk}/")
    expect(page.locator("html[data-felt=indigo][data-face=numbered][data-scheme=dark]")).to_be_attached()
    assert page.evaluate("getComputedStyle(document.body).getPropertyValue('--felt-lo')") not in ("", "#0A4538")

    # Closed with the password, and gone.
    speak(page, "zh-hans")
    page.goto("/account/close/")
    check(page, "close")
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="注销账户").click()
    page.wait_for_url("**/accounts/login/")
    anna.refresh_from_db()
    assert anna.closed_at is not None


def test_another_device_is_signed_out_and_its_table_closes(
    open_page: Callable[..., Page], hall: Room, member: Callable[[str], User]
) -> None:
    anna = member("anna")
    table = in_thread(lambda: table_open(room=hall, user=anna))
    desk, phone = open_page(), open_page(size=PHONE)
    for page in (desk, phone):
        sign_in(page, anna)
    phone.goto(f"/tables/{table.pk}/")
    expect(phone.locator(".lobby")).to_be_visible()
    desk.goto("/account/#devices")
    desk.get_by_role("button", name="退出其他所有设备").click()
    expect(desk.locator(".toast")).to_contain_text("其他设备都已退出登录")
    expect(phone.get_by_text("登录已失效")).to_be_visible()
    phone.goto("/account/")
    phone.wait_for_url("**/accounts/login/**")


def test_without_a_network_there_is_a_page_that_says_so(browser: Browser, live_asgi: str) -> None:
    """In a context of its own: an unreachable network is an error in the console."""
    context = browser.new_context(base_url=live_asgi, viewport=PHONE, locale="zh-CN")
    page = context.new_page()
    page.goto("/accounts/login/")
    page.evaluate(
        "navigator.serviceWorker.controller"
        " || new Promise(done => navigator.serviceWorker.addEventListener('controllerchange', () => done()))"
    )
    kept = "caches.keys().then(names => Promise.all(names.map(name => caches.open(name).then(store => store.keys()))))"
    assert [len(store) for store in page.evaluate(kept)] == [3]
    context.set_offline(True)
    page.goto("/rules/")
    expect(page.locator("h1")).to_have_text("没有网络")
    check(page, "offline")
    context.set_offline(False)
    page.get_by_role("link", name="再试一次").click()
    expect(page.locator("h1")).to_have_text("规则")
    context.close()
