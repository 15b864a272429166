"""What holds of every hand, whatever is played."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.actions import Action, IllegalAction, Kind
from games.rules.events import EndKind, PaymentKind
from games.rules.hand import Hand, Phase, apply, automatic_actions, legal_actions
from games.rules.options import OPTIONS, LeaverWins, RefundTo
from games.rules.record import judge, record_of, replay
from games.rules.ruleset import PRESETS, Ruleset
from games.rules.scoring import score_line
from games.rules.tiles import ALL_TILES, COPIES, SUITS, TILES, rank_of, suit_of
from games.rules.views import event_for, view_for
from games.rules.wall import SEATS, deal, wall_text

from .chances import a_room, a_temper, a_value, a_wall, dealt, decision, play
from .tables import copies_everywhere
from .untouched import UNTOUCHED, Walk

seeds = st.integers(0, 2**64)
rulesets = st.sampled_from([preset.ruleset for preset in PRESETS.values()])
few = settings(max_examples=30, deadline=None)


def state(hand: Hand) -> str:
    """All that the five viewers see, what is still to be drawn, and the wins passed while that matters."""
    views = [view_for(hand, seat) for seat in (*range(SEATS), None)]
    passed = [seat.passed_fan for seat in hand.seats if hand.phase is not Phase.OVER]
    return json.dumps([views, hand.moves, hand.remaining_wall, passed])


@pytest.mark.parametrize("examples", [300, pytest.param(20_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_hand(preset: str, examples: int) -> None:
    """One walk through a hand; every function below says what holds of it."""
    ruleset = PRESETS[preset].ruleset
    tried: set[str] = set()

    @settings(max_examples=examples, deadline=None)
    @given(seeds)
    def holds(seed: int) -> None:
        rng = random.Random(seed)
        walk = Walk()

        def look(hand: Hand) -> None:
            assert copies_everywhere(hand) == [COPIES] * len(TILES)
            if hand.payments != walk.payments:
                payments_alone_rebuild_the_units(hand)
                payments_are_between_seats_in_the_hand(walk, hand)
            walk.look(hand)

        hand = play(ruleset, rng, look)
        room = a_room(rng)
        record = json.loads(json.dumps(record_of(hand, **room)))
        kongs_are_refunded_once(hand)
        *_, (replayed, _events) = replay(record)
        assert state(replayed) == state(hand)
        assert record_of(replayed, **room) == record
        tried.update(neither_order_nor_idle_options_matter(walk, hand, record, rng))

    holds()
    assert tried == set(UNTOUCHED), "every option was idle in some hand"


def payments_alone_rebuild_the_units(hand: Hand) -> None:
    units = [0] * SEATS
    for payment in hand.payments:
        assert payment.units > 0
        units[payment.payer] -= payment.units
        units[payment.payee] += payment.units
    assert units == [seat.units for seat in hand.seats]
    assert sum(units) == 0


def payments_are_between_seats_in_the_hand(walk: Walk, hand: Hand) -> None:
    """What the last action has brought is paid by live seats to live seats, with the exceptions that RULES.md makes."""
    live = set(hand.live_seats())
    left = {seat.number for seat in hand.seats if seat.left}
    for payment in hand.payments[len(walk.payments) :]:
        match payment.kind:
            case PaymentKind.HUAZHU:
                assert payment.payer in live
                assert payment.payee in live or (hand.ruleset.huazhu_pays_winners and payment.payee not in left)
            case PaymentKind.KONG_REFUND:
                assert payment.payer in live
                assert payment.payee in live or (
                    hand.ruleset.kong_refund_to is RefundTo.PAYERS and payment.payee not in left
                )
            case PaymentKind.DAJIAO | PaymentKind.DAJIAO_GAP if hand.end is EndKind.DRAWN:
                assert {payment.payer, payment.payee} <= live
            case PaymentKind.ESCAPE | PaymentKind.DAJIAO:
                assert payment.payer in walk.live - live and payment.payee in live
            case _:
                assert {payment.payer, payment.payee} <= walk.live
    struck = list((Counter(walk.payments) - Counter(hand.payments)).elements())
    if struck:
        assert hand.ruleset.leaver_wins is LeaverWins.FORFEIT
        assert {(payment.kind, payment.payee) for payment in struck} == {(PaymentKind.WIN, *(left - walk.left))}


def kongs_are_refunded_once(hand: Hand) -> None:
    """Each refund is of one kong and payer, and of no kong that a kong shot gave away."""
    refunds = Counter(
        (payment.tile, payment.payer, payment.payee, payment.units)
        for payment in hand.payments
        if payment.kind is PaymentKind.KONG_REFUND
    )
    paid = Counter(
        (payment.tile, payment.payee, payment.payer, payment.units)
        for kong in hand.kongs
        if not kong.transferred
        for payment in kong.paid
    )
    assert refunds <= paid


def neither_order_nor_idle_options_matter(
    walk: Walk, hand: Hand, record: dict[str, Any], rng: random.Random
) -> set[str]:
    """Dealt in another order, and with every other value of the options that nothing called for, a hand comes to the same.

    The names of these options are returned.
    """
    hands, drawn = deal(hand.wall, hand.dealer)
    in_order = [rng.sample(hands[(hand.dealer + step) % SEATS], 13) for step in range(SEATS)]
    idle = {name: OPTIONS[name] for name, untouched in UNTOUCHED.items() if untouched(walk, hand)}
    changed = {name: a_value(option, rng) for name, option in idle.items()}
    if "patterns" in changed:
        # Other fan for the same patterns: which are listed decides what wins.
        changed["patterns"] = {pattern: rng.randrange(6) for pattern, _ in hand.ruleset.patterns}
    again = {
        **record,
        "wall": wall_text(dealt(in_order, hand.wall[drawn:])),
        "ruleset": {"preset": hand.ruleset.preset, "options": {**hand.ruleset.options(), **changed}},
    }
    assert judge(again) == record["result"], changed
    return set(changed)


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

    play(ruleset, rng, check)


def hide(hand: Hand, viewer: int, rng: random.Random) -> Hand | None:
    """A hand that differs only in what the viewer cannot see: a tile of another seat changed places with the wall."""
    concealed = [
        (seat.number, tile)
        for seat in hand.seats
        if seat.number != viewer and seat.live
        for tile in TILES
        if seat.counts[tile] and tile != hand.drawn
    ]
    if not concealed or hand.wall_left < 2:
        return None
    twin = hand.copy()
    number, mine = rng.choice(concealed)
    other = twin.seats[number]
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

    play(ruleset, rng, check)


@few
@given(rulesets, seeds)
def test_events_never_name_an_unseen_tile(ruleset: Ruleset, seed: int) -> None:
    rng = random.Random(seed)
    temper = a_temper(rng)
    hand = Hand(ruleset, a_wall(rng), 0)
    while hand.phase is not Phase.OVER:
        for action in automatic_actions(hand) or [decision(hand, temper, rng)]:
            for event in apply(hand, action):
                for viewer in (*range(SEATS), None):
                    shown = event_for(event, viewer)
                    if event.kind == "answer" and event.seat != viewer:
                        assert shown is None
                    elif event.kind == "draw" and event.seat != viewer:
                        assert shown is not None and "tile" not in shown
                    else:
                        assert shown is not None and json.dumps(shown)


@settings(deadline=None)
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
