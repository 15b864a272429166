"""T2: `kill -9` of the server every one to three seconds, while forty people play at forty tables with bots."""

import asyncio
import random
import time
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection

from accounts.models import User
from clubs.models import Club, Room
from games import tables
from games.clients import Client, Journal, Seen, play_hands
from games.models import Hand
from tests.faults import invariants
from tests.faults.people import beside, room_of
from tests.people import member_of
from tests.servers import ServerProcess
from tests.sockets import client_of


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("people", "seconds"), [(40, 180)])
def test_kills_at_any_moment(
    club: Club, operator: User, servers: Callable[..., ServerProcess], people: int, seconds: float
) -> None:
    seed = people
    rng = random.Random(seed)
    room = room_of(club, operator, bots_allowed=True, coefficient=0, rake=0)
    server = servers()
    users = [member_of(club, operator, f"person{number}") for number in range(people)]
    clients = [client_of(server.url, user) for user in users]
    journals, seen = list[Journal](), list[Seen]()
    is_late, kills = False, 0

    async def play(user: User, client: Client) -> None:
        while not is_late:
            table_id = await asyncio.to_thread(_practice, room, user)
            journals.append(Journal())
            await play_hands(client, table_id, 0, 1, seen.append, journals[-1])

    async def play_all() -> None:
        await asyncio.gather(*map(play, users, clients))

    with beside(play_all()) as played:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            server.start()
            time.sleep(rng.uniform(1, 3))
            server.kill()
            kills += 1
        server.start()
        is_late = True
        played.result(300)
    print(f"seed {seed}: {kills} kills, {len(seen)} hands")
    assert not Hand.objects.exclude(status=Hand.Status.SETTLED).exists(), "a table is stuck"
    invariants.check_all(journals, seen)
    assert invariants.replays_elsewhere(seed) == []


def _practice(room: Room, user: User) -> int:
    """A table at which a person sits with three bots."""
    while True:
        try:
            table_id = tables.table_open(room=room, user=user).pk
            tables.bots_fill(table_id=table_id, user=user)
            return table_id
        except OperationalError:  # SQLite: all tables write at the same time
            connection.close()
