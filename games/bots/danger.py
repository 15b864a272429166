"""What a discard is likely to cost: an opponent may win with it, or make an exposed kong."""

from games.bots.position import Opponent, Position
from games.rules.patterns import kong_fan
from games.rules.ruleset import Ruleset
from games.rules.tiles import TILES

# Measured in hands of these bots (docs/bots.md).
_READY_BY_DISCARDS = (0.0, 0.0, 0.01, 0.03, 0.07, 0.12, 0.19, 0.27, 0.36, 0.44, 0.52, 0.60, 0.66, 0.72, 0.77)
_WAIT_SHARE = 0.14


def discard_costs(position: Position) -> list[float]:
    """The units that discarding each tile is likely to cost."""
    costs = [0.0] * len(TILES)
    for place, opponent in enumerate(position.opponents):
        passed = {one.river[-1] for one in position.opponents[place + 1 :] if one.river}
        price = _price(position.ruleset, opponent)
        ready = _ready_chance(opponent)
        for tile in TILES:
            if tile // 9 == opponent.void or tile == position.ruleset.wild:
                continue
            if tile not in passed:
                costs[tile] += ready * _wait_chance(position, opponent, tile) * price
            if position.left[tile] == 3:
                costs[tile] += 0.05 * position.ruleset.exposed_kong_units
    return costs


def _ready_chance(opponent: Opponent) -> float:
    discards = len(opponent.river) + len(opponent.melds)
    chance = _READY_BY_DISCARDS[min(discards, len(_READY_BY_DISCARDS) - 1)]
    if opponent.river and opponent.river[-1] // 9 == opponent.void:
        chance *= 0.5
    return min(0.95, chance + 0.08 * len(opponent.melds))


def _wait_chance(position: Position, opponent: Opponent, tile: int) -> float:
    chance = _WAIT_SHARE
    if tile in opponent.river:
        chance *= 0.4
    if position.left[tile] == 0:
        chance *= 0.5
    rank = tile % 9
    if rank in (0, 8):
        chance *= 0.8
    one_suit = _single_suit(opponent)
    if one_suit is not None:
        chance *= 1.8 if tile // 9 == one_suit else 0.2
    return chance


def _single_suit(opponent: Opponent) -> int | None:
    """The suit that an opponent seems to collect alone."""
    suits = {tile // 9 for tile in opponent.river}
    melded = {meld.tile // 9 for meld in opponent.melds}
    kept = {0, 1, 2} - suits
    if len(opponent.river) >= 7 and len(kept) == 1 and melded <= kept:
        return kept.pop()
    return None


def _price(ruleset: Ruleset, opponent: Opponent) -> float:
    """What a win of the opponent's is likely to cost, in units."""
    fan = 1.0 + sum(kong_fan(ruleset, meld.kind) for meld in opponent.melds)
    if _single_suit(opponent) is not None:
        fan += 1.5
    if len(opponent.melds) >= 3:
        fan += 0.7
    fan += 0.5 - 1
    if ruleset.cap_fan is not None:
        fan = min(fan, float(ruleset.cap_fan - ruleset.fan_origin))
    return 2.0**max(0.0, fan)
