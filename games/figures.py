"""The figures of settled hands: one row a seat, written with the settlement, rebuilt from the records.

Statistics and leaderboards read these rows alone, so that they stay quick in a club of many hands. What they hold follows
from the record (`games.rules.figures`) and the seats; a hand that counts for nothing (practice, void) has none.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from clubs.models import RoomTerms
from games import rules
from games.models import Hand, HandSeat, SeatFigures
from games.rules.events import EndKind
from games.rules.figures import hand_figures
from games.rules.record import played

_BATCH: Final = 200  # hands in one transaction


def figures_of(*, terms: Any, ended_at: datetime, seats: Iterable[Any], core: rules.Hand) -> list[dict[str, Any]]:
    """The rows of a settled hand, as values of `SeatFigures`.

    `terms` are its `RoomTerms` with the room, `seats` its settled `HandSeat` rows, `core` the hand at its end. The rows may be as
    a migration sees them.
    """
    seats = list(seats)
    if core.end is EndKind.VOIDED or any(seat.membership_id is None for seat in seats):
        return []
    assert core.end is not None
    figures = hand_figures(core)
    return [
        {
            "hand_id": seat.hand_id,
            "number": seat.number,
            "membership_id": seat.membership_id,
            "club_id": terms.room.club_id,
            "room_id": terms.room_id,
            "preset": terms.preset,
            "ended_at": ended_at,
            "end": core.end.value,
            "is_auto": seat.auto_actions > 0,
            "has_left": seat.has_left,
            **{name: getattr(seat, name) for name in ("units", "points", "rake", "coins")},
            **figures[seat.number]._asdict(),
        }
        for seat in seats
    ]


def figures_write(*, terms: RoomTerms, ended_at: datetime, seats: Sequence[HandSeat], core: rules.Hand) -> None:
    """Write the figures of a hand that is being settled, in the transaction of its settlement."""
    rows = figures_of(terms=terms, ended_at=ended_at, seats=seats, core=core)
    SeatFigures.objects.bulk_create(SeatFigures(**values) for values in rows)


def figures_told(hands: QuerySet[Any]) -> Iterator[dict[str, Any]]:
    """The rows that follow from the records of some settled hands, as values of `SeatFigures`, oldest hand first."""
    for hand in hands.select_related("terms__room").prefetch_related("seats").order_by("pk").iterator(_BATCH):
        yield from figures_of(
            terms=hand.terms, ended_at=hand.ended_at, seats=hand.seats.all(), core=played(hand.record)
        )


def figures_rebuild() -> int:
    """Write the figures of all settled hands anew from their records. Returns how many hands there are."""
    settled = Hand.objects.filter(status=Hand.Status.SETTLED)
    ids = list(settled.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        with transaction.atomic():
            SeatFigures.objects.filter(hand__in=batch).delete()
            SeatFigures.objects.bulk_create(
                SeatFigures(**values) for values in figures_told(settled.filter(pk__in=batch))
            )
    return len(ids)
