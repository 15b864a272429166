"""Hands for tests: walls made to measure, random play, and where every tile is."""

import random
from collections.abc import Sequence

from games.rules.events import Event, WinBy
from games.rules.hand import Hand, apply, automatic_actions
from games.rules.tiles import ALL_TILES, parse_tiles
from games.rules.wall import SEATS


def wall_of(hands: Sequence[str], draws: str = "", back: str = "", dealer: int = 0) -> list[int]:
    """A wall that deals these hands (seat 0 first), then these draws; replacements come from `back`, first one first.

    What a hand lacks of 13 tiles is filled up with the tiles that nobody asked for.
    """
    wanted = [parse_tiles(hand) for hand in hands]
    front, last = parse_tiles(draws), parse_tiles(back)
    rest = list(ALL_TILES)
    for tile in [*(tile for hand in wanted for tile in hand), *front, *last]:
        rest.remove(tile)
    random.Random(0).shuffle(rest)
    for hand in wanted:
        while len(hand) < 13:
            hand.append(rest.pop())
    order = [wanted[(dealer + step) % SEATS] for step in range(SEATS)]
    dealt: list[int] = []
    for start, size in ((0, 4), (4, 4), (8, 4), (12, 1)):
        for hand in order:
            dealt += hand[start : start + size]
    return dealt + front + rest + last[::-1]


def settle_automatic(hand: Hand) -> list[Event]:
    """Everything that the program does by itself."""
    events: list[Event] = []
    while actions := automatic_actions(hand):
        for action in actions:
            events += apply(hand, action)
    return events


def copies_everywhere(hand: Hand) -> list[int]:
    """How many copies there are of each tile, wherever they are. A claimed discard still stands in its river."""
    copies = [sum(concealed) for concealed in zip(*(seat.counts for seat in hand.seats), strict=True)]
    for tile in hand.remaining_wall:
        copies[tile] += 1
    for seat in hand.seats:
        for tile, _ in seat.river:
            copies[tile] += 1
        for meld in seat.melds:
            copies[meld.tile] += meld.size if meld.source is None else meld.size - 1
        if seat.won is not None and seat.won.by is WinBy.SELF_DRAW:
            copies[seat.won.tile] += 1
    for tile in {seat.won.tile for seat in hand.seats if seat.won is not None and seat.won.by is WinBy.ROBBED_KONG}:
        copies[tile] += 1
    return copies
