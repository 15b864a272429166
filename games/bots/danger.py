"""What a discard is likely to cost: an opponent may win with it, or make an exposed kong.

The shares below were counted in hands of these bots: how often a seat was ready, and what it then waited for.
"""

from typing import Final

from games.bots.forecast import READY
from games.bots.position import Opponent, Position
from games.rules.patterns import kong_fan
from games.rules.ruleset import Ruleset
from games.rules.tiles import TILES

_READY_FOR_EACH_MELD: Final = 0.06
_READY_AFTER_VOID_TILE: Final = 0.5  # times that, where its last discard was of its void suit
#: How often a ready seat waits for a tile that may win it, and what changes that.
_WAITS: Final = 0.14
_BY_COPIES_LEFT: Final = (0.55, 0.75, 0.85, 1.3)
_BY_DISTANCE_FROM_THE_EDGE: Final = (0.55, 0.9, 1.15, 1.1, 1.0)
_DISCARDED_BEFORE: Final = 0.1
_PASSED_JUST_NOW: Final = 0.15
_IN_ITS_ONE_SUIT: Final = 1.3
_NOT_IN_ITS_ONE_SUIT: Final = 0.4
#: How many of a seat's wins are self-drawn.
_SELF_DRAWN: Final = 0.4
#: How often a seat holds the other three copies of a tile.
_HOLDS_THREE: Final = 0.05


def discard_costs(position: Position) -> list[float]:
    """The units that discarding each tile (0..26) is likely to cost."""
    costs = [0.0] * len(TILES)
    for place, opponent in enumerate(position.opponents):
        # What was discarded since its own turn it could have won.
        passed = {after.river[-1] for after in position.opponents[place + 1 :] if after.river}
        stake = _ready(opponent) * _price(position.ruleset, opponent)
        for tile in TILES:
            if tile // 9 == opponent.void or tile == position.ruleset.wild:
                continue
            share = _PASSED_JUST_NOW if tile in passed else 1.0
            costs[tile] += stake * share * _waits_for(position, opponent, tile)
            if position.left[tile] == 3:
                costs[tile] += _HOLDS_THREE * position.ruleset.exposed_kong_units
    return costs


def loss_cost(position: Position) -> float:
    """The units that an opponent's win is likely to cost: it is drawn, or fed by one of those that are there."""
    prices = [_price(position.ruleset, opponent) for opponent in position.opponents]
    price = sum(prices) / len(prices)
    return _SELF_DRAWN * (price + 1) + (1 - _SELF_DRAWN) * price / len(prices)


def steps_of(opponent: Opponent) -> int:
    return len(opponent.river) + len(opponent.melds)


def _ready(opponent: Opponent) -> float:
    """The chance that an opponent is ready."""
    chance = READY[min(steps_of(opponent), len(READY) - 1)]
    if opponent.river and opponent.river[-1] // 9 == opponent.void:
        chance *= _READY_AFTER_VOID_TILE
    return min(0.95, chance + _READY_FOR_EACH_MELD * len(opponent.melds))


def _waits_for(position: Position, opponent: Opponent, tile: int) -> float:
    chance = (
        _WAITS * _BY_COPIES_LEFT[min(position.left[tile], 3)] * _BY_DISTANCE_FROM_THE_EDGE[min(tile % 9, 8 - tile % 9)]
    )
    if tile in opponent.river:
        chance *= _DISCARDED_BEFORE
    one_suit = _one_suit(opponent)
    if one_suit is not None:
        chance *= _IN_ITS_ONE_SUIT if tile // 9 == one_suit else _NOT_IN_ITS_ONE_SUIT
    return chance


def _one_suit(opponent: Opponent) -> int | None:
    """The suit that an opponent seems to collect alone: it has discarded many tiles, and none of this suit."""
    kept = {0, 1, 2} - {tile // 9 for tile in opponent.river}
    melded = {meld.tile // 9 for meld in opponent.melds}
    return kept.pop() if len(opponent.river) >= 7 and len(kept) == 1 and melded <= kept else None


def _price(ruleset: Ruleset, opponent: Opponent) -> float:
    """The units that a win of an opponent is likely to cost."""
    fan = 0.5 + sum(kong_fan(ruleset, meld.kind) for meld in opponent.melds)
    if _one_suit(opponent) is not None:
        fan += 1.0
    if len(opponent.melds) >= 3:
        fan += 0.5
    highest = fan if ruleset.cap_fan is None else max(0, ruleset.cap_fan - ruleset.fan_origin)
    return float(2.0 ** min(fan, highest))
