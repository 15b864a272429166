"""Hands that the rules core plays, as seat 0 sees them step by step. What the table makes of the views and events is what the
core knows (hands.check.mjs): where tiles lie, what was earned, and that a button brings what it says."""

import json
import os
import random
import shutil
import subprocess
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from games import words
from games.bots import choose
from games.rules import PRESETS, Action, Hand, IllegalAction, Kind, Phase, apply, automatic_actions, legal_actions
from games.rules.events import Event, Payment, PaymentKind
from games.rules.holding import Meld, MeldKind
from games.rules.state import Seat
from games.rules.tiles import TILE_NAMES, suit_of
from games.rules.views import event_for, view_for
from games.rules.wall import SEATS

HERE = Path(__file__).resolve().parent
ME = 0
NAMES = ("甲", "乙", "丙", "丁")
OFFERED = {Kind.KONG: PaymentKind.KONG, Kind.WIN: PaymentKind.WIN}

Json = dict[str, Any]


@pytest.mark.skipif(
    shutil.which("node") is None and os.environ.get("CI") != "true",
    reason="needs Node (Debian: apt-get install nodejs)",
)
@pytest.mark.parametrize("preset", ["qq_dingque", "qq_jiajiayou", "chengdu"])
def test_the_table_shows_what_the_rules_know(preset: str, tmp_path: Path) -> None:
    hands = [played(preset, f"{preset} {number}") for number in range(6)]
    promised = [offer for hand in hands for step in hand["steps"] for offer in step["offers"]]
    assert any(offer.startswith("kong") for offer in promised) and any(offer.startswith("win") for offer in promised)
    stored = tmp_path / "hands.json"
    stored.write_text(json.dumps(hands))
    done = subprocess.run(
        ["node", "--test", HERE / "hands.check.mjs"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HANDS": str(stored)},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def played(preset: str, seed: str) -> Json:
    """A hand by the bots' policy: each step with the view and the events of seat 0, and with what is to be shown of it."""
    ruleset, rng = PRESETS[preset].ruleset, random.Random(seed)
    wall = [tile for tile in range(27) for _copy in range(4)]
    rng.shuffle(wall)
    hand = Hand(ruleset, wall, rng.randrange(SEATS))
    steps = [_step(hand, [])]
    while hand.phase is not Phase.OVER:
        steps.append(_step(hand, apply(hand, _next(hand))))
    income = [
        sum(one.units for one in hand.payments if one.payee == seat and one.rule.kind in OFFERED.values())
        for seat in range(SEATS)
    ]
    return {"steps": steps, "income": income, "units": [seat.units for seat in hand.seats]}


def _next(hand: Hand) -> Action:
    own = automatic_actions(hand)
    if own:
        return own[0]
    seat = next(seat for seat in range(SEATS) if legal_actions(hand, seat))
    return choose(view_for(hand, seat), hand.ruleset)


def _step(hand: Hand, events: list[Event]) -> Json:
    seen = [shown for event in events if (shown := event_for(event, ME))]
    return {
        "view": view_for(hand, ME),
        "events": [{**event, "words": words.event_words(event, NAMES)} for event in seen],
        "rivers": ["".join(TILE_NAMES[tile] for tile, claimed in seat.river if not claimed) for seat in hand.seats],
        "melds": [[_meld(meld, seat.number) for meld in seat.melds] for seat in hand.seats],
        "hand": _tiles(hand, hand.seats[ME]),
        "units": [seat.units for seat in hand.seats],
        "offers": [promise for action in legal_actions(hand, ME) if (promise := _promise(hand, action))],
    }


def _meld(meld: Meld, owner: int) -> Json:
    """A meld, with which of its tiles lies across: the one on the side of the seat that gave it."""
    across = None if meld.source is None else (meld.source - owner) % SEATS
    turned = {None: -1, 3: 0, 2: 1, 1: meld.size - 1}[across]
    hidden = [0, 3] if meld.kind is MeldKind.CONCEALED_KONG else []
    return {"tile": TILE_NAMES[meld.tile], "size": meld.size, "turned": turned, "hidden": hidden}


def _tiles(hand: Hand, seat: Seat) -> str:
    """A seat's concealed tiles: sorted, the void suit last, the tile just drawn or won with behind them."""
    tiles = list(seat.tiles)
    apart = seat.won.tile if seat.won else hand.drawn if hand.phase is Phase.TURN and hand.turn == seat.number else None
    if apart is not None and len(tiles) % 3 == 2:
        tiles.remove(apart)
    void = None if hand.phase is Phase.VOID else seat.void
    tiles.sort(key=lambda tile: (suit_of(tile) == void, tile))
    return "".join(TILE_NAMES[tile] for tile in (*tiles, *([] if apart is None else [apart])))


def _promise(hand: Hand, action: Action) -> str | None:
    """What a kong or win brings where nobody comes before it: it is carried out on a copy, and what is then paid is counted.
    None where somebody must."""
    if action.kind not in OFFERED:
        return None
    twin = hand.copy()
    apply(twin, action)
    for seat in range(SEATS):
        if seat != ME and twin.phase is Phase.CLAIM and legal_actions(twin, seat):
            try:
                apply(twin, Action(seat, Kind.PASS))
            except IllegalAction:
                return None
    if twin.phase is Phase.CLAIM:
        for own in automatic_actions(twin):
            apply(twin, own)
    paid = [one for one in twin.payments[len(hand.payments) :] if one.payee == ME]
    units = [one for one in paid if one.rule.kind is OFFERED[action.kind]]
    return " ".join([action.kind, *_gains(units)])


def _gains(payments: list[Payment]) -> list[str]:
    """+2×3: units from each of so many."""
    alike = [len(list(group)) for _, group in groupby(payments, key=lambda one: (one.rule, one.units))]
    firsts = [next(group) for _, group in groupby(payments, key=lambda one: (one.rule, one.units))]
    return [f"+{one.units}" + (f"×{count}" if count > 1 else "") for one, count in zip(firsts, alike, strict=True)]
