"""How pages are looked at: in which sizes, languages and schemes, and what must hold on each of them.

With SNAPSHOTS=folder every page that a test looks at is kept there as a picture, in all its looks: `make snapshots`.
"""

import os
from itertools import product
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

from tests.e2e.conftest import DESKTOP, PHONE

LANGUAGES = ("zh-hans", "en")
SCHEMES = ("light", "dark")

PICTURES = os.environ.get("SNAPSHOTS")
_TALLEST = 4000  # pixels of a picture
# Made elsewhere, as they come: the pages of the API's documentation, and a select of Django's admin that is searched in.
_NOT_OURS = [[".swagger-ui"], [".select2"]]
_axe = Axe()

# Until what appears is there: a colour that is still being faded in has no contrast.
_SETTLED = """() => Promise.allSettled(document.getAnimations()
    .filter(each => each.effect.getComputedTiming().endTime !== Infinity).map(each => each.finished))"""

# What stands out on the right, innermost, and the words in it.
_STICKS_OUT = """() => [...document.body.querySelectorAll("*")].filter(each => !each.children.length
    && each.getBoundingClientRect().right > document.documentElement.clientWidth && !each.closest(".scroll"))
    .map(each => `${each.tagName} ${each.className} ${each.textContent.trim().slice(0, 40)}`).slice(0, 5)"""


def looks(size: ViewportSize) -> list[tuple[str, str]]:
    """Languages and schemes: for pictures all of them, else those that meet every pair of size, language and scheme."""
    chosen = product(enumerate(LANGUAGES), enumerate(SCHEMES))
    odd = size is DESKTOP
    return [(language, scheme) for (i, language), (j, scheme) in chosen if PICTURES or (i + j) % 2 == odd]


def look(page: Page, language: str, scheme: str) -> None:
    """Show the pages that follow in a language and a scheme."""
    speak(page, language)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]


def speak(page: Page, language: str) -> None:
    address = page.evaluate("location.origin")
    page.context.add_cookies([{"name": "django_language", "value": language, "url": address}])


def check(page: Page, name: str) -> None:
    """A page as it stands: axe finds nothing serious, nothing scrolls sideways. Where pictures are wanted it is kept instead."""
    page.evaluate(_SETTLED)
    if PICTURES:
        _keep(page, name, Path(PICTURES))
        return
    serious = [
        f"{name}: {violation['id']}: {node['html'][:160]}"
        for violation in _axe.run(page, {"exclude": _NOT_OURS}).response["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
    assert not serious, "\n".join(serious)
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, f"{name} scrolls sideways by {width} px: {page.evaluate(_STICKS_OUT)}"


def _keep(page: Page, name: str, folder: Path) -> None:
    """The page from top to bottom: the window grows to its height, so that what is fixed to an edge stays there."""
    size = page.viewport_size
    assert size is not None
    language, is_dark, height = page.evaluate(
        "[document.documentElement.lang, matchMedia('(prefers-color-scheme: dark)').matches,"
        " document.documentElement.scrollHeight]"
    )
    page.set_viewport_size({"width": size["width"], "height": min(max(height, size["height"]), _TALLEST)})
    kind = "phone" if size["width"] == PHONE["width"] else "desktop"
    scheme = "dark" if is_dark else "light"
    page.screenshot(path=folder / f"{name}-{kind}-{language or 'none'}-{scheme}.png", animations="disabled")
    page.set_viewport_size(size)
