"""Records in a browser: the replay by keys and by its address, a report and its answer, figures, boards, filters."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from accounts.models import User
from games.models import Hand, Report
from tests.e2e.conftest import DESKTOP, PHONE, sign_in

ACROSS: ViewportSize = {"width": 844, "height": 390}

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


def test_a_replay_goes_by_keys_and_its_address_names_the_moment(open_page: Callable[..., Page], hand: Hand) -> None:
    page = open_page()
    sign_in(page, User.objects.get(username="anna"))
    rows = list(hand.actions.values_list("seq", flat=True))
    row = rows[len(rows) // 2]
    page.goto(f"/hands/{hand.pk}/#{row}")
    scrub = page.locator("#scrub")
    at = int(scrub.input_value())
    assert 0 < at < int(scrub.get_attribute("max") or 0)
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(scrub).to_have_value(str(at + 1))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(scrub).to_have_value(str(at - 1))
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#log .now")).to_have_class("key now")
    page.keyboard.press("2")
    expect(page.locator("#eyes")).to_have_value("1")
    hidden = page.locator("#board .seat:not([aria-label=Bao]) .rack .tile.back")
    expect(hidden.first).to_be_visible()
    address = page.url
    assert "?eyes=1#" in address
    page.goto("/history/")
    page.goto(address)
    expect(page.locator("#eyes")).to_have_value("1")
    assert page.url == address
    page.evaluate(f"location.hash = '#{row}'")
    expect(scrub).to_have_value(str(at))
    page.locator("[data-speed='4']").click()
    page.locator("h1").click()
    page.keyboard.press(" ")
    expect(page.locator("[data-key=play]")).to_have_attribute("aria-pressed", "true")
    expect(scrub).not_to_have_value(str(at))
    with page.expect_download() as download:
        page.locator("a[download]").click()
    assert download.value.suggested_filename == f"hand-{hand.pk}.json"


@pytest.mark.parametrize("size", [PHONE, ACROSS, DESKTOP], ids=["phone", "across", "desktop"])
def test_the_controls_of_a_replay_are_at_hand(open_page: Callable[..., Page], hand: Hand, size: ViewportSize) -> None:
    """Without scrolling, and nothing lies over them."""
    page = open_page(size=size)
    sign_in(page, User.objects.get(username="anna"))
    page.goto(f"/hands/{hand.pk}/")
    scrub = page.locator("#scrub")
    for control in (scrub, page.locator("[data-key=back]"), page.locator("#eyes")):
        expect(control).to_be_in_viewport(ratio=1)
    last = scrub.get_attribute("max")
    expect(scrub).to_have_value(str(last))
    page.mouse.click(*middle(page.locator("[data-key=prev]")))
    expect(scrub).to_have_value(str(int(last or 0) - 1))
    assert page.evaluate("scrollY") == 0


def middle(what: Locator) -> tuple[float, float]:
    box = what.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_report_reaches_the_operator_and_its_answer_the_reporter(
    open_page: Callable[..., Page], hand: Hand, operator: User
) -> None:
    page = open_page(size=PHONE)
    sign_in(page, User.objects.get(username="anna"))
    seq = hand.actions.order_by("-seq")[10].seq
    page.goto(f"/hands/{hand.pk}/#{seq}")
    page.locator("#to-report").click()
    page.locator("[name=kind]").select_option("fault")
    page.locator("[name=words]").fill("点了两次胡都没有反应")
    page.locator("main .btn.primary").click()
    expect(page.get_by_text("申诉中")).to_be_visible()
    report = Report.objects.get(hand=hand)
    assert report.is_open and report.seq is not None and report.seq <= seq
    page.goto("/history/")
    expect(page.locator(".hist .chip.info")).to_have_text("申诉中")

    desk = open_page()
    sign_in(desk, operator)
    desk.goto("/clubs/jinli/reports/")
    expect(desk.get_by_text("点了两次胡都没有反应")).to_be_visible()
    desk.get_by_role("link", name="程序或网络故障").click()
    desk.locator("[name=note]").fill("查过记录，是网络断了")
    desk.get_by_role("button", name="答复并结案").click()
    expect(desk.get_by_text("没有待处理的申诉")).to_be_visible()

    page.goto(f"/hands/{hand.pk}/")
    expect(page.get_by_text("查过记录，是网络断了")).to_be_visible()
