"""The calculator in a browser, by nobody in particular: taps and keys, a link, and what it says when it cannot ask."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, ViewportSize, expect

from accounts.models import User
from clubs.models import Room
from games.rules.options import OPTIONS
from games.rules.ruleset import PRESETS
from tests.e2e.conftest import DESKTOP, PHONE, sign_in

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


def put(page: Page, *tiles: str, kind: str = "hand") -> None:
    page.locator(f"[data-do=kind][data-kind={kind}]").click()
    for tile in tiles:
        page.locator(f"[data-do=add][data-tile='{tile}']").click()


def verdict(page: Page) -> Locator:
    return page.locator(".verdict")


def test_a_hand_tapped_on_a_phone(live_asgi: str, open_page: Callable[..., Page]) -> None:
    page = open_page(size=PHONE)
    page.goto("/accounts/login/")
    page.get_by_role("banner").get_by_role("link", name="算番器").tap()
    page.get_by_label("规则").select_option(label="成都底金")
    expect(verdict(page)).to_contain_text("还差 13 张")
    put(page, "5p", kind="pung")
    put(page, "1p", "1p", "9p", "9p", "2s", "2s", "2s", "8s", "8s")
    expect(verdict(page)).to_contain_text("还差 1 张")
    put(page, "8s")
    waits = page.locator("[data-list=waits] li")
    expect(waits).to_contain_text(["一筒剩 2 张1 番2 倍", "九筒剩 2 张1 番2 倍"])
    expect(verdict(page)).to_contain_text("听 一筒、九筒")
    waits.nth(1).get_by_role("button").tap()
    expect(verdict(page)).to_contain_text("对对胡1 番 · 2 倍")
    expect(page.locator("[data-list=items] li")).to_have_text(["对对胡1 番"])
    expect(page.locator("[data-list=payments] li")).to_contain_text(["胡牌 点炮的人付1 番是 2 倍2 倍2 分"])
    page.get_by_role("button", name="自摸", exact=True).tap()
    expect(page.locator("[data-list=payments] li")).to_contain_text(["胡牌 没胡的每家付"])
    page.get_by_role("button", name="拿掉胡张九筒").tap()
    expect(verdict(page)).to_contain_text("听 一筒、九筒")
    page.get_by_role("button", name="拿掉碰 五筒").tap()
    expect(verdict(page)).to_contain_text("还差 3 张")


def test_kongs_flower_and_void_suit_item_by_item(live_asgi: str, open_page: Callable[..., Page]) -> None:
    page = open_page(size=PHONE)
    page.goto("/calculator/?preset=dingzhang")
    put(page, "3p", kind="concealed_kong")
    put(page, "5p", kind="exposed_kong")
    put(page, "2s", kind="pung")
    put(page, "9p", "8s", "8s", "8s", "9p")
    page.get_by_role("button", name="自摸", exact=True).tap()
    page.get_by_role("button", name="杠上花").tap()
    expect(page.locator("[data-list=items] li")).to_have_text(["对对胡2 番", "暗杠不加番", "直杠不加番", "杠上花1 番"])
    expect(page.locator("[data-list=payments] li").first).to_contain_text("点杠的人付")
    page.get_by_role("button", name="缺条").tap()
    expect(page.locator(".calc-result")).to_contain_text("手里还有定缺的条")
    for kind, words in (("hand", "满了"), ("win", "三筒只有四张"), ("pung", "放不下")):
        page.locator(f"[data-do=kind][data-kind={kind}]").tap()
        tile = page.locator("[data-do=add][data-tile='3p']" if kind == "win" else "[data-do=add][data-tile='7m']")
        expect(tile).to_be_disabled()
        tile.tap(force=True)  # it says why
        expect(verdict(page)).to_contain_text(words)


def test_the_address_is_the_hand(live_asgi: str, open_page: Callable[..., Page]) -> None:
    page = open_page(size=DESKTOP)
    page.goto("/calculator/")
    page.get_by_role("button", name="看个例子").click()
    expect(verdict(page)).to_contain_text("对对胡")
    page.get_by_label("规则").select_option(label="JJ 四川麻将")
    expect(page.locator(".calc-sum")).to_contain_text("倍")
    said = page.locator(".calc-sum").inner_text()
    assert parse_qs(urlsplit(page.url).query) == {
        "preset": ["jj"],
        "hand": ["1199p222888s"],
        "melds": ["pung-5p"],
        "win": ["1p"],
    }
    other = open_page(size=PHONE)
    other.goto(page.url)
    expect(other.locator(".calc-sum")).to_have_text(said, use_inner_text=True)
    other.get_by_role("button", name="English").click()
    expect(other.locator("html")).to_have_attribute("lang", "en")
    expect(verdict(other)).to_contain_text("All triplets")
    other.get_by_role("button", name="Clear").click()
    expect(verdict(other)).to_contain_text("13 tiles missing")


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_options_that_differ_from_the_preset(
    live_asgi: str, open_page: Callable[..., Page], size: ViewportSize, tmp_path: Path
) -> None:
    page = open_page(size=size)
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request.post_data_json) if request.method == "POST" else None)
    page.goto("/calculator/?preset=chengdu&hand=1199p222888s&melds=pung-5p&win=1p")
    expect(verdict(page)).to_contain_text("对对胡1 番 · 2 倍")
    page.get_by_text("番和全部选项").click()
    for option in OPTIONS.values():
        for row in option.rows or [""]:
            expect(page.locator(f"[data-option={option.name}][data-row='{row}']")).to_have_accessible_name(
                re.compile(".")
            )

    fan = page.get_by_role("group", name=OPTIONS["patterns"].chinese).get_by_label("对对胡")
    fan.select_option(label="3")
    expect(verdict(page)).to_contain_text("对对胡3 番 · 8 倍")
    expect(page.locator("#ruleset option:checked")).to_have_text("成都底金（改过）")
    expect(page.locator(".calc-opt .field", has=page.locator("#option-patterns-duiduihu"))).to_contain_text("预设：1")
    patterns = {**PRESETS["chengdu"].ruleset.options()["patterns"], "duiduihu": 3}
    assert asked[-1]["ruleset"] == {"preset": "chengdu", "options": {"patterns": patterns}}
    assert json.loads(parse_qs(urlsplit(page.url).query)["options"][0]) == {"patterns": patterns}

    page.get_by_label(OPTIONS["base_points"].chinese).fill("20000")
    page.get_by_label(OPTIONS["base_points"].chinese).press("Tab")
    expect(page.locator(".calc-opt", has=page.locator("#option-base_points"))).to_contain_text("1 到 10000 的整数")
    expect(page.locator("#option-base_points")).to_have_attribute("aria-invalid", "true")
    expect(verdict(page)).to_contain_text("允许的是：1 到 10000 的整数")
    page.screenshot(path=tmp_path / "calculator-options.png", full_page=True)
    page.get_by_label(OPTIONS["base_points"].chinese).fill("7")
    page.get_by_label(OPTIONS["base_points"].chinese).press("Tab")
    expect(page.locator("[data-list=payments] li")).to_contain_text(["8 倍56 分"])

    page.reload()
    expect(page.locator("[data-list=payments] li")).to_contain_text(["8 倍56 分"])
    page.get_by_label("规则", exact=True).select_option(label="成都底金")
    expect(verdict(page)).to_contain_text("对对胡1 番 · 2 倍")
    page.get_by_text("番和全部选项").click()
    expect(page.locator("#option-base_points")).to_have_value("1")
    assert asked[-1]["ruleset"] == "chengdu"


def test_the_rules_of_a_room_lead_there(
    hall: Room, member: Callable[[str], User], open_page: Callable[..., Page]
) -> None:
    page = open_page(size=PHONE)
    sign_in(page, member("anna"))
    page.goto(f"/rooms/{hall.pk}/rules/")
    page.get_by_role("link", name="用算番器试试").tap()
    expect(page.locator("#ruleset option:checked")).to_have_text("血战定缺 · 承包制")


def test_by_keyboard(live_asgi: str, open_page: Callable[..., Page]) -> None:
    page = open_page(size=DESKTOP)
    page.goto("/calculator/?preset=chengdu")
    page.locator("[data-do=add][tabindex='0']").focus()
    for _ in range(3):
        page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.locator(".calc-hand .tile")).to_have_count(4)
    expect(page.locator(":focus")).to_have_attribute("data-tile", "2p")
    page.keyboard.press("Backspace")
    expect(page.locator(".calc-hand .tile")).to_have_count(3)
    page.get_by_role("button", name="拿掉一万").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(":focus")).to_have_attribute("data-do", "remove")


def test_it_asks_again_when_the_server_could_not_answer(live_asgi: str, open_page: Callable[..., Page]) -> None:
    page = open_page(size=PHONE)
    lost = iter([True])

    def first_is_lost(route: Route) -> None:
        if next(lost, False):
            route.fulfill(body="")
        else:
            route.continue_()

    page.route("**/api/v1/score/**", first_is_lost)
    page.goto("/calculator/?preset=chengdu&hand=1199p222888s&melds=pung-5p")
    expect(verdict(page)).to_contain_text("没连上服务器")
    page.get_by_role("button", name="再试一次").tap()
    expect(verdict(page)).to_contain_text("听 一筒、九筒")
