"""Tiles and what happens with them, on pages."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template

from games import words
from games.rules.tiles import parse_tile, parse_tiles, tile_name

register = template.Library()

register.filter("tile_words", words.tile_words)
register.filter("suit_words", words.suit_words)
register.filter("win_words", words.win_words)
register.filter("pattern_name", words.pattern_name)
register.filter("sources_words", words.sources_words)


@register.inclusion_tag("components/tiles.html")
def tiles(names: Iterable[str], *, size: str = "", win: str | None = None) -> Mapping[str, Any]:
    """A row of tiles ("5m" …), read out as one picture; `win` is the winning tile, set apart at the end."""
    names = list(names)
    label = words.tiles_words(names) if win is None else words.tiles_won_words(names, win)
    return {"tiles": names, "size": size, "win": win, "label": label}


@register.inclusion_tag("components/won.html")
def won_tiles(text: str, win: str, *, size: str = "") -> Mapping[str, Any]:
    """The hand of a winner ("123m55p 666m 8888p": concealed tiles, then melds) and the winning tile, read out as one picture."""
    groups = [[tile_name(tile) for tile in parse_tiles(group)] for group in text.split(" ")]
    label = words.tiles_won_words((tile for group in groups for tile in group), win)
    return {"groups": groups, "win": tile_name(parse_tile(win)), "size": size, "label": label}
