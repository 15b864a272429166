"""The figures of settled hands: one row a seat, and their sums by day. Written with the settlement, rebuilt from the records.

Statistics and leaderboards read the sums, so that they stay quick for a member of very many hands. A seat's row follows from
the record (`games.rules.figures`) and the seats. What counts for nothing (practice, void) is in no sum. A day's sums follow
from the seats' rows and the club's time zone: when that changes, the sums of before stay in the days of before until
`days_rebuild`.

Sums are written and rebuilt under the lock on the club's rake account, which every settlement of the club takes: two hands never
add to one sum at a time, whoever plays in them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from django.db import transaction
from django.db.models import Q, QuerySet, Sum

from accounts import ledger
from accounts.models import Account
from clubs.models import Club, Membership, RoomTerms
from games import rules
from games.models import DayFigures, Hand, HandSeat, SeatFigures
from games.periods import midnight
from games.rules.events import EndKind
from games.rules.figures import HUAZHU, READY, UNREADY, hand_figures
from games.rules.record import played
from games.rules.wall import SEATS

_BATCH: Final = 200  # hands in one transaction

#: The seats' rows that count.
COUNTED: Final = Q(is_practice=False) & ~Q(end=EndKind.VOIDED.value)
#: What a sum counts, and which of a seat's hands.
COUNTS: Final[Mapping[str, Callable[[Mapping[str, Any]], bool]]] = {
    "hands": lambda row: True,
    "wins": lambda row: row["win_order"] > 0,
    "first": lambda row: row["win_order"] == 1,
    "second": lambda row: row["win_order"] == 2,
    "third": lambda row: row["win_order"] == 3,
    "self_drawn": lambda row: row["win_by"] == "self_draw",
    "jipin": lambda row: row["is_jipin"],
    "dealt_in": lambda row: row["fed"] > 0,
    "drawn": lambda row: row["end"] == "drawn",
    "live_at_draw": lambda row: row["drawn_as"] != "",
    "ready": lambda row: row["drawn_as"] == READY,
    "huazhu": lambda row: row["drawn_as"] == HUAZHU,
    "dajiao": lambda row: row["drawn_as"] == UNREADY and row["dajiao_paid"] > 0,
    "left": lambda row: row["has_left"],
}
#: What a sum adds up as it stands in the seat's row.
ADDED: Final = (
    *(
        "units",
        "points",
        "rake",
        "coins",
        "fed",
        "fan",
        "exposed_kongs",
        "added_kongs",
        "concealed_kongs",
        "kongs_paid",
    ),
    *("transfers_got", "transfers_paid", "huazhu_got", "huazhu_paid", "dajiao_got", "dajiao_paid", "refunds_got"),
    *("refunds_paid", "win_units", "fed_units", "self_draw_units", "exposed_kong_units", "added_kong_units"),
    *("concealed_kong_units", "kong_units_paid", "transfer_units", "huazhu_units", "dajiao_units", "refund_units"),
    "escape_units",
)
NUMBERS: Final = (*COUNTS, *ADDED)
_KEY: Final = ("membership_id", "day", "room_id", "preset", "is_auto")

#: Sums as values of `DayFigures`; what only tells which hands they are of may be missing.
Sums = dict[str, Any]


# --- Seats ---------------------------------------------------------------------------------------------------------
def figures_of(*, terms: Any, ended_at: datetime, seats: Iterable[Any], core: rules.Hand) -> list[dict[str, Any]]:
    """The rows of a settled hand, as values of `SeatFigures`.

    `terms` are its `RoomTerms` with the room, `seats` its settled `HandSeat` rows, `core` the hand at its end. The rows may be as
    a migration sees them.
    """
    seats = list(seats)
    assert core.end is not None
    figures = hand_figures(core)
    is_practice = any(seat.membership_id is None for seat in seats)
    met = opponents_of(
        [seat.membership_id for seat in seats],
        wins=[(win.seat, win.source) for win in core.wins],
        payments=[(payment.payer, payment.payee, payment.units) for payment in core.payments],
    )
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
            "is_practice": is_practice,
            "has_left": seat.has_left,
            **{name: getattr(seat, name) for name in ("units", "points", "rake", "coins")},
            **figures[seat.number]._asdict(),
            "opponents": met[seat.number],
        }
        for seat in seats
        if seat.membership_id is not None
    ]


def opponents_of(
    members: Sequence[int | None], *, wins: Iterable[tuple[int, int | None]], payments: Iterable[tuple[int, int, int]]
) -> list[dict[str, list[int]]]:
    """What each seat of a hand was to each other one: by membership, one hand, wins fed to them and by them, and the units
    from them to oneself. `members` are by seat, None for a bot; `wins` (seat, source) and `payments` (payer, payee, units) name
    seats."""
    met = [{other: [1, 0, 0, 0] for other in range(SEATS) if other != seat} for seat in range(SEATS)]
    for seat, source in wins:
        if source is not None:
            met[source][seat][1] += 1
            met[seat][source][2] += 1
    for payer, payee, units in payments:
        met[payer][payee][3] -= units
        met[payee][payer][3] += units
    return [{str(members[other]): told for other, told in each.items() if members[other] is not None} for each in met]


def figures_write(*, terms: RoomTerms, ended_at: datetime, seats: Sequence[HandSeat], core: rules.Hand) -> None:
    """Write the figures of a hand that is being settled, in the transaction of its settlement, which has locked the accounts."""
    rows = figures_of(terms=terms, ended_at=ended_at, seats=seats, core=core)
    SeatFigures.objects.bulk_create(SeatFigures(**values) for values in rows)
    # The club is read anew: the one of a folded hand may not know its zone of today.
    if days := day_sums(rows, Club.objects.only("time_zone").get(pk=terms.room.club_id).zone):
        _days_add(days)


def figures_told(hands: QuerySet[Any]) -> Iterator[dict[str, Any]]:
    """The rows that follow from the records of some settled hands, as values of `SeatFigures`, oldest hand first."""
    for hand in hands.select_related("terms__room").prefetch_related("seats").order_by("pk").iterator(_BATCH):
        yield from figures_of(
            terms=hand.terms, ended_at=hand.ended_at, seats=hand.seats.all(), core=played(hand.record)
        )


# --- Days ----------------------------------------------------------------------------------------------------------
def sums_of(row: Mapping[str, Any]) -> Sums:
    """What one seat's row adds to a sum."""
    numbers: Sums = {name: int(counts(row)) for name, counts in COUNTS.items()}
    numbers |= {name: row[name] for name in ADDED}
    patterns = {row["pattern"]: 1} if row["win_order"] else {}
    return numbers | {"patterns": patterns, "opponents": {other: list(met) for other, met in row["opponents"].items()}}


def sums_add(total: Sums, more: Mapping[str, Any]) -> None:
    """Add sums to others of the same kind."""
    for name in NUMBERS:
        total[name] += more[name]
    for pattern, times in more["patterns"].items():
        total["patterns"][pattern] = total["patterns"].get(pattern, 0) + times
    for other, met in more["opponents"].items():
        known = total["opponents"].get(other)
        total["opponents"][other] = list(met) if known is None else [a + b for a, b in zip(known, met, strict=True)]


def sums_none() -> Sums:
    """The sums of no hands."""
    return {**dict.fromkeys(NUMBERS, 0), "patterns": {}, "opponents": {}}


def day_sums(rows: Iterable[Mapping[str, Any]], zone: tzinfo) -> list[Sums]:
    """What some rows of `SeatFigures` (as values) come to by day, as values of `DayFigures`, without those that do not count."""
    days: dict[tuple[Any, ...], Sums] = {}
    for row in rows:
        if row["is_practice"] or row["end"] == EndKind.VOIDED.value:
            continue
        what = {name: row[name] for name in ("membership_id", "club_id", "room_id", "preset", "is_auto")}
        what["day"] = row["ended_at"].astimezone(zone).date()
        total = days.setdefault(_key(what), what | sums_none())
        sums_add(total, sums_of(row))
    return list(days.values())


def _key(day: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(day[name] for name in _KEY)


def _days_add(days: Sequence[Sums]) -> None:
    """Add to the sums that are kept."""
    same = {f"{name}__in": {day[name] for day in days} for name in ("membership_id", "day", "room_id", "preset")}
    kept = {_key(day): day for day in DayFigures.objects.filter(**same).values()}
    for day in days:
        if _key(day) in kept:
            sums_add(day, kept[_key(day)])
    DayFigures.objects.bulk_create(
        (DayFigures(**day) for day in days),
        update_conflicts=True,
        unique_fields=["membership", "day", "room", "preset", "is_auto"],
        update_fields=[*NUMBERS, "patterns", "opponents"],
    )


# --- Rebuilding ----------------------------------------------------------------------------------------------------
def figures_rebuild() -> int:
    """Write the figures of all settled hands anew from their records, and their sums. Returns how many hands there are."""
    settled = Hand.objects.filter(status=Hand.Status.SETTLED)
    ids = list(settled.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        with transaction.atomic():
            SeatFigures.objects.filter(hand__in=batch).delete()
            SeatFigures.objects.bulk_create(
                SeatFigures(**values) for values in figures_told(settled.filter(pk__in=batch))
            )
    for club in Club.objects.order_by("pk"):
        days_rebuild(club=club)
    return len(ids)


def days_rebuild(*, club: Club) -> int:
    """Write the sums by day of a club anew, in its time zone of today. Returns how many members have some.

    One member after the other, so that hands which end meanwhile wait for no more than one.
    """
    rake = ledger.house_account(club.book, Account.Kind.RAKE)
    members = list(
        Membership.objects.filter(Q(figures__isnull=False) | Q(days__isnull=False), club=club)
        .order_by("pk")
        .distinct()
        .values_list("pk", flat=True)
    )
    for member in members:
        with transaction.atomic():
            ledger.accounts_lock([rake.pk])
            zone = Club.objects.get(pk=club.pk).zone
            rows = SeatFigures.objects.filter(membership=member).values()
            days = day_sums(rows.iterator(2000), zone)
            DayFigures.objects.filter(membership=member).delete()
            DayFigures.objects.bulk_create((DayFigures(**day) for day in days), batch_size=500)
    return len(members)


# --- Reading -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class FiguresAsked:
    """Figures of a club that somebody asks for: of hands that ended at `since` or later and before `until` (None: no bound), in a
    room, by a ruleset."""

    club: Club
    since: datetime | None = None
    until: datetime | None = None
    room: int | str | None = None
    preset: str = ""

    def seats(self) -> QuerySet[SeatFigures]:
        """The rows of the seats that count."""
        return _between(self._of_hands(SeatFigures.objects.filter(COUNTED)), self.since, self.until)

    def days(self) -> QuerySet[DayFigures]:
        """The sums of the days that lie wholly in the time that was asked for."""
        first, after = self._whole_days()
        days = self._of_hands(DayFigures.objects.all())
        if first is not None:
            days = days.filter(day__gte=first)
        if after is not None:
            days = days.filter(day__lt=after)
        return days

    def edges(self, **of: Any) -> list[Sums]:
        """The sums of the rest, parts of a first and a last day, by day as well. `of` are conditions for the rows."""
        zone = self.club.zone
        first, after = self._whole_days()
        parts = []
        if first is not None and after is not None and first >= after:
            parts = [(self.since, self.until)]
        else:
            parts += [(self.since, midnight(first, zone))] if first is not None else []
            parts += [(midnight(after, zone), self.until)] if after is not None else []
        seats = self._of_hands(SeatFigures.objects.filter(**of))
        rows = [row for since, until in parts if since != until for row in _between(seats, since, until).values()]
        return day_sums(rows, zone)

    def sums(self, names: Collection[str], **of: Any) -> dict[str, int]:
        """Some numbers (of NUMBERS) over all of it. `of` are conditions for the rows."""
        days = self.days().filter(**of).aggregate(**{name: Sum(name, default=0) for name in names})
        edges = self.edges(**of)
        return {name: days[name] + sum(edge[name] for edge in edges) for name in names}

    def _of_hands(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = rows.filter(club=self.club)
        if self.room is not None:
            rows = rows.filter(room=self.room)
        return rows.filter(preset=self.preset) if self.preset else rows

    def _whole_days(self) -> tuple[Any, Any]:
        """The first day that lies wholly in the time, and the first one after it that does not."""
        zone = self.club.zone
        first = after = None
        if self.since is not None:
            first = self.since.astimezone(zone).date()
            if midnight(first, zone).astimezone(UTC) != self.since.astimezone(UTC):
                first += timedelta(days=1)
        if self.until is not None:
            after = self.until.astimezone(zone).date()
        return first, after


def _between(rows: QuerySet[Any], since: datetime | None, until: datetime | None) -> QuerySet[Any]:
    if since is not None:
        rows = rows.filter(ended_at__gte=since)
    return rows if until is None else rows.filter(ended_at__lt=until)
