"""Drawings and style sheets: a drawing is sound, what pages, scripts and sheets name is there, and no token stands idle."""

import re
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "static"


def ids(path: str) -> set[str]:
    return {element.attrib["id"] for element in ElementTree.parse(STATIC / path).iter() if "id" in element.attrib}


def test_every_drawing_is_xml() -> None:
    drawings = list(STATIC.rglob("*.svg"))
    assert len(drawings) >= 4
    for drawing in drawings:
        ElementTree.parse(drawing)


def test_the_parts_of_a_drawing_are_in_it() -> None:
    for drawing in STATIC.rglob("*.svg"):
        named = set(re.findall(r'href="#([\w-]+)"', drawing.read_text(encoding="utf-8")))
        assert named <= ids(str(drawing.relative_to(STATIC))), drawing


def test_every_icon_that_a_page_names_is_drawn() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "templates").rglob("*.html"))
    named = set(re.findall(r'components/icon\.html" with name="(\w+)"', pages))
    assert named
    assert {f"i-{name}" for name in named} <= ids("site/icons.svg")


def test_every_property_that_is_used_is_declared_and_every_token_is_used() -> None:
    paths = [
        *STATIC.rglob("*.css"),
        *STATIC.rglob("*.js"),
        *STATIC.rglob("*.svg"),
        *(ROOT / "templates").rglob("*.html"),
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    used = set(re.findall(r"var\((--[\w-]+)", text))
    tokens = set(re.findall(r"(--[\w-]+):", (STATIC / "css/tokens.css").read_text(encoding="utf-8")))
    assert tokens and tokens - used == set()
    assert used - set(re.findall(r"(--[\w-]+)[\"']?\s*[:,]", text)) == set()
