"""The strong bot: it plays for units.

Every way to go on is worth what the best plan for it is likely to bring: the chance to win in time, times what the win
pays with the fan of the plan, kongs and gens, plus what being ready (or not) at the end of the wall brings, plus
what kongs may still bring. From a discard goes what it is likely to cost (`games.bots.danger`).
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from games.bots.danger import discard_costs
from games.bots.distance import Form, Plan
from games.bots.forecast import forecast
from games.bots.plans import lacking, nearer, plans
from games.bots.position import Option, Position, concealed, with_meld
from games.rules.actions import Action, Kind
from games.rules.holding import Holding, MeldKind
from games.rules.options import Mode, SelfDrawBonus
from games.rules.patterns import kong_fan
from games.rules.ready import waits
from games.rules.ruleset import Ruleset
from games.rules.shapes import count_in
from games.rules.tiles import COPIES, TILES

# Measured by bench/bots.py.
_FEEDS: Final = 0.5  # how often an opponent discards a tile, for each that it draws
_FEEDS_VOID: Final = 1.0  # the same where the tile is of its void suit
_SURVIVAL: Final = {Mode.XUEZHAN: 0.96, Mode.SINGLE: 0.9}
_MARGIN: Final = 3  # plans that lack more tiles than the nearest one by this are not looked at


def choose(position: Position) -> Action:
    return _Judgement(position).choice()


class _Judgement:
    def __init__(self, position: Position) -> None:
        self.position = position
        self.ruleset = position.ruleset
        self.others = len(position.opponents)
        self.unseen = max(1, sum(position.left))
        self.costs = discard_costs(position)
        self.survival = _SURVIVAL[self.ruleset.mode]
        self.known: dict[Holding, float] = {}
        self.flow = [
            sum(
                _FEEDS_VOID if opponent.void == suit else _FEEDS
                for opponent in position.opponents
            )
            for suit in range(3)
        ]
        self.wait_cache: dict[Holding, tuple[float, float]] = {}

    def choice(self) -> Action:
        position = self.position
        worth: list[tuple[float, Action]] = []
        draws = position.draws
        for option in position.options(Kind.WIN):
            if position.view["turn"] == position.seat:
                return position.action(option)
            worth.append((option["units"] * len(option["payers"]) + RELIEF, position.action(option)))
        for option in position.options(Kind.VOID):
            action = position.action(option)
            worth.append((self.value(position.holding._replace(void=action.suit), draws), action))
        for option in position.options(Kind.DISCARD):
            tile = position.tile(option)
            worth.append((self.after_discard(position.holding, tile, draws), position.action(option)))
        for option in position.options(Kind.KONG):
            worth.append((self.kong(option, draws), position.action(option)))
        for option in position.options(Kind.PUNG):
            punged = with_meld(position.holding, position.tile(option), MeldKind.PUNG, position.view["last"]["seat"])
            best = max(self.after_discard(punged, tile, draws) for tile in concealed(punged))
            worth.append((best, position.action(option)))
        for option in position.options(Kind.PASS):
            worth.append((self.value(position.holding, draws), position.action(option)))
        return max(worth, key=lambda one: one[0])[1]

    def after_discard(self, holding: Holding, tile: int, draws: int) -> float:
        return self.value(holding.without_tile(tile), draws, holding) - self.costs[tile]

    def kong(self, option: Option, draws: int) -> float:
        tile = self.position.tile(option)
        form = MeldKind(option["form"])
        income = option["units"] * len(option["payers"])
        if "others" in option:
            income += option["others"]["units"] * len(option["others"]["payers"])
        worth = KEEP * income + self.value(with_meld(self.position.holding, tile, form), draws + 1)
        return worth - self.costs[tile] if form is MeldKind.ADDED_KONG else worth

    def value(self, holding: Holding, draws: int, before: Holding | None = None) -> float:
        """What a hand about to draw is likely to bring; `before` is the hand that it was discarded from."""
        if holding not in self.known:
            best = self._best_plan(holding, draws, holding if before is None else before)
            self.known[holding] = best + self._kongs_to_come(holding, draws) - self._huazhu(holding, draws)
        return self.known[holding]

    def _best_plan(self, holding: Holding, draws: int, before: Holding) -> float:
        """A discard that takes the hand back from a plan gives that plan up."""
        fans = plans(self.ruleset, holding)
        distance = {plan: lacking(self.ruleset, holding, plan) for plan in fans}
        nearest = min(distance.values())
        followed = [
            self._plan_value(holding, draws, plan, distance[plan], fan)
            for plan, fan in fans.items()
            if distance[plan] <= nearest + _MARGIN and distance[plan] <= max(1, lacking(self.ruleset, before, plan))
        ]
        return max(followed, default=self._plan_value(holding, draws, PLAN0, 9, 0))

    def _plan_value(self, holding: Holding, draws: int, plan: Plan, distance: int, fan: int) -> float:
        if distance <= 1:
            chance, multiplier = self._ready(holding)
            chances: tuple[float, ...] = (chance,)
            distance = 1
        else:
            useful = nearer(self.ruleset, holding, plan)
            weights = {tile: self._reach(holding, tile, plan) for tile in useful}
            chances = (sum(weights.values()),)
            multiplier = self._multiplier(holding, plan, fan)
            if distance == 2 and LOOK:
                chances, multiplier = self._look_ahead(holding, weights, chances[0], multiplier)
        outcome = forecast(plan, chances, distance, draws, self.survival)
        unready = max(0.0, self.survival**draws - outcome.wins - outcome.ready)
        return (
            outcome.wins * (self._gain(multiplier) + RELIEF)
            + outcome.ready * self.others * READY_GAIN * multiplier
            - unready * self.others * UNREADY_COST
            - outcome.rounds * ROUND_COST * self.others
        )

    def _look_ahead(self, holding, weights, chance, multiplier):
        total = rate = mult = 0.0
        for tile, weight in weights.items():
            if not weight:
                continue
            drawn = holding.with_tile(tile)
            best = (0.0, 0.0)
            for discard in concealed(drawn):
                after = self._ready(drawn.without_tile(discard))
                if after[0] * self._gain(after[1]) > best[0] * self._gain(best[1]):
                    best = after
            total += weight
            rate += weight * best[0]
            mult += weight * best[1]
        if not rate:
            return (chance,), multiplier
        return (chance, rate / total), mult / total

    def _reach(self, holding: Holding, tile: int, plan: Plan) -> float:
        """The chance to get a tile within a round: by a draw, or by a pung where two copies are in hand."""
        drawn = self.position.left[tile] / self.unseen
        if plan.form is not Form.PAIRS and count_in(holding.codes, tile) >= 2:
            return drawn * (1 + self.flow[tile // 9])
        return drawn

    def _ready(self, holding: Holding) -> tuple[float, float]:
        """The chance of a ready hand to win within a round, and the multiplier it is likely to win with."""
        if holding not in self.wait_cache:
            chance = sum_multiplier = 0.0
            for wait in waits(self.ruleset, holding):
                this = self.position.left[wait.tile] / self.unseen * (1 + self.flow[wait.tile // 9])
                chance += this
                sum_multiplier += this * wait.score.multiplier
            self.wait_cache[holding] = (chance, sum_multiplier / chance) if chance else (0.0, 1.0)
        return self.wait_cache[holding]

    def _multiplier(self, holding: Holding, plan: Plan, fan: int) -> float:
        ruleset = self.ruleset
        fan += sum(kong_fan(ruleset, meld.kind) for meld in holding.melds)
        for suit in plan.suits:
            for tile in range(9 * suit, 9 * suit + 9):
                if holding.copies(tile) == COPIES and count_in(holding.codes, tile):
                    fan += ruleset.gen_fan
        if ruleset.cap_fan is not None:
            fan = min(fan, ruleset.cap_fan)
        return float(2 ** max(0, fan - ruleset.fan_origin))

    def _gain(self, multiplier: float) -> float:
        """What a win is likely to pay: a discard one seat, a self-draw all that are then live."""
        by_draw = 1 / (1 + self.flow_mean)
        bonus = self.ruleset.self_draw_bonus
        each = multiplier * 2 if bonus is SelfDrawBonus.FAN else multiplier + (bonus is SelfDrawBonus.BASE)
        return by_draw * each * (1 + PAYERS * (self.others - 1)) + (1 - by_draw) * multiplier

    @cached_property
    def flow_mean(self) -> float:
        return _FEEDS * self.others

    def _kongs_to_come(self, holding: Holding, draws: int) -> float:
        ruleset = self.ruleset
        worth = 0.0
        for tile in TILES:
            left = self.position.left[tile]
            copies = count_in(holding.codes, tile)
            if not left or copies < 2 or tile // 9 == holding.void or tile == ruleset.wild:
                continue
            if copies == 3:
                draw = 1 - (1 - 1 / self.unseen) ** draws
                fed = 1 - (1 - 1 / self.unseen) ** (draws * self.flow[tile // 9])
                worth += draw * (ruleset.concealed_kong_units * self.others + KONG_FAN) + (1 - draw) * fed * (
                    ruleset.exposed_kong_units + ruleset.exposed_kong_others_units * (self.others - 1) + KONG_FAN
                )
            elif copies == 2 and left == 2:
                worth += PAIR_KONG * (1 - (1 - 1 / self.unseen) ** draws) 
        for meld in holding.melds:
            if meld.kind is MeldKind.PUNG and self.position.left[meld.tile]:
                draw = 1 - (1 - 1 / self.unseen) ** draws
                worth += draw * (ruleset.added_kong_units * self.others + KONG_FAN)
        return KONG_WEIGHT * worth

    def _huazhu(self, holding: Holding, draws: int) -> float:
        """What holding three suits is likely to cost: the tiles of one must go before the wall is empty."""
        sizes = [sum(count_in(holding.codes, tile) for tile in range(9 * suit, 9 * suit + 9) if tile != self.ruleset.wild) for suit in range(3)]
        melded = {meld.tile // 9 for meld in holding.melds}
        open_to_go = [size for suit, size in enumerate(sizes) if suit not in melded]
        excess = min(open_to_go, default=9)
        if len(melded) == 3:
            excess = 9
        if not excess:
            return 0.0
        chance = 0.7 if excess > draws else 0.7 * max(0.0, 1 - (draws - excess) / 4) * 0.5
        return chance * self.ruleset.huazhu_units * 3


RELIEF = 0.0
PLAN0 = Plan(Form.SETS, (0, 1))
ROUND_COST = 0.15
KEEP = 0.9
LOOK = True
BASE_FAN = 0
READY_GAIN = 0.1
UNREADY_COST = 0.8
PAYERS = 0.5
KONG_FAN = 1.0
PAIR_KONG = 0.3
KONG_WEIGHT = 0.8
