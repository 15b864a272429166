"""Who sits at a table: what happens to seats and tables, called with the table's row locked."""

from django.db.models import F
from django.utils import timezone

from clubs.models import Membership
from games import doorbell
from games.models import Hand, Seat, Table


def running_hand(table: Table) -> Hand | None:
    """The hand of a table that is not settled yet."""
    return Hand.objects.filter(table=table).exclude(status=Hand.Status.SETTLED).first()


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


def table_close_if_empty(table: Table) -> None:
    """Close a table at which only bots are left."""
    if not Seat.objects.filter(table=table, user__isnull=False).exists():
        Seat.objects.filter(table=table).delete()
        Table.objects.filter(pk=table.pk).update(closed_at=timezone.now())
        table_changed(table)


def seats_clear(table: Table) -> None:
    """Between hands, free the seats of people who may not play here any more (suspended, account closed)."""
    gone = Seat.objects.filter(table=table, user__isnull=False).exclude(
        membership__status=Membership.Status.ACTIVE, user__is_active=True
    )
    if gone.exists() and running_hand(table) is None:
        gone.delete()
        seating_changed(table)


def seats_after_hand(table: Table) -> None:
    """Every person gets ready anew after a hand; bots are always ready."""
    Seat.objects.filter(table=table, user__isnull=False).update(is_ready=False, nonce_commitment="")
    seats_clear(table)
    table_close_if_empty(table)
    table_changed(table)
