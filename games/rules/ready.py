"""Waits, ready hands and huazhu (RULES.md sections 3, 9 and 11)."""

from itertools import permutations
from operator import add
from typing import NamedTuple

from .holding import Holding
from .patterns import Moment, Score, score
from .ruleset import Ruleset
from .shapes import PAIRS, SETS, count_in, shape_waits, tiles_of_mask
from .tiles import COPIES
from .wild import suit_shapes, suit_waits


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
    wild = ruleset.wild
    suits = holding.natural_suits(wild)
    if len(suits) == 3 or holding.holds_void(wild):
        return 0
    if wild is not None and count_in(holding.codes, wild):
        return _wait_mask_with_wilds(holding, wild, suits)
    mask = shape_waits(holding.codes, pairs=not holding.melds)
    for meld in holding.melds:
        # The fourth copy of a pung's tile in the concealed hand waits for a fifth.
        if count_in(holding.codes, meld.tile) + meld.size == COPIES:
            mask &= ~(1 << meld.tile)
    return mask if wild is None else mask & ~(1 << wild)


def _wait_mask_with_wilds(holding: Holding, wild: int, suits: set[int]) -> int:
    """One suit waits, and of the two others one at most is there; the wilds stand in these two in any way."""
    wilds = count_in(holding.codes, wild)
    natural = holding.natural_codes(wild)
    melded = list(map(add, *holding.melded_codes))
    possible = SETS if holding.melds else SETS | PAIRS
    mask = 0
    for waiting, other in permutations(range(3), 2):
        if waiting == holding.void or not suits <= {waiting, other}:
            continue
        for wilds_in_other in range(1 if other == holding.void else wilds + 1):
            shapes = possible & suit_shapes(natural[other], melded[other], wilds_in_other)
            if shapes:
                ranks = suit_waits(natural[waiting], melded[waiting], wilds - wilds_in_other, shapes)
                mask |= ranks << 9 * waiting
    return mask & ~(1 << wild)


def is_huazhu(ruleset: Ruleset, holding: Holding) -> bool:
    """Whether the tiles of a hand, melds included and wilds left out, are of three suits."""
    return len(holding.natural_suits(ruleset.wild)) == 3
