"""T22: one client that sends without end is cut off and costs others little; limits are exact, however many ask at once."""

import asyncio
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest
from django.conf import settings
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from accounts.models import User
from clubs.models import Club, Room
from games.models import Table
from tests.people import member_of, table_of
from tests.servers import ServerProcess
from tests.sockets import client_of, heard, said

FLOOD: Final = 4408
A_SECOND: Final = 5000
PARALLEL: Final = 50


@pytest.mark.parametrize("seconds", [1, pytest.param(20, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_a_flood_is_cut_off_and_others_play_on(
    table: Table,
    room: Room,
    club: Club,
    operator: User,
    users: list[User],
    servers: Callable[..., ServerProcess],
    seconds: float,
) -> None:
    quiet_user = member_of(club, operator, "quiet")
    elsewhere = table_of(room, [quiet_user])
    server = servers()
    server.start()
    flooding, quiet = client_of(server.url, users[0]), client_of(server.url, quiet_user)
    codes: Counter[int | None] = Counter()

    async def flood() -> None:
        """Send as fast as A_SECOND says, and come back whenever the line is cut."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            async with flooding.socket(table.pk) as socket:
                reading = asyncio.create_task(_read_on(socket))
                try:
                    while True:
                        for _message in range(A_SECOND // 100):
                            await socket.send('{"type": "ping"}')
                        await asyncio.sleep(0.01)
                except ConnectionClosed:
                    codes[socket.close_code] += 1
                await reading

    async def waits() -> list[float]:
        """How long a client at another table waits for each of its acks, two a second at the least."""
        took = []
        until = time.monotonic() + seconds
        async with quiet.socket(elsewhere.pk) as socket:
            await heard(socket, "snapshot")
            while time.monotonic() < until:
                began = time.monotonic()
                assert (await said(socket, type="unready"))["type"] == "ack"
                took.append(time.monotonic() - began)
                await asyncio.sleep(0.15)
        return took

    async def both() -> list[float]:
        return (await asyncio.gather(waits(), flood()))[0]

    alone, beside_it = asyncio.run(waits()), asyncio.run(both())
    print(f"cut off {dict(codes)}, acks elsewhere: {_told(alone)} alone, {_told(beside_it)} beside the flood")
    assert codes.keys() == {FLOOD}
    assert statistics.median(beside_it) < 5


async def _read_on(socket: ClientConnection) -> None:
    try:
        async for _frame in socket:
            pass
    except ConnectionClosed:
        pass


def _told(waits: list[float]) -> str:
    return f"p50 {statistics.median(waits) * 1000:.0f} ms, p99 {sorted(waits)[int(len(waits) * 0.99)] * 1000:.0f} ms"


@pytest.mark.redis
def test_the_limit_of_the_api_is_exact(users: list[User], servers: Callable[..., ServerProcess]) -> None:
    """Of more requests than are allowed, many at a time and to two servers, as many pass as are allowed."""
    both = [servers(), servers()]
    for server in both:
        server.start()
    limit = int(settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]["anon"].partition("/")[0])
    line = json.dumps({"format": "nothing"}).encode()
    opener = build_opener(ProxyHandler({}))

    def ask(number: int) -> int:
        address = f"{both[number % 2].url}/api/v1/score/"
        try:
            with opener.open(Request(address, line, {"Content-Type": "application/json"})) as answer:
                return int(answer.status)
        except HTTPError as refused:
            refused.close()
            return refused.code

    with ThreadPoolExecutor(PARALLEL) as threads:
        statuses = Counter(threads.map(ask, range(limit + PARALLEL)))
    print(dict(statuses))
    assert statuses[429] == PARALLEL
    assert sum(statuses.values()) - PARALLEL == limit
