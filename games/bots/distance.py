"""How far tiles are from a winning hand: the number of tiles that it still lacks, whatever has to go for them.

As in `games.rules.shapes` the tiles of one suit are a suit code, and a suit is judged by itself: `needs` says what each
number of sets, with or without a pair, still lacks in it. Codes here hold no wilds; each wild is one tile less.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from games.rules.shapes import RANK_CODE, TILE_CODE, counts_of_code

SETS: Final = 4
_CACHED_CODES: Final = 1 << 17
#: What a number of sets (0 to 4) without and with a pair lacks: entry 2 * sets + pairs.
Needs = tuple[int, ...]
_NOTHING_HELD: Final[Needs] = tuple(3 * sets + 2 * pairs for sets in range(SETS + 1) for pairs in range(2))


class Form:
    """What the tiles are collected for. Plain numbers: what is kept under those the collector of garbage need not go through."""

    SETS: Final = 0
    TRIPLETS: Final = 1
    PAIRS: Final = 2


class Plan(NamedTuple):
    """A form, and the suits (one or two) that it is collected in."""

    form: int
    suits: tuple[int, ...]


@lru_cache(maxsize=_CACHED_CODES)
def needs(code: int, form: int) -> Needs:
    """What the sets and the pair of one suit lack; the rank that is lowest is put to every use, or to none."""
    if not code:
        return _NOTHING_HELD
    rank = ((code & -code).bit_length() - 1) // 3
    one = RANK_CODE[rank]
    copies = code >> 3 * rank & 7
    best = list(needs(code - copies * one, form))
    for used in range(1, min(copies, 3) + 1):
        _use(best, needs(code - used * one, form), 2, 3 - used)
    for used in range(1, min(copies, 2) + 1):
        _use(best, needs(code - used * one, form), 1, 2 - used)
    if form == Form.SETS:
        next_one = one << 3 if code >> 3 * (rank + 1) & 7 else 0
        one_after = one << 6 if code >> 3 * (rank + 2) & 7 else 0
        for partners in {next_one, one_after, next_one + one_after} - {0}:
            lacking = 0 if next_one and one_after and partners == next_one + one_after else 1
            _use(best, needs(code - one - partners, form), 2, lacking)
    return tuple(best)


def _use(best: list[int], rest: Needs, step: int, lacking: int) -> None:
    """Better `best` by a set (step 2) or the pair (step 1) that lacks some tiles, beside what the rest comes to."""
    for entry in range(step, len(best)):
        if step == 2 or entry % 2:
            best[entry] = min(best[entry], rest[entry - step] + lacking)


def missing(codes: Sequence[int], melds: int, plan: Plan) -> int:
    """How many tiles a hand with some melds lacks for a plan."""
    if plan.form == Form.PAIRS:
        return _missing_pairs(tuple(codes[suit] for suit in plan.suits))
    first = needs(codes[plan.suits[0]], plan.form)
    if len(plan.suits) == 1:
        return first[2 * (SETS - melds) + 1]
    return _together(first, needs(codes[plan.suits[1]], plan.form), SETS - melds)


def nearer(codes: Sequence[int], melds: int, plan: Plan) -> list[int]:
    """The tiles after which the hand lacks one less."""
    now = missing(codes, melds, plan)
    if plan.form == Form.PAIRS:
        added = [(tile, [*codes]) for suit in plan.suits for tile in range(9 * suit, 9 * suit + 9)]
        for tile, more in added:
            more[tile // 9] += TILE_CODE[tile]
        return [tile for tile, more in added if missing(more, melds, plan) < now]
    sets = SETS - melds
    if len(plan.suits) == 1:
        (suit,) = plan.suits
        return [9 * suit + rank for rank, lacks in _bettered(codes[suit], plan.form) if lacks[2 * sets + 1] < now]
    tiles = []
    for suit, other in (plan.suits, plan.suits[::-1]):
        rest = needs(codes[other], plan.form)
        for rank, lacks in _bettered(codes[suit], plan.form):
            if _together(lacks, rest, sets) < now:
                tiles.append(9 * suit + rank)
    return tiles


@lru_cache(maxsize=_CACHED_CODES)
def _bettered(code: int, form: int) -> tuple[tuple[int, Needs], ...]:
    """The ranks (0 to 8) of which one more tile betters something, with what is lacking then."""
    now = needs(code, form)
    after = [(rank, needs(code + RANK_CODE[rank], form)) for rank in range(9)]
    return tuple((rank, lacks) for rank, lacks in after if lacks != now)


@lru_cache(maxsize=_CACHED_CODES)
def _together(first: Needs, second: Needs, sets: int) -> int:
    return min(
        min(first[2 * here] + second[2 * (sets - here) + 1], first[2 * here + 1] + second[2 * (sets - here)])
        for here in range(sets + 1)
    )


@lru_cache(maxsize=1 << 14)
def _missing_pairs(codes: tuple[int, ...]) -> int:
    counts = [count for code in codes for count in counts_of_code(code)]
    lacking = 7 - sum(count // 2 for count in counts)
    singles = sum(count % 2 for count in counts)
    return lacking + max(0, lacking - singles)
