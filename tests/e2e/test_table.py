"""The table when it does not go straight: reloads, a second tab, an escape, time that runs out, the keyboard."""

import gzip
import re
import time
import uuid
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Locator, Page, Response, expect

from accounts.models import Account, User
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_create
from games import play
from games.log import folded
from games.models import Action, Hand, HandSeat
from games.selfplay import hand_deal
from games.tables import seat_take
from tests.e2e.conftest import PHONE, in_thread, sign_in
from tests.e2e.mates import Mates
from tests.e2e.player import (
    LIMIT_MS,
    PLACES,
    asked,
    choose_void,
    decide,
    discard,
    get_ready,
    my_turn,
    offers,
    open_table,
    pick,
    require_voids,
    settled,
    shown,
    start_with_bots,
    tiles,
    to_discard,
    until_gone,
    until_my_turn,
    voids,
    wait_for_decision,
)
from tests.e2e.test_story import number_in

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

Others = Callable[..., Mates]

BUDGET = 150_000  # bytes of the table page, compressed, everything that it loads included


@pytest.fixture
def seated(
    open_page: Callable[..., Page], hall: Room, member: Callable[[str], User], seat_mates: Others
) -> tuple[Page, Mates]:
    """Anna at a table for coins whose other seats are taken by mates."""
    anna = member("anna")
    page = open_page()
    sign_in(page, anna)
    table_id = open_table(page, hall.pk)
    mates = seat_mates(table_id, anna, [member(name) for name in ("bao", "chen", "deng")])
    expect(page.get_by_text("已准备 3/4")).to_be_visible(timeout=LIMIT_MS)
    return page, mates


def test_a_reload_gives_the_same_table_back(seated: tuple[Page, Mates]) -> None:
    """While I choose a void suit, in my turn, and while I may claim a discard."""
    page, mates = seated
    get_ready(page)
    require_voids(page)
    reload_and_compare(page, voids(page).first)
    choose_void(page)
    until_my_turn(page)
    reload_and_compare(page, my_turn(page))
    mates.wanted = {"pung", "kong", "win"}
    claim = page.locator(".claim")
    while not claim.count():
        discard(page)  # even where I could win by myself, which would end my part
        expect(my_turn(page).or_(claim).first).to_be_visible(timeout=LIMIT_MS)
    reload_and_compare(page, claim)
    expect(offers(page).first).to_be_enabled()
    decide(page)
    expect(claim).to_have_count(0)


def test_bots_play_as_strong_as_chosen_and_say_so(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User]
) -> None:
    page = open_page()
    sign_in(page, member("anna"))
    open_table(page, practice.pk)
    page.get_by_label("机器人的水平").select_option("高手")
    start_with_bots(page)
    expect(page.get_by_text("高手·机器人乙").first).to_be_visible()
    assert list(HandSeat.objects.values_list("strength", flat=True)) == ["", "strong", "strong", "strong"]


def test_switches_answer_for_me_tiles_lie_as_i_like_and_both_are_kept(seated: tuple[Page, Mates]) -> None:
    """Pungs and kongs are waved away without a click, a tile is dragged aside and others out, and a reload forgets no setting."""
    page, mates = seated
    get_ready(page)
    choose_void(page)
    until_my_turn(page)
    settings = page.get_by_role("dialog", name="设置")
    page.keyboard.press("o")
    settings.get_by_role("switch", name="自动理牌").click()
    settings.get_by_role("switch", name="不碰不杠").click()
    page.keyboard.press("Escape")

    before = faces(page)
    drag(page, tiles(page).nth(0), tiles(page).nth(3))
    assert faces(page) == [*before[1:4], before[0], *before[4:]]

    # A mate discards what I could pung as soon as there is such a tile.
    mates.wanted = {"pung", "kong"}
    waved = Action.objects.filter(seat=0, source=Action.Source.PLAYER, kind="pass")
    by_hand = 0
    while waved.count() == by_hand:
        expect(asked(page)).to_be_visible(timeout=LIMIT_MS)
        if my_turn(page).count():
            discard_by_drag(page)
        else:  # a win, which is left to me
            page.locator(".act--pass").click()
            expect(offers(page)).to_have_count(0)
            by_hand += 1
    expect(page.locator(".own-meld")).to_have_count(0)

    page.reload()
    expect(tiles(page).first).to_be_visible()
    page.keyboard.press("o")
    expect(settings.get_by_role("switch", name="自动理牌")).not_to_be_checked()
    expect(settings.get_by_role("switch", name="不碰不杠")).to_be_checked()


def discard_by_drag(page: Page) -> None:
    tile = to_discard(page)
    key = tile.get_attribute("data-key")
    tile = page.locator(f".hand [data-key='{key}']")
    assert until_gone(tile, lambda: drag(page, tile), "discard") == "discard"


def faces(page: Page) -> list[str]:
    """The tiles of my hand from left to right."""
    held: list[str] = tiles(page).evaluate_all("all => all.map(tile => tile.dataset.tile)")
    return held


def drag(page: Page, tile: Locator, onto: Locator | None = None) -> None:
    """Drag a tile of the hand onto another one, or up and out of it."""
    box = tile.bounding_box(timeout=LIMIT_MS)
    other = onto.bounding_box() if onto else None
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y - (0 if onto else 30), steps=3)
    if other:
        page.mouse.move(other["x"] + other["width"] / 2, y, steps=3)
    else:
        page.mouse.move(x, y - box["height"], steps=3)
    page.mouse.up()


def test_a_finger_pulls_a_tile_out_of_the_hand(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User]
) -> None:
    page = open_page(size=PHONE)
    sign_in(page, member("anna"))
    open_table(page, practice.pk)
    start_with_bots(page)
    choose_void(page)
    until_my_turn(page)
    tile = page.locator(f".hand [data-key='{to_discard(page).get_attribute('data-key')}']")
    assert until_gone(tile, lambda: pull(page, tile), "discard") == "discard"
    assert Action.objects.filter(kind="discard", seat=0, source=Action.Source.PLAYER).count() == 1


def pull(page: Page, tile: Locator) -> None:
    """Pull a tile up by touch, as the browser takes it: it may take a finger that moves for scrolling."""
    box = tile.bounding_box(timeout=LIMIT_MS)
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    screen = page.context.new_cdp_session(page)
    screen.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for way in range(10, 110, 10):
        screen.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - way}]})
    screen.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    screen.detach()


def test_the_page_is_light_and_shows_at_once(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User], capsys: pytest.CaptureFixture[str]
) -> None:
    """All that a first visit loads, compressed; and how soon a slow phone paints something."""
    page = open_page(size=PHONE)
    sign_in(page, member("anna"))
    open_table(page, practice.pk)
    loaded: dict[str, int] = {}

    def weigh(answer: Response) -> None:
        loaded[answer.url] = len(gzip.compress(answer.body()))

    page.on("response", weigh)
    line = page.context.new_cdp_session(page)
    line.send("Network.setCacheDisabled", {"cacheDisabled": True})
    line.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    painted = []
    for _visit in range(3):
        page.reload(wait_until="networkidle")
        expect(page.locator(".lobby")).to_be_visible()
        painted.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    with capsys.disabled():
        print(
            f"\nthe table page: {sum(loaded.values()) / 1000:.0f} kB in {len(loaded)} files, first paint {min(painted):.0f} ms"
        )
    assert sum(loaded.values()) <= BUDGET


def reload_and_compare(page: Page, asks: object) -> None:
    before = shown(page)
    page.reload()
    expect(asks).to_be_visible()  # type: ignore[call-overload]
    assert shown(page) == before


def test_two_tabs_of_one_seat_agree_and_a_stale_click_is_refused(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User]
) -> None:
    page = open_page()
    sign_in(page, member("anna"))
    open_table(page, practice.pk)
    start_with_bots(page)
    second = page.context.new_page()
    second.goto(page.url)
    require_voids(second)
    expect_same(page, second)
    choose_void(second)
    until_my_turn(page)
    expect(my_turn(second)).to_be_visible()
    expect_same(page, second)

    # The second tab hangs while the first one discards, and then clicks what it still shows, before it has read the news.
    expect(pick(second)).to_have_count(1)
    second.evaluate(
        """() => { setTimeout(() => {
            const wakes = performance.now() + 3000;
            while (performance.now() < wakes);
            document.querySelector(".hand [aria-pressed=true]").click();
        }) }"""
    )
    before = Action.objects.filter(source=Action.Source.PLAYER, kind="discard").count()
    assert discard(page) == "discard"
    expect(second.locator(".notice--error")).to_contain_text("牌局已经往前走了")
    assert Action.objects.filter(source=Action.Source.PLAYER, kind="discard").count() == before + 1

    # Nothing broke: both go on, and the second one can play.
    expect(asked(second)).to_be_visible(timeout=LIMIT_MS)
    expect(asked(page)).to_be_visible()
    expect_same(page, second)
    assert decide(second) != "late"
    expect(asked(page).or_(settled(page)).first).to_be_visible(timeout=LIMIT_MS)
    expect_same(page, second)


def expect_same(page: Page, second: Page) -> None:
    """Both tabs come to show the same."""
    until = time.monotonic() + LIMIT_MS / 1000
    while shown(page) != shown(second) and time.monotonic() < until:
        page.wait_for_timeout(50)
    assert shown(page) == shown(second)


def test_escaping_asks_first_and_costs_what_it_said(
    open_page: Callable[..., Page], hall: Room, member: Callable[[str], User], seat_mates: Others
) -> None:
    """The one who leaves finds it in the wallet; another, who is still there, in the settlement."""
    anna, bao = member("anna"), member("bao")
    page, other = open_page(), open_page()
    sign_in(page, anna)
    sign_in(other, bao)
    table_id = open_table(page, hall.pk)
    seat_mates(table_id, anna, [member("chen"), member("deng")])
    other.goto(page.url)
    other.get_by_role("button", name="坐下").click()
    expect(page.get_by_text("已准备 2/4")).to_be_visible(timeout=LIMIT_MS)
    other.locator(".lobby [data-do=ready]").click()
    get_ready(page)
    choose_void(page)
    choose_void(other)
    until = time.monotonic() + LIMIT_MS / 1000
    while not (asked(page).count() or asked(other).count()) and time.monotonic() < until:
        page.wait_for_timeout(50)  # until the table waits for one of the two, so that nothing moves meanwhile
    before = Account.objects.get(holder=anna).balance

    dialog = page.get_by_role("dialog", name="离开这一局？")
    ask_to_leave(page)
    expect(dialog).to_contain_text("至少赔 48 倍")
    stated = re.search(r"合 ([\d,]+) 币", dialog.inner_text())
    assert stated is not None
    penalty = int(stated[1].replace(",", ""))
    seated = shown(page)
    dialog.get_by_role("button", name="留下").click()
    expect(dialog).to_be_hidden()
    assert shown(page) == seated
    assert Hand.objects.get().status == Hand.Status.PLAYING

    ask_to_leave(page)
    dialog.get_by_role("button", name="离开").click()
    page.wait_for_url("**/clubs/jinli/")
    hand = Hand.objects.get()
    mine = HandSeat.objects.get(hand=hand, membership__user=anna)
    assert (hand.end, mine.units) == ("escaped", -48)
    assert mine.coins == -penalty - (mine.rake or 0)
    assert Account.objects.get(holder=anna).balance == before + mine.coins
    assert number_in(page.locator(".purse")) == before + mine.coins
    page.goto("/clubs/jinli/statement/")
    assert number_in(page.locator(".stm li").first.locator(".num .amt")) == mine.coins

    panel = settled(other)
    expect(panel.locator(".round")).to_contain_text("逃跑")
    escaped = panel.get_by_role("region", name="Anna")
    expect(escaped.locator(".state")).to_have_text("逃跑")
    assert number_in(escaped.locator(".h__coins")) == mine.coins
    won = HandSeat.objects.get(hand=hand, membership__user=bao)
    assert number_in(panel.locator(".mine-top .coins")) == won.coins


def ask_to_leave(page: Page) -> None:
    page.get_by_role("button", name="菜单").click()
    page.get_by_role("dialog", name="菜单").get_by_role("button", name="离开座位").click()


def test_the_program_plays_for_who_is_late_and_a_click_takes_the_seat_back(
    open_page: Callable[..., Page], club: Club, operator: User, member: Callable[[str], User]
) -> None:
    terms = {
        "turn_seconds": 5,
        "claim_seconds": 3,
        "void_seconds": 5,
        "reserve_seconds": 0,
        "pacing": RoomTerms.Pacing.QUICK,
    }
    room = room_create(club=club, name="快房", actor=operator, preset="qq_dingque", bots_allowed=True, **terms)
    page = open_page()
    sign_in(page, member("anna"))
    open_table(page, room.pk)
    start_with_bots(page)
    banner = page.locator(".notice--auto")
    expect(banner).to_contain_text("托管中", timeout=LIMIT_MS)
    late = Action.objects.filter(source=Action.Source.TIMER)
    assert late.filter(kind="discard").exists()
    assert not Action.objects.filter(kind="void", seat=0, source=Action.Source.PLAYER).exists()

    page.locator(".river--me").click(force=True)  # anywhere will do
    expect(banner).to_have_count(0)
    expect(page.get_by_role("switch", name="托管")).not_to_be_checked()
    made = "late"
    while made != "discard":
        expect(asked(page)).to_be_visible(timeout=LIMIT_MS)
        made = decide(page)
    assert Action.objects.filter(source=Action.Source.PLAYER, kind="discard").exists()


def test_a_whole_hand_by_keyboard_and_every_decision(
    open_page: Callable[..., Page], practice: Room, member: Callable[[str], User], seat_mates: Others
) -> None:
    """The keys that the help tells: void suit, the ways to discard, pass, pung, kong and win. The last hand goes by
    keys from its void suit to the next one."""
    users = [member(name) for name in ("anna", "bao", "chen", "deng")]
    page = open_page()
    sign_in(page, users[0])
    table_id = open_table(page, practice.pk)
    in_thread(seat_all, table_id, users)
    mates = seat_mates(table_id, users[0], users[1:], ready=False)
    todo = {"void", "number", "arrows", "drawn", "pung", "kong", "hu", "pass"}
    for _hand in range(6):
        in_thread(deal_for, table_id, users, "kong" in todo)
        page.reload()
        expect(voids(page)).to_have_count(3, timeout=LIMIT_MS)
        page.keyboard.press("?")
        expect(page.locator("#help")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#help")).to_be_hidden()
        while todo and not settled(page).count():
            mates.wanted = {"pung", "kong"} if "kong" in todo else {"pung", "win"}
            todo.discard(press_decision(page, mates, todo))
            wait_for_decision(page)
        if not todo:
            break
    assert todo == set()
    finish_by_keyboard(page, mates)
    hand = Hand.objects.latest("pk")
    assert hand.status == Hand.Status.SETTLED
    sources = Action.objects.filter(hand=hand, seat=0).values_list("source", flat=True)
    assert set(sources) <= {Action.Source.PLAYER, Action.Source.TABLE}


def finish_by_keyboard(page: Page, mates: Mates) -> None:
    """Play on to the end, check the wall and get ready again."""
    while not settled(page).count():
        press_decision(page, mates, set())
        wait_for_decision(page)
    panel = settled(page)
    tab_to(page, panel.get_by_role("button", name="校验牌墙"))
    page.keyboard.press("Enter")
    expect(panel.get_by_text("牌墙无误")).to_be_visible()
    tab_to(page, panel.get_by_role("button", name="再来一局"))
    page.keyboard.press("Enter")
    expect(panel).to_be_hidden()


def tab_to(page: Page, what: Locator) -> None:
    for _step in range(20):
        page.keyboard.press("Tab")
        if what.evaluate("one => one === document.activeElement"):
            return
    pytest.fail(f"{what} is not reached by Tab")


def seat_all(table_id: int, users: Sequence[User]) -> None:
    for number, user in enumerate(users):
        seat_take(table_id=table_id, number=number, user=user)


def deal_for(table_id: int, users: Sequence[User], wants_kong: bool) -> None:
    """Deal until the first user has three suits to choose from, and with a kong three of a kind while another holds the
    fourth; other deals end by an escape."""
    while True:
        hand = hand_deal(table_id=table_id, users=users)
        mine, *others = folded(hand.pk).core.seats
        suits = [sum(mine.counts[9 * suit : 9 * suit + 9]) for suit in range(3)]
        kept = [tile for tile in range(27) if suits[tile // 9] > min(suits)]
        has_kong = any(mine.counts[tile] == 3 and any(other.counts[tile] for other in others) for tile in kept)
        if all(suits) and (has_kong or not wants_kong):
            return
        play.leave(hand_id=hand.pk, user=users[1], escape=True, command_id=str(uuid.uuid4()))
        seat_take(table_id=table_id, number=1, user=users[1])


def press_decision(page: Page, mates: Mates, todo: set[str]) -> str:
    """Make the decision that the page asks for by its key; returns what it was."""
    if voids(page).count():
        suit = page.locator("[data-do=void].is-least").get_attribute("data-suit")
        page.keyboard.press(str("mps".index(suit or "m") + 1))
        page.locator(".choose").wait_for(state="detached")
        return "void"
    if offers(page).count():
        return press_offer(page, mates, todo)
    return press_discard(page, mates, todo)


def press_offer(page: Page, mates: Mates, todo: set[str]) -> str:
    advice = mates.advice()
    helps = advice is not None and advice.kind == "pung" and "kong" not in todo

    def is_offered(kind: str) -> bool:
        return page.locator(f".acts:not(.is-new) .act--{kind}:enabled").count() > 0

    # A pair that is kept may become three of a kind, for the kong: a pung waits for it. A win ends my part, so it is last.
    wanted = {
        "hu": "kong" not in todo,
        "kong": True,
        "pung": "pass" not in todo and (helps or "pung" in todo),
        "pass": True,
    }
    wishes = [kind for kind, is_wanted in wanted.items() if is_wanted]
    kind = next((kind for kind in wishes if is_offered(kind)), "late")
    key = {"hu": "h", "kong": "k", "pung": "p", "pass": "Space", "late": "l"}[kind]
    several = page.locator(".act--kong").count() > 1 and kind == "kong"

    def press() -> None:
        page.keyboard.press(key)
        if several:
            page.keyboard.press("Enter")

    return until_gone(page.locator(".acts:not(.is-new)"), press, kind)


def press_discard(page: Page, mates: Mates, todo: set[str]) -> str:
    advice = mates.advice()
    hand: list[str] = tiles(page).evaluate_all("all => all.map(tile => tile.dataset.tile)")
    if advice is None or advice.tile not in hand:
        return "late"
    place = hand.index(advice.tile)
    may_discard_drawn = place == len(hand) - 1 or ("drawn" in todo and not page.locator(".hand .is-void").count())
    if page.locator(".hand .is-drawn").count() and may_discard_drawn:
        key = tiles(page).last.get_attribute("data-key")
        return until_gone(page.locator(f".hand [data-key='{key}']"), lambda: page.keyboard.press("d"), "drawn")
    if "arrows" in todo:
        page.keyboard.press("1")
        for _step in range(place):
            page.keyboard.press("ArrowRight")
    else:
        page.keyboard.press(PLACES[place])
    picked = page.locator(".hand [aria-pressed=true]")
    expect(picked).to_have_attribute("data-tile", advice.tile)
    way = "arrows" if "arrows" in todo else "number"
    return until_gone(picked, lambda: page.keyboard.press("Enter"), way)
