"""How the concealed tiles of a suit can be read, wilds included (RULES.md section 11).

Each wild in the concealed hand stands for any tile. A suit is judged by itself (see shapes.py), so it is enough to
know, for the natural tiles of a suit and a number of wilds standing in it, what some choice of stand-ins gives; how
wilds are spread over the suits is tried by who asks. The stand-ins are tried one after another, and what the rest of
them gives is kept: two hands that differ by a tile have most of it in common.

Melds are suit codes here as well. No tile may be there more than four times, melds included.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from .shapes import FOUR_OF_A_RANK, PAIRS, RANK_CODE, SETS, suit_facts

_CACHED_SUITS: Final = 1 << 16


class SuitReading(NamedTuple):
    """What is true of a suit (see shapes.py), and its gens: tiles whose four copies are no declared kong."""

    facts: int
    gens: int


@lru_cache(maxsize=_CACHED_SUITS)
def suit_readings(natural: int, pungs: int, kongs: int, wilds: int) -> frozenset[SuitReading]:
    """Every reading of a suit with some wilds in it that can be part of a win."""
    if not wilds:
        facts = suit_facts(natural)
        gens = (natural + pungs & FOUR_OF_A_RANK).bit_count()
        return _reading(facts, gens) if facts else frozenset()
    rest = (suit_readings(code, pungs, kongs, wilds - 1) for code in _with_a_tile(natural, pungs + kongs))
    return frozenset().union(*rest)


@lru_cache(maxsize=_CACHED_SUITS)
def _reading(facts: int, gens: int) -> frozenset[SuitReading]:
    """One and the same value for all suits that can be read so."""
    return frozenset([SuitReading(facts, gens)])


@lru_cache(maxsize=_CACHED_SUITS)
def suit_shapes(natural: int, melded: int, wilds: int) -> int:
    """The shapes, SETS and PAIRS (a bit mask), that a suit with some wilds in it can be part of."""
    if not wilds:
        return suit_facts(natural) & (SETS | PAIRS)
    shapes = 0
    for code in _with_a_tile(natural, melded):
        shapes |= suit_shapes(code, melded, wilds - 1)
    return shapes


@lru_cache(maxsize=_CACHED_SUITS)
def suit_waits(natural: int, melded: int, wilds: int, shapes: int) -> int:
    """The ranks (a bit mask, bit 0 is rank 1) that complete a suit with some wilds in it to one of the shapes."""
    ranks = 0
    for code in _with_a_tile(natural, melded):
        if suit_shapes(code, melded, wilds) & shapes:
            ranks |= 1 << RANK_CODE.index(code - natural)
    return ranks


def _with_a_tile(natural: int, melded: int) -> Iterator[int]:
    """The suit with one tile more, of each rank in turn of which there are not four yet."""
    full = natural + melded & FOUR_OF_A_RANK
    return (natural + one for one in RANK_CODE if not full & 4 * one)
