"""The drawings: each file is sound, and what pages and scripts name in them is there."""

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
