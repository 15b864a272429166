"""Every page of the site in both sizes, languages and schemes: axe finds nothing serious, nothing scrolls sideways, the console
is quiet, and no other host is asked for anything. And by keyboard: where the focus is, can be seen.
"""

from collections.abc import Callable

import pytest
from django.test import RequestFactory
from django.utils.translation import override
from django.views.defaults import server_error
from playwright.sync_api import Locator, Page, ViewportSize, expect

from accounts.models import User
from clubs.models import Room
from games.models import Hand
from games.rules.ruleset import PRESETS
from tests.e2e.addresses import addresses
from tests.e2e.conftest import DESKTOP, PHONE, in_thread, sign_in
from tests.e2e.looks import PICTURES, check, look, looks
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
from tests.e2e.season import Season, season

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]

# What a page shows when it has read what it needs.
SHOWN_LAST = {"api_docs": ".opblock", "table": ".hand [data-do=tile]", "calculator-waits": "[data-list=waits] li"}

sizes = pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])


@pytest.fixture
def evening(live_asgi: str) -> Season:
    return in_thread(lambda: season(hands=40 if PICTURES else 8))


class People:
    """A member, an operator and a visitor, each in a browser of their own."""

    def __init__(self, open_page: Callable[..., Page], evening: Season, size: ViewportSize) -> None:
        self.pages = {who: open_page(size=size) for who in ("member", "operator", "newcomer", "visitor")}
        self.pages["visitor"].goto("/accounts/login/")
        for who in ("member", "operator", "newcomer"):
            sign_in(self.pages[who], getattr(evening, who))

    def look(self, language: str, scheme: str) -> None:
        for page in self.pages.values():
            look(page, language, scheme)

    def who_sees(self, path: str) -> str | None:
        """Whose page this is; None where there is no page: it leads on, is only posted to, is a part of a page or data."""
        answers = {}
        for who in ("member", "operator", "visitor"):
            answer = self.pages[who].request.get(path, max_redirects=0)
            if answer.status == 200 and "<!doctype html>" in answer.text()[:200].lower():
                return who
            answers[who] = answer.status
        refused = {403} if path.startswith("/admin/") else set()  # a list to look at has no form to add something
        assert set(answers.values()) & ({200, 204, 302, 405} | refused), f"{path} answers {answers}"
        return None

    def visit(self, who: str, name: str, path: str) -> None:
        page = self.pages[who]
        page.goto(path)
        expect(page.locator(SHOWN_LAST.get(name, "h1, main")).first).to_be_visible()
        check(page, name)


@sizes
def test_every_address(open_page: Callable[..., Page], evening: Season, size: ViewportSize) -> None:
    people = People(open_page, evening, size)
    found = addresses(evening)
    seen = {name: (who, path) for name, path in found.items() if (who := people.who_sees(path))}
    for number, (language, scheme) in enumerate(looks(size)):
        people.look(language, scheme)
        for name, (who, path) in seen.items():
            if number == 0 or not name.startswith("admin:"):
                people.visit(who, name.replace(":", "-"), path)


@sizes
def test_what_else_pages_show(open_page: Callable[..., Page], evening: Season, size: ViewportSize) -> None:
    """Empty ones, those of other people, errors."""
    people = People(open_page, evening, size)
    states = {
        "invitation-visitor": ("visitor", f"/join/{evening.invitation.code}/"),
        "sign-up-invited": ("visitor", "/accounts/signup/"),
        "invitation-unknown": ("visitor", "/join/XXXXXXXX/"),
        "no-page": ("visitor", "/nowhere/"),
        "no-right": ("member", "/admin/"),
        "home-operator": ("operator", "/"),
        "home-first": ("newcomer", "/"),
        "join-asked": ("newcomer", "/join/"),
        "history-none": ("newcomer", "/history/"),
        "history-filtered": ("member", "/history/?period=dates&fan=8"),
        "hand-seat": ("member", f"/hands/{evening.hand.pk}/?eyes=0#40"),
        "lobby-free": ("operator", "/clubs/jinli/"),
        "lobby-first": ("member", "/clubs/noord/"),
        "desk-closed": ("member", "/clubs/jinli/desk/"),
        "desk-requests-waiting": ("operator", "/clubs/qingcheng/desk/requests/"),
        "desk-coins-chosen": ("operator", "/clubs/jinli/desk/coins/?add=anna"),
        "desk-coins-found": ("operator", "/clubs/jinli/desk/coins/?add=e"),
        "desk-ledger-dates": ("operator", "/clubs/jinli/desk/ledger/?period=dates"),
        "desk-reports-closed": ("operator", "/clubs/jinli/desk/reports/?state=closed"),
        "desk-none": ("operator", "/clubs/kuanzhai/desk/"),
        "desk-tables-none": ("operator", "/clubs/kuanzhai/desk/tables/"),
        "desk-rooms-none": ("operator", "/clubs/kuanzhai/desk/rooms/"),
        "reports-member": ("member", "/clubs/jinli/reports/"),
        "reports-none": ("member", "/clubs/noord/reports/"),
        "statistics-none": ("member", "/clubs/noord/statistics/"),
        "leaderboard-day": ("member", "/clubs/jinli/leaderboard/?period=day"),
        "leaderboard-none": ("member", "/clubs/noord/leaderboard/"),
        "calculator-waits": ("member", "/calculator/?preset=chengdu&hand=2345678m222345p"),
    }
    visitor = people.pages["visitor"]
    for language, scheme in looks(size):
        people.look(language, scheme)
        for name, (who, path) in states.items():
            people.visit(who, name, path)
        with override(language):
            broken = server_error(RequestFactory().get("/")).content.decode()
        expired = visitor.request.post("/accounts/login/").text()
        for name, shown in (("broken", broken), ("expired", expired)):
            visitor.set_content(shown)
            expect(visitor.locator(".code-n")).to_be_visible()
            check(visitor, name)
    for preset in PRESETS:
        people.visit("member", f"rules-{preset}", f"/rules/{preset}/")


@sizes
def test_the_table(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User], size: ViewportSize
) -> None:
    """Waiting, choosing a void suit, playing and settled (auto-play brings it there): one hand in all its looks."""
    page = open_page(size=size)
    sign_in(page, member("anna"))

    def see(what: str, shows: Locator) -> None:
        for language, scheme in reversed(looks(size)):
            look(page, language, scheme)
            page.reload()
            expect(shows).to_be_visible(timeout=LIMIT_MS)
            expect(page.locator(".is-new")).to_have_count(0)
            check(page, f"table-{what}")

    open_table(page, practice.pk)
    see("waiting", page.locator(".lobby"))
    look(page, "zh-hans", "light")
    page.reload()
    page.get_by_role("button", name="菜单").click()
    check(page, "table-menu")
    page.keyboard.press("Escape")
    start_with_bots(page)
    require_voids(page)
    see("void", voids(page).first)
    look(page, "zh-hans", "light")
    page.reload()
    choose_void(page)
    expect(asked(page)).to_be_visible(timeout=LIMIT_MS)
    see("playing", page.locator(".acts, .hand .is-drawn, .hand [data-do=tile]").first)
    page.keyboard.press("o")
    check(page, "table-settings")
    page.keyboard.press("Escape")
    look(page, "zh-hans", "light")
    page.reload()
    tap(page.get_by_role("switch", name="托管"))
    expect(settled(page)).to_be_visible(timeout=LIMIT_MS)
    see("settled", settled(page))


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_a_hands_figures_fit_a_phone(open_page: Callable[..., Page], hand: Hand, operator: User, language: str) -> None:
    """All four seats of the settlement beside each other."""
    page = open_page(size=PHONE)
    sign_in(page, operator)
    look(page, language, "light")
    page.goto(f"/hands/{hand.pk}/")
    page.locator(".settle table").scroll_into_view_if_needed()
    for row in page.locator(".settle tr").all():
        box = row.locator("td, th").last.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE["width"]


def test_the_focus_is_seen_and_a_dialog_keeps_it(open_page: Callable[..., Page], evening: Season) -> None:
    page = open_page(size=DESKTOP)
    sign_in(page, evening.member)
    page.goto("/account/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="跳到正文")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null"), "the link leads past the bar"
    stops = page.locator("main :is(a, button, input, select):visible").count()
    for _stop in range(stops):
        assert page.evaluate(
            """() => {
                const at = document.activeElement;
                const styles = [at, at.closest("label")].filter(Boolean).map(one => getComputedStyle(one));
                return at === document.body || styles.some(style => style.boxShadow !== "none" || style.outlineStyle !== "none");
            }"""
        ), f"no focus is seen on {page.evaluate('document.activeElement.outerHTML')}"
        page.keyboard.press("Tab")

    opener = page.get_by_role("button", name="撤销")
    opener.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    for _stop in range(5):
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
        page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
