"""Plays at the table page as a person does: by clicking, tapping or pressing what is offered."""

from collections import Counter
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

LIMIT_MS = 30_000  # for the others to come to a decision of mine
GUARD_MS = 400  # somewhat longer than a new offer ignores taps
PLACES = "1234567890-=[]"  # the keys of the tiles, from the left

# The table without what time alone changes: clocks, the line's speed, running animations, and what has just appeared.
_SHOWN = """() => {
    const copy = document.querySelector("#table").cloneNode(true);
    for (const node of copy.querySelectorAll(".hub__sec, .hub__dial, .link, .choose h2 span, .notice")) node.remove();
    for (const node of copy.querySelectorAll("*")) {
        node.removeAttribute("style");
        node.classList.remove("is-new", "is-flying", "is-urgent", "is-alone");
        if (!node.classList.length) node.removeAttribute("class");
    }
    copy.querySelector(".hub")?.removeAttribute("aria-label");
    return copy.innerHTML.replaceAll("><", ">\\n<").split("\\n");
}"""


def open_table(page: Page, room_id: int) -> int:
    """Open a table from the lobby and wait until the page is in touch with it. Returns the table's id."""
    page.goto("/clubs/jinli/")
    tap(page.locator(f"form:has([name=room][value='{room_id}']) button"))
    expect(page.locator("#table")).to_have_attribute("data-state", "lobby")
    return int(page.url.rstrip("/").rsplit("/", 1)[-1])


def start_with_bots(page: Page) -> None:
    """Fill the seats with bots, get ready and wait for the tiles."""
    tap(page.locator("[data-do=bots]"))
    get_ready(page)


def get_ready(page: Page) -> None:
    """Get ready for a hand whose other seats are taken, and wait for the tiles."""
    tap(page.locator("#table:not([inert]) .lobby [data-do=ready]"))
    expect(tiles(page).first).to_be_visible(timeout=LIMIT_MS)


def tap(what: Locator, timeout: float | None = None) -> None:
    """Tap where there is a touch screen, else click."""
    if what.page.evaluate("navigator.maxTouchPoints"):
        what.tap(timeout=timeout)
    else:
        what.click(timeout=timeout)


def tiles(page: Page) -> Locator:
    """The tiles in my hand that can be chosen."""
    return page.locator(".hand [data-do=tile]:enabled")


def settled(page: Page) -> Locator:
    """The settlement, when it covers the table."""
    return page.locator("#settle:not([hidden])")


def voids(page: Page) -> Locator:
    """The suits that can be given up."""
    return page.locator("[data-do=void]:enabled")


def offers(page: Page) -> Locator:
    """The buttons of what I may do, once they take a click."""
    return page.locator(".acts:not(.is-new) [data-do=act]:enabled")


def my_turn(page: Page) -> Locator:
    """The clock, when it asks me for a discard."""
    return page.locator("#table:not([inert]) [role=timer][aria-label^='请出牌']")


def asked(page: Page) -> Locator:
    """What shows that I am asked for a discard or an answer."""
    return my_turn(page).or_(offers(page)).first


def shown(page: Page) -> list[str]:
    """Everything that the table shows but the passing of time, line by line."""
    lines: list[str] = page.evaluate(_SHOWN)
    return lines


def wait_for_decision(page: Page) -> None:
    """Wait until the page asks for a decision or shows the settlement."""
    voids(page).or_(asked(page)).or_(settled(page)).first.wait_for(timeout=LIMIT_MS)


def until_my_turn(page: Page) -> None:
    """Answer what I am offered until it is my turn: who is offered a claim first holds up the table by waiting."""
    expect(asked(page)).to_be_visible(timeout=LIMIT_MS)
    while not my_turn(page).count():
        if offers(page).count():
            decide(page)
        expect(asked(page)).to_be_visible(timeout=LIMIT_MS)


def choose_void(page: Page) -> None:
    """Give up the suit that the page suggests, where there is a choice: who was dealt two suits does without the third."""
    suggested = page.locator("[data-do=void].is-least:enabled")
    suggested.or_(own_void(page)).first.wait_for()
    if suggested.count():
        tap(suggested)
        page.locator(".choose").wait_for(state="detached")


def own_void(page: Page) -> Locator:
    """The badge of my void suit, once it is named."""
    return page.locator(".mine .me .badge[data-suit]")


def require_voids(page: Page) -> None:
    """See that the three suits can be chosen from. Skips the test where only two were dealt, once in ninety hands."""
    voids(page).first.or_(own_void(page)).first.wait_for(timeout=LIMIT_MS)
    if own_void(page).count():
        pytest.skip("two suits were dealt, so there is no void suit to choose")
    expect(voids(page)).to_have_count(3)


def play_hand(page: Page) -> Counter[str]:
    """Play until the settlement shows, clicking every decision. Returns how many of each kind were made."""
    made: Counter[str] = Counter()
    while True:
        wait_for_decision(page)
        if settled(page).count():
            return made
        made[decide(page)] += 1


def decide(page: Page) -> str:
    """Make the decision that the page asks for now: "void", "hu", "kong", "pung", "pass" or "discard"; "late" where the
    table had moved on."""
    try:
        if voids(page).count():
            choose_void(page)
            return "void"
        if offers(page).count():
            return answer(page)
        return discard(page)
    except TimeoutError:
        return "late"


def answer(page: Page) -> str:
    """Win or kong where I can, pung twice in a hand, else pass."""
    melds = page.locator(".own-meld").count()
    for kind in ("hu", "kong", "pung", "pass"):
        button = page.locator(f".acts:not(.is-new) .act--{kind}:enabled")
        if button.count() and (kind != "pung" or melds < 2):
            tap(button.first)
            return kind
    return "late"


def discard(page: Page) -> str:
    """Discard by two taps."""
    picked = pick(page)
    return until_gone(picked, lambda: tap(picked, GUARD_MS), "discard")


def pick(page: Page) -> Locator:
    """Select what to discard."""
    tile = to_discard(page)
    key = tile.get_attribute("data-key", timeout=GUARD_MS)
    tap(tile)
    return page.locator(f".hand [data-key='{key}'][aria-pressed=true]")


def to_discard(page: Page) -> Locator:
    """A tile of the void suit as long as I hold one, else the last single one, so that pairs grow."""
    unwanted = page.locator(".hand .is-void:enabled")
    return unwanted.last if unwanted.count() else last_single(page)


def last_single(page: Page) -> Locator:
    """The last tile of the hand that I hold one of, else the last of all."""
    held: list[str] = tiles(page).evaluate_all("all => all.map(tile => tile.dataset.tile)")
    singles = [place for place, tile in enumerate(held) if held.count(tile) == 1]
    return tiles(page).nth(singles[-1]) if singles else tiles(page).last


def until_gone(what: Locator, act: Callable[[], None], name: str) -> str:
    """Do something until it has its effect: what is new on the table does not take taps and keys at once."""
    for _attempt in range(6):
        try:
            act()
            what.first.wait_for(state="detached", timeout=GUARD_MS / 2)
        except TimeoutError:
            if not what.count():  # it went between two attempts
                return name
        else:
            return name
    return "late"
