"""How the concealed tiles of a suit can be read, wilds included (RULES.md section 11).

Each wild in the concealed hand stands for any tile. A suit is judged by itself (see shapes.py), so it is enough to
know, for the natural tiles of a suit and a number of wilds standing in it, which facts and gens some choice of
stand-ins gives; patterns.py spreads the wilds over the suits in every way.
"""

from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

from .shapes import RANK_CODE, counts_of_code, fours, ranks_present, suit_facts
from .tiles import COPIES

_CACHED_SUITS: Final = 1 << 16


class SuitReading(NamedTuple):
    """What is true of a suit (see shapes.py), and its gens: tiles whose four copies are no declared kong."""

    facts: int
    gens: int


def read_suit(code: int, pungs: int) -> SuitReading:
    """The reading of tiles that stand for themselves; `pungs` are the ranks, as a bit mask, of pungs in this suit."""
    return SuitReading(suit_facts(code), (fours(code) | pungs & ranks_present(code)).bit_count())


@lru_cache(maxsize=_CACHED_SUITS)
def suit_readings(natural: int, pungs: int, kongs: int, wilds: int) -> frozenset[SuitReading]:
    """Every reading of a suit with some wilds in it that can be part of a win.

    No tile may be there more than four times, melds included.
    """
    room = [COPIES - count for count in counts_of_code(natural)]
    for rank in range(9):
        if pungs >> rank & 1:
            room[rank] -= 3
        if kongs >> rank & 1:
            room[rank] -= COPIES
    readings = set()
    for stand_ins in combinations_with_replacement(range(9), wilds):
        if all(stand_ins.count(rank) <= room[rank] for rank in stand_ins):
            readings.add(read_suit(natural + sum(RANK_CODE[rank] for rank in stand_ins), pungs))
    return frozenset(reading for reading in readings if reading.facts)
