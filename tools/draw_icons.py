"""Draw the icons of the installed site, static/icons/app-*.png, from its mark.

python -m tools.draw_icons, with the packages of the tests and Chromium (`CHROMIUM=/path` names it).
"""

import os
import shutil
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

STATIC: Final = Path(__file__).resolve().parent.parent / "static"
FELT: Final = "#0A4538"
# file: side in pixels, the mark's share of it (a maskable icon is cut to a circle of 80 %), the corners' share
ICONS: Final = {
    "app-192.png": (192, 0.66, 0.22),
    "app-512.png": (512, 0.66, 0.22),
    "app-512-maskable.png": (512, 0.52, 0.0),
    "app-180.png": (180, 0.64, 0.0),
}


def draw_icons() -> None:
    """Write every icon anew."""
    mark = (STATIC / "site" / "mark.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, (side, share, corner) in ICONS.items():
            page = browser.new_page(viewport={"width": side, "height": side})
            page.set_content(
                f'<body style="margin:0"><div style="width:{side}px;height:{side}px;display:grid;place-items:center;'
                f'background:{FELT};border-radius:{corner * side}px">{mark}</div>'
            )
            page.locator("svg").evaluate(f"drawn => drawn.setAttribute('height', {round(side * share)})")
            page.screenshot(path=STATIC / "icons" / name, omit_background=True)
        browser.close()


if __name__ == "__main__":
    draw_icons()
