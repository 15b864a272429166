"""Non-interference: two hands that differ only in what a seat cannot see send it byte-identical frames.

A hand is played to some point. Every tile that the viewer has not seen by then (others' concealed tiles and the undrawn
wall) is permuted, and the same public actions and the viewer's own are played again; what others answer unseen to a
claim may differ. All frames of the viewer, their number, order, step numbers and deadlines are compared as bytes.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import pytest

from clubs.models import Club, Room, RoomTerms
from games import frames, protocol
from games.log import Fold, Player, core_draft
from games.models import Action, Hand, Table
from games.rules import Hand as Core
from games.rules import IllegalAction, Kind, Phase, Ruleset, automatic_actions, legal_actions
from games.rules.events import Discard, Draw, KongMade, Pung, Won
from games.rules.hand import Action as CoreAction
from games.rules.wall import deal, shuffled_wall

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
WATCHER = None
OWN_TILES = {"exposed_kong": 3, "added_kong": 1, "concealed_kong": 4}  # that a kong's own seat shows
CLAIMS = (Kind.PASS, Kind.PUNG, Kind.KONG, Kind.WIN)


def fold_of(preset: str, wall: Sequence[int]) -> Fold:
    """A hand just dealt, without a database."""
    room = Room(pk=1, club=Club(pk=1, slug="jinli", name="锦里"), name="锦江厅")
    terms = RoomTerms(room=room, preset=preset, coefficient=200, rake=400, turn_seconds=20, claim_seconds=10)
    table = Table(pk=1, room=room)
    hand = Hand(pk=1, table=table, number=1, terms=terms, seed=bytes(32), commitment="c", started_at=BEGAN)
    players = tuple(Player(seat, seat + 1, seat + 1, f"p{seat}") for seat in range(4))
    fold = Fold(hand, terms, players)
    fold.core = Core(Ruleset.parse(preset), wall, 0)
    return fold


class World:
    """A fold and the frames that one viewer was sent of it."""

    def __init__(self, preset: str, wall: Sequence[int], viewer: int | None, leaked_to: int | None = None) -> None:
        self.fold = fold_of(preset, wall)
        self.viewer = viewer
        self.receiver = viewer if leaked_to is None else leaked_to
        self.frames: list[str] = []
        self.public = 0  # how many rows everybody saw: their times do not depend on the hidden ones
        self.wall = wall
        dealt, self.front = deal(range(len(wall)), 0)
        self.back = len(wall)
        self.unseen = [set(places) for places in dealt]  # places of the wall: concealed tiles of each seat
        self._draw(0, replacement=False)

    @property
    def core(self) -> Core:
        assert self.fold.core is not None
        return self.fold.core

    def take(self, action: CoreAction) -> None:
        draft = core_draft(action, Action.Source.PLAYER)
        now = BEGAN + timedelta(seconds=self.public)
        row = Action(hand=self.fold.hand, seq=self.fold.seq + 1, seat=draft.seat, kind=draft.kind)
        row.data, row.source, row.created_at = draft.data, draft.source, now
        step = self.fold.take(row)
        if any(event.kind != "answer" for event in step.events):
            self.public += 1
        for event in step.events:
            self._follow(event)
        events = frames.event_payloads(step, self.receiver, frames.names_of(self.fold))
        if events and not self.fold.is_over:
            user_id = 99 if self.receiver is None else self.receiver + 1
            hand = frames.hand_payload(self.fold, user_id, BEGAN)
            self.frames.append(protocol.encode(protocol.Event(hand["seq"], events, hand)))

    def _follow(self, event: Any) -> None:
        """Keep account of which places of the wall everybody has seen."""
        match event:
            case Draw():
                self._draw(event.seat, replacement=event.replacement)
            case Discard():
                self._show(event.seat, event.tile, 1)
            case Pung():
                self._show(event.seat, event.tile, 2)
            case KongMade():
                self._show(event.seat, event.tile, OWN_TILES[event.form.value])
            case Won() if event.win.by == "self_draw":
                self._show(event.win.seat, event.win.tile, 1)

    def _draw(self, seat: int, *, replacement: bool) -> None:
        if replacement:
            self.back -= 1
            self.unseen[seat].add(self.back)
        else:
            self.unseen[seat].add(self.front)
            self.front += 1

    def _show(self, seat: int, tile: int, copies: int) -> None:
        for _copy in range(copies):
            self.unseen[seat].remove(next(place for place in self.unseen[seat] if self.wall[place] == tile))

    def hidden(self) -> list[int]:
        """The places of the wall that the viewer has not seen: others' concealed tiles and what is not drawn yet."""
        others = [places for seat, places in enumerate(self.unseen) if seat != self.viewer]
        return sorted({*range(self.front, self.back), *chain.from_iterable(others)})


def played(world: World, rng: random.Random, length: int) -> list[CoreAction]:
    """Play at random; returns what the viewer or everybody could see being done, and others' claims."""
    script: list[CoreAction] = []
    while not world.fold.is_over and len(world.core.moves) < length:
        core = world.core
        automatic = automatic_actions(core)
        if automatic:
            action = automatic[0]
        else:
            seat = core.turn if core.phase is Phase.TURN else rng.choice(sorted(core.unanswered()))
            options = legal_actions(core, seat)
            claims = [option for option in options if option.kind in CLAIMS and core.phase is Phase.CLAIM]
            # Mostly pass: twins of hidden passes are what this is about.
            passing = [option for option in claims if option.kind is Kind.PASS]
            action = rng.choice(passing if passing and rng.random() < 0.7 else options)
        world.take(action)
        if action.kind is not Kind.PASS or action.seat == world.viewer:
            script.append(action)
    return script


def replayed(world: World, script: Sequence[CoreAction]) -> None:
    """Play a script again; others pass where the script has them do nothing. Raises IllegalAction where it cannot be."""
    for action in script:
        if action.kind is Kind.CLOSE:
            for seat in sorted(world.core.unanswered() - {world.viewer}):
                world.take(CoreAction(seat, Kind.PASS))
        world.take(action)


def twins(
    preset: str, viewer: int | None, rng: random.Random, leaked_to: int | None = None
) -> Iterator[tuple[World, World]]:
    """One hand and a twin of it, where the permuted tiles allow the same public actions."""
    wall = shuffled_wall("twin", rng.randbytes(32), [b""] * 4)
    world = World(preset, wall, viewer, leaked_to)
    script = played(world, rng, rng.randint(3, 70))
    if world.fold.is_over:
        return
    places = world.hidden()
    for _try in range(8):
        other = list(wall)
        for place, source in zip(places, rng.sample(places, len(places)), strict=True):
            other[place] = wall[source]
        twin = World(preset, other, viewer, leaked_to)
        try:
            replayed(twin, script)
        except (IllegalAction, ValueError):
            continue
        yield world, twin
        return


@pytest.mark.parametrize("viewer", [0, 1, 2, 3, WATCHER])
@pytest.mark.parametrize("preset", ["qq_xuezhan_2", "qq_dingque"])
def test_what_a_seat_cannot_see_does_not_reach_it(preset: str, viewer: int | None) -> None:
    _compare(preset, viewer, hands=60, seed=20)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("viewer", [0, 1, 2, 3, WATCHER])
@pytest.mark.parametrize("preset", ["qq_xuezhan_2", "qq_dingque", "jj"])
def test_what_a_seat_cannot_see_does_not_reach_it_in_many_hands(preset: str, viewer: int | None) -> None:
    _compare(preset, viewer, hands=1500, seed=21)


def test_a_leak_would_be_found() -> None:
    """The control: were a seat's frames sent to a spectator, the twins would tell."""
    rng = random.Random("leak")
    pairs = [pair for _hand in range(10) for pair in twins("qq_xuezhan_2", WATCHER, rng, leaked_to=1)]
    assert len(pairs) >= 5
    assert all(world.frames != twin.frames for world, twin in pairs)


def _compare(preset: str, viewer: int | None, *, hands: int, seed: int) -> None:
    rng = random.Random(f"{seed}:{preset}:{viewer}")
    compared = differing = 0
    for _hand in range(hands):
        for world, twin in twins(preset, viewer, rng):
            assert twin.frames == world.frames, f"seed {seed}"
            compared += len(world.frames)
            differing += [seat.counts for seat in world.core.seats] != [seat.counts for seat in twin.core.seats]
    print(f"{preset} viewer {viewer}: {compared} frames, {differing} twins that differ")
    assert differing >= hands // 10, "too few twins to say anything"
    assert compared > hands
