"""Plays at the table page as a person does: by clicking what is offered."""

from playwright.sync_api import Locator, Page, TimeoutError, expect

HAND_SECONDS = 100


def open_table(page: Page, room_id: int) -> None:
    """Open a table from the lobby and wait until the page is in touch with it."""
    page.goto("/clubs/jinli/")
    page.locator(f"form[action='/rooms/{room_id}/tables/'] button").click()
    expect(page.locator("#table")).to_have_attribute("data-state", "lobby")


def settled(page: Page) -> Locator:
    """The settlement, when it covers the table."""
    return page.locator("#settle:not([hidden])")


def my_turn(page: Page) -> Locator:
    """The clock, when it asks me for a discard."""
    return page.locator("#table:not([inert]) [role=timer][aria-label^='请出牌']")


def asked(page: Page) -> Locator:
    """What shows that I am asked for a discard or an answer."""
    return my_turn(page).or_(page.locator(".acts:not(.is-new)")).first


def play_hand(page: Page) -> dict[str, int]:
    """Play until the settlement shows, clicking every decision. Returns how many of each kind were made."""
    clicks = {"void": 0, "act": 0, "discard": 0}
    for _step in range(HAND_SECONDS * 20):
        if settled(page).count():
            return clicks
        kind = _decide(page)
        if kind:
            clicks[kind] += 1
        page.wait_for_timeout(50)
    raise AssertionError(f"the hand did not end: {clicks}")


def _decide(page: Page) -> str | None:
    """Make the decision that the page asks for now, if any."""
    voids = page.locator("[data-do=void].is-least:enabled")
    if voids.count():
        return _click(voids.first, "void")
    offered = page.locator(".acts:not(.is-new) [data-do=act]:enabled")
    if offered.count():
        win = page.locator(".acts:not(.is-new) .act--hu:enabled")
        return _click(win.first if win.count() else offered.last, "act")
    if my_turn(page).count():
        return discard(page)
    return None


def discard(page: Page) -> str | None:
    """Discard by two taps: the drawn tile, or with a void suit in hand one of those."""
    void = page.locator(".hand .is-void:enabled")
    tile = void.last if void.count() else page.locator(".hand [data-do=tile]:enabled").last
    try:
        key = tile.get_attribute("data-key", timeout=1_000)
    except TimeoutError:
        return None  # the table moved on by itself
    picked = page.locator(f".hand [data-key='{key}'][aria-pressed=true]")
    if _click(tile, "discard") and picked.count():
        return _click(picked, "discard")
    return None


def _click(what: Locator, kind: str) -> str | None:
    """Click what may be gone by now: the table moves on by itself."""
    try:
        what.click(timeout=1_000)
    except TimeoutError:
        return None
    return kind
