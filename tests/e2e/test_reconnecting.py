"""The table page without its server or its network: it says so, keeps trying, and is back by itself with all that happened."""

import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from accounts.models import User
from clubs.models import Room
from games.models import Hand, Table
from games.selfplay import hand_deal
from games.tables import seat_take
from tests.e2e.conftest import PATIENCE_MS, PHONE, in_thread, sign_in
from tests.people import table_of
from tests.servers import ServerProcess

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

BACK_SECONDS = 3.0


@pytest.fixture
def users(member: Callable[[str], User]) -> list[User]:
    return [member(name) for name in ("anna", "bao", "chen", "deng")]


@pytest.fixture
def table(hall: Room, users: list[User]) -> Table:
    """Anna and two others sit at it."""
    return in_thread(table_of, hall, users[:3])


@pytest.fixture
def phone(browser: Browser) -> Iterator[Callable[[str], BrowserContext]]:
    """A phone at a server. What its browser writes about lines that break is what these tests want."""
    contexts: list[BrowserContext] = []

    def open_(server: str) -> BrowserContext:
        contexts.append(
            browser.new_context(base_url=server, viewport=PHONE, has_touch=True, is_mobile=True, locale="zh-CN")
        )
        contexts[-1].set_default_timeout(PATIENCE_MS)
        return contexts[-1]

    yield open_
    for context in contexts:
        context.close()


def at_table(context: BrowserContext, user: User, table: Table) -> Page:
    page = context.new_page()
    sign_in(page, user)
    page.goto(f"/tables/{table.pk}/")
    expect(page.locator("#table")).not_to_have_attribute("data-state", "connecting")
    return page


def test_a_phone_that_loses_its_network(
    live_asgi: str, phone: Callable[[str], BrowserContext], users: list[User], table: Table
) -> None:
    context = phone(live_asgi)
    page = at_table(context, users[0], table)
    lobby = context.new_page()
    lobby.goto("/clubs/jinli/")
    context.set_offline(True)
    expect(page.get_by_text("你的设备离线了")).to_be_visible(timeout=2000)
    expect(page.get_by_text("已断开")).to_be_visible()
    in_thread(lambda: seat_take(table_id=table.pk, number=None, user=users[3]))
    expect(page.get_by_text("等人：3/4")).to_be_visible()
    expect(lobby.get_by_text("你的设备离线了。")).to_be_visible(timeout=20_000)
    expect(lobby.get_by_text("秒前的样子")).to_be_visible()
    context.set_offline(False)
    expect(page.get_by_text("已准备 0/4")).to_be_visible(timeout=1000 * BACK_SECONDS)
    expect(page.get_by_text("你的设备离线了")).to_have_count(0)
    expect(lobby.locator("#stale")).to_be_hidden()
    expect(lobby.get_by_text("四人到齐，准备好就开局")).to_be_visible()


def test_a_server_that_dies_in_mid_hand_and_comes_back(
    server_process: ServerProcess,
    live_asgi: str,
    phone: Callable[[str], BrowserContext],
    users: list[User],
    table: Table,
) -> None:
    page = at_table(phone(server_process.url), users[0], table)

    def deal() -> Hand:
        seat_take(table_id=table.pk, number=None, user=users[3])
        return hand_deal(table_id=table.pk, users=users)

    in_thread(deal)
    expect(page.locator("#choose-h")).to_be_visible()
    server_process.kill()
    expect(page.get_by_text("连接断开，正在重连…")).to_be_visible(timeout=2000)
    expect(page.get_by_text("画面停在")).to_be_visible()
    expect(page.locator(".hub__sec")).to_have_text("–")
    page.locator(".suit:not([disabled])").first.tap()  # while nobody answers: it is kept and sent later
    expect(page.get_by_role("button", name="立即重试")).to_be_visible()
    server_process.start()
    began = time.monotonic()
    expect(page.locator(".notice--off")).to_have_count(0)
    print(f"back {time.monotonic() - began:.1f} s after the server")
    assert time.monotonic() - began < BACK_SECONDS
    expect(page.locator("#choose-h")).to_have_count(0)
    assert in_thread(lambda: Hand.objects.get(table=table).actions.filter(seat__isnull=False, source="player").exists())
