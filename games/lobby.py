"""What the lobby of a club shows: its rooms, tables and lines, and where a member may sit down.

Everybody's browser asks for it again and again, so what is the same for all members is read once by each process.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from django.db.models import Count, Prefetch
from django.utils.translation import get_language, gettext

from clubs.models import Club, Membership, Room, RoomTerms
from clubs.roles import is_operator
from clubs.rooms import preset_name, ruleset_of
from games import rulebook
from games.log import SEATS, bot_name, database_now
from games.models import Hand, Table, Waiting
from games.seating import place_in_line
from games.seats import OFFER_SECONDS
from games.tables import lobby_tables

LIVE_SECONDS: Final = 1.0  # so old may be what a page that stays open is shown


@dataclass(frozen=True)
class TableCard:
    """An open table in a list: who sits where (None: nobody), the running hand, how many seats are held for the line."""

    table: Table
    seats: list[dict[str, Any] | None]
    hand: Hand | None
    held: int

    @property
    def names(self) -> str:
        """Who sits there."""
        return gettext("、").join(seat["name"] for seat in self.seats if seat)

    @property
    def missing(self) -> int:
        """How many people it still needs."""
        return self.seats.count(None)

    @property
    def free(self) -> int:
        """How many seats anybody may take."""
        return self.missing - self.held

    @property
    def watch(self) -> str:
        """How the running hand may be watched: "seconds", "hands" or not at all ("")."""
        watching = self.hand.terms.watching if self.hand and not self.table.code else RoomTerms.Watching.OFF
        return "" if watching == RoomTerms.Watching.OFF else watching


@dataclass(frozen=True)
class RoomCard:
    """A room in the lobby: its terms, its rules in one line, its tables, and why one cannot sit down there (or "")."""

    room: Room
    terms: RoomTerms
    preset: str
    rules: str
    tables: list[TableCard]
    why_not: str
    line: int

    @property
    def playing(self) -> int:
        """At how many tables a hand is running."""
        return sum(card.hand is not None for card in self.tables)

    @property
    def waiting(self) -> TableCard | None:
        """The table that lacks the fewest people, of those where anybody may sit down."""
        open_ones = (card for card in self.tables if card.free and not card.hand and not card.table.code)
        return min(open_ones, key=lambda card: card.free, default=None)


def tables_shown(room_ids: list[int]) -> Any:
    """The open tables of rooms with what their cards show."""
    running = Prefetch(
        "hands", Hand.objects.exclude(status=Hand.Status.SETTLED).select_related("terms"), to_attr="running"
    )
    held = Prefetch("offers", Waiting.objects.filter(offered_until__gt=database_now()), to_attr="held")
    return lobby_tables(room_ids).select_related("room__club").prefetch_related(running, held)


def table_card(table: Table) -> TableCard:
    """A table of `tables_shown` as a card."""
    seats: list[dict[str, Any] | None] = [None] * len(SEATS)
    for seat in table.seats.all():
        seats[seat.number] = {
            "name": seat.user.name if seat.user else bot_name(seat.number, seat.strength),
            "bot": seat.user is None,
        }
    running, held = table.running, table.held  # type: ignore[attr-defined]
    return TableCard(table, seats, running[0] if running else None, len(held))


@dataclass(frozen=True)
class Hall:
    """What the lobby of a club shows to all members alike: rooms with the length of their lines, and open tables."""

    rooms: list[tuple[Room, int]]
    tables: list[TableCard]

    @cached_property
    def seated(self) -> dict[int | None, TableCard]:
        """Where each person sits, by the user's id."""
        return {seat.user_id: card for card in self.tables for seat in card.table.seats.all()}

    @cached_property
    def sorted_tables(self) -> list[TableCard]:
        """Those that wait for people first."""
        return sorted(self.tables, key=lambda card: (bool(card.hand), card.free, card.table.pk))

    @cached_property
    def tag(self) -> str:
        """Differs whenever the hall looks otherwise: a seat, a hand and terms have an id of their own, people change names."""
        rooms = [(room.pk, room.name, room.terms_id, room.is_open, line) for room, line in self.rooms]
        tables = [
            (
                card.table.pk,
                card.hand.pk if card.hand else None,
                card.held,
                [(seat.pk, seat.user and seat.user.name) for seat in card.table.seats.all()],
            )
            for card in self.tables
        ]
        return _digest([rooms, tables])


_halls: dict[tuple[int, str | None], Hall] = {}  # by club and language
_read_at: dict[tuple[int, str | None], float] = {}  # when each was last begun to be read


def hall_of(club: Club, *, seconds: float = 0.0) -> Hall:
    """The hall of a club as it is now, or as it was within so many seconds. While one asks the database anew, others are shown
    what was read before."""
    key, now = (club.pk, get_language()), time.monotonic()
    known = _halls.get(key)
    if known is None or now - _read_at[key] >= seconds:
        _read_at[key] = now
        rooms = list(club.rooms.select_related("terms").filter(terms__isnull=False).order_by("id"))
        lines = dict(
            Waiting.objects.filter(room__in=rooms, lapsed_at=None).values_list("room").annotate(Count("id")).order_by()
        )
        tables = [table_card(table) for table in tables_shown([room.pk for room in rooms])]
        known = _halls[key] = Hall([(room, lines.get(room.pk, 0)) for room in rooms], tables)
    return known


def lobby_tag(hall: Hall, lobby: dict[str, Any]) -> str:
    """Differs whenever the lobby looks otherwise to a member."""
    own = lobby["own"]
    mine = own and (own.pk, own.offered_until, own.lapsed_at, lobby["own_place"])
    return _digest([hall.tag, mine, lobby["membership"].wallet.balance, lobby["is_operator"]])


def _digest(facts: Sequence[Any]) -> str:
    return sha256(repr(facts).encode()).hexdigest()[:24]


def lobby_of(membership: Membership, hall: Hall) -> dict[str, Any]:
    """What the lobby's templates show to a member."""
    user, tables = membership.user, hall.tables
    mine = hall.seated.get(user.pk)
    cards = [
        _room_card(room, membership, [card for card in tables if card.table.room_id == room.pk], line)
        for room, line in hall.rooms
    ]
    waiting = [
        (card.terms.bots_allowed, card.waiting.free, card) for card in cards if card.waiting and not card.why_not
    ]
    own = Waiting.objects.filter(user=user).select_related("room__club", "table").first()
    return {
        "membership": membership,
        "tables_tag": hall.tag,
        "rooms": sorted(cards, key=lambda card: not card.room.is_open),
        "tables": hall.sorted_tables,
        "mine": mine,
        "quick": min(waiting, key=lambda each: each[:2], default=(None, None, None))[2],
        "can_play": any(not card.why_not for card in cards),
        "own": own,
        "own_place": place_in_line(own) if own and not own.lapsed_at and not own.table else None,
        "own_line": next((card.line for card in cards if own and card.room.pk == own.room_id), 0),
        "offered": next((card for card in tables if own and card.table.pk == own.table_id), None),
        "offer_seconds": OFFER_SECONDS,
        "is_operator": is_operator(user=user, club=membership.club),
    }


def _room_card(room: Room, membership: Membership, tables: list[TableCard], line: int) -> RoomCard:
    terms = room.terms
    assert terms is not None
    balance, missing = membership.wallet.balance, terms.entry_minimum - membership.wallet.balance
    why_not = ""
    if not room.is_open:
        why_not = gettext("暂停入座，正在打的打完为止") if tables else gettext("暂停入座，管理员开放后再来")
    elif missing > 0:
        why_not = gettext("下限 %(minimum)s，你有 %(balance)s，还差 %(missing)s") % {
            "minimum": f"{terms.entry_minimum:,}",
            "balance": f"{balance:,}",
            "missing": f"{missing:,}",
        }
    rules = rulebook.rules_line(ruleset_of(terms))
    return RoomCard(room, terms, preset_name(terms.preset), rules, tables, why_not, line)
