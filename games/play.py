"""What players and the program do in a hand.

A command is checked against the newest fold, appended to the log in one transaction with all that follows from it
(the settlement included, if it ends the hand) and acknowledged after the commit. If another writer was first, it is
judged again on the new state."""

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, Literal, TypeVar

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import ledger
from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.models import Notice, User
from accounts.notices import notice_write
from accounts.rows import clock, first_row, stored
from clubs.models import Membership, RoomTerms
from clubs.roles import require_operator
from clubs.rooms import unit_coins
from games import admission, doorbell, settlement, timing
from games.log import (
    NONCE_BYTES,
    SEATS,
    Collision,
    Draft,
    Fold,
    Row,
    append,
    core_draft,
    database_now,
    folded,
    fresh_fold,
    tail,
)
from games.models import Action, Hand, HandSeat, Seat, Table
from games.protocol import Choice
from games.rules import ENGINE
from games.rules.hand import Action as CoreAction
from games.rules.hand import IllegalAction, Kind, Phase, legal_actions
from games.rules.tiles import SUITS, tile_name
from games.rules.wall import commitment
from games.seats import seat_vacate

_TRIES: Final = 8
SEED_BYTES: Final = 32
RETURN_SECONDS: Final = 3.0
# A clock that wakes up for a hand by so much too early at most (two drift) looks at the time again. In a blind room it always
# does: how late it would be otherwise depends on what was written last, which must not be told.
EARLY: Final = timedelta(seconds=0.05)
StopRule = Literal["void", "settle"]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Done:
    """A command that was carried out: the seat's number of the step it became."""

    seq: int


# --- Starting ------------------------------------------------------------------------------------------------------
def hand_start(*, table: Table, seats: Sequence[Seat]) -> Hand:
    """Start a hand for four ready seats of a locked table: commit to a seed and publish the seats' commitments."""
    terms = table.room.terms
    assert terms is not None
    terms.room = table.room
    seed = secrets.token_bytes(SEED_BYTES)
    hand = Hand.objects.create(
        table=table,
        number=table.hands_played + 1,
        terms=terms,
        dealer=table.next_dealer,
        seed=seed,
        commitment=commitment(seed),
        engine=ENGINE,
    )
    HandSeat.objects.bulk_create(
        HandSeat(
            hand=hand,
            number=seat.number,
            membership=seat.membership,
            strength=seat.strength,
            balance_before=seat.membership.wallet.balance if seat.membership else 0,
        )
        for seat in seats
    )
    _tell_seated(hand, seats)
    bot_nonces = {seat.number: secrets.token_bytes(NONCE_BYTES) for seat in seats if seat.membership is None}
    drafts = [Draft("commit", data={"commitment": hand.commitment})]
    for seat in seats:
        said = sha256(bot_nonces[seat.number]).hexdigest() if seat.membership is None else seat.nonce_commitment
        drafts.append(Draft("nonce_commit", seat.number, data={"commitment": said}))
    drafts += [
        Draft("nonce", number, Action.Source.BOT, {"nonce": nonce.hex()}) for number, nonce in bot_nonces.items()
    ]
    _write(fresh_fold(hand, seats), drafts, database_now())
    return hand


def _tell_seated(hand: Hand, seats: Sequence[Seat]) -> None:
    """Tell who has not played at this table before that their table has begun. Practice with bots is not announced."""
    if any(seat.membership is None for seat in seats):
        return
    known = set(
        HandSeat.objects.filter(hand__table=hand.table_id).exclude(hand=hand).values_list("membership", flat=True)
    )
    new = [seat.user_id for seat in seats if seat.user_id and seat.membership_id not in known]
    if new:
        _tell(hand, Notice.Kind.TABLE, User.objects.filter(pk__in=new))


def _tell_absent(before: Fold, after: Fold) -> None:
    """Tell whose time ran out, so that auto-play took their seat over, that it was their turn, unless that ended the hand."""
    absent = [
        player.user_id
        for player in after.players
        if player.user_id and after.auto[player.seat] and not before.auto[player.seat]
    ]
    if absent and not after.is_over:
        _tell(after.hand, Notice.Kind.TURN, User.objects.filter(pk__in=absent))


def _tell(hand: Hand, kind: Notice.Kind, users: Iterable[User]) -> None:
    table = hand.table
    notice_write(
        users=users,
        kind=kind,
        book=table.room.club.book,
        cause=ledger.hand_key(hand.pk),
        data={"table": table.pk, "number": table.number, "room": table.room.name},
    )


# --- Commands ------------------------------------------------------------------------------------------------------
# Where a command comes from a socket, `session_key` says by which session: it must last (games.admission), which is read in the
# transaction of the command like everything else that allows it. Raises `Refused`: signed_out. (What is seldom done has its
# session asked for beforehand.)
def nonce_reveal(*, hand_id: int, user: User, nonce: str, command_id: str, session_key: str | None = None) -> Done:
    """Add a seat's nonce (hex) to the wall; the last one deals. Raises `Refused`: not_in_hand, bad_nonce, stale."""

    def decide(fold: Fold, seat: int, now: datetime) -> list[Draft]:
        if fold.nonces[seat] is not None or fold.core is not None:
            raise Refused("stale", _("这一步已经过去。"), status=409)
        if sha256(bytes.fromhex(nonce)).hexdigest() != fold.commitments[seat]:
            raise Refused("bad_nonce", _("随机数与事先的承诺不符。"))
        return [Draft("nonce", seat, Action.Source.PLAYER, {"nonce": nonce}, command_id)]

    def same(row: Row) -> bool:
        return row.kind == "nonce" and row.data["nonce"] == nonce

    return _command(hand_id, user, command_id, session_key, same, decide)


def act(*, hand_id: int, user: User, seq: int, choice: Choice, command_id: str, session_key: str | None = None) -> Done:
    """Carry out a seat's decision. `seq` is the last step the client had seen.

    Raises `Refused`: not_in_hand, stale, too_late, illegal_action (data: reason), tile_needed, command_conflict.
    """

    def decide(fold: Fold, seat: int, now: datetime) -> list[Draft]:
        if fold.core is None or seq < fold.decision[seat]:
            raise Refused("stale", _("牌局已经往前走了。"), status=409)
        if seq > fold.seen[seat]:
            raise Refused("bad_frame", _("无法理解的消息。"))
        action = _chosen(fold, seat, choice)
        if timing.is_late(fold, seat, now):
            raise Refused("too_late", _("已超时，程序已代为出牌。"), status=409)
        return [core_draft(action, Action.Source.PLAYER, command_id)]

    def same(row: Row) -> bool:
        return (
            row.kind == choice.kind
            and choice.tile in (None, row.data.get("tile"))
            and choice.suit == row.data.get("suit")
        )

    return _command(hand_id, user, command_id, session_key, same, decide)


def auto_switch(*, hand_id: int, user: User, on: bool, command_id: str) -> Done:
    """Switch auto-play of a seat. Raises `Refused`: not_in_hand, stale."""

    def decide(fold: Fold, seat: int, now: datetime) -> list[Draft]:
        if fold.core is None or fold.is_over:
            raise Refused("stale", _("牌局已经往前走了。"), status=409)
        if fold.auto[seat] == on:
            return []
        return [Draft("auto", seat, Action.Source.PLAYER, {"on": on}, command_id)]

    def same(row: Row) -> bool:
        return row.kind == "auto" and row.data["on"] == on

    return _command(hand_id, user, command_id, None, same, decide)


def leave(*, hand_id: int, user: User, escape: bool, command_id: str) -> Done:
    """Leave a running hand (逃跑): RULES.md section 12. `escape` says that the player accepts the penalty.

    The seat becomes free at once. Raises `Refused`: not_in_hand, hand_starting, escape_unconfirmed (data: units and
    coins that leaving costs at least, and whether the seat has won).
    """

    def decide(fold: Fold, seat: int, now: datetime) -> list[Draft]:
        if fold.core is None:
            raise Refused("hand_starting", _("正在洗牌，请稍候。"), status=409)
        if not escape:
            raise _unconfirmed(fold, seat)
        # The core knows no leaving before the void suits are named: the program names what is missing.
        voids = (
            [timing.seat_draft(fold, other) for other in sorted(fold.core.unanswered())]
            if fold.core.phase is Phase.VOID
            else []
        )
        return [*voids, core_draft(CoreAction(seat, Kind.LEAVE), Action.Source.PLAYER, command_id)]

    def same(row: Row) -> bool:
        return row.kind == Kind.LEAVE

    def after(fold: Fold, seat: int) -> None:
        settlement.seat_left(fold, seat)
        table = Table.objects.get(pk=fold.hand.table_id)
        seat_vacate(table=table, seat=Seat.objects.get(table=table, user=user))

    return _command(hand_id, user, command_id, None, same, decide, after)


def _unconfirmed(fold: Fold, seat: int) -> Refused:
    assert fold.core is not None
    if fold.core.seats[seat].won:
        return Refused("escape_unconfirmed", _("离开后牌局继续，结果照算。"), status=409, units=0, coins=0, won=True)
    others = sum(
        1 for other in SEATS if other != seat and not fold.core.seats[other].won and not fold.core.seats[other].left
    )
    units = fold.core.ruleset.escape_units * others
    coins = units * unit_coins(fold.terms)
    said = (
        _("现在离开就是逃跑：至少赔 %(units)s 倍，合 %(coins)s 币，本局立即结束。")
        if coins
        else _("现在离开就是逃跑：至少赔 %(units)s 倍，本局立即结束。")
    )
    message = said % {"units": units, "coins": f"{coins:,}"}
    return Refused("escape_unconfirmed", message, status=409, units=units, coins=coins, won=False)


def _chosen(fold: Fold, seat: int, choice: Choice) -> CoreAction:
    """The legal action that a choice names."""
    assert fold.core is not None
    matches = [
        action
        for action in legal_actions(fold.core, seat)
        if action.kind == choice.kind
        and (choice.tile is None or (action.tile is not None and tile_name(action.tile) == choice.tile))
        and choice.suit == (None if action.suit is None else SUITS[action.suit])
    ]
    if not matches:
        raise Refused("illegal_action", _("现在不能这样做。"), status=409)
    if len(matches) > 1:
        raise Refused("tile_needed", _("请指明是哪一张牌。"))
    return matches[0]


def hand_of(*, table_id: int, user: User) -> int | None:
    """The running hand that a user plays in at a table."""
    return (
        Hand.objects.filter(table_id=table_id, seats__membership__user=user, seats__has_left=False)
        .exclude(status=Hand.Status.SETTLED)
        .values_list("pk", flat=True)
        .first()
    )


def hand_left(*, table_id: int, user: User, command_id: str) -> int | None:
    """The hand at a table that a user left by this very command, running or over: the command has come again."""
    left = Action.objects.filter(hand__table_id=table_id, kind=Kind.LEAVE, command_id=command_id)
    return (
        left.filter(hand__seats__membership__user=user, hand__seats__number=F("seat"))
        .values_list("hand", flat=True)
        .first()
    )


# --- Ending a hand from outside ------------------------------------------------------------------------------------
@transaction.atomic
def hand_stop(*, hand_id: int, actor: User, rule: StopRule, reason: str) -> None:
    """End a running hand, which no rule of the game does: "void" gives back what was paid, takes no rake and counts for
    nothing; "settle" lets stand what was paid so far, with its rake. The players are shown the reason.

    Raises `Refused`: hand_unknown, not_an_operator, own_hand (one plays in it), reason_required, hand_starting, hand_over.
    """
    hand = Hand.objects.select_related("table__room__club__book").filter(pk=hand_id).first()
    if hand is None:
        raise Refused("hand_unknown", _("没有这一手。"), status=404)
    club = hand.table.room.club
    require_operator(user=actor, club=club)
    if hand.seats.filter(membership__user=actor).exists():
        raise Refused("own_hand", _("自己在打的一局，要由别的管理员来结束。"), status=403)
    reason = ledger.require_reason(reason)

    def stop() -> None:
        fold = folded(hand_id)
        if fold.core is None:
            raise Refused("hand_starting", _("正在洗牌，请稍候。"), status=409)
        if fold.is_over:
            raise Refused("hand_over", _("这一局已经结束。"), status=409)
        _write(fold, [Draft("stop", data={"rule": rule, "reason": reason})], database_now())

    _carried_out(stop)
    audit_write(actor=actor, action="hand.stopped", subject=hand, after={"rule": rule}, reason=reason, book=club.book)


# --- The program's own moves ---------------------------------------------------------------------------------------
def tick(hand_id: int) -> datetime | None:
    """Do what is due in a hand now. Returns when the program must act next, None when the hand is over."""

    def move_on() -> datetime | None:
        last_seq, told = tail(hand_id)
        fold, now = folded(hand_id, last_seq), database_now(told)
        while (due := timing.due_at(fold)) is not None and due <= now:
            before, fold = fold, _write(fold, timing.due_drafts(fold, now), now)
            _tell_absent(before, fold)
        if due is not None and timedelta() < due - now < EARLY:
            doorbell.hand_due(hand_id, time.monotonic() + (due - now).total_seconds())
        return due

    try:
        return _written(move_on)
    except Collision:
        return timing.due_at(folded(hand_id))


def pause(hand_id: int, *, since: datetime) -> None:
    """No server process has run since `since`: from then (or from when the present decision began) until now nobody's
    time runs, and for `RETURN_SECONDS` more, in which browsers come back. Where the clock was set back, and `since` lies ahead,
    the time that goes on from now begins so much earlier. Raises `Collision`."""

    def note() -> None:
        fold = folded(hand_id)
        if not fold.is_over:
            now = database_now()
            silence = now - max(since, fold.began)
            _write(fold, [Draft("pause", data={"seconds": round(silence.total_seconds() + RETURN_SECONDS, 1)})], now)

    _written(note)


# --- Writing -------------------------------------------------------------------------------------------------------
def _written(work: Callable[[], Result]) -> Result:
    """What `work` comes to in a transaction of its own, done anew as long as other writers come first. Raises `Collision`
    where they always do."""
    for _try in range(_TRIES):
        try:
            with transaction.atomic():
                return work()
        except Collision:
            continue
    raise Collision


def _carried_out(work: Callable[[], Result]) -> Result:
    """The same for a person, who is told. Raises `Refused`: busy, and those of `work`."""
    try:
        return _written(work)
    except Collision:
        raise Refused("busy", _("服务器繁忙，请再试一次。"), status=503) from None


def _command(
    hand_id: int,
    user: User,
    command_id: str,
    session_key: str | None,
    same: Callable[[Row], bool],
    decide: Callable[[Fold, int, datetime], list[Draft]],
    after: Callable[[Fold, int], None] | None = None,
) -> Done:
    """Judge and carry out one player's command."""
    return _carried_out(lambda: _command_once(hand_id, user, command_id, session_key, same, decide, after))


def _command_once(
    hand_id: int,
    user: User,
    command_id: str,
    session_key: str | None,
    same: Callable[[Row], bool],
    decide: Callable[[Fold, int, datetime], list[Draft]],
    after: Callable[[Fold, int], None] | None,
) -> Done:
    seat, last_seq, now = _authority(hand_id, user, session_key)
    fold = folded(hand_id, last_seq)
    first = fold.commands.get((seat, command_id))
    if first is not None:
        if not same(first.row):
            raise Refused("command_conflict", _("这个指令编号已用于另一个动作。"), status=409)
        return Done(first.seen)
    if fold.seat_of(user.pk) != seat or fold.is_over:
        raise Refused("not_in_hand", _("你不在这一局里。"), status=409)
    drafts = decide(fold, seat, now)
    if drafts:
        fold = _write(fold, drafts, now)
        if after is not None:
            after(fold, seat)
    done = fold.commands.get((seat, command_id))
    return Done(done.seen if done else fold.seen[seat])


def _authority(hand_id: int, user: User, session_key: str | None) -> tuple[int, int, datetime]:
    """The seat that the user may act for, read in the transaction of the action, with the number of the hand's last row and
    the time."""
    found = first_row(
        f"SELECT seat.number, (SELECT MAX(seq) FROM games_action WHERE hand_id = seat.hand_id), {clock()}, member.status,"  # noqa: S608
        " person.is_active, person.password, session.session_data"
        " FROM games_handseat seat"
        " JOIN clubs_membership member ON member.id = seat.membership_id"
        " JOIN accounts_user person ON person.id = member.user_id"
        " LEFT JOIN django_session session ON session.session_key = %s AND session.expire_date > %s"
        " WHERE seat.hand_id = %s AND member.user_id = %s",
        session_key,
        stored(timezone.now()),
        hand_id,
        user.pk,
    )
    if found is None:
        if session_key is not None:
            admission.require_session(session_key, user.pk)
        raise Refused("not_in_hand", _("你不在这一局里。"), status=409)
    number, last_seq, told, status, is_active, password, session = found
    if session_key is not None and not (is_active and admission.is_signed_in(session, user.pk, password)):
        raise admission.signed_out()
    if status != Membership.Status.ACTIVE or not is_active:
        raise Refused("banned", _("你的成员资格已被停用。"), status=403)
    return number, last_seq, database_now(told)


def _write(fold: Fold, drafts: Sequence[Draft], now: datetime) -> Fold:
    """Append rows and all that follows from them: the hand's status, its settlement, the doorbell."""
    read_at = time.monotonic()  # `now` has just been read
    try:
        after = append(fold, drafts, now, timing.due_at)
    except IllegalAction as error:
        raise Refused("illegal_action", _("现在不能这样做。"), status=409, reason=error.code) from error
    if fold.core is None and after.core is not None:
        Hand.objects.filter(pk=fold.hand.pk).update(status=Hand.Status.PLAYING, dealer=after.core.dealer)
    if after.is_over:
        settlement.hand_settle(after)
    doorbell.ring(fold.hand.table_id, after)
    if (due_at := timing.due_at(after)) is not None:
        early = EARLY / 2 if after.terms.pacing == RoomTerms.Pacing.BLIND else timedelta()
        doorbell.hand_due(fold.hand.pk, read_at + (due_at - early - now).total_seconds())
    return after
