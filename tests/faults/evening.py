"""Four clients that play hand after hand beside a test that breaks something, each hand at a table of its own."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import OperationalError, connection

from accounts.models import User
from clubs.models import Room
from games import tables
from games.clients import Client, Journal, Seen, play_hands
from games.models import Hand
from tests.faults import invariants
from tests.faults.lags import watch
from tests.faults.people import beside
from tests.sockets import client_of

LAST_HAND_SECONDS = 200.0


@dataclass
class Evening:
    """`journals` and `seen` are what the clients sent and were shown, `lags` how late somebody who looks on was (seconds)."""

    room: Room
    users: Sequence[User]
    clients: Sequence[Client]
    journals: list[Journal] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    watches: bool = False
    is_late: bool = False  # no further hand

    async def run(self) -> None:
        while not self.is_late:
            table_id = await asyncio.to_thread(self._open)
            journals = [Journal() for _client in self.clients]
            self.journals += journals
            playing = [
                play_hands(client, table_id, seat, 1, self.seen.append, journals[seat])
                for seat, client in enumerate(self.clients)
            ]
            if self.watches:
                watching = asyncio.create_task(watch(self.clients[0], table_id, self.lags))
            await asyncio.gather(*playing)
            if self.watches:
                watching.cancel()

    def _open(self) -> int:
        while True:
            try:
                seat = tables.seat_of(self.users[0])
                return seat.table_id if seat else tables.table_open(room=self.room, user=self.users[0]).pk
            except OperationalError:  # the database is what the test breaks
                connection.close()
                time.sleep(0.1)

    def check(self) -> None:
        """Assert that every hand has come to its end, and all that must hold."""
        assert not Hand.objects.exclude(status=Hand.Status.SETTLED).exists(), "a table is stuck"
        assert len(self.seen) >= len(self.users), "nothing was played"
        invariants.check_all(self.journals, self.seen)


@contextmanager
def evening_of(room: Room, users: Sequence[User], *urls: str, watches: bool = False) -> Iterator[Evening]:
    """An evening over one server or several, while the block runs and until the last hand is over."""
    clients = [client_of(urls[seat % len(urls)], user) for seat, user in enumerate(users)]
    evening = Evening(room, users, clients, watches=watches)
    with beside(evening.run()) as played:
        yield evening
        evening.is_late = True
        played.result(LAST_HAND_SECONDS)
