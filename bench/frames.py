"""How smoothly the table moves on a slow phone: `python -m bench.frames`, with a Chromium on the PATH or named by CHROMIUM.

A hand against three bots, played for the person at a phone's screen by the program; the browser's processor is slowed four times.
Told is what each step costs the page's main thread, from its frame on the socket to the end of what moves, and how many frames of
the screen came late meanwhile. It wants the machine for itself: without a graphics card its processor draws the frames, too.
"""

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import django
from playwright.sync_api import ViewportSize, sync_playwright

from bench.site import Server, own_file

PORT: Final = 8765
SLOWER: Final = 4  # times
SECONDS: Final = 60
MOVES: Final = 0.42  # seconds in which what a step moves comes to rest
LATE: Final = 25.0  # milliseconds since the frame before: one was left out
CATEGORIES: Final = [
    "toplevel",
    "devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "blink.user_timing",
    "cc",
]
WORK: Final = {
    "FunctionCall": "script",
    "UpdateLayoutTree": "style",
    "Layout": "layout",
    "PrePaint": "paint",
    "Paint": "paint",
    "Layerize": "paint",
}

# Marks every frame of the table's socket before the page gets it.
_MARKED = """WebSocket = class extends WebSocket {
    constructor(url) { super(url); this.addEventListener("message", () => performance.mark("step")); }
}"""

Event = dict[str, Any]


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("needs a Chromium")
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    with own_file():
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        path, cookie = table_with_bots()
        server = Server(PORT)
        try:
            tell(watch(chromium, server.url, path, cookie))
        finally:
            server.stop()


def table_with_bots() -> tuple[str, str]:
    """A table where one person sits: its address, and that person's cookie."""
    from bench.club import BenchClub, cookie_of
    from clubs.models import RoomTerms
    from clubs.rooms import room_create
    from games.tables import table_open

    club = BenchClub()
    terms = {"pacing": RoomTerms.Pacing.QUICK, "bots_allowed": True}
    room = room_create(club=club.club, name="练习房", actor=club.operator, preset="qq_dingque", **terms)
    user = club.member("anna")
    return f"/tables/{table_open(room=room, user=user).pk}/", cookie_of(user)


def watch(chromium: str, url: str, path: str, cookie: str) -> list[Event]:
    """Let a hand be played, and return the events of its trace."""
    name, value = cookie.split("=", 1)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        phone: ViewportSize = {"width": 390, "height": 844}
        context = browser.new_context(
            base_url=url, viewport=phone, device_scale_factor=2, has_touch=True, is_mobile=True
        )
        context.add_cookies([{"name": name, "value": value, "url": url}])
        page = context.new_page()
        page.add_init_script(_MARKED)
        page.goto(path)
        page.locator("[data-do=bots]").tap()
        page.locator(".lobby [data-do=ready]").tap()
        page.locator(".hand [data-do=tile]").first.wait_for()
        advised = page.locator("[data-do=void].is-least")
        advised.or_(page.locator(".me .badge[data-suit]")).first.wait_for()  # who was dealt two suits is not asked
        if advised.count():
            advised.tap()
        page.locator(".choose").wait_for(state="detached")
        page.locator("[data-do=auto]").tap()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        browser.start_tracing(page=page, categories=CATEGORIES)
        for _second in range(SECONDS):
            if page.locator("#settle:not([hidden])").count():
                break
            page.wait_for_timeout(1000)
        trace: list[Event] = json.loads(browser.stop_tracing())["traceEvents"]
        browser.close()
    return sorted(trace, key=lambda event: event["ts"])


def tell(trace: Sequence[Event]) -> None:
    marks = [event for event in trace if event["name"] == "step" and event["cat"] == "blink.user_timing"]
    page = marks[0]["pid"]
    own = [event for event in trace if event["pid"] == page and event["tid"] == marks[0]["tid"] and event["ph"] == "X"]
    longest, sums, busy = [], Counter[str](), []
    for mark in marks:
        during = [event for event in own if _follows(event, mark)]
        tasks = [event["dur"] / 1000 for event in during if event["name"].endswith("RunTask")]
        longest.append(max(tasks, default=0.0))
        busy.append(sum(tasks))
        for event in during:
            if event["name"] in WORK:
                sums[WORK[event["name"]]] += event["dur"] / 1000
    print(f"{len(marks)} steps, processor {SLOWER} times slowed, ms of the main thread a step")
    print(
        f"  longest task     p50 {_part(longest, 0.5):.1f}, p90 {_part(longest, 0.9):.1f}, longest {max(longest):.1f}"
    )
    print(f"  in all           p50 {_part(busy, 0.5):.1f}, p90 {_part(busy, 0.9):.1f}")
    print("  on the average  ", ", ".join(f"{name} {total / len(marks):.1f}" for name, total in sums.most_common()))
    drawn = [event for event in trace if event["name"] == "DrawFrame" and event["pid"] == page]
    gaps = [
        (event["ts"] - before["ts"]) / 1000
        for before, event in pairwise(drawn)
        if any(_follows(before, mark) and _follows(event, mark) for mark in marks)
    ]
    late = [gap for gap in gaps if gap > LATE]
    print(
        f"  {len(late)} of {len(gaps)} frames of the screen late ({len(late) / len(gaps):.1%}), at most {max(gaps):.0f} ms"
    )


def _follows(event: Event, mark: Event) -> bool:
    passed: float = (event["ts"] + event.get("dur", 0) - mark["ts"]) / 1e6
    return 0 <= passed <= MOVES


def _part(values: Sequence[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


if __name__ == "__main__":
    main()
