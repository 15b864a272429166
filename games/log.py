"""The append-only log of a hand and the fold over it.

The log is the truth. `folded(hand_id)` gives the state that follows from all rows, `append` adds rows behind it.
There is no lock and no owner: two writers of the same `seq` collide on the unique key, and the loser (`Collision`)
reads again.

What a seat can see of the log is decided in `Step.events_for`. The numbers a seat is told (`Fold.seen`) count only
the steps it can see, so that not even a gap in them tells that another seat had something to answer.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any, Final

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.moments import moment_text
from accounts.rows import clock, first_row, run, stored
from clubs.models import RoomTerms
from clubs.rooms import ruleset_of
from games import rules
from games.bots import Strength
from games.models import Action, Hand, HandSeat, Seat
from games.rules.events import Answered, Draw
from games.rules.hand import Kind, Phase, apply, automatic_actions
from games.rules.stopping import stop
from games.rules.tiles import SUITS, parse_suit, parse_tile, tile_name
from games.rules.views import event_for
from games.rules.wall import shuffled_wall

SEATS: Final = range(4)
WATCHER: Final = 4  # the index of a spectator, who sees nothing concealed, in `seen` and `decision`
NONCE_BYTES: Final = 32
GRACE: Final = 0.7  # seconds that a decision may travel; the program acts for a seat only after them
_CACHED_FOLDS: Final = 400


class Collision(Exception):
    """Somebody else wrote the next row first. Read again and decide again."""


@dataclass(frozen=True, slots=True)
class Player:
    """Who holds a seat of a hand."""

    seat: int
    membership_id: int | None
    user_id: int | None
    user_name: str
    bot_strength: str = ""  # games.bots.Strength; a person, and a bot of old, has none

    @property
    def strength(self) -> Strength:
        """Which policy plays for the seat, be it a bot or absent."""
        return Strength(self.bot_strength or Strength.NORMAL)

    @property
    def is_bot(self) -> bool:
        return self.membership_id is None

    @property
    def name(self) -> str:
        return bot_name(self.seat, self.bot_strength) if self.is_bot else self.user_name


def bot_name(seat: int, strength: str) -> str:
    """What a bot in this seat is called: its strength first, since a phone cuts long names."""
    name = [_("机器人甲"), _("机器人乙"), _("机器人丙"), _("机器人丁")][seat]
    return f"{strength_name(Strength(strength))}·{name}" if strength else name


def strength_name(strength: Strength) -> str:
    """What a bot's strength is called."""
    return {Strength.EASY: _("新手"), Strength.NORMAL: _("熟手"), Strength.STRONG: _("高手")}[strength]


@dataclass(frozen=True, slots=True)
class Draft:
    """A row to be appended."""

    kind: str
    seat: int | None = None
    source: Action.Source = Action.Source.TABLE
    data: dict[str, Any] | None = None
    command_id: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the log in memory, of which a process keeps many: a tenth of the size of an `Action`."""

    seq: int
    seat: int | None
    kind: str
    data: dict[str, Any]
    source: str
    command_id: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Command:
    """A player's command as it was carried out: its row, and the seat's number of the step it became."""

    row: Row
    seen: int


@dataclass(frozen=True, slots=True)
class Stop:
    """How a hand was ended from outside: `rule` is "void" (nothing counts) or "settle" (what was paid so far does)."""

    rule: str
    reason: str


Seen = list[dict[str, Any]]


class Step:
    """A row of the log with the events that it caused, cut for everybody."""

    __slots__ = ("_open", "_own", "events", "row", "told")

    def __init__(self, row: Row, events: Sequence[Any]) -> None:
        self.row = row
        self.events = tuple(events)
        moment = {"at": moment_text(row.created_at), "source": row.source}
        self._open = self._cut(None, moment)
        # Only what a seat draws or answers is seen otherwise by that seat.
        concerned = {event.seat for event in events if isinstance(event, Draw | Answered)}
        self._own = {seat: self._cut(seat, moment) for seat in concerned}
        self.told: dict[tuple[int | None, str], Seen] = {}  # in words, by seat and language (games.frames)

    def _cut(self, seat: int | None, moment: dict[str, str]) -> Seen:
        cuts = [event if isinstance(event, dict) else event_for(event, seat) for event in self.events]
        return [{**cut, **moment} for cut in cuts if cut is not None]

    def is_own(self, seat: int | None) -> bool:
        """Whether a seat sees something else of this step than a spectator."""
        return seat in self._own

    def events_for(self, seat: int | None) -> Seen:
        """The events of this step that a seat (None: a spectator) can see, ready to be sent."""
        return self._own.get(seat, self._open) if seat is not None else self._open


class Fold:
    """A hand as its log tells it up to a row. Values handed out by this module are not changed any more."""

    __slots__ = (
        *("auto", "began", "commands", "commitments", "core", "decision", "hand", "nonces", "players", "rows"),
        *("seen", "shared", "spent_hidden", "spent_open", "step", "stopped", "terms", "way"),
    )

    def __init__(self, hand: Hand, terms: RoomTerms, players: tuple[Player, ...]) -> None:
        self.hand = hand
        self.terms = terms
        self.players = players
        self.rows: list[Row] = []  # that were folded in
        self.step: Step | None = None  # the last one
        self.way: tuple[Fold, ...] = ()  # the states between this one and the one behind which it was written
        self.shared: dict[str, Any] = {}  # what all who look at this state are shown alike, by language (games.frames)
        self.began: datetime = hand.started_at  # when the present decision began
        self.commitments: list[str | None] = [None] * 4
        self.nonces: list[bytes | None] = [None] * 4
        self.core: rules.Hand | None = None
        self.auto = [False] * 4
        self.seen = [0] * 5
        self.decision = [0] * 5  # the last step seen at which the hand itself moved on
        self.commands: dict[tuple[int, str], Command] = {}  # by seat and command id
        self.stopped: Stop | None = None  # by who runs the club
        self.spent_open = [0.0] * 4  # seconds of its reserve that each seat took in its turns, which all could watch
        self.spent_hidden = [0.0] * 4  # and for void suits and claims, which nobody else may notice

    def copy(self) -> "Fold":
        """A fold that goes its own way from here."""
        other = Fold(self.hand, self.terms, self.players)
        other.rows, other.began = list(self.rows), self.began
        other.commitments, other.nonces, other.auto = list(self.commitments), list(self.nonces), list(self.auto)
        other.seen, other.decision = list(self.seen), list(self.decision)
        other.commands = dict(self.commands)
        other.spent_open, other.spent_hidden = list(self.spent_open), list(self.spent_hidden)
        other.core = self.core.copy() if self.core else None
        other.stopped = self.stopped
        return other

    @property
    def seq(self) -> int:
        """The number of the last row."""
        return len(self.rows)

    @property
    def is_over(self) -> bool:
        return self.core is not None and self.core.phase is Phase.OVER

    @property
    def limit_seconds(self) -> int:
        """The time limit of the present decision, without anybody's reserve."""
        assert self.core is not None
        match self.core.phase:
            case Phase.VOID:
                return self.terms.void_seconds
            case Phase.CLAIM:
                return self.terms.claim_seconds
            case _:
                return self.terms.turn_seconds

    def reserve_left(self, seat: int) -> float:
        """The seconds that a seat may still take beyond the limit of the present decision.

        What it took for void suits and claims does not shorten its turns: the moment at which a turn runs out would tell
        who had something to claim. Where every discard holds the whole claim limit, nobody takes longer than that.
        """
        assert self.core is not None
        left = self.terms.reserve_seconds - self.spent_open[seat]
        if self.core.phase is Phase.CLAIM and self.terms.pacing == RoomTerms.Pacing.BLIND:
            return 0.0
        return max(0.0, left if self.core.phase is Phase.TURN else left - self.spent_hidden[seat])

    @property
    def asked(self) -> set[int]:
        """The seats whose decision the hand waits for."""
        assert self.core is not None
        return {self.core.turn} if self.core.phase is Phase.TURN else self.core.unanswered()

    def seat_of(self, user_id: int | None) -> int | None:
        """The seat that a user plays in this hand, None for a spectator and for one who has left."""
        for player in self.players:
            if user_id is not None and player.user_id == user_id:
                return None if self.core and self.core.seats[player.seat].left else player.seat
        return None

    def take(self, row: Row | Action) -> Step:
        """Fold one row in. Raises `IllegalAction` (and leaves the fold in an undefined state) if it cannot follow."""
        if isinstance(row, Action):
            row = Row(row.seq, row.seat, row.kind, row.data, row.source, row.command_id, row.created_at)
        step = self.step = Step(row, self._take(row))
        self.rows.append(row)
        for viewer in range(5):
            shown = step.events_for(None if viewer == WATCHER else viewer)
            if shown:
                self.seen[viewer] += 1
                if row.kind not in ("auto", "pause"):
                    self.decision[viewer] = self.seen[viewer]
        if row.command_id and row.seat is not None:
            self.commands[row.seat, row.command_id] = Command(row, self.seen[row.seat])
        return step

    def _take(self, row: Row) -> Sequence[Any]:
        match row.kind:
            case "commit":
                return [{"kind": "shuffle"}]
            case "nonce_commit":
                self.commitments[_seat(row)] = row.data["commitment"]
                return []
            case "nonce":
                self.nonces[_seat(row)] = bytes.fromhex(row.data["nonce"])
                return []
            case "deal":
                self.core = rules.Hand(ruleset_of(self.terms), wall_of(self), row.data["dealer"])
                self.began = row.created_at
                return [{"kind": "deal", "dealer": row.data["dealer"]}]
            case "auto":
                self.auto[_seat(row)] = row.data["on"]
                return [{"kind": "auto", "seat": row.seat, "on": row.data["on"]}]
            case "pause":
                self.began += timedelta(seconds=row.data["seconds"])
                return [{"kind": "pause", "seconds": max(0, round(row.data["seconds"]))}]  # below: a clock set back
            case "stop":
                assert self.core is not None
                self.stopped = Stop(row.data["rule"], row.data["reason"])
                events = stop(self.core, void=row.data["rule"] == "void")
                return [{"kind": "stop", **row.data}, *events]
        assert self.core is not None
        self._spend(row)
        in_turn = self.core.phase is Phase.TURN and row.seat == self.core.turn
        events = apply(self.core, core_action(row))
        if any(event.kind != "answer" for event in events):
            self.began = row.created_at  # a hidden answer restarts no clock
        if in_turn and row.kind != Kind.LEAVE:
            # Only what everybody sees shows who is played automatically: neither void suits nor answers to a claim.
            self.auto[_seat(row)] = row.source == Action.Source.TIMER
        return events

    def _spend(self, row: Row) -> None:
        """Take from a seat's reserve what its decision took beyond the limit, the time for travelling aside."""
        assert self.core is not None
        if row.seat is None or row.seat not in self.asked:
            return
        over = (row.created_at - self.began).total_seconds() - self.limit_seconds - GRACE
        if over > 0:
            spent = self.spent_open if self.core.phase is Phase.TURN else self.spent_hidden
            spent[row.seat] += min(over, self.reserve_left(row.seat))


def _seat(row: Row) -> int:
    assert row.seat is not None
    return row.seat


def wall_of(fold: Fold) -> list[int]:
    """The wall that follows from the seed and the nonces. A seat that did not reveal its nonce is stood in for by its
    commitment, so that nobody can stop or steer the deal by keeping silent."""
    nonces = [nonce or bytes.fromhex(said or "") for nonce, said in zip(fold.nonces, fold.commitments, strict=True)]
    return shuffled_wall(str(fold.hand.pk), bytes(fold.hand.seed), nonces)


def lot(fold: Fold) -> int:
    """The dealer drawn by lot: a seat that follows from the wall, so that it can be checked like the wall."""
    return sha256(b"sichuan-mahjong-dealer-v1" + bytes(wall_of(fold))).digest()[0] % 4


def core_action(row: Row | Action) -> rules.Action:
    """The core's action that a row stands for."""
    tile, suit = row.data.get("tile"), row.data.get("suit")
    return rules.Action(
        row.seat, Kind(row.kind), parse_tile(tile) if tile else None, parse_suit(suit) if suit else None
    )


def core_draft(action: rules.Action, source: Action.Source, command_id: str | None = None) -> Draft:
    """The row that stands for an action of the core."""
    return Draft(action.kind.value, action.seat, source, _data(action.tile, action.suit), command_id)


@cache
def _data(tile: int | None, suit: int | None) -> dict[str, Any]:
    """What a row says of an action, one for all rows that say the same: a process keeps many of them."""
    said = {"tile": None if tile is None else tile_name(tile), "suit": None if suit is None else SUITS[suit]}
    return {name: value for name, value in said.items() if value is not None}


# --- Reading -------------------------------------------------------------------------------------------------------
_folds: OrderedDict[int, Fold] = OrderedDict()
_folds_lock = threading.Lock()


def folded(hand_id: int, last_seq: int | None = None) -> Fold:
    """The hand as its whole log tells it; `last_seq` is the number of its last row, if it has just been read.

    Raises `Hand.DoesNotExist`, and `Collision` where rows have been added since: the time that was read with `last_seq` is older.
    """
    with _folds_lock:
        known = _folds.get(hand_id)
    if known is not None and (known.is_over or known.seq == (last_seq or tail(hand_id)[0])):
        return known
    fold = known.copy() if known else _fresh(hand_id)
    for row in rows_after(fold):
        fold.take(row)
    _keep(fold)
    if last_seq is not None and fold.seq > last_seq:
        raise Collision
    return fold


def states(fold: Fold, rows: Iterable[Row | Action]) -> Iterator[Fold]:
    """The states that follow from one, row by row."""
    for row in rows:
        fold = fold.copy()
        fold.take(row)
        yield fold


def tail(hand_id: int) -> tuple[int, datetime | None]:
    """The number of the last row of a hand, and the database's time, for `database_now`."""
    found = first_row(f"SELECT MAX(seq), {clock()} FROM games_action WHERE hand_id = %s", hand_id)  # noqa: S608
    return (found[0] or 0, found[1]) if found else (0, None)


def rows_after(fold: Fold) -> QuerySet[Action]:
    """The rows of the log that a fold has not seen."""
    return Action.objects.filter(hand=fold.hand, seq__gt=fold.seq).order_by("seq")


def fresh_fold(hand: Hand, seats: Iterable[HandSeat | Seat] | None = None) -> Fold:
    """The hand before its first row; `seats` are those who play it, if they are known."""
    if seats is None:
        seats = hand.seats.select_related("membership__user").order_by("number")
    return Fold(
        hand,
        hand.terms,
        tuple(
            Player(
                seat.number,
                seat.membership_id,
                seat.membership.user_id if seat.membership else None,
                seat.membership.user.name if seat.membership else "",
                seat.strength,
            )
            for seat in seats
        ),
    )


def _fresh(hand_id: int) -> Fold:
    return fresh_fold(Hand.objects.select_related("terms__room__club", "table").get(pk=hand_id))


def _keep(fold: Fold) -> None:
    with _folds_lock:
        if fold.is_over:  # seldom asked for, and by the names that its people have by then
            _folds.pop(fold.hand.pk, None)
            return
        known = _folds.get(fold.hand.pk)
        if known is None or known.seq < fold.seq:
            _folds[fold.hand.pk] = fold
        _folds.move_to_end(fold.hand.pk)
        while len(_folds) > _CACHED_FOLDS:
            _folds.popitem(last=False)


def forget_folds() -> None:
    """Empty this process's cache (a test's database is emptied under it)."""
    with _folds_lock:
        _folds.clear()


# --- Writing -------------------------------------------------------------------------------------------------------
def append(fold: Fold, drafts: Sequence[Draft], now: datetime, due_at: Callable[[Fold], datetime | None]) -> Fold:
    """Append rows of this moment behind `fold`, and what the program itself must do after them (forced wins, settled claims).
    Note when the program must act next, which is `due_at` of what becomes of it.

    Runs inside the caller's transaction; the caller does what else belongs to it. Raises `Collision` if another
    writer was first, `IllegalAction` if a row cannot follow; the transaction must then be rolled back.
    """
    assert transaction.get_connection().in_atomic_block
    way = [fold]

    def take(draft: Draft) -> None:
        row = Row(way[-1].seq + 1, draft.seat, draft.kind, draft.data or {}, draft.source, draft.command_id, now)
        way.extend(states(way[-1], [row]))

    for draft in drafts:
        take(draft)
    while (core := way[-1].core) is not None:
        automatic = [action for action in automatic_actions(core) if not _waits_for_beat(way[-1], action)]
        if not automatic:
            break
        for action in automatic:
            take(core_draft(action, Action.Source.TABLE))
    after = way[-1]
    after.way = tuple(way[1:-1])
    _insert(fold.hand.pk, after.rows[fold.seq :], due_at(after))
    transaction.on_commit(lambda: _keep(after))
    return after


def _insert(hand_id: int, rows: Sequence[Row], due_at: datetime | None) -> None:
    values: list[Any] = []
    for row in rows:
        values += (hand_id, row.seq, row.seat, row.kind, json.dumps(row.data), row.source, row.command_id)
        values.append(stored(row.created_at))
    # One statement: after an `executemany` PostgreSQL would wait for ever for a process that stands still in the transaction.
    places = ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s)"] * len(rows))
    columns = "hand_id, seq, seat, kind, data, source, command_id, created_at"
    insert = f"INSERT INTO games_action ({columns}) VALUES {places}"  # noqa: S608
    update = "UPDATE games_hand SET due_at = %s WHERE id = %s"
    due = (stored(due_at), hand_id)
    try:
        if connection.vendor == "postgresql":  # it takes both at once
            run(f"WITH due AS ({update}) {insert}", *due, *values)
        else:
            run(update, *due)
            run(insert, *values)
    except IntegrityError as error:
        raise Collision from error


def _waits_for_beat(fold: Fold, action: rules.Action) -> bool:
    """Whether claims close only when their beat is over (`games.timing`), so that quick answers tell nothing."""
    return action.kind is Kind.CLOSE and fold.terms.pacing != RoomTerms.Pacing.INSTANT


def database_now(told: datetime | None = None) -> datetime:
    """The time by the database's clock, which all processes share; `told`, where a statement has just told it (`clock`)."""
    if told is None and connection.vendor == "postgresql":
        told = (first_row("SELECT clock_timestamp()") or (None,))[0]
    return told or timezone.now()
