"""Tables and who sits at them: open, sit, get ready, leave between hands, fill up with bots, part by common consent.

Every change locks the table's row first, then what hangs on it. A hand starts in the transaction that makes the
fourth seat ready.
"""

import secrets
from typing import Final

from django.db import IntegrityError, connection, transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.ledger import require_reason
from accounts.models import User
from accounts.rows import all_rows, first_row, run
from clubs.members import member_leave
from clubs.models import Club, Membership, Room
from clubs.roles import membership_of, require_operator
from games.bots import Strength
from games.log import SEATS, database_now
from games.models import Hand, Seat, Table, Waiting
from games.play import hand_of, hand_start
from games.seats import (
    is_playing,
    line_heads,
    line_leave,
    offers_make,
    seat_vacate,
    seating_changed,
    seats_clear,
    seats_free,
    table_changed,
    table_close,
    table_close_if_empty,
)

_CODE_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # without what is easily misread
_CODE_LENGTH: Final = 8


def seat_of(user: User) -> Seat | None:
    """Where a person sits now, in whichever club."""
    return Seat.objects.select_related("table__room__club").filter(user=user).first()


def table_of(*, table_id: int, user: User) -> tuple[Table, Membership]:
    """A table and the user's membership of its club. Raises `Refused("table_unknown")` also where it is another
    club's.
    """
    table = Table.objects.select_related("room__club", "room__terms").filter(pk=table_id).first()
    if table is None:
        raise Refused("table_unknown", _("没有这张牌桌。"), status=404)
    try:
        return table, membership_of(user=user, club=table.room.club)
    except Refused as refusal:
        if refusal.code == "not_a_member":
            raise Refused("table_unknown", _("没有这张牌桌。"), status=404) from None
        raise


@transaction.atomic
def table_open(*, room: Room, user: User, is_private: bool = False) -> Table:
    """Open a table in a room and sit down at it. At a private one sits only who knows its code. Raises as `seat_take`."""
    room = Room.objects.select_for_update(no_key=True).get(pk=room.pk)
    code = "".join(secrets.choice(_CODE_LETTERS) for _position in range(_CODE_LENGTH)) if is_private else ""
    table = _table_create(room, code)
    seat_take(table_id=table.pk, number=0, user=user, code=code)
    offers_make(table)
    table.refresh_from_db()
    return table


@transaction.atomic
def table_open_for_line(*, room_id: int) -> Table | None:
    """Open a table and offer its seats to four who wait in the line of a room, if so many still do. Nobody sits there before
    they accept; without any of them the table closes again (`games.seating.lines_tend`).
    """
    room = Room.objects.select_for_update(no_key=True).get(pk=room_id)
    # Counted once the room is locked: another process may have seated them meanwhile.
    if line_heads().filter(room=room).count() < len(SEATS):
        return None
    table = _table_create(room)
    offers_make(table)
    return table


def _table_create(room: Room, code: str = "") -> Table:
    """A table without seats in a locked room, with the next number."""
    number = (Table.objects.filter(room=room, closed_at=None).aggregate(Max("number"))["number__max"] or 0) + 1
    return Table.objects.create(room=room, number=number, code=code)


def table_of_code(*, code: str, user: User) -> Table:
    """The private table of a code, as typed (case and spaces do not matter). Raises `Refused("table_unknown")`."""
    typed = "".join(code.split()).upper()
    table = Table.objects.filter(code=typed, closed_at=None).first() if typed and "\x00" not in typed else None
    if table is None:
        raise Refused("table_unknown", _("没有用这个口令的牌桌。"), status=404)
    return table_of(table_id=table.pk, user=user)[0]


@transaction.atomic
def seat_take(*, table_id: int, number: int | None, user: User, code: str = "") -> Seat:
    """Sit down, on any free seat where `number` is None. Sitting where one sits already changes nothing.

    Who sits down stands in no line any more. Raises `Refused`: table_unknown, table_closed, room_closed, table_private (the
    table has another code), seat_taken, seat_held (what is free is offered to the line), seated_elsewhere (data: table),
    entry_minimum (data: minimum, balance), and those of `clubs.members.membership_of`.
    """
    table, membership = _locked(table_id, user)
    own = Seat.objects.select_related("table", "membership").filter(user=user).first()
    if own is not None and own.membership is not None and own.membership.status != Membership.Status.ACTIVE:
        # Suspended in another club while sitting there, where nobody has touched the table since.
        own_table = Table.objects.select_for_update(no_key=True).get(pk=own.table_id)
        seats_clear(own_table)
        if not is_playing(own_table):
            table_close_if_empty(own_table)
        own = Seat.objects.filter(user=user).first()
    if own is not None:
        if own.table_id == table.pk and number in (own.number, None):
            return own
        raise seated_elsewhere(own.table_id)
    require_entry(table.room, membership)
    if table.code and not secrets.compare_digest(code.upper().encode(), table.code.encode()):
        raise Refused("table_private", _("这是私桌，要有口令才能坐下。"), status=403)
    taken = set(Seat.objects.filter(table=table).values_list("number", flat=True))
    if number is None:
        number = next((seat for seat in SEATS if seat not in taken), None)
    if number is None or number in taken:
        raise Refused("seat_taken", _("这个座位已有人。"), status=409)
    offer = Waiting.objects.filter(user=user, table=table, offered_until__gt=database_now())
    if not offer.exists() and seats_free(table) <= 0:
        raise Refused("seat_held", _("空位正留给排队的人，稍后再看。"), status=409)
    try:
        with transaction.atomic():
            seat = Seat.objects.create(table=table, number=number, membership=membership, user=user)
    except IntegrityError:  # the same person sat down at another table at this moment
        raise seated_elsewhere(Seat.objects.get(user=user).table_id) from None
    line_leave(Waiting.objects.filter(user=user))
    seating_changed(table)
    return seat


@transaction.atomic
def seat_leave(*, table_id: int, user: User) -> None:
    """Get up, unless one plays in the running hand (for that see `games.play.leave`). Who does not sit there need not.

    Raises `Refused`: table_unknown, hand_running.
    """
    _lock(table_id)
    table, _membership = table_of(table_id=table_id, user=user)
    seat = Seat.objects.filter(table=table, user=user).first()
    if seat is None:
        return
    if hand_of(table_id=table.pk, user=user) is not None:
        raise Refused("hand_running", _("这一局还没有结束。"), status=409)
    seat_vacate(table=table, seat=seat)


@transaction.atomic
def end_vote(*, table_id: int, user: User, on: bool) -> bool:
    """Vote for parting (散桌), or take that back. Where all people at the table agree it closes; returns whether it has.

    Raises `Refused`: not_seated, hand_running.
    """
    table, _membership, seat = _own_seat(table_id, user)
    if is_playing(table):
        raise Refused("hand_running", _("这一局还没有结束。"), status=409)
    if seat.wants_end != on:
        Seat.objects.filter(pk=seat.pk).update(wants_end=on)
        table_changed(table)
    if Seat.objects.filter(table=table, user__isnull=False, wants_end=False).exists():
        return False
    table_close(table)
    return True


@transaction.atomic
def table_end(*, table_id: int, actor: User, reason: str) -> None:
    """For operators of its club: close a table between hands; whoever sits there gets up. Closed already it stays so.

    Raises `Refused`: table_unknown, not_an_operator, reason_required, hand_running.
    """
    _lock(table_id)
    table = Table.objects.select_related("room__club__book").filter(pk=table_id).first()
    if table is None:
        raise Refused("table_unknown", _("没有这张牌桌。"), status=404)
    club = table.room.club
    require_operator(user=actor, club=club)
    reason = require_reason(reason)
    if table.closed_at is not None:
        return
    if is_playing(table):
        raise Refused("hand_running", _("这一局还没有结束。"), status=409)
    table_close(table)
    audit_write(actor=actor, action="table.closed", subject=table, reason=reason, book=club.book)


@transaction.atomic
def club_leave(*, club: Club, user: User) -> None:
    """Leave a club and the seat one has there; coins, points and history stay (`clubs.members.member_leave`).

    Raises `Refused`: hand_running (one plays in a hand that is not over), and those of `member_leave`.
    """
    membership = membership_of(user=user, club=club)
    seat = Seat.objects.filter(membership=membership).first()
    if seat is not None:
        seat_leave(table_id=seat.table_id, user=user)
    line_leave(Waiting.objects.filter(membership=membership))
    member_leave(membership=membership)


@transaction.atomic
def seat_ready(*, table_id: int, user: User, nonce_commitment: str) -> Hand | None:
    """Get ready for the next hand, committed to a nonce. The fourth ready seat starts the hand, which is returned.

    Until then another commitment takes the place of the first. Readiness is for the room's terms of that moment: once they are
    changed, it is to be said again. Raises `Refused`: not_seated, hand_running, room_closed,
    entry_minimum.
    """
    table, membership, seat = _own_seat(table_id, user)
    repeats = seat.is_ready and seat.nonce_commitment == nonce_commitment
    if is_playing(table):
        if repeats:  # the answer got lost: the seat's being ready started the hand
            return None
        raise Refused("hand_running", _("这一局还没有结束。"), status=409)
    require_entry(table.room, membership)
    if not repeats:
        run(
            "UPDATE games_seat SET is_ready = %s, nonce_commitment = %s, ready_terms_id = %s WHERE id = %s",
            True,
            nonce_commitment,
            table.room.terms_id,
            seat.pk,
        )
        table_changed(table)
    return _start_if_ready(table)


@transaction.atomic
def seat_unready(*, table_id: int, user: User) -> None:
    """Take readiness back. Raises `Refused`: not_seated, hand_running."""
    table, _membership, seat = _own_seat(table_id, user)
    if is_playing(table):
        raise Refused("hand_running", _("这一局还没有结束。"), status=409)
    if seat.is_ready:
        Seat.objects.filter(pk=seat.pk).update(is_ready=False, nonce_commitment="")
        table_changed(table)


@transaction.atomic
def bots_fill(*, table_id: int, user: User, strength: Strength = Strength.NORMAL) -> Hand | None:
    """Let bots of a strength, always ready, take the empty seats. May start the hand. Raises `Refused`: not_seated, hand_running,
    bots_not_allowed, seat_held.
    """
    table, _membership, _seat = _own_seat(table_id, user)
    assert table.room.terms is not None
    if not table.room.terms.bots_allowed:
        raise Refused("bots_not_allowed", _("这个房间不能用机器人补位。"), status=409)
    if is_playing(table):
        raise Refused("hand_running", _("这一局还没有结束。"), status=409)
    taken = set(Seat.objects.filter(table=table).values_list("number", flat=True))
    if len(taken) < len(SEATS):
        if seats_free(table) < len(SEATS) - len(taken):
            raise Refused("seat_held", _("空位正留给排队的人，稍后再看。"), status=409)
        Seat.objects.bulk_create(
            Seat(table=table, number=number, strength=strength, is_ready=True)
            for number in SEATS
            if number not in taken
        )
        seating_changed(table)
    return _start_if_ready(table)


def _start_if_ready(table: Table) -> Hand | None:
    ready = all_rows(
        "SELECT id, user_id IS NULL OR ready_terms_id = %s FROM games_seat WHERE table_id = %s AND is_ready",
        table.room.terms_id,
        table.pk,
    )
    if late := [seat for seat, holds in ready if not holds]:
        Seat.objects.filter(pk__in=late).update(is_ready=False, nonce_commitment="")
        table_changed(table)
    if len(ready) - len(late) < len(SEATS):
        return None
    seats = table.seats.select_related("membership__wallet", "membership__user").order_by("number")
    return hand_start(table=table, seats=list(seats))


def seated_elsewhere(table_id: int) -> Refused:
    """What somebody is told who sits at a table already."""
    return Refused("seated_elsewhere", _("你已经坐在一张牌桌上，请先离开。"), status=409, table=table_id)


def require_entry(room: Room, membership: Membership) -> None:
    """Raises `Refused`: room_closed, entry_minimum (data: minimum, balance)."""
    assert room.terms is not None
    if not room.is_open:
        raise Refused("room_closed", _("房间已关闭。"), status=409)
    balance, minimum = membership.wallet.balance, room.terms.entry_minimum
    if balance < minimum:
        raise Refused(
            "entry_minimum",
            _("入场至少需要 %(minimum)s 币，你有 %(balance)s 币。")
            % {"minimum": f"{minimum:,}", "balance": f"{balance:,}"},
            status=409,
            minimum=minimum,
            balance=balance,
        )


def _lock(table_id: int) -> None:
    """Lock a table's row, read nothing of it: what is read afterwards is as new as the lock."""
    if connection.features.has_select_for_update:
        first_row("SELECT 1 FROM games_table WHERE id = %s FOR NO KEY UPDATE", table_id)


def _locked(table_id: int, user: User) -> tuple[Table, Membership]:
    """The table, locked and open, with its room's newest terms."""
    _lock(table_id)
    table, membership = table_of(table_id=table_id, user=user)
    seats_clear(table)
    if table.closed_at is not None:
        raise Refused("table_closed", _("牌桌已散。"), status=409)
    return table, membership


def _own_seat(table_id: int, user: User) -> tuple[Table, Membership, Seat]:
    table, membership = _locked(table_id, user)
    seat = Seat.objects.filter(table=table, user=user).first()
    if seat is None:
        raise Refused("not_seated", _("你不在这张牌桌上。"), status=409)
    return table, membership, seat


def lobby_tables(room_ids: list[int]) -> QuerySet[Table]:
    """The open tables of rooms with who sits at them, for the lobby."""
    return (
        Table.objects.filter(room_id__in=room_ids, closed_at=None)
        .prefetch_related("seats__user")
        .order_by("room_id", "number")
    )
