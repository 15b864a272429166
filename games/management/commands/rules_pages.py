"""Write docs/rules/: a page for each preset in Chinese and English, with worked hands and the tiles drawn.

The same data as the rules pages of the site, so nothing in the files is written by hand. A test of the gate compares them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils.translation import gettext, ngettext, override

from clubs.rooms import preset_name
from games.rulebook import Fan, Line, rules_line
from games.rules.ruleset import PRESETS
from games.rules.tiles import TILE_NAMES
from games.words import tile_words
from games.worked import Shown, Worked, book_of

FOLDER: Final = settings.BASE_DIR / "docs" / "rules"
_SPRITE: Final = settings.BASE_DIR / "static" / "tiles" / "tiles.svg"
#: Folders by language.
_LANGUAGES: Final = {"zh": "zh-hans", "en": "en"}
_NAMES: Final = {"zh": "中文", "en": "English"}
_MADE: Final = "<!-- Made by `python manage.py rules_pages`. -->"
_IVORY: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40" viewBox="-4 -4 68 88">'
    '<rect x="-3" y="-3" width="66" height="86" rx="8" fill="#FBF7EA" stroke="#C9BD98" stroke-width="2"/>'
)


class Command(BaseCommand):
    help = "Write the rules pages in docs/rules/ anew."

    def handle(self, *args: object, **options: object) -> None:
        for path, text in files().items():
            (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / path).write_text(text, encoding="utf-8")


def files() -> Mapping[str, str]:
    """The files that this command writes, by their path below docs/rules/."""
    made = {f"tiles/{name}.svg": text for name, text in _tile_pictures()}
    for folder, language in _LANGUAGES.items():
        with override(language):
            for preset in PRESETS:
                made[f"{folder}/{preset}.md"] = "\n".join([*_page(preset, folder), ""])
    made["README.md"] = "\n".join([*_index(), ""])
    return made


# --- Tiles ---------------------------------------------------------------------------------------------------------
def _tile_pictures() -> Iterator[tuple[str, str]]:
    """Each tile as a picture of its own: its face from the site's sprite, on ivory."""
    sprite = _SPRITE.read_text(encoding="utf-8")
    faces = dict(re.findall(r'<symbol id="(\w+)"[^>]*>(.*?)</symbol>', sprite, re.DOTALL))
    parts = {name: part for part, name in re.findall(r'(<path id="(\w+)"[^>]*/>)', sprite)}
    for name in TILE_NAMES:
        face = faces[f"{name[1]}{name[0]}a"]
        used = "".join(parts[each] for each in dict.fromkeys(re.findall(r'href="#(\w+)"', face)))
        drawn = re.sub(r"var\([\w-]+,\s*(#\w+)\)", r"\1", f"<defs>{used}</defs>{face}")
        yield name, f"{_IVORY}{drawn}</svg>\n"


def _tiles(names: list[str]) -> str:
    return "".join(f"![{tile_words(name)}](../tiles/{name}.svg)" for name in names)


# --- Pages ---------------------------------------------------------------------------------------------------------
def _index() -> Iterator[str]:
    """The front page, in both languages."""
    yield from (_MADE, "# 规则 · Rules", "")
    for folder, language in _LANGUAGES.items():
        with override(language):
            heading = gettext("每套规则，带算好的牌例")
            yield from (f"## {heading}", "")
            for preset in PRESETS:
                yield f"- [{preset_name(preset)}]({folder}/{preset}.md): {rules_line(PRESETS[preset].ruleset)}"
            yield ""
    yield from ("## For developers", "")
    yield "- [RULES.md](RULES.md): what the program must compute"
    yield "- [RECORD.md](RECORD.md): scoring lines and hand records"
    yield "- [CHOICES.md](CHOICES.md): what is decided where those are silent"


def _page(preset: str, folder: str) -> Iterator[str]:
    ruleset = PRESETS[preset].ruleset
    book = book_of(ruleset)
    other = next(language for language in _LANGUAGES if language != folder)
    yield from (_MADE, f"# {preset_name(preset)}", "")
    yield from (
        f"{rules_line(ruleset)} · [{_NAMES[other]}](../{other}/{preset}.md) · [{gettext('全部规则')}](../README.md)",
        "",
    )
    yield from (f"## {gettext('一分钟看懂')}", "")
    yield from (f"{number}. {sentence}" for number, sentence in enumerate(book.basics, start=1))
    yield from ("", f"## {gettext('番和倍数')}", "")
    yield from _fans([fan for fan, _sample in book.fans])
    for section in book.sections:
        yield from ("", f"## {section.heading}", "")
        yield from (f"- **{line.name}**: {line.words}{_units(line)}" for line in section.lines)
    yield from ("", f"## {gettext('算给你看')}", "", gettext("牌例都由算牌的程序按这套规则算出，数字是倍。"))
    for worked in book.worked:
        yield from ("", f"### {worked.heading}")
        for example in worked.examples:
            yield from _worked(example)
    yield from ("", f"## {gettext('全部选项')}", "")
    yield from (f"- {line.name}: {line.words}" for line in book.options)


def _fans(fans: list[Fan]) -> Iterator[str]:
    names = (gettext("番"), gettext("番型"), gettext("倍"), gettext("点炮付"), gettext("自摸每家付"))
    yield f"| {' | '.join(names)} |"
    yield "|--:|---|--:|--:|--:|"
    for row in fans:
        yield f"| {row.fan} | {row.names} | {row.multiplier} | {row.discard} | {row.self_draw} |"
    yield from ("", gettext("一手牌只算番最高的一种番型。"))


def _units(line: Line) -> str:
    if line.units is None:
        return ""
    if not line.units:
        return f" ({gettext('不罚')})"
    return f" ({ngettext('%(n)s 倍', '%(n)s 倍', line.units) % {'n': line.units}})"


def _worked(example: Worked) -> Iterator[str]:
    yield from ("", f"#### {example.heading}", "")
    if example.meaning:
        yield from (example.meaning, "")
    for shown in example.hands:
        yield from (_hand(shown), "")
    yield from (f"- {sentence}" for sentence in example.lines)


def _hand(shown: Shown) -> str:
    parts = [
        shown.name,
        *map(_tiles, shown.melds),
        _tiles(shown.tiles),
        f"+ {_tiles([shown.win])}" if shown.win else "",
    ]
    return " ".join(part for part in parts if part)
