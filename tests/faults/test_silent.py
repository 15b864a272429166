"""T18, T19: clients that stand still, and clients that never read. Others do not notice, and the server keeps little for them."""

import asyncio
import json
import os
import signal
import socket as sockets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from accounts.models import User
from clubs.models import Club
from clubs.rooms import room_change_terms
from games.allowance import BURST
from games.clients import Client
from games.log import folded
from games.models import Action, Seat, Table
from games.selfplay import hand_deal
from tests.faults import invariants
from tests.people import member_of
from tests.servers import ServerProcess
from tests.sockets import client_of, heard

HALF_OPEN_SECONDS: Final = 45.0
MORE_MEMORY: Final = 32 * 2**20  # bytes, for all that never read


@contextmanager
def onlooker(client: Client, table: Table) -> Iterator[subprocess.Popen[str]]:
    cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in client.cookies)
    command = [sys.executable, "-m", "tests.faults.onlooker", client.url, str(table.pk), cookie]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_client_that_stands_still_holds_nobody_up(
    table: Table, users: list[User], operator: User, servers: Callable[..., ServerProcess]
) -> None:
    """Its seat is played for at the limit; when it goes on it sees what was played, from the same seat."""
    terms = {"turn_seconds": 3, "claim_seconds": 2, "reserve_seconds": 0}
    room_change_terms(room=table.room, actor=operator, changes=terms)
    server = servers()
    server.start()
    hand = hand_deal(table_id=table.pk, users=users)
    clients = [client_of(server.url, user) for user in users]

    async def play() -> None:
        async with asyncio.TaskGroup() as playing:
            for client in clients[1:]:
                playing.create_task(_play_on(client, table.pk))

    with onlooker(clients[0], table) as process:
        assert process.stdout is not None
        assert process.stdout.readline().split()[1] == "playing"
        process.send_signal(signal.SIGSTOP)
        asyncio.run(play())
        process.send_signal(signal.SIGCONT)
        last = folded(hand.pk).seen[0]
        while int(process.stdout.readline().split()[0]) < last:
            pass
    assert Action.objects.filter(hand=hand, seat=0, source=Action.Source.TIMER).exists()
    assert Seat.objects.filter(table=table).count() == 4
    invariants.check_all()


async def _play_on(client: Client, table_id: int) -> None:
    """Decide by what comes first, until seat 0 is played automatically."""
    async with client.socket(table_id) as socket:
        while True:
            hand = (await heard(socket, "snapshot", "event"))["hand"]
            if hand["auto"][0] or hand["status"] == "settled":
                return
            view = hand["view"]
            if view["legal"] and not view["answered"]:
                command = {"type": "act", "hand": hand["id"], "seq": hand["seq"], "action": view["legal"][0]}
                await socket.send(json.dumps({**command, "id": os.urandom(8).hex()}))


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_a_half_open_socket_is_given_up(table: Table, users: list[User], servers: Callable[..., ServerProcess]) -> None:
    server = servers()
    server.start()
    client = client_of(server.url, users[0])
    idle = server.sockets
    with onlooker(client, table) as process:
        hand_deal(table_id=table.pk, users=users)
        assert process.stdout is not None
        process.stdout.readline()
        assert server.sockets > idle
        process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        while server.sockets > idle:
            assert time.monotonic() - began < HALF_OPEN_SECONDS
            time.sleep(0.2)
        print(f"given up after {time.monotonic() - began:.1f} s")


@pytest.mark.parametrize(
    ("clients", "asks", "is_long"),
    [(10, 30, False), pytest.param(100, 10_000, True, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])],
)
def test_clients_that_never_read_cost_little(
    table: Table,
    club: Club,
    operator: User,
    users: list[User],
    servers: Callable[..., ServerProcess],
    clients: int,
    asks: int,
    is_long: bool,
) -> None:
    """Each asks for snapshots as fast as it may, and reads none. In the end all are cut off."""
    server = servers()
    server.start("unlimited")  # each snapshot fills a buffer, which is what is to be seen
    hand_deal(table_id=table.pk, users=users)
    other = client_of(server.url, users[0])
    deaf = [client_of(server.url, member_of(club, operator, f"deaf{number}")) for number in range(clients)]
    most = 0

    async def never_read(client: Client) -> None:
        """Ask for snapshots as fast as one may until the line is cut."""
        socket = await _narrow(client, table.pk)
        socket.transport.pause_reading()
        try:
            for ask in range(asks):
                await socket.send('{"type": "resync"}')
                await asyncio.sleep(0.12 if ask > BURST / 2 else 0)
        except ConnectionClosed:
            cut_off.append(client.username)
        socket.transport.abort()

    async def look_on() -> None:
        nonlocal most
        async with other.socket(table.pk) as socket:
            await heard(socket, "snapshot")
            while True:
                began = time.monotonic()
                await socket.send('{"type": "ping"}')
                await heard(socket, "pong")
                waits.append(time.monotonic() - began)
                most = max(most, server.memory)
                await asyncio.sleep(0.2)

    async def talk() -> None:
        looking = asyncio.create_task(look_on())
        await asyncio.gather(*(never_read(client) for client in deaf))
        looking.cancel()

    waits, cut_off = list[float](), list[str]()
    before = server.memory
    asyncio.run(talk())
    print(f"memory {(most - before) / 2**20:+.1f} MiB at most, others waited at most {max(waits):.2f} s,")
    print(f"{len(cut_off)} of {clients} cut off")
    assert most - before < MORE_MEMORY
    assert not is_long or len(cut_off) == clients


def _narrow(client: Client, table_id: int) -> connect:
    """A connection with little room on the client's side."""
    where = urlsplit(client.url)
    narrow = sockets.socket()
    narrow.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    narrow.connect((where.hostname, where.port))
    opened = client.socket(table_id)
    opened.create_connection_kwargs["sock"] = narrow
    return opened
