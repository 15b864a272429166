"""Every page in both languages and sizes: axe finds nothing serious, nothing scrolls sideways, the console is quiet."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import connection
from playwright.sync_api import Page, ViewportSize, expect

from accounts.models import User
from clubs.invitations import invitation_create
from clubs.models import Club, Room
from games.models import Hand
from games.selfplay import hand_play_out
from games.tables import seat_leave, seat_take, table_open
from tests.e2e.conftest import DESKTOP, PHONE, sign_in
from tests.e2e.player import asked, open_table, settled

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

axe = Axe()


def check(page: Page, where: str) -> None:
    violations = axe.run(page).response["violations"]
    serious = [
        f"{where}: {violation['id']}: {node['html'][:160]}"
        for violation in violations
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
    assert serious == []
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, f"{where} scrolls sideways by {width} px"


@pytest.fixture
def hand(club: Club, hall: Room, member: Callable[[str], User]) -> Hand:
    users = [member(name) for name in ("anna", "bao", "chen", "deng")]

    def play() -> Hand:
        table = table_open(room=hall, user=users[0])
        for number, user in enumerate(users[1:], start=1):
            seat_take(table_id=table.pk, number=number, user=user)
        hand = hand_play_out(table_id=table.pk, users=users)
        for user in users:
            seat_leave(table_id=table.pk, user=user)
        connection.close()
        return hand

    # In a thread of its own: the browser's loop runs in this one, and play rings the doorbell.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(play).result()


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_pages(
    open_page: Callable[..., Page],
    live_asgi: str,
    hand: Hand,
    hall: Room,
    club: Club,
    operator: User,
    size: ViewportSize,
    language: str,
) -> None:
    invitation = invitation_create(club=club, actor=operator)
    anna = User.objects.get(username="anna")
    anna.language = language
    anna.save()
    page = open_page(size=size)
    page.context.add_cookies([{"name": "django_language", "value": language, "url": live_asgi}])
    for path in ("/accounts/login/", f"/join/{invitation.code}/", "/join/"):
        page.goto(path)
        check(page, path)
    sign_in(page, anna)
    for path in (
        "/",
        "/clubs/jinli/",
        f"/rooms/{hall.pk}/rules/",
        "/history/",
        f"/hands/{hand.pk}/",
        "/clubs/jinli/statement/",
        "/clubs/jinli/titles/",
        "/account/",
    ):
        page.goto(path)
        expect(page.locator("h1").first).to_be_visible()
        check(page, path)


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_table(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User], size: ViewportSize
) -> None:
    """Waiting, choosing a void suit, playing and settled (auto-play brings the hand to its end)."""
    page = open_page(size=size)
    sign_in(page, member("anna"))
    open_table(page, practice.pk)
    check(page, "waiting")
    page.get_by_role("button", name=re.compile("机器人补位")).click()
    page.get_by_role("button", name="准备").click()
    expect(page.locator(".hand [data-do=tile]").first).to_be_visible()
    check(page, "void suit")
    void = page.locator("[data-do=void].is-least:enabled")
    if void.count():
        void.click()
    expect(asked(page)).to_be_visible(timeout=15_000)
    check(page, "my turn")
    page.locator("[data-do=auto]").click()
    expect(settled(page)).to_be_visible(timeout=60_000)
    page.wait_for_timeout(600)  # the panel has faded in
    check(page, "settlement")
