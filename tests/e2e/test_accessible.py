"""Every page in both languages, sizes and colour schemes: axe finds nothing serious, nothing scrolls sideways, the console
is quiet.

The screens are kept as pictures in pytest's temporary folder.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, ViewportSize, expect

from accounts.models import User
from clubs.invitations import invitation_create
from clubs.models import Club, Room
from games.models import Hand
from tests.e2e.conftest import DESKTOP, PHONE, sign_in
from tests.e2e.player import (
    LIMIT_MS,
    asked,
    choose_void,
    open_table,
    require_voids,
    settled,
    start_with_bots,
    tap,
    voids,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

LANGUAGES = ("zh-hans", "en")
sizes = pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
axe = Axe()


# What stands out on the right, innermost, and the words in it.
STICKS_OUT = """() => [...document.body.querySelectorAll("*")].filter(each => !each.children.length
    && each.getBoundingClientRect().right > document.documentElement.clientWidth && !each.closest(".scroll"))
    .map(each => `${each.tagName} ${each.className} ${each.textContent.trim().slice(0, 40)}`).slice(0, 5)"""


def check(page: Page, where: str, pictures: Path) -> None:
    page.screenshot(path=pictures / f"{where}.png", animations="disabled")
    violations = axe.run(page).response["violations"]
    serious = [
        f"{where}: {violation['id']}: {node['html'][:160]}"
        for violation in violations
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
    assert serious == []
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, f"{where} scrolls sideways by {width} px: {page.evaluate(STICKS_OUT)}"


def speak(page: Page, language: str) -> None:
    """Show pages in a language: the English ones dark, the Chinese ones light, so that each page is seen both ways."""
    page.emulate_media(color_scheme="dark" if language == "en" else "light")
    address = page.evaluate("location.origin")
    page.context.add_cookies([{"name": "django_language", "value": language, "url": address}])


@sizes
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages(
    open_page: Callable[..., Page],
    hand: Hand,
    hall: Room,
    club: Club,
    operator: User,
    size: ViewportSize,
    language: str,
    tmp_path: Path,
) -> None:
    invitation = invitation_create(club=club, actor=operator)
    page = open_page(size=size)
    page.goto("/accounts/login/")
    speak(page, language)

    def visit(name: str, path: str) -> None:
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("h1").first).to_be_visible()
        check(page, name, tmp_path)

    visit("sign-in", "/accounts/login/")
    visit("sign-up", "/accounts/signup/")
    visit("join", "/join/")
    visit("invitation", f"/join/{invitation.code}/")
    visit("tips", "/rules/tips/")
    visit("calculator", "/calculator/?preset=chengdu&hand=2345678m222345p")
    expect(page.locator("[data-list=waits] li")).to_have_count(3)
    check(page, "calculator-waits", tmp_path)
    sign_in(page, User.objects.get(username="anna"))
    visit("home", "/")
    visit("lobby", "/clubs/jinli/")
    visit("leave", "/clubs/jinli/leave/")
    visit("rules", f"/rooms/{hall.pk}/rules/")
    visit("history", "/history/")
    visit("hand", f"/hands/{hand.pk}/")
    visit("statement", "/clubs/jinli/statement/")
    visit("titles", "/clubs/jinli/titles/")
    visit("account", "/account/")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hands_figures_fit_a_phone(
    open_page: Callable[..., Page], hand: Hand, operator: User, language: str, tmp_path: Path
) -> None:
    """All four seats of the settlement beside each other; the hand in the admin scrolls down alone."""
    page = open_page(size=PHONE)
    sign_in(page, operator)
    speak(page, language)
    page.goto(f"/hands/{hand.pk}/")
    page.locator(".settle table").scroll_into_view_if_needed()
    page.screenshot(path=tmp_path / "hand.png")
    for row in page.locator(".settle tr").all():
        box = row.locator("td, th").last.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE["width"]
    page.goto(f"/admin/games/hand/{hand.pk}/change/")
    expect(page.locator("#hand_seats")).to_be_visible()
    page.screenshot(path=tmp_path / "admin.png", full_page=True)
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, f"the admin's hand scrolls sideways by {width} px"


@sizes
def test_the_table(
    open_page: Callable[..., Page],
    practice: Room,
    member: Callable[[str], User],
    size: ViewportSize,
    tmp_path: Path,
) -> None:
    """Waiting, choosing a void suit, playing and settled (auto-play brings it there): one hand, seen in both languages."""
    page = open_page(size=size)
    sign_in(page, member("anna"))

    def see(what: str, shows: Locator) -> None:
        for language in reversed(LANGUAGES):
            speak(page, language)
            page.reload()
            expect(shows).to_be_visible(timeout=LIMIT_MS)
            expect(page.locator(".is-new")).to_have_count(0)
            check(page, f"table-{what}-{language}", tmp_path)

    open_table(page, practice.pk)
    see("waiting", page.locator(".lobby"))
    page.get_by_role("button", name="菜单").click()
    check(page, "table-menu", tmp_path)
    page.keyboard.press("Escape")
    start_with_bots(page)
    require_voids(page)
    see("void", voids(page).first)
    choose_void(page)
    expect(asked(page)).to_be_visible(timeout=LIMIT_MS)
    see("playing", page.locator(".acts, .hand .is-drawn, .hand [data-do=tile]").first)
    page.keyboard.press("o")
    check(page, "table-settings", tmp_path)
    page.keyboard.press("Escape")
    tap(page.get_by_role("switch", name="托管"))
    expect(settled(page)).to_be_visible(timeout=LIMIT_MS)
    see("settled", settled(page))
