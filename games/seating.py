"""Finding a seat: the best one there is, another table, and the line of a room."""

from collections.abc import Sequence
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club, Room
from clubs.roles import membership_of
from games.log import SEATS, database_now
from games.models import Hand, Seat, Table, Waiting
from games.seats import is_playing, line_heads, line_leave, offers_end, offers_make, table_close_if_empty
from games.tables import require_entry, seat_leave, seat_take, seated_elsewhere, table_open, table_open_for_line

_GONE: Final = frozenset({"seat_taken", "seat_held", "table_closed"})  # refusals after which the next table is tried


def tables_lacking(room_ids: Sequence[int]) -> QuerySet[Table]:
    """The tables of rooms that wait for people and at which anybody may sit down, the fullest first."""
    playing = Hand.objects.exclude(status=Hand.Status.SETTLED).values("table")
    return _with_free_seats().filter(room__in=room_ids).exclude(pk__in=playing)


def _with_free_seats() -> QuerySet[Table]:
    """The open tables that are not private and have a seat that is neither taken nor held for somebody in the line: those
    for practice last, the fullest first."""
    offers = Count("offers", Q(offers__offered_until__gt=database_now()), distinct=True)
    return (
        Table.objects.filter(closed_at=None, code="")
        .annotate(people=Count("seats", distinct=True), held=offers)
        .filter(people__lt=len(SEATS) - F("held"))
        .order_by("room__terms__bots_allowed", "-people", "pk")
    )


def seat_quick(*, club: Club, user: User, room: Room | None = None) -> Seat:
    """Sit down at the best table of a club, or of a `room` of it: the one that lacks fewest people, else a new one. Rooms for
    practice come last.

    Raises `Refused`: seated_elsewhere, no_room (none is open that one has the coins for), and those of `require_entry` and
    `seat_take`.
    """
    membership = membership_of(user=user, club=club)
    if room is not None:
        require_entry(room, membership)
        rooms = [room] if room.club_id == club.pk else []
    else:
        able = club.rooms.filter(is_open=True, terms__entry_minimum__lte=membership.wallet.balance)
        rooms = list(able.order_by("terms__bots_allowed", "pk"))
    if not rooms:
        raise Refused("no_room", _("现在没有你可以进的房间。"), status=409)
    if seat := _seat_first([each.pk for each in rooms], user):
        return seat
    with transaction.atomic():
        # Of several who find no table at the same moment one opens it, and the others sit down there.
        Room.objects.select_for_update(no_key=True).get(pk=rooms[0].pk)
        if seat := _seat_first([rooms[0].pk], user):
            return seat
        return Seat.objects.get(table=table_open(room=rooms[0], user=user), user=user)


def _seat_first(room_ids: Sequence[int], user: User) -> Seat | None:
    for table in tables_lacking(room_ids):
        try:
            return seat_take(table_id=table.pk, number=None, user=user)
        except Refused as refusal:
            if refusal.code not in _GONE:
                raise
    return None


def table_change(*, table_id: int, user: User) -> Seat:
    """Get up and sit down at another table of the room that waits for people (换桌). Where there is none, one keeps the seat.

    Raises `Refused`: not_seated, hand_running, no_other_table, and those of `seat_take`.
    """
    own = Seat.objects.select_related("table").filter(user=user, table__room__tables=table_id).first()
    if own is None:
        raise Refused("not_seated", _("你不在这张牌桌上。"), status=409)
    if own.table_id != table_id:  # the answer got lost: the place has been changed
        return own
    for other in tables_lacking([own.table.room_id]).exclude(pk=table_id):
        try:
            with transaction.atomic():
                # Both at once and in order, so that two who change places do not wait for each other.
                list(Table.objects.select_for_update(no_key=True).filter(pk__in=(table_id, other.pk)).order_by("pk"))
                seat_leave(table_id=table_id, user=user)
                return seat_take(table_id=other.pk, number=None, user=user)
        except Refused as refusal:
            if refusal.code not in _GONE:
                raise
    raise Refused("no_other_table", _("这个房间现在没有别的桌在等人。"), status=409)


# --- The line ------------------------------------------------------------------------------------------------------
@transaction.atomic
def waiting_join(*, room: Room, user: User) -> Waiting:
    """Stand in the line for a seat in a room; standing there already changes nothing. A free seat is offered at once.

    Raises `Refused`: those of `require_entry`, seated_elsewhere (data: table), waiting_elsewhere (data: room).
    """
    membership = membership_of(user=user, club=room.club)
    room = Room.objects.select_related("terms").get(pk=room.pk)
    require_entry(room, membership)
    seat = Seat.objects.filter(user=user).first()
    if seat is not None:
        raise seated_elsewhere(seat.table_id)
    Waiting.objects.filter(user=user, lapsed_at__isnull=False).delete()
    try:
        with transaction.atomic():
            own = Waiting.objects.create(room=room, membership=membership, user=user)
    except IntegrityError:
        own = Waiting.objects.get(user=user)
        if own.room_id != room.pk:
            raise Refused("waiting_elsewhere", _("你已在另一个房间排队。"), status=409, room=own.room_id) from None
        return own
    for table in Table.objects.select_for_update(no_key=True).filter(room=room, closed_at=None, code="").order_by("pk"):
        offers_make(table)
    own.refresh_from_db()
    return own


@transaction.atomic
def waiting_leave(*, user: User) -> None:
    """Step out of the line, or decline the seat that was offered. Who stands in none need not."""
    own = Waiting.objects.filter(user=user).first()
    if own is None:
        return
    table = Table.objects.select_for_update(no_key=True).get(pk=own.table_id) if own.table_id else None
    line_leave(Waiting.objects.filter(pk=own.pk))
    if table is not None:
        offers_make(table)


def waiting_accept(*, user: User) -> Seat:
    """Sit down on the seat that was offered. Raises `Refused`: no_offer (there is none, or not any more), and those of
    `seat_take`."""
    own = Waiting.objects.filter(user=user, offered_until__gt=database_now()).first()
    if own is None or own.table_id is None:
        raise Refused("no_offer", _("没有留给你的座位了。"), status=409)
    return seat_take(table_id=own.table_id, number=None, user=user)


def lines_tend() -> None:
    """Take back the offers whose time is over, offer what is free to who is next, open a table where four wait and no seat is
    free, and close those that nobody came to. The clock calls it all the time."""
    if Waiting.objects.filter(lapsed_at=None).exists():
        _offers_renew()
        for room_id in rooms_with_full_lines():
            table_open_for_line(room_id=room_id)
    _tables_without_people_close()


def _offers_renew() -> None:
    waits = Waiting.objects.filter(table=None, lapsed_at=None).values("room")
    late = Waiting.objects.filter(offered_until__lte=database_now()).values("table")
    for table_id in Table.objects.filter(
        Q(pk__in=late) | Q(pk__in=_with_free_seats().values("pk"), room__in=waits), closed_at=None
    ).values_list("pk", flat=True):
        with transaction.atomic():
            table = (
                Table.objects.select_for_update(no_key=True, of=("self",))
                .select_related("room__terms")
                .get(pk=table_id)
            )
            now = database_now()
            offers_end(Waiting.objects.filter(table=table, offered_until__lte=now), lapsed_at=now)
            offers_make(table)


def rooms_with_full_lines() -> list[int]:
    """The rooms in whose lines enough people for a table wait without an offer."""
    heads = line_heads().order_by().values("room").annotate(people=Count("pk"))
    return list(heads.filter(people__gte=len(SEATS)).values_list("room", flat=True))


def _tables_without_people_close() -> None:
    """Close the tables at which nobody sits or is asked to."""
    playing = Hand.objects.exclude(status=Hand.Status.SETTLED).values("table")
    people = Seat.objects.filter(user__isnull=False).values("table")
    asked = Waiting.objects.filter(offered_until__gt=database_now()).values("table")
    empty = Table.objects.filter(closed_at=None).exclude(pk__in=people).exclude(pk__in=asked).exclude(pk__in=playing)
    for table_id in empty.values_list("pk", flat=True):
        with transaction.atomic():
            table = Table.objects.select_for_update(no_key=True).get(pk=table_id)
            if table.closed_at is None and not is_playing(table):
                table_close_if_empty(table)


def line_length(room: Room) -> int:
    """How many stand in the line of a room, those with an offer too."""
    return Waiting.objects.filter(room=room, lapsed_at=None).count()


def place_in_line(waiting: Waiting) -> int:
    """Which one a person is in the line who has no offer yet."""
    ahead = Waiting.objects.filter(room=waiting.room_id, pk__lt=waiting.pk, table=None, lapsed_at=None)
    return ahead.count() + 1
