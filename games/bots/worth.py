"""What a hand about to draw is likely to bring, in units.

That is what its best plan brings: the chance to win in time times what such a win pays, plus what being ready (or not)
at the end of the wall brings, less what each further round in play costs; and what kongs may still bring. The chances
come from the tiles that the seat has not seen.
"""

from typing import Final, NamedTuple

from games.bots import forecast
from games.bots.danger import loss_cost, steps_of
from games.bots.distance import Form, Plan
from games.bots.forecast import Others, Outcome
from games.bots.plans import lacking, nearer, plans
from games.bots.position import Position, concealed
from games.rules.holding import Holding, MeldKind
from games.rules.options import Mode, SelfDrawBonus
from games.rules.patterns import kong_fan
from games.rules.ready import waits
from games.rules.shapes import count_in
from games.rules.tiles import COPIES, TILES
from games.rules.wall import SEATS

#: How many times an opponent discards a tile for each time that the seat draws it.
_FED: Final = 0.5
_FED_BY_ITS_VOID: Final = 1.0
#: The opponents, beside the first, that are still there to pay when the seat draws its winning tile.
_STILL_PAYING: Final = 0.5
# Units for each opponent, at the end of the wall: what a hand pays that is not ready, and (times its multiplier) what a
# ready one gets.
_NOT_READY: Final = 0.8
_READY: Final = 0.1
#: What a fan from a kong adds to a win to come, and how much of all that is hoped for from kongs counts.
_KONG_FAN_UNITS: Final = 1.0
_KONGS: Final = 0.5
#: Plans that lack more tiles than the nearest one and these are not looked at.
_FURTHER: Final = 3
_HUAZHU_FEARED: Final = 0.7


class Ready(NamedTuple):
    """The chance of a ready hand to win within a round, and the mean multiplier of its wins."""

    chance: float
    multiplier: float


class Worth:
    """Of the hands that one decision can lead to."""

    def __init__(self, position: Position) -> None:
        self.ruleset = position.ruleset
        self.left, self.draws = position.left, position.draws
        self.unseen = max(1, sum(position.left))
        self.others = len(position.opponents)
        self.loss_cost = loss_cost(position)
        steps = sum(steps_of(opponent) for opponent in position.opponents)
        spare = self.others - 1 if self.ruleset.mode is Mode.XUEZHAN else 0
        self.opposition = Others(self.others, spare, round(steps / self.others))
        voids = [opponent.void for opponent in position.opponents]
        #: By suit: how many times the opponents discard a tile for each time that the seat draws it.
        self.fed = [sum(_FED_BY_ITS_VOID if void == suit else _FED for void in voids) for suit in range(3)]
        self._known: dict[tuple[Holding, Holding | None, int], float] = {}
        self._ready_known: dict[Holding, Ready] = {}

    def of(self, holding: Holding, *, discarded_from: Holding | None = None, draws_more: int = 0) -> float:
        """The units that a hand about to draw is likely to bring.

        `discarded_from` is the hand before the discard; `draws_more` are draws that it has beyond its turns.
        """
        key = (holding, discarded_from, draws_more)
        if key not in self._known:
            draws = self.draws + draws_more
            self._known[key] = (
                self._best_plan(holding, discarded_from or holding, draws)
                + self._kongs_to_come(holding, draws)
                - self._huazhu(holding, draws)
            )
        return self._known[key]

    def _best_plan(self, holding: Holding, before: Holding, draws: int) -> float:
        """Of the plans that the discard did not take the hand further away from; without one the hand is given up."""
        fans = plans(self.ruleset, holding)
        distance = {plan: lacking(self.ruleset, holding, plan) for plan in fans}
        furthest = min(distance.values(), default=0) + _FURTHER
        followed = [
            self._plan(holding, plan, fan, max(1, distance[plan]), draws)
            for plan, fan in fans.items()
            if distance[plan] <= min(furthest, max(1, lacking(self.ruleset, before, plan)))
        ]
        return max(followed, default=self._units(forecast.given_up(draws, self.opposition), 1.0))

    def _plan(self, holding: Holding, plan: Plan, fan: int, distance: int, draws: int) -> float:
        if distance == 1:
            ready = self._ready(holding)
            chances, multiplier = [ready.chance], ready.multiplier
        else:
            useful = {tile: self._chance(holding, tile, plan) for tile in nearer(self.ruleset, holding, plan)}
            chances, multiplier = [sum(useful.values())], self._multiplier(holding, plan, fan)
            if distance == 2 and chances[0]:
                ready = self._ready_after(holding, useful)
                chances, multiplier = [chances[0], ready.chance], ready.multiplier
        return self._units(forecast.outcome(plan, chances, distance, draws, self.opposition), multiplier)

    def _units(self, outcome: Outcome, multiplier: float) -> float:
        at_the_end = outcome.ready * _READY * multiplier - outcome.not_ready * _NOT_READY
        return outcome.wins * self._win_units(multiplier) + at_the_end - outcome.losses * self.loss_cost

    def _win_units(self, multiplier: float) -> float:
        """What a win is likely to pay: a discard is paid by one, a self-draw by all that are then in play."""
        self_drawn = 1 / (1 + _FED * self.others)
        payers = 1 + _STILL_PAYING * (self.others - 1)
        match self.ruleset.self_draw_bonus:
            case SelfDrawBonus.FAN:
                each = 2 * multiplier
            case SelfDrawBonus.BASE:
                each = multiplier + 1
            case SelfDrawBonus.NONE:
                each = multiplier
        return self_drawn * payers * each + (1 - self_drawn) * multiplier

    def _chance(self, holding: Holding, tile: int, plan: Plan) -> float:
        """To get a tile within a round: by a draw, or from others where two copies in hand can take it."""
        drawn = self.left[tile] / self.unseen
        punged = plan.form != Form.PAIRS and count_in(holding.codes, tile) >= 2
        return drawn * (1 + self.fed[tile // 9]) if punged else drawn

    def _ready(self, holding: Holding) -> Ready:
        if holding not in self._ready_known:
            chance = times_multiplier = 0.0
            for tile, multiplier in self._waits(holding).items():
                this = self.left[tile] / self.unseen * (1 + self.fed[tile // 9])
                chance += this
                times_multiplier += this * multiplier
            self._ready_known[holding] = Ready(chance, times_multiplier / chance if chance else 1.0)
        return self._ready_known[holding]

    def _waits(self, holding: Holding) -> dict[int, float]:
        """The multiplier of each wait. To score every reading of wilds would take too long: their plan's has to do."""
        wild = self.ruleset.wild
        if wild is None or not count_in(holding.codes, wild):
            return {wait.tile: wait.score.multiplier for wait in waits(self.ruleset, holding)}
        found: dict[int, float] = {}
        for plan, fan in plans(self.ruleset, holding).items():
            if lacking(self.ruleset, holding, plan) <= 1:
                multiplier = self._multiplier(holding, plan, fan)
                for tile in nearer(self.ruleset, holding, plan):
                    found[tile] = max(multiplier, found.get(tile, 0.0))
        return found

    def _ready_after(self, holding: Holding, useful: dict[int, float]) -> Ready:
        """The ready hand that comes, on the average, of one of the useful tiles and the best discard then."""
        chance = times_multiplier = 0.0
        for tile, weight in useful.items():
            drawn = holding.with_tile(tile)
            hands = [self._ready(drawn.without_tile(discard)) for discard in concealed(drawn)] if weight else []
            best = max(
                hands, key=lambda ready: ready.chance * self._win_units(ready.multiplier), default=Ready(0.0, 1.0)
            )
            chance += weight * best.chance
            times_multiplier += weight * best.multiplier
        total = sum(useful.values())
        return Ready(chance / total, times_multiplier / total)

    def _multiplier(self, holding: Holding, plan: Plan, fan: int) -> float:
        """Of a win by a plan, with the kongs and gens that are there already."""
        ruleset = self.ruleset
        fan += sum(kong_fan(ruleset, meld.kind) for meld in holding.melds)
        in_plan = [tile for tile in concealed(holding) if tile // 9 in plan.suits]
        fan += ruleset.gen_fan * sum(holding.copies(tile) == COPIES for tile in in_plan)
        fan = fan if ruleset.cap_fan is None else min(fan, ruleset.cap_fan)
        return 2.0 ** max(0, fan - ruleset.fan_origin)

    def _kongs_to_come(self, holding: Holding, draws: int) -> float:
        """What the fourth copies of triplets and pungs may bring."""
        ruleset = self.ruleset
        drawn = 1 - (1 - 1 / self.unseen) ** draws
        concealed_kong = ruleset.concealed_kong_units * self.others + _KONG_FAN_UNITS
        bystanders = ruleset.exposed_kong_others_units * max(0, self.others - 1)
        exposed_kong = ruleset.exposed_kong_units + bystanders + _KONG_FAN_UNITS
        added_kong = ruleset.added_kong_units * self.others + _KONG_FAN_UNITS
        hoped = 0.0
        for tile in TILES:
            suit = tile // 9
            if self.left[tile] and count_in(holding.codes, tile) == 3 and suit != holding.void and tile != ruleset.wild:
                fed = 1 - (1 - 1 / self.unseen) ** (draws * self.fed[suit])
                hoped += drawn * concealed_kong + (1 - drawn) * fed * exposed_kong
        pungs = [meld.tile for meld in holding.melds if meld.kind is MeldKind.PUNG]
        hoped += sum(drawn * added_kong for tile in pungs if self.left[tile])
        return _KONGS * hoped

    def _huazhu(self, holding: Holding, draws: int) -> float:
        """What a third suit is likely to cost: all of its tiles must go before the wall is empty."""
        melded = {meld.tile // 9 for meld in holding.melds}
        wild = self.ruleset.wild
        sizes = [0, 0, 0]
        for tile in concealed(holding):
            sizes[tile // 9] += count_in(holding.codes, tile) if tile != wild else 0
        to_go = min((size for suit, size in enumerate(sizes) if suit not in melded), default=len(TILES))
        if not to_go:
            return 0.0
        late = 1.0 if to_go > draws else max(0.0, 1 - (draws - to_go) / 4) / 2
        return _HUAZHU_FEARED * late * self.ruleset.huazhu_units * (SEATS - 1)
