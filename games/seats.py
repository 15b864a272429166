"""Who sits at a table: what happens to seats and tables, called with the table's row locked."""

from datetime import timedelta
from typing import Final

from django.db.models import F, QuerySet
from django.utils import timezone

from accounts.models import Notice
from accounts.notices import notice_write, notices_past
from accounts.rows import all_rows, first_row, run
from clubs.models import Membership
from games import doorbell
from games.log import SEATS, database_now
from games.models import Seat, Table, Waiting

OFFER_SECONDS: Final = 45  # in which who is first in line says whether they take a seat


def is_playing(table: Table) -> bool:
    """Whether a table has a hand that is not settled yet."""
    return bool(first_row("SELECT 1 FROM games_hand WHERE table_id = %s AND status <> 'settled'", table.pk))


def table_changed(table: Table) -> None:
    """Count a change that everybody at the table must see, and ring."""
    run("UPDATE games_table SET version = version + 1 WHERE id = %s", table.pk)
    doorbell.ring(table.pk)


def seating_changed(table: Table) -> None:
    """Somebody sat down or got up: the next dealer is drawn by lot (RULES.md section 14)."""
    Table.objects.filter(pk=table.pk).update(next_dealer=None)
    table_changed(table)


def seat_vacate(*, table: Table, seat: Seat) -> None:
    """Free a seat. A table that no person sits at any more closes, once its hand is over."""
    seat.delete()
    seating_changed(table)
    if not is_playing(table):
        table_close_if_empty(table)
    offers_make(table)


def table_close_if_empty(table: Table) -> None:
    """Close a table at which only bots are left, unless somebody is being asked to sit there."""
    people = first_row("SELECT 1 FROM games_seat WHERE table_id = %s AND user_id IS NOT NULL", table.pk)
    if not people and not _held(table):
        table_close(table)


def table_close(table: Table) -> None:
    """Close a table between hands. Who was offered a seat there keeps their place in the line."""
    Seat.objects.filter(table=table).delete()
    offers_end(Waiting.objects.filter(table=table))
    Table.objects.filter(pk=table.pk).update(closed_at=timezone.now())
    table_changed(table)


def seats_free(table: Table) -> int:
    """How many seats anybody may take: neither taken nor held for somebody in the line."""
    return len(SEATS) - Seat.objects.filter(table=table).count() - _held(table)


def _held(table: Table) -> int:
    return Waiting.objects.filter(table=table, offered_until__gt=database_now()).count()


def line_heads() -> QuerySet[Waiting]:
    """Those in lines who can be offered a seat: the room is open to them, and they have no offer yet."""
    return Waiting.objects.filter(
        table=None,
        lapsed_at=None,
        room__is_open=True,
        membership__status=Membership.Status.ACTIVE,
        membership__wallet__balance__gte=F("room__terms__entry_minimum"),
    )


def offers_make(table: Table) -> None:
    """Offer the free seats of an open table to those who are first in the room's line."""
    if table.code or Table.objects.filter(pk=table.pk, closed_at__isnull=False).exists():
        return
    ready = line_heads().filter(room=table.room_id).select_related("user", "room__club__book")
    until = database_now() + timedelta(seconds=OFFER_SECONDS)
    free = seats_free(table)
    while free > 0 and (first := ready.first()) is not None:
        # Another table may offer to the same person at this moment; whoever is second sees no row to change.
        if Waiting.objects.filter(pk=first.pk, table=None).update(table=table, offered_until=until):
            free -= 1
            notice_write(
                users=[first.user],
                kind=Notice.Kind.SEAT,
                book=first.room.club.book,
                cause=_offer_cause(first.pk, table.pk),
                data={"room": first.room.name, "number": table.number, "seconds": OFFER_SECONDS},
            )


def offers_end(waiting: QuerySet[Waiting], **left: object) -> None:
    """Take back the seats that are offered to people in lines, who stay there (`left`: fields that tell otherwise)."""
    _offers_past(waiting)
    waiting.update(table=None, offered_until=None, **left)


def line_leave(waiting: QuerySet[Waiting]) -> None:
    """Take people out of their lines, whatever they were offered."""
    _offers_past(waiting)
    waiting.delete()


def _offers_past(waiting: QuerySet[Waiting]) -> None:
    for pk, table_id in waiting.filter(table__isnull=False).values_list("pk", "table"):
        notices_past(cause=_offer_cause(pk, table_id))


def _offer_cause(waiting_id: int, table_id: int) -> str:
    return f"offer:{waiting_id}:{table_id}"


def seats_clear(table: Table) -> None:
    """Between hands, free the seats of those who may not play here any more: people who are suspended or whose account is
    closed, and bots once the room's terms admit none. The database knows those: the table of a hand that ends may know the
    room as it was when that began."""
    gone = [
        seat
        for (seat,) in all_rows(
            "SELECT seat.id FROM games_seat seat LEFT JOIN clubs_membership member ON member.id = seat.membership_id"
            " LEFT JOIN accounts_user person ON person.id = seat.user_id JOIN clubs_room room ON room.id = %s"
            " JOIN clubs_roomterms terms ON terms.id = room.terms_id WHERE seat.table_id = %s AND NOT"
            " CASE WHEN seat.user_id IS NULL THEN terms.bots_allowed"
            " ELSE member.status = 'active' AND person.is_active END",
            table.room_id,
            table.pk,
        )
    ]
    if gone and not is_playing(table):
        Seat.objects.filter(pk__in=gone).delete()
        seating_changed(table)
        offers_make(table)


def seats_after_hand(table: Table) -> None:
    """Every person gets ready anew after a hand; bots are always ready."""
    run(
        "UPDATE games_seat SET is_ready = %s, nonce_commitment = '', wants_end = %s"
        " WHERE table_id = %s AND user_id IS NOT NULL",
        False,
        False,
        table.pk,
    )
    seats_clear(table)
    table_close_if_empty(table)
    table_changed(table)
