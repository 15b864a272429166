"""Four socket clients at each table: they play legal hands by the bots' policy and take the time of what they see."""

import asyncio
import random
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

import msgspec

from bench.club import Seated
from bench.link import Link, opened
from games import bots
from games.protocol import choice_of
from games.rules import PRESETS
from games.rules.wall import SEATS

RULESET: Final = PRESETS["qq_dingque"].ruleset
HARMLESS: Final = {"stale", "too_late"}  # the program was quicker
PATIENCE: Final = 30.0  # seconds without anything to decide, after which a table counts as stuck
AT_ONCE: Final = 16  # sockets that open at the same time


class Stuck(Exception):
    """A table did not go on as it must."""


class Kind(msgspec.Struct):
    kind: str
    seat: int | None = None


class View(msgspec.Struct):
    legal: list[msgspec.Raw]
    answered: str | None


class Hand(msgspec.Struct):
    id: int
    seq: int
    decision: int
    status: str
    nonce_wanted: bool
    view: View | None


class Frame(msgspec.Struct):
    """What a client looks at in every frame; only who decides reads all of it."""

    type: str
    id: str | None = None
    code: str = ""
    events: list[Kind] = []
    hand: Hand | None = None


_frames: Final = msgspec.json.Decoder(Frame)


@dataclass
class Figures:
    """What was measured in some time."""

    acknowledged: list[float] = field(default_factory=list)  # seconds from an action to its ack
    seen: list[float] = field(default_factory=list)  # seconds from a discard to its event at each of the other three
    sizes: list[int] = field(default_factory=list)  # bytes of event frames
    answered: int = 0  # acks of any command
    ended: int = 0  # hands
    refused: Counter[str] = field(default_factory=Counter)


class Seat:
    """One client."""

    def __init__(self, table: "PlayedTable", number: int) -> None:
        self.table, self.number = table, number
        self.link: Link | None = None
        self.nonce = b""
        self.ready_for = 0  # the hand over which the seat got ready
        self.hand: Hand | None = None
        self.text = b""  # the frame in which the hand came
        self.decided = (0, 0)  # hand and decision
        self.revealed = 0  # the hand that has the nonce

    @property
    def is_asked(self) -> bool:
        hand = self.hand
        if hand is None or hand.view is None or (hand.id, hand.decision) == self.decided:
            return False
        return bool(hand.view.legal) and hand.view.answered is None

    def hear(self, text: bytes) -> None:
        now = perf_counter()
        frame = _frames.decode(text)
        if frame.hand is not None:
            self.hand, self.text = frame.hand, text
        self.table.take(self, frame, now, len(text))
        self._join_in(frame)

    def get_ready(self) -> None:
        self.nonce = secrets.token_bytes(32)
        self.send({"type": "ready", "nonce_commitment": sha256(self.nonce).hexdigest()})

    def _join_in(self, frame: Frame) -> None:
        """Reveal the nonce, and get ready again after a hand."""
        hand = frame.hand
        if hand is None:
            return
        if hand.nonce_wanted and hand.id != self.revealed:
            self.revealed = hand.id
            self.send({"type": "nonce", "hand": hand.id, "nonce": self.nonce.hex()})
        elif hand.status == "settled" and hand.id != self.ready_for:
            self.ready_for = hand.id
            self.table.hall.figures.ended += self.number == 0
            self.get_ready()

    def decision(self) -> dict[str, Any]:
        """The command with which this seat decides what it is asked."""
        hand = self.hand
        assert hand is not None
        self.decided = (hand.id, hand.decision)
        choice = choice_of(bots.choose(msgspec.json.decode(self.text)["hand"]["view"], RULESET, bots.Strength.EASY))
        action = {key: value for key, value in msgspec.structs.asdict(choice).items() if value is not None}
        return {"type": "act", "id": str(uuid4()), "hand": hand.id, "seq": hand.seq, "action": action}

    def send(self, command: dict[str, Any]) -> None:
        assert self.link is not None
        self.link.send(msgspec.json.encode({"id": str(uuid4()), **command}))


class PlayedTable:
    """A table whose people decide one after the other, at the pace of the hall."""

    def __init__(self, hall: "Hall", table_id: int) -> None:
        self.hall, self.table_id = hall, table_id
        self.seats: list[Seat] = []
        self.news = asyncio.Event()
        self.refusal = ""  # the code of an answer that must not come
        self.sent_at, self.sent_id, self.sent_by = 0.0, "", -1
        self.unseen: set[int] = set()  # the seats that have not seen the last discard

    def take(self, seat: Seat, frame: Frame, now: float, size: int) -> None:
        figures = self.hall.figures
        if frame.type == "ack":
            figures.answered += 1
            if frame.id == self.sent_id:
                figures.acknowledged.append(now - self.sent_at)
                self.sent_id = ""
        elif frame.type == "error":
            if frame.code not in HARMLESS:
                self.refusal = frame.code
            figures.refused[frame.code] += 1
            self.sent_id = ""
        elif frame.type == "event":
            figures.sizes.append(size)
            if seat.number in self.unseen and any(
                event.kind == "discard" and event.seat == self.sent_by for event in frame.events
            ):
                self.unseen.discard(seat.number)
                figures.seen.append(now - self.sent_at)
        self.news.set()

    async def play(self) -> None:
        """Play until cancelled."""
        due = perf_counter() + random.uniform(0, self.hall.pace)
        while True:
            seat = await self._next()
            if (early := due - perf_counter()) > 0:
                await asyncio.sleep(early)
                seat = await self._next()
            due = max(due + self.hall.pace, perf_counter())
            command = seat.decision()
            self.sent_id, self.sent_by = command["id"], seat.number
            is_discard = command["action"]["kind"] == "discard"
            self.unseen = set(range(SEATS)) - {seat.number} if is_discard else set()
            self.sent_at = perf_counter()
            seat.send(command)
            await self.until(lambda: not self.sent_id)

    async def _next(self) -> Seat:
        await self.until(lambda: any(seat.is_asked for seat in self.seats))
        return next(seat for seat in self.seats if seat.is_asked)

    async def until(self, done: Callable[[], bool]) -> None:
        while not done():
            self.news.clear()
            try:
                async with asyncio.timeout(PATIENCE):
                    await self.news.wait()
            except TimeoutError:
                raise Stuck(f"table {self.table_id}: nothing to decide") from None
            if self.refusal:
                raise Stuck(f"table {self.table_id}: {self.refusal}")


class Hall:
    """Tables that are being played, `pace` seconds from action to action, or as fast as they can (0). Table by table the
    `urls` take turns: each is a process of the server, or all of them."""

    def __init__(self, urls: Sequence[str], pace: float, tasks: asyncio.TaskGroup) -> None:
        self.urls, self.pace, self._tasks = urls, pace, tasks
        self.figures = Figures()
        self.links: list[Link] = []
        self.running: list[asyncio.Task[None]] = []
        self._gate = asyncio.Semaphore(AT_ONCE)

    async def open(self, seated: Sequence[Seated]) -> None:
        """Connect four clients to each table and let them play. Returns when all hands are dealt."""
        await asyncio.gather(*(self._open(one) for one in seated))

    async def _open(self, seated: Seated) -> None:
        table = PlayedTable(self, seated.table_id)
        async with self._gate:
            for number, cookie in enumerate(seated.cookies):
                seat = Seat(table, number)
                url = self.urls[(seated.table_id + number) % len(self.urls)]
                seat.link = await opened(url, f"/ws/tables/{seated.table_id}/", seat.hear, cookie)
                self.links.append(seat.link)
                table.seats.append(seat)
            for seat in table.seats:
                seat.get_ready()
            self.running.append(self._tasks.create_task(table.play()))
            await table.until(lambda: all(seat.hand and seat.hand.status == "playing" for seat in table.seats))

    async def measured(self, seconds: float) -> Figures:
        """What happens within so many seconds."""
        self.figures = Figures()
        await asyncio.sleep(seconds)
        figures, self.figures = self.figures, Figures()
        return figures


@asynccontextmanager
async def hall(urls: Sequence[str], pace: float) -> AsyncIterator[Hall]:
    """A hall on a server; at the end its sockets are closed."""
    async with asyncio.TaskGroup() as tasks:
        played = Hall(urls, pace, tasks)
        try:
            yield played
        finally:
            for task in played.running:
                task.cancel()
            for link in played.links:
                link.close()
