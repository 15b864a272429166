"""What holds of every hand, whatever is played."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.actions import Action, IllegalAction, Kind
from games.rules.hand import Hand, Phase, apply, automatic_actions, legal_actions
from games.rules.record import judge, record_of, replay
from games.rules.ruleset import PRESETS, Ruleset
from games.rules.scoring import score_line
from games.rules.tiles import ALL_TILES, SUITS, TILES, rank_of, suit_of
from games.rules.views import event_for, view_for
from games.rules.wall import SEATS

from .tables import play_random, random_action, tiles_everywhere

seeds = st.integers(0, 2**32)
rulesets = st.sampled_from([preset.ruleset for preset in PRESETS.values()])
few = settings(max_examples=30, deadline=None)


def state(hand: Hand) -> str:
    """All that the five viewers see, and what is still to be drawn."""
    views = [view_for(hand, seat) for seat in (*range(SEATS), None)]
    return json.dumps([views, hand.moves, hand.remaining_wall, [seat.passed_fan for seat in hand.seats]])


@few
@given(rulesets, seeds)
def test_no_tile_is_lost_and_units_sum_to_zero(ruleset: Ruleset, seed: int) -> None:
    def check(hand: Hand) -> None:
        assert tuple(tiles_everywhere(hand)) == ALL_TILES
        assert sum(seat.units for seat in hand.seats) == 0

    play_random(ruleset, seed, check)


@few
@given(rulesets, seeds)
def test_payments_alone_rebuild_the_units(ruleset: Ruleset, seed: int) -> None:
    result = play_random(ruleset, seed).result()
    units = [0] * SEATS
    for payment in result["payments"]:
        assert payment["units"] > 0
        units[payment["payer"]] -= payment["units"]
        units[payment["payee"]] += payment["units"]
    assert units == result["units"]


@few
@given(rulesets, seeds)
def test_the_record_of_a_hand_is_judged_and_replayed_to_the_same(ruleset: Ruleset, seed: int) -> None:
    hand = play_random(ruleset, seed)
    record = json.loads(json.dumps(record_of(hand, coefficient=200, rake=400, balances=[1000, 20000, 0, 5000])))
    assert judge(record) == record["result"]
    *_, (replayed, _events) = replay(record)
    assert state(replayed) == state(hand)


@settings(max_examples=10, deadline=None)
@given(rulesets, seeds)
def test_an_illegal_action_changes_nothing_and_legal_ones_are_legal(ruleset: Ruleset, seed: int) -> None:
    rng = random.Random(seed)

    def check(hand: Hand) -> None:
        if rng.random() > 0.1:
            return
        before = state(hand)
        action = Action(rng.choice([None, *range(SEATS)]), rng.choice(list(Kind)), rng.choice([None, *TILES]), 0)
        try:
            apply(hand.copy(), action)
        except IllegalAction:
            with pytest.raises(IllegalAction):
                apply(hand, action)
        assert state(hand) == before
        for seat in range(SEATS):
            for legal in legal_actions(hand, seat):
                assert apply(hand.copy(), legal)
        assert state(hand) == before, "copies are independent"

    play_random(ruleset, seed, check)


def hide(hand: Hand, viewer: int, rng: random.Random) -> Hand | None:
    """A hand that differs only in what the viewer cannot see: a tile of another seat changed places with the wall."""
    others = [seat for seat in hand.seats if seat.number != viewer and seat.live and any(seat.counts)]
    if not others or hand.wall_left < 2:
        return None
    twin = hand.copy()
    other = twin.seats[rng.choice(others).number]
    mine = rng.choice([tile for tile in TILES if other.counts[tile] and tile != hand.drawn])
    place = rng.randrange(twin._front, twin._front + twin.wall_left)
    wall = list(twin.wall)
    theirs, wall[place] = wall[place], mine
    twin.wall = tuple(wall)
    other.remove(mine)
    other.draw(hand.ruleset, theirs)
    return twin


@few
@given(rulesets, seeds)
def test_a_view_does_not_depend_on_what_is_hidden(ruleset: Ruleset, seed: int) -> None:
    rng = random.Random(seed)

    def check(hand: Hand) -> None:
        viewer = rng.choice([*range(SEATS)])
        if hand.phase is Phase.OVER or rng.random() > 0.2:
            return
        twin = hide(hand, viewer, rng)
        if twin is not None:
            assert json.dumps(view_for(twin, viewer)) == json.dumps(view_for(hand, viewer))
            assert json.dumps(view_for(twin, None)) == json.dumps(view_for(hand, None))
            discards = [action for action in legal_actions(hand, viewer) if action.kind is Kind.DISCARD]
            if discards:
                # What comes of the viewer's own discard shows nothing either.
                here, there = hand.copy(), twin.copy()
                action = rng.choice(discards)
                shown = [event_for(event, viewer) for event in apply(here, action)]
                assert [event_for(event, viewer) for event in apply(there, action)] == shown
                assert json.dumps(view_for(there, viewer)) == json.dumps(view_for(here, viewer))

    play_random(ruleset, seed, check)


@few
@given(rulesets, seeds)
def test_events_never_name_an_unseen_tile(ruleset: Ruleset, seed: int) -> None:
    rng = random.Random(seed)
    wall = list(ALL_TILES)
    rng.shuffle(wall)
    hand = Hand(ruleset, wall, 0)
    while hand.phase is not Phase.OVER:
        for action in automatic_actions(hand) or [random_action(hand, rng)]:
            for event in apply(hand, action):
                for viewer in (*range(SEATS), None):
                    shown = event_for(event, viewer)
                    if event.kind == "answer" and event.seat != viewer:
                        assert shown is None
                    elif event.kind == "draw" and event.seat != viewer:
                        assert shown is not None and "tile" not in shown
                    else:
                        assert shown is not None and json.dumps(shown)


@given(st.data())
def test_the_order_of_concealed_tiles_never_matters(data: st.DataObject) -> None:
    tiles = data.draw(st.permutations(ALL_TILES[36:84]).map(lambda mixed: mixed[:13]))
    again = data.draw(st.permutations(tiles))
    preset = data.draw(st.sampled_from(list(PRESETS)))
    lines = [
        {"ruleset": preset, "concealed": "".join(f"{rank_of(tile)}{SUITS[suit_of(tile)]}" for tile in order)}
        for order in (tiles, again)
    ]
    assert score_line(lines[0]) == score_line(lines[1])
