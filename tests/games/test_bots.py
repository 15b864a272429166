"""What holds of every bot: it is legal, knows only its seat's view, and the stronger one gets more."""

import random
import statistics

import pytest

from bench import bots as bench
from games.bots import Strength, choose
from games.bots.distance import Form, Plan, missing, nearer
from games.rules import PRESETS, Action, Hand, Phase, Ruleset, legal_actions
from games.rules.shapes import is_complete, suit_codes
from games.rules.tiles import COPIES, TILES, parse_tiles
from games.rules.views import view_for
from games.rules.wall import SEATS

from .rules import chances
from .rules.test_properties import hide


def asked(hand: Hand) -> list[int]:
    """The seats that have something to decide."""
    return [seat for seat in range(SEATS) if legal_actions(hand, seat)]


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("preset", PRESETS)
def test_bots_play_hands_of_every_preset_to_the_end(preset: str, strength: Strength) -> None:
    def decision(hand: Hand, seat: int) -> Action:
        action = choose(view_for(hand, seat), hand.ruleset, strength)
        assert action in legal_actions(hand, seat)
        return action

    wall = chances.a_wall(random.Random(preset))
    assert bench.play(PRESETS[preset].ruleset, wall, 0, decision).phase is Phase.OVER


@pytest.mark.parametrize("strength", Strength)
def test_bots_are_legal_wherever_chance_leads_under_any_options(strength: Strength) -> None:
    decided = 0
    for seed in range(40):
        rng = random.Random(f"{strength} {seed}")
        ruleset = Ruleset.parse(chances.a_ruleset(rng))

        def check(hand: Hand) -> None:
            nonlocal decided
            if rng.random() < 0.1:  # noqa: B023 - called before the next seed
                for seat in asked(hand):
                    assert choose(view_for(hand, seat), hand.ruleset, strength) in legal_actions(hand, seat)
                    decided += 1

        chances.play(ruleset, rng, check)
    assert decided > 100


@pytest.mark.parametrize("strength", Strength)
def test_a_bot_knows_only_the_view_of_its_seat(strength: Strength) -> None:
    compared = 0
    for seed in range(40):
        rng = random.Random(f"{strength} {seed}")
        preset = rng.choice(list(PRESETS.values()))

        def check(hand: Hand) -> None:
            nonlocal compared
            if rng.random() < 0.1:  # noqa: B023 - called before the next seed
                for seat in asked(hand):
                    twin = hide(hand, seat, rng)  # noqa: B023
                    if twin is not None and legal_actions(twin, seat) == legal_actions(hand, seat):
                        here = choose(view_for(hand, seat), hand.ruleset, strength)
                        assert choose(view_for(twin, seat), twin.ruleset, strength) == here
                        compared += 1

        chances.play(preset.ruleset, rng, check)
    assert compared > 100


def test_what_a_hand_lacks() -> None:
    both = (0, 1)
    for tiles, form, lacks in (
        ("123m456m789m11p99p1p", Form.SETS, 0),
        ("123m456m789m11p99p", Form.SETS, 1),
        ("147m147p147s1234s", Form.SETS, 9),
        ("111m222m333m44p55p", Form.TRIPLETS, 1),
        ("11m22m33m44p55p6p7p", Form.PAIRS, 2),
        ("1111m22m33p44p5p6p7p", Form.PAIRS, 2),
    ):
        assert missing(suit_codes(parse_tiles(tiles)), 0, Plan(form, both)) == lacks, tiles
    assert missing(suit_codes(parse_tiles("123m4m")), 3, Plan(Form.SETS, both)) == 1, "three melds"


def test_a_hand_lacks_nothing_when_it_is_complete_and_each_tile_is_worth_one_at_most() -> None:
    plans = [Plan(form, suits) for form in (Form.SETS, Form.TRIPLETS, Form.PAIRS) for suits in ((0, 1), (1,), (2,))]
    complete = 0
    for seed in range(300):
        rng = random.Random(seed)
        hand = chances.a_whole_hand(rng, chances.shuffled(rng))
        counts = [hand.count(tile) for tile in TILES]
        codes = suit_codes(hand)
        for plan in plans:
            lacks = missing(codes, 0, plan)
            if not any(counts[tile] for tile in TILES if tile // 9 not in plan.suits) and plan.form != Form.TRIPLETS:
                is_pairs = all(count % 2 == 0 for count in counts)
                whole = is_pairs if plan.form == Form.PAIRS else is_complete(codes, pairs=False)
                assert (lacks == 0) == whole
                complete += whole
            for tile in TILES:
                if counts[tile] < COPIES:
                    better = lacks - missing(suit_codes([*hand, tile]), 0, plan)
                    assert better == (tile in nearer(codes, 0, plan)), (hand, plan, tile)
    assert complete > 30


@pytest.mark.deep
@pytest.mark.parametrize(("better", "worse"), [("strong", "normal"), ("normal", "easy"), ("easy", bench.RANDOM)])
def test_the_stronger_bot_gets_more(better: str, worse: str) -> None:
    points = [bench.tally(("qq_dingque", better, worse, seed)).points for seed in range(250)]
    assert statistics.fmean(points) > 1.96 * statistics.stdev(points) / len(points) ** 0.5
