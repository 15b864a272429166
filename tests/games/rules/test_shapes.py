"""The tables of winning shapes against a plain search."""

import random

import pytest

from games.rules.holding import Holding
from games.rules.ready import wait_mask, waits
from games.rules.ruleset import PRESETS
from games.rules.shapes import (
    SETS,
    TRIPLETS,
    is_complete,
    shape_waits,
    suit_codes,
    suit_facts,
    tiles_of_mask,
)
from games.rules.tiles import ALL_TILES, TILES, parse_tiles

from .chances import WILD, a_whole_hand


def sets_and_pair(counts: list[int], pair: bool) -> bool:
    """Whether tiles fall into sets, and a pair where one is wanted, by trying."""
    first = next((tile for tile in TILES if counts[tile]), None)
    if first is None:
        return not pair
    groups = [[first] * 3]
    if first % 9 <= 6:
        groups.append([first, first + 1, first + 2])
    if pair:
        groups.append([first] * 2)
    for group in groups:
        left = counts.copy()
        for tile in group:
            left[tile] -= 1
        if min(left) >= 0 and sets_and_pair(left, pair and len(group) == 3):
            return True
    return False


def wins(tiles: list[int]) -> bool:
    counts = [tiles.count(tile) for tile in TILES]
    return sets_and_pair(counts, True) or (len(tiles) == 14 and all(count in (0, 2, 4) for count in counts))


def test_tables_agree_with_a_plain_search() -> None:
    rng = random.Random(4)
    complete = 0
    for _ in range(3000):
        size = rng.choice([2, 5, 8, 11, 14])
        tiles = rng.sample(ALL_TILES[: rng.choice([24, 36, 72])], size)
        codes = suit_codes(tiles)
        assert is_complete(codes, pairs=size == 14) == wins(tiles)
        complete += wins(tiles)
        hand = tiles[1:]
        expected = [tile for tile in TILES if hand.count(tile) < 4 and wins([*hand, tile])]
        assert tiles_of_mask(shape_waits(suit_codes(hand), pairs=size == 14)) == expected
    assert complete > 100


def test_facts_of_a_suit() -> None:
    code = suit_codes(parse_tiles("11122233355m"))[0]
    assert suit_facts(code) & SETS and suit_facts(code) & TRIPLETS
    assert not suit_facts(suit_codes(parse_tiles("12344m"))[0]) & TRIPLETS
    assert not suit_facts(suit_codes(parse_tiles("124m"))[0])


@pytest.mark.parametrize("preset", ["chengdu", "chengdu_yaoji"])
def test_the_tiles_that_complete_a_hand_are_its_waits(preset: str) -> None:
    """Every winning shape is a pattern of these presets, so that the mask has no tile more."""
    ruleset = PRESETS[preset].ruleset
    rng = random.Random(5)
    ready = 0
    for _ in range(400):
        tiles = a_whole_hand(rng, ALL_TILES)[1:]
        for _ in range(rng.choice((0, 0, 1, 2))):
            tiles[rng.randrange(13)] = WILD
        if tiles.count(WILD) > 4:
            continue
        manzu, pinzu, souzu = suit_codes(tiles)
        holding = Holding((manzu, pinzu, souzu), (), rng.choice((None, 0, 1, 2)))
        found = [wait.tile for wait in waits(ruleset, holding)]
        assert tiles_of_mask(wait_mask(ruleset, holding)) == found
        ready += bool(found)
    assert ready > 50
