"""What the sockets of this process share at one table: an ear at the doorbell, and a look at the log.

Whenever the bell rings, the table and the newest hand are read once, unless this process has just written the hand; each socket
then makes its own frames of what was read. Now and then all tables together are looked at, since a ring may get lost.
"""

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from channels.db import database_sync_to_async
from django.db import DatabaseError
from django.utils import translation

from accounts.rows import all_rows, among, first_row, many
from games import doorbell, frames
from games.frames import TableFacts, Version
from games.log import Fold, folded, states

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0  # between two looks at all tables: for so long a table waits for a ring that got lost
_STATES_KEPT: Final = 4  # of a hand, so that not every socket that lags a little works out the same


@dataclass(frozen=True, slots=True)
class Look:
    """A table, its newest hand, and the last states of it up to that one."""

    table: TableFacts
    newest: Fold | None
    states: tuple[Fold, ...]

    def states_after(self, fold: Fold) -> Sequence[Fold]:
        """The states of the newest hand that follow one of it, row by row."""
        assert self.newest is not None
        after = [state for state in self.states if state.seq > fold.seq]
        if after and after[0].seq == fold.seq + 1:
            return after
        return [*states(fold, self.newest.rows[fold.seq : -1]), self.newest]


class Socket(Protocol):
    """Who wants to know what was seen, what a seat said, and that the log cannot be read."""

    language: str
    seen: Look | None  # that it has not worked through yet

    def see(self, look: Look) -> None: ...

    def hear(self, seat: int, phrase: str) -> None: ...

    def fail(self) -> None: ...


class Lookout:
    """The sockets of this process at one table."""

    def __init__(self, table_id: int) -> None:
        self._table_id = table_id
        self.sockets: set[Socket] = set()
        self._rang = asyncio.Event()
        self._written: Fold | None = None  # the newest hand that this process wrote
        self.last: Look | None = None
        self._task = asyncio.create_task(self._watch())
        doorbell.ears[table_id].add(self)

    def close(self) -> None:
        doorbell.ears[self._table_id].discard(self)
        if not doorbell.ears[self._table_id]:
            del doorbell.ears[self._table_id]
        self._task.cancel()

    def ring(self, written: Fold | None) -> None:
        """Look, unless what was written tells all: the hand that is being played goes on."""
        last = self.last
        if written is not None:
            self._written = written
        if last is None or written is None or written.is_over or not _is_later(written, last.newest):
            self._rang.set()
        else:
            self._show(last.table, written)

    def compare(self, state: "State") -> None:
        """Show again what was seen, to those who lack it still; look, if there is more."""
        last = self.last
        if last is not None and state == _state(last):
            for socket in self.sockets:
                socket.see(last)
        else:
            self._rang.set()

    def hear(self, seat: int, phrase: str) -> None:
        for socket in self.sockets:
            socket.hear(seat, phrase)

    def _show(self, table: TableFacts, newest: Fold | None) -> None:
        last = self.last
        if last is not None and _is_later(last.newest, newest):
            newest = last.newest  # written while the log was being read
        behind = any(socket.seen for socket in self.sockets)
        self.last = look = Look(table, newest, _states(last, newest, last.states if last and behind else ()))
        for socket in self.sockets:
            socket.see(look)

    async def _watch(self) -> None:
        while True:
            await self._rang.wait()
            self._rang.clear()
            languages = {socket.language for socket in self.sockets}
            try:
                read = database_sync_to_async(_read, thread_sensitive=False)
                table, newest = await read(self._table_id, self.last, self._written, languages)
            except DatabaseError:
                logger.warning("table %s: could not look at the log, will look again", self._table_id)
            except Exception:
                logger.exception("table %s: the log cannot be read", self._table_id)
                for socket in tuple(self.sockets):
                    socket.fail()
            else:
                self._show(table, newest)


State = tuple[
    Version, int | None, int
]  # of a table: its version, its newest hand, and the number of the last row of that


def _state(look: Look) -> State:
    newest = look.newest
    return (look.table.version, newest.hand.pk if newest else None, newest.seq if newest else 0)


def _is_later(fold: Fold | None, than: Fold | None) -> bool:
    """Whether a fold is of the same hand and tells more of it."""
    return fold is not None and than is not None and fold.hand.pk == than.hand.pk and fold.seq > than.seq


def _states(last: Look | None, newest: Fold | None, earlier: tuple[Fold, ...]) -> tuple[Fold, ...]:
    """The states of the newest hand since the last look, as far as they were to be had for little, and behind `earlier` ones."""
    if newest is None or last is None or last.newest is None or last.newest.hand.pk != newest.hand.pk:
        return ()
    before = last.newest.seq
    if newest.seq <= before:
        return last.states
    way = [state for state in newest.way if state.seq > before]
    if newest.seq - len(way) != before + 1:
        way = list(states(last.newest, newest.rows[before : newest.seq - 1]))
    return (*earlier, *way, newest)[-_STATES_KEPT:]


_lookouts: dict[int, Lookout] = {}


def join(table_id: int, socket: Socket) -> None:
    """Let a socket see and hear what happens at a table, until it leaves."""
    if table_id not in _lookouts:
        _lookouts[table_id] = Lookout(table_id)
    _lookouts[table_id].sockets.add(socket)


def leave(table_id: int, socket: Socket) -> None:
    """End that; the last one to leave closes the lookout. Who has not joined need not leave."""
    lookout = _lookouts.get(table_id)
    if lookout is None:
        return
    lookout.sockets.discard(socket)
    if not lookout.sockets:
        lookout.close()
        del _lookouts[table_id]


async def run_lookout() -> None:
    """Look at all tables that have sockets here, every now and then, until cancelled."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if not _lookouts:
            continue
        try:
            found = await database_sync_to_async(_read_states, thread_sensitive=False)(tuple(_lookouts))
        except DatabaseError:
            logger.warning("could not look at the tables, will look again")
        except Exception:
            logger.exception("could not look at the tables")
        else:
            for table_id, lookout in tuple(_lookouts.items()):
                if table_id in found:
                    lookout.compare(found[table_id])


def _read_states(table_ids: Collection[int]) -> dict[int, State]:
    rows = all_rows(
        "SELECT played.id, played.version, room.terms_id, hand.id,"  # noqa: S608
        " (SELECT MAX(seq) FROM games_action WHERE hand_id = hand.id)"
        " FROM games_table played JOIN clubs_room room ON room.id = played.room_id"
        " LEFT JOIN games_hand hand ON hand.id ="
        " (SELECT id FROM games_hand WHERE table_id = played.id ORDER BY number DESC LIMIT 1)"
        f" WHERE {among('played.id')}",
        many(table_ids),
    )
    return {table_id: ((version, terms), hand_id, seq or 0) for table_id, version, terms, hand_id, seq in rows}


def _read(
    table_id: int, last: Look | None, written: Fold | None, languages: Collection[str]
) -> tuple[TableFacts, Fold | None]:
    """The table and its newest hand. What is known of them already is not read again."""
    found = first_row(
        "SELECT version, (SELECT terms_id FROM clubs_room WHERE id = room_id),"
        " (SELECT id FROM games_hand WHERE table_id = games_table.id ORDER BY number DESC LIMIT 1)"
        " FROM games_table WHERE id = %s",
        table_id,
    )
    assert found is not None, "tables are closed, never deleted"
    version, terms_id, hand_id = found
    table = (
        last.table if last is not None and last.table.version == (version, terms_id) else frames.table_facts(table_id)
    )
    known = (written, last.newest if last is not None else None)
    over = next((fold for fold in known if fold is not None and fold.hand.pk == hand_id and fold.is_over), None)
    newest = over or (folded(hand_id) if hand_id else None)
    if newest is not None and newest.is_over:
        for language in languages:
            with translation.override(language):
                frames.settlement_payload(newest)  # which reads, so that no socket has to
    return table, newest
