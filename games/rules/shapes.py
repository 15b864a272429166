"""Winning shapes of concealed tiles: four sets and a pair, and seven pairs (RULES.md section 7).

The tiles of one suit are a *suit code*: an int of nine octal digits, the count of rank 1 lowest. Adding a tile to a
hand is adding TILE_CODE of it to the code of its suit, and three codes are a whole concealed hand.

There is no chow and no honour, so that every suit is judged by itself. Two tables over suit codes hold all of it:

- FACTS: the codes that fall into sets, or into sets and a pair, with what is true of some such division (a bit mask of
  the constants below). A hand is complete when the codes of all three suits are in the table, and what is true of the
  hand is the bitwise *and* of the three. Only one suit can then hold the pair, because the number of tiles in a hand
  leaves 2 when divided by 3.
- WAITS: for the codes that lack one tile of being in FACTS, which ranks (bit 0 is rank 1) complete them.

The tables are built by adding sets one at a time to the codes that fewer sets make, and a pair at the end. They hold
22 000 and 67 000 codes, some 8 MB, and take about a tenth of a second when the module is imported (`make bench`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from .tiles import COPIES, TILES

# What can be true of a division into sets and a pair. No pattern of RULES.md section 7 asks for two of them that could
# be true of different divisions of the same tiles, so that the facts of all divisions may be thrown together.
SETS: Final = 1
TRIPLETS: Final = 2
TERMINALS: Final = 4
TWO_FIVE_EIGHT: Final = 8
#: Every tile is there two or four times: seven pairs, where there are no melds.
PAIRS: Final = 16

_RANKS: Final = range(9)
#: What one tile of a rank 0..8 adds to a suit code.
RANK_CODE: Final = tuple(1 << 3 * rank for rank in _RANKS)
_COUNT_MASK: Final = 7
_ODD_COUNTS: Final = sum(RANK_CODE)
_MAX_SETS: Final = 4
#: The bits of a suit code that tell of four copies of a rank.
FOUR_OF_A_RANK: Final = COPIES * _ODD_COUNTS

#: What one copy of a tile adds to the code of its suit.
TILE_CODE: Final = tuple(RANK_CODE[tile % 9] for tile in TILES)

SuitCodes = Sequence[int]


def suit_codes(tiles: Iterable[int]) -> list[int]:
    """The three suit codes of some tiles."""
    codes = [0, 0, 0]
    for tile in tiles:
        codes[tile // 9] += TILE_CODE[tile]
    return codes


def count_in(codes: SuitCodes, tile: int) -> int:
    return codes[tile // 9] >> 3 * (tile % 9) & _COUNT_MASK


def counts_of_code(code: int) -> list[int]:
    """How many there are of each rank."""
    return [code >> 3 * rank & _COUNT_MASK for rank in _RANKS]


def group_facts(ranks: Sequence[int]) -> int:
    """What is true of one set or pair, given by its ranks 0..8."""
    facts = SETS
    if len(set(ranks)) == 1:
        facts |= TRIPLETS
    if 0 in ranks or 8 in ranks:
        facts |= TERMINALS
    if all(rank in (1, 4, 7) for rank in ranks):
        facts |= TWO_FIVE_EIGHT
    return facts


def build_facts() -> dict[int, int]:
    sets = [[rank] * 3 for rank in _RANKS] + [[rank, rank + 1, rank + 2] for rank in range(7)]
    pairs = [[rank] * 2 for rank in _RANKS]
    table: dict[int, int] = {}
    layer = {0: SETS | TRIPLETS | TERMINALS | TWO_FIVE_EIGHT}
    for _ in range(_MAX_SETS):
        table |= layer
        layer = _with_group(layer, sets)
    table |= layer
    return table | _with_group(table, pairs)


def _with_group(codes: Mapping[int, int], groups: Iterable[Sequence[int]]) -> dict[int, int]:
    """The codes, with their facts, that come of adding one of the groups to one of the codes."""
    larger: dict[int, int] = {}
    for ranks in groups:
        group_code = sum(RANK_CODE[rank] for rank in ranks)
        facts_of_group = group_facts(ranks)
        for code, facts in codes.items():
            together = code + group_code
            if not _five_of_a_rank(together):
                larger[together] = larger.get(together, 0) | facts & facts_of_group
    return larger


def _five_of_a_rank(code: int) -> bool:
    """Whether an octal digit is 5, 6 or 7."""
    return bool(code >> 2 & (code | code >> 1) & _ODD_COUNTS)


def build_waits(complete: Iterable[int]) -> dict[int, int]:
    table: dict[int, int] = {}
    for code in complete:
        for rank in _RANKS:
            if code >> 3 * rank & _COUNT_MASK:
                lacking = code - RANK_CODE[rank]
                table[lacking] = table.get(lacking, 0) | 1 << rank
    return table


FACTS: Final = build_facts()
WAITS: Final = build_waits(FACTS)


def suit_facts(code: int) -> int:
    """What is true of the tiles of one suit."""
    facts = FACTS.get(code, 0)
    return facts if code & _ODD_COUNTS else facts | PAIRS


def is_complete(codes: SuitCodes, *, pairs: bool) -> bool:
    """Whether concealed tiles, the winning one among them, have a winning shape, seven pairs included where `pairs`.

    Seven pairs are fourteen tiles, so `pairs` is for hands without melds.
    """
    manzu, pinzu, souzu = codes
    if manzu in FACTS and pinzu in FACTS and souzu in FACTS:
        return True
    return pairs and not (manzu | pinzu | souzu) & _ODD_COUNTS


def shape_waits(codes: SuitCodes, *, pairs: bool) -> int:
    """The tiles (a bit mask over 0..26) that complete a shape, with seven pairs where `pairs`.

    Either the two other suits are complete already, or, for seven pairs, a single tile has no partner.
    """
    manzu, pinzu, souzu = codes
    waits = 0
    if manzu in FACTS:
        if pinzu in FACTS:
            waits = WAITS.get(souzu, 0) << 18
        if souzu in FACTS:
            waits |= WAITS.get(pinzu, 0) << 9
    if pinzu in FACTS and souzu in FACTS:
        waits |= WAITS.get(manzu, 0)
    if pairs:
        odd = (manzu | pinzu | souzu) & _ODD_COUNTS
        if not odd & odd - 1:  # else tiles of two ranks lack a partner: nearly always
            waits |= _seventh_pair(manzu, pinzu, souzu)
    return waits


def _seventh_pair(manzu: int, pinzu: int, souzu: int) -> int:
    """The only tile without a partner, where there is just one. A suit code has 27 bits, three for each rank."""
    odd = manzu & _ODD_COUNTS | (pinzu & _ODD_COUNTS) << 27 | (souzu & _ODD_COUNTS) << 54
    if not odd or odd & odd - 1:
        return 0
    return 1 << (odd.bit_length() - 1) // 3


def tiles_of_mask(mask: int) -> list[int]:
    """The tiles of a bit mask, in order."""
    return [tile for tile in TILES if mask >> tile & 1]
