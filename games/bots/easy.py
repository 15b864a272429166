"""The easy bot: it looks at its own tiles only, as a beginner does.

It wins and kongs whenever it can, keeps tiles that stand beside others, and pungs a pair that stands alone. It counts
neither what has been discarded nor what the hand still lacks.
"""

from games.bots.position import Position, concealed
from games.rules.actions import Action, Kind
from games.rules.holding import Holding
from games.rules.shapes import count_in
from games.rules.tiles import COPIES


def choose(position: Position) -> Action:
    for option in (*position.options(Kind.WIN), *position.options(Kind.KONG)):
        return position.action(option)
    holding, unwanted = position.holding, _unwanted_suit(position)
    for option in position.options(Kind.VOID):
        if position.action(option).suit == unwanted:
            return position.action(option)
    for option in position.options(Kind.PUNG):
        if position.tile(option) // 9 != unwanted and _beside(holding, position.tile(option)) == 0:
            return position.action(option)
    for option in position.options(Kind.PASS):
        return position.action(option)

    def use(tile: int) -> tuple[bool, bool, int]:
        is_wild = tile == position.ruleset.wild
        return is_wild, tile // 9 != unwanted, 3 * count_in(holding.codes, tile) + 2 * _beside(holding, tile)

    return min(map(position.action, position.options(Kind.DISCARD)), key=lambda action: use(action.tile or 0))


def _beside(holding: Holding, tile: int) -> int:
    """How many of the four nearest ranks of a tile are in hand."""
    near = [tile + step for step in (-2, -1, 1, 2)]
    return sum(other // 9 == tile // 9 and count_in(holding.codes, other) > 0 for other in near)


def _unwanted_suit(position: Position) -> int:
    """The void suit, else the suit with the fewest tiles; one that may not be named void is none."""
    if position.holding.void is not None:
        return position.holding.void
    allowed = [position.action(option).suit for option in position.options(Kind.VOID)]
    sizes = [0, 0, 0]
    for tile in concealed(position.holding):
        sizes[tile // 9] += count_in(position.holding.codes, tile)
    for meld in position.holding.melds:
        sizes[meld.tile // 9] += COPIES
    return min((suit for suit in range(3) if not allowed or suit in allowed), key=lambda suit: sizes[suit])
