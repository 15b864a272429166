"""Tiles and their notation (RULES.md section 1).

A tile is an int 0..26: nine times its suit plus its rank minus one, suits in the order m 万, p 筒, s 条. Suits are
ints 0..2. In text a tile is "5m" and a group of tiles "123m44s".
"""

from collections.abc import Iterable
from typing import Final

SUITS: Final = "mps"
TILES: Final = range(27)
COPIES: Final = 4


class TileError(ValueError):
    """A text that is not tile notation."""


TILE_NAMES: Final = tuple(f"{rank}{suit}" for suit in SUITS for rank in range(1, 10))
TILE_OF_NAME: Final = {name: tile for tile, name in enumerate(TILE_NAMES)}

#: One copy of every tile, four times: the 108 tiles in order.
ALL_TILES: Final = tuple(tile for tile in TILES for _ in range(COPIES))


def suit_of(tile: int) -> int:
    return tile // 9


def rank_of(tile: int) -> int:
    """The rank as printed on the tile, 1..9."""
    return tile % 9 + 1


def tile_name(tile: int) -> str:
    return TILE_NAMES[tile]


def parse_tile(text: object) -> int:
    """The tile that a text such as "5m" names."""
    if not isinstance(text, str) or text not in TILE_OF_NAME:
        raise TileError(f"not a tile: {text!r}")
    return TILE_OF_NAME[text]


def parse_suit(text: object) -> int:
    """The suit that one of the letters m, p, s names."""
    if not isinstance(text, str) or len(text) != 1 or text not in SUITS:
        raise TileError(f"not a suit: {text!r}")
    return SUITS.index(text)


def parse_tiles(text: str) -> list[int]:
    """The tiles of a group such as "123m44s", in the order written."""
    tiles: list[int] = []
    ranks = ""
    for letter in text:
        if letter in SUITS:
            if not ranks:
                raise TileError(f"a suit without ranks in {text!r}")
            tiles += [TILE_OF_NAME[rank + letter] for rank in ranks]
            ranks = ""
        elif letter in "123456789":
            ranks += letter
        else:
            raise TileError(f"{letter!r} in {text!r} is neither a rank nor a suit")
    if ranks:
        raise TileError(f"no suit at the end of {text!r}")
    return tiles


def tiles_text(tiles: Iterable[int]) -> str:
    """The group notation of some tiles, sorted: "123m44s"."""
    text = ""
    ordered = sorted(tiles)
    for number, tile in enumerate(ordered):
        text += str(rank_of(tile))
        if number + 1 == len(ordered) or suit_of(ordered[number + 1]) != suit_of(tile):
            text += SUITS[suit_of(tile)]
    return text
