"""`kill -9` of the server in mid-hand: the hand goes on, and nothing that was acknowledged is lost."""

import asyncio
import random

import pytest

from accounts import ledger
from accounts.models import Transfer, User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_join
from clubs.models import Club, RoomTerms
from clubs.rooms import room_create
from games import tables
from games.clients import Client, Journal, Seen, compare, play_hands
from games.models import Action, Hand, Table
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


@pytest.mark.timeout(300)
def test_nothing_acknowledged_is_lost_and_the_hand_goes_on(table: Table, server_process: ServerProcess) -> None:
    _kill_while_playing(table, server_process, kills=3, seed=7)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(8))
def test_many_kills(table: Table, server_process: ServerProcess, seed: int) -> None:
    _kill_while_playing(table, server_process, kills=10, seed=seed)


def _kill_while_playing(table: Table, server: ServerProcess, *, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    clients = [Client(server.url, f"player{number}") for number in range(4)]
    journals = [Journal() for _client in clients]
    seen: list[Seen] = []
    for client in clients:
        client.sign_in(PASSWORD)

    async def kill_now_and_then() -> None:
        for _kill in range(kills):
            await asyncio.sleep(rng.uniform(1.0, 5.0))
            server.kill()
            await asyncio.to_thread(server.start)

    async def play() -> None:
        playing = [
            play_hands(client, table.pk, seat, 1, seen.append, journals[seat]) for seat, client in enumerate(clients)
        ]
        await asyncio.gather(kill_now_and_then(), *playing)

    asyncio.run(play())

    kept = dict(Action.objects.exclude(command_id=None).values_list("command_id", "kind"))
    logged = {"act", "nonce"}
    for journal in journals:
        acknowledged = {id for id in journal.acknowledged if journal.sent[id]["type"] in logged}
        assert acknowledged, f"seed {seed}: nothing was played"
        assert acknowledged <= kept.keys(), f"seed {seed}: an acknowledged command is lost"
    assert Action.objects.exclude(command_id=None).count() == len(kept), "a command is there twice"

    hand = Hand.objects.get()
    assert hand.status == Hand.Status.SETTLED
    rows = list(Action.objects.filter(hand=hand).values_list("seq", flat=True))
    assert rows == list(range(1, len(rows) + 1))
    assert [one.hand_id for one in seen] == [hand.pk] * 4
    assert hand.record is not None
    assert compare(seen, hand.record) == [], f"seed {seed}"
    assert Transfer.objects.filter(key=f"hand:{hand.pk}").count() == 1
    assert ledger.ledger_check() == []
