"""The normal bot: it plays for the fastest hand. It counts tiles, and cares neither for fan nor for danger."""

from games.bots.plans import lacking, nearer, plans
from games.bots.position import Position, concealed, with_meld
from games.rules.actions import Action, Kind
from games.rules.holding import Holding, MeldKind
from games.rules.tiles import TILES

#: How near a hand is: the tiles it lacks, then (negative) how many unseen tiles bring it nearer.
Speed = tuple[int, int]


def choose(position: Position) -> Action:
    for option in position.options(Kind.WIN):
        return position.action(option)
    voids = position.options(Kind.VOID)
    if voids:
        holding = position.holding
        of_suit = {position.action(option): holding._replace(void=position.action(option).suit) for option in voids}
        return min(of_suit, key=lambda action: speed(position, of_suit[action]))
    before = _present_speed(position)
    for option in position.options(Kind.KONG):
        konged = with_meld(position.holding, position.tile(option), MeldKind(option["form"]))
        if speed(position, konged)[0] <= before[0]:
            return position.action(option)
    for option in position.options(Kind.PUNG):
        if _after_discard(position, with_meld(position.holding, position.tile(option), MeldKind.PUNG)) < before:
            return position.action(option)
    for option in position.options(Kind.PASS):
        return position.action(option)
    discards = position.options(Kind.DISCARD)
    return position.action(
        min(discards, key=lambda option: speed(position, position.holding.without_tile(position.tile(option))))
    )


def _present_speed(position: Position) -> Speed:
    """Of the hand as it is: after its best discard in a turn."""
    if position.view["turn"] == position.seat:
        return _after_discard(position, position.holding)
    return speed(position, position.holding)


def _after_discard(position: Position, holding: Holding) -> Speed:
    return min(speed(position, holding.without_tile(tile)) for tile in concealed(holding))


def speed(position: Position, holding: Holding) -> Speed:
    """How near a hand about to draw is to its nearest plan."""
    ruleset = position.ruleset
    distance = {plan: lacking(ruleset, holding, plan) for plan in plans(ruleset, holding)}
    nearest = min(distance.values(), default=len(TILES))
    useful = {
        tile
        for plan, tiles_away in distance.items()
        if tiles_away == nearest
        for tile in nearer(ruleset, holding, plan)
    }
    return nearest, -sum(position.left[tile] for tile in useful)
