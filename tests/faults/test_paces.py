"""I21: how long it takes from a discard to what follows it does not tell whether somebody could have claimed it.

Clients at several tables play over sockets. Who may claim a tile passes at once, passes after a while, or never answers. Who
discarded it takes the time until the next draw and tries to tell from it whether another could have claimed it. (Whoever is told
first would be the first of four where nobody could, and of three or fewer where somebody could.) How well that goes is the AUC:
the chance that of two discards, one of which could be claimed, the later draw is told rightly; 0.5 is guessing.
"""

import asyncio
import json
import random
import time
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import exp, sqrt
from typing import Any, Final

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection

from accounts.models import User
from clubs.models import Club, RoomTerms
from games import bots
from games.clients import Client
from games.log import GRACE
from games.models import Hand
from games.protocol import choice_of
from games.rules import PRESETS
from games.selfplay import hand_deal
from tests.faults.people import beside, room_of
from tests.people import member_of, table_of
from tests.servers import ServerProcess
from tests.sockets import client_of

PRESET: Final = "chengdu"  # no void suits: from the first discard on another may have a pair of it
CLAIM_SECONDS: Final = 2
LIKES: Final = 0.6  # how often a seat discards what another could claim, where it can
#: Seconds after which an answer comes: a page that answers by itself (不碰不杠), a person, nobody.
WAITS: Final = {"at once": (0.02, 0.1), "late": (0.3, 1.8), "never": None}
MANNERS: Final = tuple(WAITS)

Discard = tuple[int, int]  # the hand, and how many tiles had been discarded


@dataclass
class Times:
    """What everybody at the tables saw. By discard: how those answered who could claim it, and how long it took until the next
    draw, as it was seen by who discarded."""

    rng: random.Random
    held: dict[tuple[int, int], Counter[str]] = field(default_factory=dict)  # the tiles of each seat of a hand
    manners: defaultdict[Discard, list[str]] = field(default_factory=lambda: defaultdict(list))
    delays: dict[Discard, float] = field(default_factory=dict)
    windows: list[float] = field(default_factory=list)  # the same by the server's times

    def of(self, *manners: str) -> list[float]:
        """The delays after discards that could be claimed, and were answered so; without manners, of those that could not."""
        return [
            delay
            for discard, delay in self.delays.items()
            if (set(self.manners[discard]) & set(manners) if manners else not self.manners[discard])
        ]


class Seat:
    """A client that plays, but never claims, and takes the time after its discards. It likes to discard what another could claim,
    else that would be seldom."""

    def __init__(self, times: Times) -> None:
        self.times = times
        #: The last one of this seat, when it saw it, and when it happened.
        self.discarded: tuple[Discard, float, datetime] | None = None
        self.answered = (0, 0)
        self.tasks: set[asyncio.Task[None]] = set()

    async def play(self, client: Client, table_id: int) -> None:
        async with client.socket(table_id) as socket:
            async for text in socket:
                now = time.monotonic()
                frame = json.loads(text)
                if frame["type"] in ("snapshot", "event") and frame["hand"] and frame["hand"]["view"]:
                    self._take(frame.get("events", []), frame["hand"], now)
                    self._decide(socket, frame["hand"])

    def _take(self, events: Sequence[dict[str, Any]], hand: dict[str, Any], now: float) -> None:
        view = hand["view"]
        moments = {event["kind"]: datetime.fromisoformat(event["at"]) for event in events}
        if "draw" in moments and self.discarded is not None:
            discard, since, happened = self.discarded
            self.times.delays[discard] = now - since
            self.times.windows.append((moments["draw"] - happened).total_seconds())
        if moments:
            self.discarded = None
        if view["phase"] == "claim" and any(_is_discard(event, hand["you"]) for event in events):
            self.discarded = (_discard_of(hand), now, moments["discard"])

    def _decide(self, socket: ClientConnection, hand: dict[str, Any]) -> None:
        view = hand["view"]
        if not view["legal"] or view["answered"] or self.answered == (hand["id"], hand["decision"]):
            return
        self.answered = (hand["id"], hand["decision"])
        action, wait = {"kind": "pass"}, 0.0
        if view["phase"] == "claim":
            manner = self.times.rng.choice(MANNERS)
            self.times.manners[_discard_of(hand)].append(manner)
            waits = WAITS[manner]
            if waits is None:
                return
            wait = self.times.rng.uniform(*waits)
        else:
            self.times.held[hand["id"], hand["you"]] = Counter(view["seats"][hand["you"]]["hand"])
            choice = msgspec.structs.asdict(choice_of(bots.choose(view, PRESETS[PRESET].ruleset)))
            action = {key: value for key, value in choice.items() if value is not None}
            wanted = self._wanted(hand)
            if action["kind"] == "discard" and wanted and self.times.rng.random() < LIKES:
                action["tile"] = self.times.rng.choice(wanted)
        command = {
            "type": "act",
            "id": f"{self.times.rng.getrandbits(64):016x}",
            "hand": hand["id"],
            "seq": hand["seq"],
        }
        task = asyncio.create_task(self._send(socket, {**command, "action": action}, wait))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def _wanted(self, hand: dict[str, Any]) -> list[str]:
        """The tiles that this seat may discard and of which another holds a pair."""
        others = [self.times.held.get((hand["id"], seat), Counter()) for seat in range(4) if seat != hand["you"]]
        legal = [option["tile"] for option in hand["view"]["legal"] if option["kind"] == "discard"]
        return [tile for tile in legal if any(held[tile] > 1 for held in others)]

    async def _send(self, socket: ClientConnection, command: dict[str, Any], wait: float) -> None:
        await asyncio.sleep(wait)
        await socket.send(json.dumps(command))


def _is_discard(event: dict[str, Any], seat: int) -> bool:
    return event["kind"] == "discard" and event["seat"] == seat


def _discard_of(hand: dict[str, Any]) -> Discard:
    return hand["id"], sum(len(seat["river"]) for seat in hand["view"]["seats"])


def auc(ones: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """The AUC of telling the ones by their being later, and its standard error where there is nothing to tell."""
    ranked = sorted(others)
    wins = sum((bisect_left(ranked, one) + bisect_right(ranked, one)) / 2 for one in ones)
    pairs = len(ones) * len(others)
    return wins / pairs, sqrt((len(ones) + len(others) + 1) / (12 * pairs))


def same(ones: Sequence[float], others: Sequence[float]) -> float:
    """The p of Kolmogorov and Smirnov that both come from one distribution."""
    first, second = sorted(ones), sorted(others)
    gap = max(
        abs(bisect_right(first, value) / len(first) - bisect_right(second, value) / len(second))
        for value in [*first, *second]
    )
    size = len(first) * len(second) / (len(first) + len(second))
    root = gap * (sqrt(size) + 0.12 + 0.11 / sqrt(size))
    return min(1.0, max(0.0, 2 * sum((-1) ** (k - 1) * exp(-2 * (k * root) ** 2) for k in range(1, 101))))


def timed(url: str, club: Club, operator: User, pacing: str, tables: int, discards: int) -> Times:
    """So many discards at so many tables at once, of a room of a pacing."""
    terms = {"turn_seconds": 60, "claim_seconds": CLAIM_SECONDS, "reserve_seconds": 0}
    room = room_of(club, operator, preset=PRESET, pacing=pacing, **terms)
    times = Times(random.Random(discards))
    people = [[member_of(club, operator, f"{pacing}{number}-{seat}") for seat in range(4)] for number in range(tables)]
    opened = [table_of(room, users) for users in people]

    async def play_all() -> None:
        async with asyncio.TaskGroup() as group:
            for table, users in zip(opened, people, strict=True):
                for user in users:
                    client = await asyncio.to_thread(client_of, url, user)
                    group.create_task(Seat(times).play(client, table.pk))

    with beside(play_all()) as playing:
        while len(times.delays) < discards:
            for table, users in zip(opened, people, strict=True):
                if not Hand.objects.filter(table=table).exclude(status=Hand.Status.SETTLED).exists():
                    hand_deal(table_id=table.pk, users=users)
            time.sleep(0.5)
            assert not playing.done(), playing.exception()
        playing.cancel()
    return times


@pytest.mark.parametrize(
    ("tables", "discards"), [(8, 48), pytest.param(30, 5000, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])]
)
def test_the_time_after_a_discard_tells_nothing_where_the_room_is_blind(
    server_process: ServerProcess, club: Club, operator: User, tables: int, discards: int
) -> None:
    times = timed(server_process.url, club, operator, RoomTerms.Pacing.BLIND, tables, discards)
    nobody, somebody = times.of(), times.of(*MANNERS)
    for manner in MANNERS:
        found = times.of(manner)
        if not found:  # by chance, where there are few discards
            continue
        print(f"{manner}: {len(found)} discards, AUC {auc(found, nobody)[0]:.3f} ± {1.96 * auc(found, nobody)[1]:.3f}")
    score, error = auc(somebody, nobody)
    p = same(somebody, nobody)
    print(f"{len(nobody)} nobody could claim, {len(somebody)} somebody could: AUC {score:.3f}, p {p:.3f}")
    assert abs(score - 0.5) < max(0.03, 3.3 * error)
    assert p > (0.01 if discards >= 5000 else 0.0001)
    assert min(times.windows) >= CLAIM_SECONDS + GRACE, "something followed before the window was over"


def test_the_control_is_told(server_process: ServerProcess, club: Club, operator: User) -> None:
    """Where the room does not pause, one sees by the time that somebody thought about a tile."""
    times = timed(server_process.url, club, operator, RoomTerms.Pacing.INSTANT, 8, 96)
    score, error = auc(times.of("late", "never"), times.of())
    print(f"{len(times.of())} nobody could claim, {len(times.of('late', 'never'))} somebody thought: AUC {score:.3f}")
    assert score > 0.5 + 2.5 * error
