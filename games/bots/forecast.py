"""How a hand is likely to go on: whether it wins, or is at least ready, before the wall is empty.

A hand that lacks n tiles goes through n stages. In each stage there is a chance, from one draw of its own to the next,
that it gets what it needs.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from games.bots.distance import Form, Plan

#: The chance of a round in a usual hand, by how many tiles it lacks; measured in hands of these bots.
USUAL: Final = {
    Form.SETS: (1.0, 0.18, 0.25, 0.36, 0.46, 0.50, 0.60),
    Form.TRIPLETS: (1.0, 0.12, 0.20, 0.26, 0.32, 0.36, 0.40),
    Form.PAIRS: (1.0, 0.09, 0.11, 0.18, 0.25, 0.33, 0.38),
}
EASE=0.5
ONE_SUIT=0.65
_STEPS: Final = 100


class Outcome(NamedTuple):
    """The chances that a hand wins, and that it is ready but has not won when the wall is empty, and how many rounds it
    is likely to be in play."""

    wins: float
    ready: float
    rounds: float


def forecast(plan: Plan, chances: tuple[float, ...], lacking: int, draws: int, survival: float) -> Outcome:
    """The outcome of a hand that lacks some tiles and has some draws left.

    `chances` are those of its next stages, as far as they are known; `survival` is the chance that the others do not
    end the hand within a round.
    """
    usual = [one * (ONE_SUIT if len(plan.suits) == 1 else 1) for one in USUAL[plan.form]]
    ease = min(1.2, chances[-1] / usual[min(lacking - len(chances) + 1, len(usual) - 1)])**EASE
    stages = [*chances, *(ease * usual[min(stage, len(usual) - 1)] for stage in range(lacking - len(chances), 0, -1))]
    return _outcome(tuple(min(_STEPS, round(chance * _STEPS)) for chance in stages), draws, survival)


@lru_cache(maxsize=1 << 16)
def _outcome(stages: tuple[int, ...], draws: int, survival: float) -> Outcome:
    if not stages:
        return Outcome(1.0, 0.0, 0.0)
    if draws == 0:
        return Outcome(0.0, 1.0 if len(stages) == 1 else 0.0, 0.0)
    got, missed = _outcome(stages[1:], draws - 1, survival), _outcome(stages, draws - 1, survival)
    chance = stages[0] / _STEPS
    nearer = chance if len(stages) == 1 else chance * survival
    same = (1 - chance) * survival
    wins, ready, rounds = (nearer * one + same * other for one, other in zip(got, missed, strict=True))
    return Outcome(wins, ready, rounds + 1)
