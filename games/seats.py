"""Who sits at a table: what happens to seats and tables, called with the table's row locked."""

from datetime import timedelta
from typing import Final

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from clubs.models import Membership
from games import doorbell
from games.log import SEATS, database_now
from games.models import Hand, Seat, Table, Waiting

OFFER_SECONDS: Final = 45  # in which who is first in line says whether they take a seat


def running_hand(table: Table) -> Hand | None:
    """The hand of a table that is not settled yet."""
    return Hand.objects.filter(table=table).exclude(status=Hand.Status.SETTLED).select_related("terms").first()


def table_changed(table: Table) -> None:
    """Count a change that everybody at the table must see, and ring."""
    Table.objects.filter(pk=table.pk).update(version=F("version") + 1)
    doorbell.ring(table.pk)


def seating_changed(table: Table) -> None:
    """Somebody sat down or got up: the next dealer is drawn by lot (RULES.md section 14)."""
    Table.objects.filter(pk=table.pk).update(next_dealer=None)
    table_changed(table)


def seat_vacate(*, table: Table, seat: Seat) -> None:
    """Free a seat. A table that no person sits at any more closes, once its hand is over."""
    seat.delete()
    seating_changed(table)
    if running_hand(table) is None:
        table_close_if_empty(table)
    offers_make(table)


def table_close_if_empty(table: Table) -> None:
    """Close a table at which only bots are left, unless somebody is being asked to sit there."""
    if not Seat.objects.filter(table=table, user__isnull=False).exists() and not _held(table):
        table_close(table)


def table_close(table: Table) -> None:
    """Close a table between hands. Who was offered a seat there keeps their place in the line."""
    Seat.objects.filter(table=table).delete()
    Waiting.objects.filter(table=table).update(table=None, offered_until=None)
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
    ready = line_heads().filter(room=table.room_id)
    until = database_now() + timedelta(seconds=OFFER_SECONDS)
    free = seats_free(table)
    while free > 0 and (first := ready.first()) is not None:
        # Another table may offer to the same person at this moment; whoever is second sees no row to change.
        free -= Waiting.objects.filter(pk=first.pk, table=None).update(table=table, offered_until=until)


def seats_clear(table: Table) -> None:
    """Between hands, free the seats of those who may not play here any more: people who are suspended or whose account is
    closed, and bots once the room's terms admit none."""
    terms = table.room.terms
    assert terms is not None
    may_play = Q(membership__status=Membership.Status.ACTIVE, user__is_active=True)
    if terms.bots_allowed:
        may_play |= Q(user=None)
    gone = Seat.objects.filter(table=table).exclude(may_play)
    if gone.exists() and running_hand(table) is None:
        gone.delete()
        seating_changed(table)
        offers_make(table)


def seats_after_hand(table: Table) -> None:
    """Every person gets ready anew after a hand; bots are always ready."""
    Seat.objects.filter(table=table, user__isnull=False).update(is_ready=False, nonce_commitment="", wants_end=False)
    seats_clear(table)
    table_close_if_empty(table)
    table_changed(table)
