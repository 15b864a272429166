"""Tiles and what happens with them, on pages."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template

from games import words

register = template.Library()

register.filter("tile_words", words.tile_words)
register.filter("suit_words", words.suit_words)
register.filter("win_words", words.win_words)
register.filter("pattern_name", words.pattern_name)


@register.inclusion_tag("components/tiles.html")
def tiles(names: Iterable[str], *, size: str = "", win: str | None = None) -> Mapping[str, Any]:
    """A row of tiles ("5m" …), read out as one picture; `win` is the winning tile, set apart at the end."""
    names = list(names)
    label = words.tiles_words(names) if win is None else words.tiles_won_words(names, win)
    return {"tiles": names, "size": size, "win": win, "label": label}
