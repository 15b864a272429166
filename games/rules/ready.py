"""Waits, ready hands and huazhu (RULES.md sections 3, 9 and 11)."""

from typing import NamedTuple

from .holding import Holding
from .patterns import Moment, Score, score
from .ruleset import Ruleset
from .shapes import count_in, shape_waits, tiles_of_mask
from .tiles import COPIES, TILES


class Wait(NamedTuple):
    tile: int
    score: Score


def waits(ruleset: Ruleset, holding: Holding) -> list[Wait]:
    """The tiles that a hand waits for, with what each comes to as a discard win with nothing special.

    A wait is a tile of which the seat itself holds fewer than four. Where there is none the hand is not ready.
    """
    found = []
    for tile in tiles_of_mask(wait_mask(ruleset, holding)):
        tile_score = score(ruleset, holding.with_tile(tile), Moment())
        if tile_score is not None:
            found.append(Wait(tile, tile_score))
    return found


def wait_mask(ruleset: Ruleset, holding: Holding) -> int:
    """The tiles (a bit mask) that complete a winning shape of at most two suits without the void suit.

    These are the waits, and also tiles for which no pattern of the fan table holds, if it is such a table.
    """
    if ruleset.wild is not None and count_in(holding.codes, ruleset.wild):
        return _wait_mask_with_wilds(ruleset, holding)
    if holding.holds_void(ruleset.wild) or len(holding.natural_suits(ruleset.wild)) == 3:
        return 0
    mask = shape_waits(holding.codes, pairs=not holding.melds)
    for meld in holding.melds:
        # The fourth copy of a pung's tile in the concealed hand waits for a fifth.
        if count_in(holding.codes, meld.tile) + meld.size == COPIES:
            mask &= ~(1 << meld.tile)
    return mask if ruleset.wild is None else mask & ~(1 << ruleset.wild)


def _wait_mask_with_wilds(ruleset: Ruleset, holding: Holding) -> int:
    mask = 0
    for tile in TILES:
        if tile != ruleset.wild and holding.copies(tile) < COPIES:
            with_tile = holding.with_tile(tile)
            if score(ruleset, with_tile, Moment()) is not None:
                mask |= 1 << tile
    return mask


def is_huazhu(ruleset: Ruleset, holding: Holding) -> bool:
    """Whether the tiles of a hand, melds included and wilds left out, are of three suits."""
    return len(holding.natural_suits(ruleset.wild)) == 3
