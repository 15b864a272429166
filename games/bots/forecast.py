"""How a hand is likely to go on.

A hand that lacks n tiles goes through n stages. In each there is a chance, from one draw of its own to the next, that
it gets a tile that it lacks. Meanwhile the opponents come to their wins: each costs
something, and after the last one the hand is over.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from operator import mul
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


#: How often a seat is ready after so many discards and melds, and how often a ready one wins within a round: counted in hands
#: of these bots.
READY: Final = (0.0, 0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.22, 0.3, 0.37, 0.44, 0.52, 0.59, 0.66, 0.73, 0.8)
_WINS: Final = 0.18


class Others(NamedTuple):
    """The opponents: how many there are, how many of them may win before the hand is over, and their steps (discards and melds)
    so far."""

    playing: int
    spare: int
    steps: int


class Outcome(NamedTuple):
    """What a hand is likely to come to: the chance that it wins; how many opponents, on the average, it meets at the end of the
    wall ready, and how many not ready; and how often one of them wins while it is in play."""

    wins: float
    ready: float
    not_ready: float
    losses: float


def outcome(plan: Plan, chances: Sequence[float], lacks: int, draws: int, others: Others) -> Outcome:
    """Of a hand that lacks some tiles and has some draws left. `chances` are those of its next stages, as far as they are
    known."""
    last = lacks - len(chances) + 1
    lasting = min(_BEST, (chances[-1] / _usual(plan, last)) ** _LASTING)
    stages = [*chances, *(lasting * _usual(plan, stage) for stage in range(last - 1, 0, -1))]
    return _outcome(tuple(min(_STEPS, round(chance * _STEPS)) for chance in stages), draws, others)


def given_up(draws: int, others: Others) -> Outcome:
    """Of a hand that only discards what is safe."""
    return _outcome((0, 0), draws, others)


def _usual(plan: Plan, lacks: int) -> float:
    usual = _USUAL[plan.form, len(plan.suits)]
    return usual[min(lacks, len(usual) - 1)]


@lru_cache(maxsize=1 << 12)
def _outcome(stages: tuple[int, ...], draws: int, others: Others) -> Outcome:
    won, ready = _own(stages, draws)
    on, lost, left = _theirs(others, draws)
    not_won = [1 - chance for chance in accumulate(won)]
    at_the_end = not_won[-1] if not_won else 1.0
    return Outcome(
        sum(map(mul, won, on)), ready * left, max(0.0, at_the_end - ready) * left, sum(map(mul, not_won, lost))
    )


@lru_cache(maxsize=1 << 12)
def _own(stages: tuple[int, ...], draws: int) -> tuple[tuple[float, ...], float]:
    """How likely the hand wins at each of its draws, as far as it depends on itself; and that it is ready after the last."""
    at = [1.0, *(0.0 for _stage in stages[1:])]
    won = []
    for _draw in range(draws):
        moved = [chance * stage / _STEPS for chance, stage in zip(at, stages, strict=True)]
        won.append(moved[-1])
        at = [chance - gone + come for chance, gone, come in zip(at, moved, [0.0, *moved[:-1]], strict=True)]
    return tuple(won), at[-1]


@lru_cache(maxsize=1 << 12)
def _theirs(others: Others, draws: int) -> tuple[list[float], list[float], float]:
    """How likely the hand is still on at each draw, how many opponents win on the average between it and the next, and how many
    are there at the end of the wall."""
    there = {others.playing: 1.0}
    on, lost = [], []
    for draw in range(draws):
        on.append(sum(there.values()))
        lost.append(0.0)
        wins = _WINS * READY[min(others.steps + draw, len(READY) - 1)]
        after: dict[int, float] = {}
        for playing, chance in there.items():
            one = chance * (1 - (1 - wins) ** playing)
            lost[-1] += one
            after[playing] = after.get(playing, 0.0) + chance - one
            if playing > others.playing - others.spare:
                after[playing - 1] = after.get(playing - 1, 0.0) + one
        there = after
    return on, lost, sum(playing * chance for playing, chance in there.items())
