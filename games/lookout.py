"""What the sockets of this process share at one table: an ear at the doorbell, and a look at the log.

Whenever the bell rings, and now and then by itself, the table and the newest hand are read once; each socket then makes
its own frames of what was read.
"""

import asyncio
import logging
import random
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from channels.db import database_sync_to_async
from django.db import DatabaseError

from accounts.rows import first_row
from games import doorbell
from games.log import Fold, folded

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = (
    0.8,
    1.2,
)  # how often a table is looked at by itself: for so long it waits for a ring that got lost


#: Of a table: its own version, and the newest terms of its room.
Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Look:
    """A table's version and its newest hand, as they were read."""

    version: Version
    newest: Fold | None


class Socket(Protocol):
    """Who wants to know what was seen, what a seat said, and that the log cannot be read."""

    def see(self, look: Look) -> None: ...

    def hear(self, seat: int, phrase: str) -> None: ...

    def fail(self) -> None: ...


class Lookout:
    """The sockets of this process at one table."""

    def __init__(self, table_id: int) -> None:
        self._table_id = table_id
        self.sockets: set[Socket] = set()
        self._rang = asyncio.Event()
        self._last: Look | None = None
        self._tasks = [
            asyncio.create_task(doorbell.listen(table_id, self._ring, self._hear)),
            asyncio.create_task(self._watch()),
        ]

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _ring(self, written: Fold | None) -> None:
        """Look, unless what was written tells all: the hand that is being played goes on."""
        last = self._last
        if last is None or written is None or written.is_over or not _is_later(written, last.newest):
            self._rang.set()
        else:
            self._show(Look(last.version, written))

    def _show(self, look: Look) -> None:
        if self._last is not None and _is_later(self._last.newest, look.newest):
            look = Look(look.version, self._last.newest)  # written while the log was being read
        self._last = look
        for socket in self.sockets:
            socket.see(look)

    def _hear(self, seat: int, phrase: str) -> None:
        for socket in self.sockets:
            socket.hear(seat, phrase)

    async def _watch(self) -> None:
        while True:
            with suppress(TimeoutError):
                patience = random.uniform(*LOOK_SECONDS)  # noqa: S311 - spreads the load, no secret
                async with asyncio.timeout(patience):
                    await self._rang.wait()
            self._rang.clear()
            try:
                look = await database_sync_to_async(_read, thread_sensitive=False)(self._table_id)
            except DatabaseError:
                logger.warning("table %s: could not look at the log, will look again", self._table_id)
            except Exception:
                logger.exception("table %s: the log cannot be read", self._table_id)
                for socket in tuple(self.sockets):
                    socket.fail()
            else:
                self._show(look)


def _is_later(fold: Fold | None, than: Fold | None) -> bool:
    """Whether a fold is of the same hand and tells more of it."""
    return fold is not None and than is not None and fold.hand.pk == than.hand.pk and fold.seq > than.seq


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


def _read(table_id: int) -> Look:
    found = first_row(
        "SELECT version, (SELECT terms_id FROM clubs_room WHERE id = room_id),"
        " (SELECT id FROM games_hand WHERE table_id = games_table.id ORDER BY number DESC LIMIT 1)"
        " FROM games_table WHERE id = %s",
        table_id,
    )
    assert found is not None, "tables are closed, never deleted"
    version, terms_id, hand_id = found
    return Look((version, terms_id), folded(hand_id) if hand_id else None)
