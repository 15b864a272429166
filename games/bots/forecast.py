"""How a hand is likely to go on.

A hand that lacks n tiles goes through n stages. In each there is a chance, from one draw of its own to the next, that
it gets a tile that it lacks.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from games.bots.distance import Form, Plan

#: That chance by how many tiles a hand lacks for a form and a number of suits, counted in hands that collected for it.
_USUAL: Final = {
    (Form.SETS, 2): (1.0, 0.18, 0.25, 0.37, 0.45, 0.55),
    (Form.SETS, 1): (1.0, 0.13, 0.21, 0.30, 0.36, 0.38),
    (Form.TRIPLETS, 2): (1.0, 0.20, 0.21, 0.29, 0.34, 0.37),
    (Form.TRIPLETS, 1): (1.0, 0.15, 0.18, 0.23, 0.27, 0.30),
    (Form.PAIRS, 2): (1.0, 0.11, 0.16, 0.22, 0.25, 0.28),
    (Form.PAIRS, 1): (1.0, 0.09, 0.12, 0.17, 0.20, 0.22),
}
#: A hand that is better or worse than usual in one stage is so in the later ones, to this power, and up to this much.
_LASTING: Final = 0.5
_BEST: Final = 1.1
_STEPS: Final = 100  # chances are rounded to these, so that forecasts can be kept


class Outcome(NamedTuple):
    """The chances that a hand wins, and that it is ready but has not won when the wall is empty, and how many rounds it
    is likely to be in play."""

    wins: float
    ready: float
    rounds: float


def outcome(plan: Plan, chances: Sequence[float], lacks: int, draws: int, survival: float) -> Outcome:
    """Of a hand that lacks some tiles and has some draws left.

    `chances` are those of its next stages, as far as they are known; `survival` is the chance that the others do not
    end the hand within a round.
    """
    last = lacks - len(chances) + 1
    lasting = min(_BEST, (chances[-1] / _usual(plan, last)) ** _LASTING)
    stages = [*chances, *(lasting * _usual(plan, stage) for stage in range(last - 1, 0, -1))]
    return _outcome(tuple(min(_STEPS, round(chance * _STEPS)) for chance in stages), draws, survival)


def given_up(draws: int, survival: float) -> Outcome:
    """Of a hand that only discards what is safe."""
    return _outcome((0, 0), draws, survival)


def _usual(plan: Plan, lacks: int) -> float:
    usual = _USUAL[plan.form, len(plan.suits)]
    return usual[min(lacks, len(usual) - 1)]


@lru_cache(maxsize=1 << 16)
def _outcome(stages: tuple[int, ...], draws: int, survival: float) -> Outcome:
    if not stages:
        return Outcome(1.0, 0.0, 0.0)
    if draws == 0:
        return Outcome(0.0, 1.0 if len(stages) == 1 else 0.0, 0.0)
    got, missed = _outcome(stages[1:], draws - 1, survival), _outcome(stages, draws - 1, survival)
    chance = stages[0] / _STEPS
    further = chance if len(stages) == 1 else chance * survival  # a win needs no survival
    same = (1 - chance) * survival
    wins, ready, rounds = (further * one + same * other for one, other in zip(got, missed, strict=True))
    return Outcome(wins, ready, rounds + 1)
