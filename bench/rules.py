"""How fast the rules are, beside the mahjong packages of PyPI: `make bench`.

One process; in every round each side does the same work in turn, and the median of the rounds counts, so that a busy machine
slows all of them alike. Seconds are those of the processor, except for what two jobs gain. Answers are checked against a plain
recursive search. Every side gets its hands in the form that it takes, made beforehand: suit codes for us, counts of 34 kinds
for mahjong and jansou, numbers of 136 tiles for riichienv.

The packages play Japanese rules, so each is asked for what comes closest:

- A winning hand: riichienv and jansou (its native kernel) tell the distance to a win, −1 for one; mahjong says yes or no. Seven
  pairs are seven different ones there, and four of a kind are two pairs here: either answer passes for a package.
- The waits: riichienv of an evaluator made beforehand; jansou with its memory of answers emptied before each round; mahjong has
  no such call, so every tile is tried.
- Whole hands with random decisions: ours is 血战 from the deal of a shuffled wall to the settlement, riichienv a single hand with
  its log turned off, rlcard its mahjong environment, which knows no payments.
- Records: no package reads ours, so riichienv's whole hands are the measure. Lines of JSON go through the function that the
  command `judge_hands` calls, with one job and with two; the start of Python is counted, that of Django is not. What two jobs
  can gain at most on a machine is what two processes of one job gain side by side, each with all the records.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter
from typing import Any, Final, NamedTuple

from games.rules.hand import Hand, Phase, apply, automatic_actions, legal_actions
from games.rules.record import record_of
from games.rules.ruleset import PRESETS
from games.rules.settlement import settle
from games.rules.shapes import build_facts, build_waits, is_complete, shape_waits, suit_codes, tiles_of_mask
from games.rules.tiles import ALL_TILES, COPIES, TILES
from games.rules.wall import SEATS

OURS: Final = "ours"
ROUNDS: Final = 5
HANDS: Final = 20_000
PLAYED: Final = 400
PLAYED_BY_RLCARD: Final = 15
JUDGED: Final = 10_000
RULESET: Final = PRESETS["qq_xuezhan"].ruleset
BALANCES: Final = [100_000] * 4
ROOT: Final = Path(__file__).resolve().parent.parent

Tiles = list[int]
#: What does the work of a round, and how many times it does it.
Side = tuple[Callable[[], Any], int]
HandsSide = Callable[[Sequence[Tiles]], Side]


class Package(NamedTuple):
    """What a package can do."""

    wins: HandsSide | None = None
    waits: HandsSide | None = None
    play: Callable[[], Side] | None = None


def main() -> None:
    packages = {name: package() for name, package in PACKAGES.items() if name == OURS or find_spec(name)}
    missing = ", ".join(name for name in PACKAGES if name not in packages)
    print(f"not installed, skipped: {missing}" if missing else "all packages are there")
    hands = list(seeded_hands(random.Random(HANDS)))
    thirteen = [tiles[1:] for tiles in hands]

    title("Does this hand of 14 tiles win?")
    rates = measured({name: package.wins(hands) for name, package in packages.items() if package.wins})
    compare(rates, [name for name in rates if name != OURS], 1.0)

    title("Which tiles complete this hand of 13?")
    rates = measured({name: package.waits(thirteen) for name, package in packages.items() if package.waits})
    compare(rates, [name for name in rates if name != OURS], 4.0)

    title("Whole hands of random decisions")
    rates = measured({name: package.play() for name, package in packages.items() if package.play})
    compare(rates, ["riichienv"], 3.0)
    compare(rates, ["rlcard"], 60.0)

    title("Hand records judged")
    rng = random.Random(JUDGED)
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "records.jsonl"
        records.write_bytes(b"".join(recorded(rng) for _ in range(JUDGED)))
        riichienv = {name: package.play() for name, package in packages.items() if name == "riichienv" and package.play}
        rates = measured({OURS: judged(records, 1), **riichienv})
        compare(rates, ["riichienv"], 2.5)
        sides = {OURS: judged(records, 1), "with two jobs": judged(records, 2), "side by side": judged_twice(records)}
        rates = measured(sides, clock=perf_counter)
        compare(rates, [OURS], 1.7, side="with two jobs")
        print(f"  side by side / {OURS}: {rates['side by side'] / rates[OURS]:.2f}, what two cores give here")

    title("The tables of winning shapes")
    tables()


# Rounds


def processor_seconds() -> float:
    """What this process and those that it has waited for have used."""
    usages = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measured(sides: dict[str, Side], clock: Callable[[], float] = processor_seconds) -> dict[str, float]:
    """The median rate of each side over rounds in which all take turns, in times a second."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, (work, _times) in sides.items():
            began = clock()
            work()
            seconds[name].append(clock() - began)
    rates = {name: times / statistics.median(seconds[name]) for name, (_, times) in sides.items()}
    for name, rate in rates.items():
        print(f"  {name:14} {rate:14,.0f} /s")
    return rates


def compare(rates: dict[str, float], others: Sequence[str], wanted: float, side: str = OURS) -> None:
    """Print how many times as fast as the fastest of some others a side is."""
    fastest = max((name for name in others if name in rates), key=lambda name: rates[name], default=None)
    if fastest is not None:
        ratio = rates[side] / rates[fastest]
        verdict = "reached" if ratio >= wanted else "NOT REACHED"
        print(f"  {side} / {fastest}: {ratio:.2f}, wanted {wanted:g}: {verdict}")


def title(text: str) -> None:
    print(f"\n{text}")


# Hands, and what is true of them


def seeded_hands(rng: random.Random) -> Iterator[Tiles]:
    """Fourteen shuffled tiles of three suits: in turn dealt at random, won, and won with one tile exchanged."""
    for number in range(HANDS):
        tiles = rng.sample(ALL_TILES, 14) if number % 3 == 0 else won_hand(rng)
        if number % 3 == 2:
            tiles[rng.randrange(14)] = rng.choice([tile for tile in TILES if tiles.count(tile) < COPIES])
        rng.shuffle(tiles)
        yield tiles


def won_hand(rng: random.Random) -> Tiles:
    while True:
        groups = [[tile] * 3 if rng.random() < 0.4 else run_from(tile) for tile in rng.choices(TILES, k=4)]
        tiles = [*chain(*groups), *[rng.choice(TILES)] * 2]
        if rng.random() < 0.2:
            tiles = [tile for tile in rng.choices(TILES, k=7) for _ in range(2)]
        if all(tiles.count(tile) <= COPIES for tile in tiles):
            return tiles


def run_from(tile: int) -> Tiles:
    first = tile - max(0, tile % 9 - 6)
    return [first, first + 1, first + 2]


def plainly_wins(tiles: Tiles, *, four_are_two_pairs: bool) -> bool:
    counts = [tiles.count(tile) for tile in TILES]
    pairs = {2, 4} if four_are_two_pairs else {2}
    return all(count == 0 or count in pairs for count in counts) or falls_into_groups(counts, pair=True)


def falls_into_groups(counts: list[int], *, pair: bool) -> bool:
    """Whether tiles fall into sets, and a pair where one is wanted, by trying."""
    first = next((tile for tile in TILES if counts[tile]), None)
    if first is None:
        return not pair
    groups = [
        [first] * 3,
        *([[first, first + 1, first + 2]] if first % 9 <= 6 else []),
        *([[first] * 2] if pair else []),
    ]
    for group in groups:
        left = counts.copy()
        for tile in group:
            left[tile] -= 1
        if min(left) >= 0 and falls_into_groups(left, pair=pair and len(group) == 3):
            return True
    return False


def plain_waits(tiles: Tiles, *, four_are_two_pairs: bool) -> Tiles:
    return [
        tile
        for tile in TILES
        if tiles.count(tile) < COPIES and plainly_wins([*tiles, tile], four_are_two_pairs=four_are_two_pairs)
    ]


def check(
    name: str, hands: Sequence[Tiles], answers: Sequence[object], plain: Callable[..., object], every: int
) -> None:
    """Compare the answers for every so many hands with the plain search."""
    for tiles, answer in list(zip(hands, answers, strict=True))[::every]:
        right = plain(tiles, four_are_two_pairs=True)
        if answer != right and (name == OURS or answer != plain(tiles, four_are_two_pairs=False)):
            raise SystemExit(f"{name} says {answer} of {sorted(tiles)}, which is {right}")


def wins_side(name: str, hands: Sequence[Tiles], work: Callable[[], list[Any]], won: Callable[[Any], bool]) -> Side:
    check(name, hands, [won(answer) for answer in work()], plainly_wins, every=1)
    return work, len(hands)


def waits_side(name: str, hands: Sequence[Tiles], work: Callable[[], list[Any]], tiles: Callable[[Any], Tiles]) -> Side:
    check(name, hands, [tiles(answer) for answer in work()], plain_waits, every=20)
    return work, len(hands)


# The packages. Each is imported where it is asked, since it may not be there.


def riichienv() -> Package:
    from riichienv import RiichiEnv, calculate_shanten
    from riichienv._riichienv import HandEvaluator as Evaluator

    def wins(hands: Sequence[Tiles]) -> Side:
        numbers = [tile_numbers(tiles) for tiles in hands]
        return wins_side(
            "riichienv", hands, lambda: [calculate_shanten(hand) for hand in numbers], lambda far: far == -1
        )

    def waits(hands: Sequence[Tiles]) -> Side:
        evaluators = [Evaluator(tile_numbers(tiles)) for tiles in hands]
        return waits_side("riichienv", hands, lambda: [hand.get_waits() for hand in evaluators], sorted)

    def play() -> Side:
        chance = random.Random(1).random

        def work() -> None:
            for seed in range(PLAYED):
                env = RiichiEnv(game_mode="4p-red-single", skip_mjai_logging=True, seed=seed)
                asked = env.reset()
                while not env.done():
                    answers = {}
                    for seat, view in asked.items():
                        actions = view.legal_actions()
                        answers[seat] = actions[int(chance() * len(actions))]
                    asked = env.step(answers)

        return work, PLAYED

    return Package(wins, waits, play)


def tile_numbers(tiles: Tiles) -> list[int]:
    """Tiles as numbers of 136: four times the tile plus which copy it is."""
    return [4 * tile + tiles[:place].count(tile) for place, tile in enumerate(tiles)]


def counts_of_34(tiles: Tiles) -> list[int]:
    return [tiles.count(tile) for tile in range(34)]


def mahjong() -> Package:
    from mahjong.agari import Agari

    is_agari = Agari.is_agari

    def wins(hands: Sequence[Tiles]) -> Side:
        counts = [counts_of_34(tiles) for tiles in hands]
        return wins_side("mahjong", hands, lambda: [is_agari(hand) for hand in counts], bool)

    def waits(hands: Sequence[Tiles]) -> Side:
        few = hands[: HANDS // 20]
        counts = [counts_of_34(tiles) for tiles in few]
        return waits_side("mahjong", few, lambda: [tried(hand) for hand in counts], list)

    def tried(counts: list[int]) -> Tiles:
        found = []
        for tile in TILES:
            if counts[tile] < COPIES:
                counts[tile] += 1
                if is_agari(counts):
                    found.append(tile)
                counts[tile] -= 1
        return found

    return Package(wins, waits)


def jansou() -> Package:
    from jansou.analysis import waits as module
    from jansou.analysis._native import KERNEL

    assert KERNEL is not None, "jansou's native part, jansou-native, is missing"
    distance = KERNEL.shanten_counts

    def wins(hands: Sequence[Tiles]) -> Side:
        counts = [counts_of_34(tiles) for tiles in hands]
        return wins_side("jansou", hands, lambda: [distance(hand, 0) for hand in counts], lambda far: far == -1)

    def waits(hands: Sequence[Tiles]) -> Side:
        few = hands[: HANDS // 20]
        counts = [counts_of_34(tiles) for tiles in few]

        def work() -> list[Any]:
            module._cached_waits.cache_clear()
            return [module.waits_counts(hand, ()) for hand in counts]

        return waits_side("jansou", few, work, sorted)

    return Package(wins, waits)


def rlcard() -> Package:
    import rlcard as module

    def play() -> Side:
        chance = random.Random(1).random
        env = module.make("mahjong", config={"seed": 1})

        def work() -> None:
            for _ in range(PLAYED_BY_RLCARD):
                state, _seat = env.reset()
                while not env.is_over():
                    actions = list(state["legal_actions"])
                    state, _seat = env.step(actions[int(chance() * len(actions))])

        return work, PLAYED_BY_RLCARD

    return Package(play=play)


# Our side


def ours() -> Package:
    def wins(hands: Sequence[Tiles]) -> Side:
        codes = [suit_codes(tiles) for tiles in hands]
        return wins_side(OURS, hands, lambda: [is_complete(hand, pairs=True) for hand in codes], bool)

    def waits(hands: Sequence[Tiles]) -> Side:
        codes = [suit_codes(tiles) for tiles in hands]
        return waits_side(OURS, hands, lambda: [shape_waits(hand, pairs=True) for hand in codes], tiles_of_mask)

    def play() -> Side:
        rng = random.Random(1)
        walls = [rng.sample(ALL_TILES, len(ALL_TILES)) for _ in range(PLAYED)]

        def work() -> None:
            for number, wall in enumerate(walls):
                hand = played(wall, number % SEATS, rng)
                settle(RULESET, hand.result()["units"], 200, 400, BALANCES)

        return work, PLAYED

    return Package(wins, waits, play)


def played(wall: Sequence[int], dealer: int, rng: random.Random) -> Hand:
    """A whole hand of random decisions."""
    chance = rng.random
    hand = Hand(RULESET, wall, dealer)
    over, turn = Phase.OVER, Phase.TURN
    while (phase := hand.phase) is not over:
        # In a turn there is nothing automatic but a forced win, and then no other action.
        if phase is not turn and (automatic := automatic_actions(hand)):
            for action in automatic:
                apply(hand, action)
        else:
            actions = legal_actions(hand, hand.turn if phase is turn else hand.unanswered().pop())
            apply(hand, actions[int(chance() * len(actions))])
    return hand


def recorded(rng: random.Random) -> bytes:
    hand = played(rng.sample(ALL_TILES, len(ALL_TILES)), 0, rng)
    return json.dumps(record_of(hand, coefficient=200, rake=400, balances=BALANCES)).encode() + b"\n"


def judged(records: Path, jobs: int) -> Side:
    return lambda: ended(start_judging(records, jobs)), JUDGED


def judged_twice(records: Path) -> Side:
    """Two processes that know nothing of each other."""

    def work() -> None:
        for process in [start_judging(records, 1) for _ in range(2)]:
            ended(process)

    return work, 2 * JUDGED


def start_judging(records: Path, jobs: int) -> "subprocess.Popen[bytes]":
    """The command `judge_hands`, less the start of Django."""
    call = f"from games.lines import run; raise SystemExit(run('judge', {jobs}))"
    with records.open("rb") as lines:
        return subprocess.Popen([sys.executable, "-c", call], cwd=ROOT, stdin=lines, stdout=subprocess.DEVNULL)


def ended(process: "subprocess.Popen[bytes]") -> None:
    if process.wait():
        raise SystemExit("judging has failed")


def tables() -> None:
    """What the tables cost at start-up: they are built again, for the time and once more for the memory."""
    seconds = []
    for _ in range(ROUNDS):
        began = processor_seconds()
        build_waits(build_facts())
        seconds.append(processor_seconds() - began)
    tracemalloc.start()
    facts = build_facts()
    kept = facts, build_waits(facts)
    size, peak = (number / 1e6 for number in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    print(f"  {' and '.join(f'{len(table):,}' for table in kept)} codes")
    print(f"  {statistics.median(seconds):.3f} s at start-up, wanted below 0.2")
    print(f"  {size:.1f} MB, {peak:.1f} MB while they are built, wanted below 40")


PACKAGES: Final = {OURS: ours, "riichienv": riichienv, "jansou": jansou, "mahjong": mahjong, "rlcard": rlcard}

if __name__ == "__main__":
    main()
