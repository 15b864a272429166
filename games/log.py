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
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.moments import moment_text
from accounts.rows import first_row, run, stored
from clubs.models import RoomTerms
from clubs.rooms import ruleset_of
from games import rules
from games.bots import Strength
from games.models import Action, Hand
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
class Command:
    """A player's command as it was carried out: its row, and the seat's number of the step it became."""

    row: Action
    seen: int


@dataclass(frozen=True, slots=True)
class Stop:
    """How a hand was ended from outside: `rule` is "void" (nothing counts) or "settle" (what was paid so far does)."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """A row of the log with the events that it caused."""

    row: Action
    events: tuple[Any, ...]

    def events_for(self, seat: int | None) -> list[dict[str, Any]]:
        """The events of this step that a seat (None: a spectator) can see, ready to be sent."""
        seen: list[dict[str, Any]] = []
        for event in self.events:
            cut = event if isinstance(event, dict) else event_for(event, seat)
            if cut is not None:
                seen.append({**cut, "at": moment_text(self.row.created_at), "source": self.row.source})
        return seen


class Fold:
    """A hand as its log tells it up to a row. Values handed out by this module are not changed any more."""

    __slots__ = (
        *("auto", "began", "commands", "commitments", "core", "decision"),
        *("hand", "nonces", "players", "rows", "seen", "spent_hidden", "spent_open", "stopped", "terms"),
    )

    def __init__(self, hand: Hand, terms: RoomTerms, players: tuple[Player, ...]) -> None:
        self.hand = hand
        self.terms = terms
        self.players = players
        self.rows: list[Action] = []  # that were folded in
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

    def take(self, row: Action) -> Step:
        """Fold one row in. Raises `IllegalAction` (and leaves the fold in an undefined state) if it cannot follow."""
        events = self._take(row)
        step = Step(row, tuple(events))
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

    def _take(self, row: Action) -> Sequence[Any]:
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

    def _spend(self, row: Action) -> None:
        """Take from a seat's reserve what its decision took beyond the limit, the time for travelling aside."""
        assert self.core is not None
        if row.seat is None or row.seat not in self.asked:
            return
        over = (row.created_at - self.began).total_seconds() - self.limit_seconds - GRACE
        if over > 0:
            spent = self.spent_open if self.core.phase is Phase.TURN else self.spent_hidden
            spent[row.seat] += min(over, self.reserve_left(row.seat))


def _seat(row: Action) -> int:
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


def core_action(row: Action) -> rules.Action:
    """The core's action that a row stands for."""
    tile, suit = row.data.get("tile"), row.data.get("suit")
    return rules.Action(
        row.seat, Kind(row.kind), parse_tile(tile) if tile else None, parse_suit(suit) if suit else None
    )


def core_draft(action: rules.Action, source: Action.Source, command_id: str | None = None) -> Draft:
    """The row that stands for an action of the core."""
    data: dict[str, Any] = {}
    if action.tile is not None:
        data["tile"] = tile_name(action.tile)
    if action.suit is not None:
        data["suit"] = SUITS[action.suit]
    return Draft(action.kind.value, action.seat, source, data, command_id)


# --- Reading -------------------------------------------------------------------------------------------------------
_folds: OrderedDict[int, Fold] = OrderedDict()
_folds_lock = threading.Lock()


def folded(hand_id: int, last_seq: int | None = None) -> Fold:
    """The hand as its whole log tells it; `last_seq` is the number of its last row, if it has just been read.

    Raises `Hand.DoesNotExist`.
    """
    with _folds_lock:
        known = _folds.get(hand_id)
    if known is not None and (known.is_over or known.seq == (last_seq or _last_seq(hand_id))):
        return known
    fold = known.copy() if known else _fresh(hand_id)
    for row in rows_after(fold):
        fold.take(row)
    _keep(fold)
    return fold


def _last_seq(hand_id: int) -> int:
    found = first_row("SELECT MAX(seq) FROM games_action WHERE hand_id = %s", hand_id)
    return found[0] or 0 if found else 0


def rows_after(fold: Fold) -> QuerySet[Action]:
    """The rows of the log that a fold has not seen."""
    return Action.objects.filter(hand=fold.hand, seq__gt=fold.seq).order_by("seq")


def fresh_fold(hand: Hand) -> Fold:
    """The hand before its first row."""
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
def append(fold: Fold, drafts: Sequence[Draft], now: datetime) -> Fold:
    """Append rows of this moment behind `fold`, and what the program itself must do after them (forced wins, settled claims).

    Runs inside the caller's transaction; the caller does what else belongs to it. Raises `Collision` if another
    writer was first, `IllegalAction` if a row cannot follow; the transaction must then be rolled back.
    """
    assert transaction.get_connection().in_atomic_block
    after = fold.copy()
    rows: list[Action] = []

    def take(draft: Draft) -> None:
        row = Action(
            hand=fold.hand,
            seq=after.seq + 1,
            seat=draft.seat,
            kind=draft.kind,
            data=draft.data or {},
            source=draft.source,
            command_id=draft.command_id,
            created_at=now,
        )
        after.take(row)
        rows.append(row)

    for draft in drafts:
        take(draft)
    while after.core is not None:
        automatic = [action for action in automatic_actions(after.core) if not _waits_for_beat(after, action)]
        if not automatic:
            break
        for action in automatic:
            take(core_draft(action, Action.Source.TABLE))
    _insert(rows)
    transaction.on_commit(lambda: _keep(after))
    return after


def _insert(rows: Sequence[Action]) -> None:
    values: list[Any] = []
    for row in rows:
        values += (row.hand_id, row.seq, row.seat, row.kind, json.dumps(row.data), row.source, row.command_id)
        values.append(stored(row.created_at))
    # One statement: after an `executemany` PostgreSQL would wait for ever for a process that stands still in the transaction.
    places = ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s)"] * len(rows))
    try:
        run(
            f"INSERT INTO games_action (hand_id, seq, seat, kind, data, source, command_id, created_at) VALUES {places}",  # noqa: S608
            *values,
        )
    except IntegrityError as error:
        raise Collision from error


def _waits_for_beat(fold: Fold, action: rules.Action) -> bool:
    """Whether claims close only when their beat is over (`games.timing`), so that quick answers tell nothing."""
    return action.kind is Kind.CLOSE and fold.terms.pacing != RoomTerms.Pacing.INSTANT


def database_now() -> datetime:
    """The time by the database's clock, which all processes share."""
    found = first_row("SELECT clock_timestamp()") if connection.vendor == "postgresql" else None
    return found[0] if found else timezone.now()
