"""How the bots do against each other: `python -m bench.bots` (docs/bots.md has the figures).

One seat plays one policy, the three others another, on the rules core alone; each wall is played four times, with the
one seat in every place. Points are units times the ruleset's base points. Intervals are 95 %, over walls.
"""

import argparse
import gc
import random
import statistics
import time
from collections.abc import Callable, Sequence
from multiprocessing import Pool
from typing import Final, NamedTuple

from games.bots import Strength, choose
from games.rules import PRESETS, Action, Hand, Phase, Ruleset, apply, automatic_actions, legal_actions
from games.rules.events import WinBy
from games.rules.tiles import ALL_TILES
from games.rules.views import view_for
from games.rules.wall import SEATS

RANDOM: Final = "random"
MATCHES: Final = (
    ("strong", "random"),
    ("strong", "easy"),
    ("strong", "normal"),
    ("normal", "random"),
    ("normal", "easy"),
    ("easy", "random"),
)


class Tally(NamedTuple):
    """What the one seat came to over the four places of a wall."""

    points: float
    wins: int
    deal_ins: int
    decisions: int
    seconds: float
    slowest: float


def decide(policy: str, hand: Hand, seat: int, rng: random.Random) -> Action:
    if policy == RANDOM:
        return rng.choice(legal_actions(hand, seat))
    return choose(view_for(hand, seat), hand.ruleset, Strength(policy))


def play(ruleset: Ruleset, wall: Sequence[int], dealer: int, decision: Callable[[Hand, int], Action]) -> Hand:
    """One hand to its end."""
    hand = Hand(ruleset, wall, dealer)
    while hand.phase is not Phase.OVER:
        asked = hand.turn if hand.phase is Phase.TURN else min(hand.unanswered(), default=0)
        for action in automatic_actions(hand) or [decision(hand, asked)]:
            apply(hand, action)
    return hand


def tally(job: tuple[str, str, str, int]) -> Tally:
    """One wall, four times, the one seat in every place."""
    preset, one, others, seed = job
    rng = random.Random(seed)
    wall = list(ALL_TILES)
    rng.shuffle(wall)
    dealer = rng.randrange(SEATS)
    times: list[float] = []

    def decision(hand: Hand, seat: int) -> Action:
        if seat != place:
            return decide(others, hand, seat, rng)
        began = time.thread_time()
        action = decide(one, hand, seat, rng)
        times.append(time.thread_time() - began)
        return action

    points = wins = deal_ins = 0
    for place in range(SEATS):
        hand = play(PRESETS[preset].ruleset, wall, dealer, decision)
        points += hand.seats[place].units * hand.ruleset.base_points
        wins += hand.seats[place].won is not None
        deal_ins += len({win.tile for win in hand.wins if win.by is not WinBy.SELF_DRAW and win.source == place})
    return Tally(points / SEATS, wins, deal_ins, len(times), sum(times), max(times, default=0.0))


def interval(values: Sequence[float]) -> str:
    mean = statistics.fmean(values)
    return f"{mean:+8.3f} ± {1.96 * statistics.stdev(values) / len(values) ** 0.5:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=2000, help="hands of each match, four of each wall")
    parser.add_argument("--preset", default="qq_dingque", choices=PRESETS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--match", nargs=2, action="append", metavar=("ONE", "OTHERS"), help="e.g. strong normal")
    options = parser.parse_args()
    print(f"{options.preset}, {options.hands} hands, seed {options.seed}; points per hand, shares of hands, 95 %")
    print(f"{'one':>8} {'three':>8} {'points':>18} {'wins':>18} {'deal-ins':>18} {'ms':>6} {'slowest':>8}")
    walls = max(2, options.hands // SEATS)
    with Pool(options.jobs, gc.freeze) as pool:  # as a server does: what is there from the start costs no decision time
        for one, others in options.match or MATCHES:
            jobs = [(options.preset, one, others, options.seed * 1_000_000 + number) for number in range(walls)]
            tallies = pool.map(tally, jobs, chunksize=5)
            decisions = sum(tally.decisions for tally in tallies) or 1
            print(
                f"{one:>8} {others:>8} {interval([tally.points for tally in tallies])} "
                f"{interval([tally.wins / SEATS for tally in tallies])} "
                f"{interval([tally.deal_ins / SEATS for tally in tallies])} "
                f"{1000 * sum(tally.seconds for tally in tallies) / decisions:6.2f} "
                f"{1000 * max(tally.slowest for tally in tallies):8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
