"""The main job in a browser: from an invitation to a hand in the history, and coins that are the same on every page."""

import asyncio
import re
import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts import ledger
from accounts.ledger import hand_key
from accounts.models import Account, Posting, User
from clubs.invitations import invitation_create
from clubs.models import Club, Membership, Room
from clubs.titles import title_progress
from games.clients import Client, Seen, play_hands
from games.models import Action, Hand, HandSeat
from tests.e2e.conftest import PHONE, sign_in
from tests.e2e.player import get_ready, open_table, play_hand, settled
from tests.people import PASSWORD

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


def number_in(what: Locator) -> int:
    """The first number of what an element says: "+1,200" and "−400" are numbers."""
    text = what.inner_text()
    found = re.search(r"[+−]?\d[\d,]*", text)
    assert found is not None, text
    return int(found[0].replace(",", "").replace("−", "-"))


def test_a_newcomer_joins_plays_a_hand_by_clicking_and_finds_it_again(
    open_page: Callable[..., Page], club: Club, operator: User, practice: Room
) -> None:
    invitation = invitation_create(club=club, actor=operator)
    page = open_page()
    page.goto(f"/join/{invitation.code}/")
    expect(page.get_by_role("heading", name="锦里麻将社")).to_be_visible()
    page.get_by_role("link", name="注册并加入").click()
    page.get_by_label("用户名").fill("newcomer")
    page.locator("[name=display_name]").fill("新来的")
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    page.get_by_role("button", name="注册并加入").click()
    page.wait_for_url("**/clubs/jinli/")
    user = User.objects.get(username="newcomer")
    assert Membership.objects.filter(user=user, club=club).exists()
    expect(page.locator(".purse")).to_contain_text("50,000")

    room = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="练习房"))
    room.get_by_role("button", name="新开一桌").click()
    page.get_by_role("button", name="机器人补位").click()
    page.get_by_role("button", name="准备").click()
    made = play_hand(page)
    assert made["void"] == 1
    assert made["discard"] >= 3

    hand = Hand.objects.get()
    mine = HandSeat.objects.get(hand=hand, membership__user=user)
    assert hand.status == Hand.Status.SETTLED
    assert mine.auto_actions == 0
    sources = set(Action.objects.filter(hand=hand, seat=mine.number).values_list("source", flat=True))
    assert sources <= {Action.Source.PLAYER, Action.Source.TABLE}

    panel = settled(page)
    assert number_in(panel.locator(".mine-top .coins")) == mine.units
    assert number_in(panel.locator(".h--me .h__coins")) == mine.units
    panel.get_by_role("button", name="校验牌墙").click()
    expect(panel.get_by_text("牌墙无误")).to_be_visible()
    expect(panel.get_by_role("button", name="再来一局")).to_be_enabled()
    panel.get_by_role("link", name="回放").click()
    page.wait_for_url(f"**/hands/{hand.pk}/*")
    step_through(page)

    page.get_by_role("navigation", name="主导航").get_by_role("link", name="战绩").first.click()
    line = page.locator(".hist li")
    expect(line).to_have_count(1)
    expect(line.get_by_role("link")).to_have_attribute("href", f"/hands/{hand.pk}/")
    expect(line).to_contain_text(f"{mine.units:+d} 倍".replace("-", "−").replace("+0", "0"))
    page.get_by_role("link", name="我的金币").click()
    expect(page.get_by_role("heading", name="金币流水")).to_be_visible()
    assert number_in(page.locator(".bridge .end b")) == 50_000
    expect(page.locator(".stm li")).to_have_count(1)  # the welcome coins: practice costs nothing


def step_through(page: Page) -> None:
    """Go through a replay from its end to its start and on, by buttons, keys, the scrubber and the log."""
    steps = page.locator("#log li")
    where, said, now = page.locator("#where"), page.locator("#said"), page.locator("#log li.now")
    last = steps.count() - 1
    expect(where).to_contain_text(f"{last} / {last}")
    page.get_by_role("button", name="上一步", exact=True).click()
    expect(where).to_contain_text(f"{last - 1} / {last}")
    page.locator("#scrub").fill("0")
    expect(where).to_contain_text(f"0 / {last}")
    for step in range(1, 6):
        page.keyboard.press("ArrowRight") if step % 2 else page.locator("[data-key=next]").click()
        expect(where).to_contain_text(f"{step} / {last}")
        expect(now).to_have_attribute("data-step", str(step))
        assert said.inner_text() in now.inner_text()
        assert page.url.endswith(now.locator("a").get_attribute("href") or "#")
    steps.nth(last).locator("a").click()
    expect(where).to_contain_text(f"{last} / {last}")
    page.reload()
    expect(where).to_contain_text(f"{last} / {last}")


def test_coins_and_points_are_the_same_on_every_page(
    open_page: Callable[..., Page], live_asgi: str, club: Club, hall: Room, member: Callable[[str], User]
) -> None:
    """One member plays a hand by touch, three over sockets: panel, history, replay, statement, titles and ledger agree."""
    user = member("anna")
    others = [member(name) for name in ("bao", "chen", "deng")]
    page = open_page(size=PHONE)
    sign_in(page, user)
    table_id = open_table(page, hall.pk)
    before = Account.objects.get(holder=user).balance

    seen: list[Seen] = []
    threads = [
        threading.Thread(target=_play, args=(live_asgi, other, table_id, seat, seen), daemon=True)
        for seat, other in enumerate(others, start=1)
    ]
    for thread in threads:
        thread.start()
    expect(page.get_by_text("已准备 3/4")).to_be_visible(timeout=30_000)
    get_ready(page)
    play_hand(page)
    for thread in threads:
        thread.join(60)

    hand = Hand.objects.get()
    mine = HandSeat.objects.get(hand=hand, membership__user=user)
    membership = Membership.objects.get(user=user)
    progress = title_progress(membership)
    assert mine.coins is not None and mine.rake is not None
    assert mine.auto_actions == 0
    after = before + mine.coins
    account = Account.objects.get(holder=user)
    posting = Posting.objects.get(account=account, transfer__key=hand_key(hand.pk))
    assert (posting.amount, posting.balance_after, account.balance) == (mine.coins, after, after)
    assert ledger.ledger_check(club.book) == []
    assert [one.settlement["seats"][0]["coins"] for one in seen] == [mine.coins] * 3
    assert membership.points == mine.points

    panel = settled(page)
    assert number_in(panel.locator(".sums .net")) == mine.coins
    assert number_in(panel.locator(".mine-top .coins")) == mine.coins
    assert number_in(panel.locator(".mine-top .coins small")) == after
    if mine.points:
        assert number_in(panel.locator(".level .pts b")) == membership.points
        expect(panel.locator(".level em")).to_have_text(progress["title"].name)
    expect(panel.get_by_role("button", name="再来一局")).to_be_enabled()
    page.goto("/history/")
    line = page.locator(".hist li")
    expect(line).to_have_count(1)
    assert number_in(line.locator(".num .amt")) == mine.coins
    line.get_by_role("link").click()
    page.wait_for_url(f"**/hands/{hand.pk}/*")
    assert number_in(page.locator(".hand-h .amt").first) == mine.coins
    assert number_in(page.locator(".settle tfoot tr").nth(0).locator("td").nth(mine.number)) == mine.coins
    assert number_in(page.locator(".settle tfoot tr").nth(1).locator("td").nth(mine.number)) == mine.points
    page.get_by_role("link", name="在流水里看").click()
    entry = page.locator(".stm li").filter(has=page.locator(f"a[href='/hands/{hand.pk}/']"))
    assert number_in(entry.locator(".num .amt")) == mine.coins
    assert number_in(entry.locator(".num small")) == after
    assert number_in(page.locator(".bridge .end b")) == after
    page.goto("/clubs/jinli/titles/")
    expect(page.locator(".mytitle .hero")).to_have_text(progress["title"].name)
    assert number_in(page.locator(".mytitle p b").first) == membership.points
    if progress["next"]:
        assert page.locator(".mytitle progress").get_attribute("value") == str(progress["percent"])
        expect(page.locator(".mytitle")).to_contain_text(f"还差 {progress['missing']:,}")


def _play(url: str, user: User, table_id: int, seat: int, seen: list[Seen]) -> None:
    client = Client(url, user.username)
    client.sign_in(PASSWORD)
    asyncio.run(play_hands(client, table_id, seat, 1, seen.append))
