"""T2: `kill -9` of the server every one to three seconds, while forty people play at forty tables with bots."""

import asyncio
import random
import time
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_join
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_create
from games import tables
from games.clients import Client, Journal, Seen, play_hands
from games.models import Hand, Table
from tests.faults import invariants
from tests.faults.people import beside, client_of, member_of, room_of
from tests.servers import ServerProcess

PASSWORD = "a-good-password-1"


@pytest.fixture
def table(transactional_db: None) -> Table:
    operator = User.objects.create_superuser("operator", password=PASSWORD)
    club = club_create(name="锦里", slug="jinli", actor=operator)
    users = [_member(club, operator, f"player{number}") for number in range(4)]
    terms = {"coefficient": 200, "rake": 400, "turn_seconds": 20, "pacing": RoomTerms.Pacing.QUICK}
    room = room_create(club=club, name="锦江厅", actor=operator, preset="qq_single_2", **terms)
    table = tables.table_open(room=room, user=users[0])
    for number, user in enumerate(users[1:], start=1):
        tables.seat_take(table_id=table.pk, number=number, user=user)
    return table


def _member(club: Club, operator: User, name: str) -> User:
    user = User.objects.create_user(name, password=PASSWORD)
    membership = member_join(code=invitation_create(club=club, actor=operator).code, user=user)
    member_coins_issue(membership=membership, amount=100_000, reason="test", actor=operator, key=f"test:{name}")
    return user


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("people", "seconds"), [(40, 180)])
def test_kills_at_any_moment(
    club: Club, operator: User, servers: Callable[..., ServerProcess], people: int, seconds: float
) -> None:
    seed = people
    rng = random.Random(seed)
    room = room_of(club, operator, bots_allowed=True)
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
