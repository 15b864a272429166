"""The main job in a browser: from an invitation to a hand in the history and the coins in the statement."""

import asyncio
import re
import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Account, User
from clubs.invitations import invitation_create
from clubs.models import Club, Membership, Room
from games.clients import Client, Seen, play_hands
from games.models import Hand, HandSeat, Table
from tests.e2e.conftest import PASSWORD, PHONE, sign_in
from tests.e2e.player import asked, open_table, play_hand, settled

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


def number_in(text: str) -> int:
    """The first signed number of a text."""
    found = re.search(r"[+−-]?[\d,]+", text)
    assert found is not None, text
    return int(found[0].replace(",", "").replace("−", "-"))


def test_a_newcomer_joins_plays_a_hand_by_clicking_and_finds_it_again(
    open_page: Callable[..., Page], club: Club, operator: User, practice: Room
) -> None:
    invitation = invitation_create(club=club, actor=operator)
    page = open_page()
    page.goto(f"/join/{invitation.code}/")
    expect(page.get_by_text("锦里麻将社").first).to_be_visible()
    page.get_by_role("link", name="注册并加入").click()
    page.locator("[name=username]").fill("newcomer")
    page.locator("[name=display_name]").fill("新来的")
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    page.get_by_role("button", name="注册并加入").click()
    page.wait_for_url(re.compile(r"/$|/clubs/jinli/$"))
    user = User.objects.get(username="newcomer")
    assert Membership.objects.filter(user=user, club=club).exists()

    open_table(page, practice.pk)
    page.get_by_role("button", name="机器人补位").click()
    page.get_by_role("button", name="准备").click()
    clicks = play_hand(page)
    assert clicks["discard"] >= 3
    hand = Hand.objects.get()
    assert hand.status == Hand.Status.SETTLED
    mine = HandSeat.objects.get(hand=hand, membership__user=user)
    assert mine.auto_actions == 0

    panel = settled(page)
    assert number_in(panel.locator(".h--me .h__top").inner_text().split("\n")[-1]) == mine.units
    page.get_by_role("button", name="校验牌墙").click()
    expect(panel.get_by_text("牌墙无误")).to_be_visible()
    panel.get_by_role("link", name="回放").click()

    page.wait_for_url(re.compile(rf"/hands/{hand.pk}/"))
    first = page.url
    page.keyboard.press("ArrowLeft")
    expect(page).not_to_have_url(first)
    page.goto("/history/")
    line = page.locator(f"a[href^='/hands/{hand.pk}/']").first
    expect(line).to_be_visible()
    page.goto("/clubs/jinli/statement/")
    expect(page.get_by_text("50,000").first).to_be_visible()


def test_coins_are_the_same_on_every_page(
    open_page: Callable[..., Page],
    live_asgi: str,
    club: Club,
    hall: Room,
    member: Callable[[str], User],
) -> None:
    """One member on a phone, three over sockets: panel, history, replay, statement and ledger agree."""
    user = member("anna")
    others = [member(name) for name in ("bao", "chen", "deng")]
    page = open_page(size=PHONE, touch=True)
    sign_in(page, user)
    open_table(page, hall.pk)
    table = Table.objects.get()
    before = Account.objects.get(holder=user).balance

    seen: list[Seen] = []
    threads = [
        threading.Thread(target=_play, args=(live_asgi, other, table.pk, seat, seen), daemon=True)
        for seat, other in enumerate(others, start=1)
    ]
    for thread in threads:
        thread.start()
    expect(page.get_by_text("已准备 3/4")).to_be_visible()
    page.get_by_role("button", name="准备").click()
    play_hand(page)
    for thread in threads:
        thread.join(60)

    hand = Hand.objects.get()
    mine = HandSeat.objects.get(hand=hand, membership__user=user)
    membership = Membership.objects.get(user=user)
    assert mine.coins is not None
    assert Account.objects.get(holder=user).balance == before + mine.coins
    assert [one.settlement["seats"][0]["coins"] for one in seen] == [mine.coins] * 3

    panel = settled(page)
    assert number_in(panel.locator(".sums .net").inner_text()) == mine.coins
    page.goto("/history/")
    expect(page.locator(f"a[href^='/hands/{hand.pk}/']").first).to_be_visible()
    assert f"{abs(mine.coins):,}" in page.locator("main").inner_text()
    page.goto(f"/hands/{hand.pk}/")
    expect(page.get_by_text(re.compile(rf"{abs(mine.coins):,}")).first).to_be_visible()
    page.goto("/clubs/jinli/statement/")
    line = page.locator(f"a[href^='/hands/{hand.pk}/']").first
    expect(line).to_be_visible()
    shown = page.locator("body").inner_text()
    assert f"{abs(mine.coins):,}" in shown
    assert f"{before + mine.coins:,}" in shown
    page.goto("/clubs/jinli/titles/")
    assert str(membership.points).replace("-", "−") in page.locator("body").inner_text().replace("+", "")


def _play(url: str, user: User, table_id: int, seat: int, seen: list[Seen]) -> None:
    client = Client(url, user.username)
    client.sign_in(PASSWORD)
    asyncio.run(play_hands(client, table_id, seat, 1, seen.append))


def test_reloading_gives_the_same_table_back_and_two_tabs_agree(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User]
) -> None:
    page = open_page()
    sign_in(page, member("anna"))
    open_table(page, practice.pk)
    page.get_by_role("button", name="机器人补位").click()
    page.get_by_role("button", name="准备").click()
    void = page.locator("[data-do=void]:enabled")
    expect(void.first.or_(asked(page)).first).to_be_visible()
    if void.count():
        hand = tiles(page)
        page.reload()
        expect(void.first).to_be_visible()
        assert tiles(page) == hand
        page.locator("[data-do=void].is-least:enabled").click()
    expect(asked(page)).to_be_visible(timeout=15_000)
    hand = tiles(page)
    second = page.context.new_page()
    second.goto(page.url)
    expect(second.locator(".hand [data-do=tile]").first).to_be_visible()
    assert tiles(second) == hand
    page.reload()
    expect(page.locator(".hand [data-do=tile]").first).to_be_visible()
    assert tiles(page) == hand


def tiles(page: Page) -> list[str | None]:
    return [tile.get_attribute("data-tile") for tile in page.locator(".hand [data-do=tile]").all()]


def test_escaping_asks_first_and_costs_what_it_said(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User]
) -> None:
    page = open_page()
    user = member("anna")
    sign_in(page, user)
    open_table(page, practice.pk)
    page.get_by_role("button", name="机器人补位").click()
    page.get_by_role("button", name="准备").click()
    expect(page.locator(".hand [data-do=tile]").first).to_be_visible()
    void = page.locator("[data-do=void].is-least:enabled")
    if void.count():
        void.click()
    page.locator("[data-panel=menu]").click()
    page.locator("dialog[open] [data-do=leave]").click()
    dialog = page.locator("dialog[open]")
    expect(dialog).to_contain_text("48")
    dialog.locator("[data-do=close]").first.click()
    assert Hand.objects.get().status == Hand.Status.PLAYING
    page.locator("[data-panel=menu]").click()
    page.locator("dialog[open] [data-do=leave]").click()
    page.locator("dialog[open] [data-do=escape]").click()
    page.wait_for_url("/clubs/jinli/")
    assert Hand.objects.get().end == "escaped"
    assert HandSeat.objects.get(membership__user=user).units == -48
