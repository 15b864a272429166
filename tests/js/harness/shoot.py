"""Take pictures of the table in the states of frames.py, at the sizes that the design names, without a server.

`python tests/js/harness/shoot.py OUT_DIRECTORY [state …] [--sizes portrait,landscape,desktop] [--scheme dark]`
"""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.urls import path
from playwright.sync_api import Browser, Route, WebSocketRoute, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
SIZES = {
    "portrait": (390, 844),
    "landscape": (844, 390),
    "desktop": (1440, 900),
    "360x640": (360, 640),
    "390x664": (390, 664),
    "667x375": (667, 375),
    "768x1024": (768, 1024),
    "1024x768": (1024, 768),
    "1920x1080": (1920, 1080),
}
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def nowhere(*_: Any, **__: Any) -> None: ...


urlpatterns = [
    path("clubs/<slug:slug>/", nowhere, name="lobby"),
    path("rooms/<int:room_id>/rules/", nowhere, name="room_rules"),
    path("jsi18n/", nowhere, name="javascript_catalog"),
]


def page_html() -> str:
    """The table page as its template gives it."""
    settings.configure(
        USE_I18N=True,
        LANGUAGE_CODE="zh-hans",
        STATIC_URL="/static/",
        STATICFILES_DIRS=[ROOT / "static"],
        ROOT_URLCONF=__name__,
        INSTALLED_APPS=["django.contrib.staticfiles"],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "DIRS": [ROOT / "templates"],
                "OPTIONS": {"libraries": {"sprites": "games.templatetags.sprites"}},
            }
        ],
    )
    import django
    from django.template.loader import render_to_string

    django.setup()
    room = SimpleNamespace(name="锦江厅", club=SimpleNamespace(slug="jinjiang"))
    return render_to_string("games/table.html", {"table": SimpleNamespace(pk=1, room=room, room_id=1)})


def frames_of(kept: Path) -> dict[str, list[Any]]:
    """The frames of all states; played once and kept in a file."""
    if not kept.exists():
        from frames import make

        kept.write_text(json.dumps(make(), ensure_ascii=False))
    return json.loads(kept.read_text())


def now_shifted(frames: list[Any]) -> list[Any]:
    """The frames with their clock set to now."""
    shifted = json.loads(json.dumps(frames))
    for frame in shifted:
        if (frame.get("hand") or {}).get("deadline"):
            before = datetime.fromisoformat(frame["hand"]["now"])
            now = datetime.now(UTC)
            frame["hand"]["deadline"] = (datetime.fromisoformat(frame["hand"]["deadline"]) - before + now).isoformat()
            frame["hand"]["now"] = now.isoformat()
    return shifted


def open_table(
    browser: Browser, html: str, frames: list[Any], size: tuple[int, int], scheme: str = "light", scale: float = 1
) -> Any:
    """A page whose socket answers with frames; its `sent` collects what the page sends."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, device_scale_factor=scale
    )

    def serve(route: Route) -> None:
        address = route.request.url.split("table.test", 1)[1].split("?")[0]
        if address.startswith("/static/"):
            file = ROOT / "static" / address.removeprefix("/static/")
            return route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])
        if address.startswith("/jsi18n"):
            return route.fulfill(body="", content_type="text/javascript")
        return route.fulfill(body=html, content_type="text/html; charset=utf-8")

    def talk(socket: WebSocketRoute) -> None:
        page.socket = socket

        def heard(message: str) -> None:
            frame = json.loads(message)
            page.sent.append(frame)
            if frame["type"] == "ping":
                socket.send(json.dumps({"type": "pong"}))

        socket.on_message(heard)
        for frame in now_shifted(frames):
            socket.send(json.dumps(frame))

    page.sent = []
    page.on(
        "console", lambda message: print("  console:", message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: print("  error:", error))
    page.route("**/*", serve)
    page.route_web_socket("**/ws/**", talk)
    page.goto("http://table.test/")
    page.wait_for_selector("#table .bar")
    page.wait_for_timeout(500)
    return page


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("states", nargs="*")
    parser.add_argument("--sizes", default="portrait,landscape,desktop")
    parser.add_argument("--scheme", default="light")
    parser.add_argument("--pick", default="", help="key of the tile to select")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    html = page_html()
    frames = frames_of(options.out / "frames.json")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for state in options.states or frames:
            for size in options.sizes.split(","):
                page = open_table(browser, html, frames[state], SIZES[size], options.scheme)
                if options.pick:
                    page.locator(f".hand [data-key^='{options.pick}']").first.click()
                    page.wait_for_timeout(200)
                wide = page.evaluate(
                    "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
                )
                if any(over > 0 for over in wide):
                    print(state, size, "scrolls by", wide)
                page.screenshot(path=options.out / f"{state}--{size}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
