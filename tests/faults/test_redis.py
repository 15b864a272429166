"""Redis goes away and comes back: tables open and play on without it, and hear the doorbell again with it."""

import asyncio
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_join
from clubs.models import Room
from clubs.rooms import room_create
from games import tables
from games.clients import Client, ClientError
from games.models import Table
from tests.faults.evening import evening_of
from tests.faults.lags import told
from tests.servers import ServerProcess, database_url
from tests.sockets import heard, said
from tools.services import redis_binary

PASSWORD = "a-good-password-1"
AT_HEAD_SECONDS: Final = 20.0  # five on a machine of its own: docs/faults.md


class OwnRedis:
    """A Redis that a test may stop and start again, at the same address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.socket = folder, folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir", str(self.folder)]
        self._process = subprocess.Popen([redis_binary(), *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        with Redis(unix_socket_path=str(self.socket)) as client:
            while True:
                try:
                    client.ping()
                    return
                except RedisConnectionError:
                    assert time.monotonic() < deadline, "Redis did not start"
                    time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(10)
            self._process = None


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def server(
    transactional_db: None, own_redis: OwnRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ServerProcess]:
    monkeypatch.setenv("REDIS_URL", own_redis.url)
    process = ServerProcess(database_url(), tmp_path / "server.log")
    process.start()
    yield process
    process.stop()


@pytest.fixture
def table(transactional_db: None) -> Table:
    operator = User.objects.create_superuser("operator", password=PASSWORD)
    club = club_create(name="锦里", slug="jinli", actor=operator)
    users = [User.objects.create_user(name, password=PASSWORD) for name in ("anna", "bao")]
    for user in users:
        member_join(code=invitation_create(club=club, actor=operator).code, user=user)
    room = room_create(club=club, name="锦江厅", actor=operator, preset="qq_single_2")
    table = tables.table_open(room=room, user=users[0])
    tables.seat_take(table_id=table.pk, number=1, user=users[1])
    return table


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.deep)])
def test_a_hand_is_played_over_kills_of_redis(
    server: ServerProcess, own_redis: OwnRedis, room: Room, users: list[User], kills: int
) -> None:
    """T12: `kill -9` and FLUSHALL, again and again. A step that happens meanwhile is seen by everybody, and soon."""
    rng = random.Random(kills)
    with evening_of(room, users, server.url, watches=True) as evening:
        for _kill in range(kills):
            time.sleep(rng.uniform(0.5, 1.5))
            own_redis.stop()
            time.sleep(rng.uniform(0.0, 1.5))
            own_redis.start()
            time.sleep(rng.uniform(0.5, 1.5))
            with Redis(unix_socket_path=str(own_redis.socket)) as client:
                client.flushall()
    print(f"seed {kills}: {kills} kills, {len(evening.seen) // 4} hands, {told(evening.lags)}")
    assert max(evening.lags) < AT_HEAD_SECONDS
    evening.check()


def test_tables_open_and_play_without_redis(server: ServerProcess, own_redis: OwnRedis, table: Table) -> None:
    clients = [Client(server.url, name) for name in ("anna", "bao")]
    for client in clients:
        client.sign_in(PASSWORD)

    async def talk() -> None:
        async with clients[0].socket(table.pk) as early:
            await heard(early, "snapshot")
            own_redis.stop()
            async with clients[1].socket(table.pk) as late:
                await heard(late, "snapshot")
                assert (await said(late, type="ready", nonce_commitment="0" * 64))["type"] == "ack"
                assert (await heard(early, "table"))["table"]["seats"][1]["ready"]
                own_redis.start()
                await asyncio.sleep(7)  # more than `AGAIN_SECONDS`, and a reconnection of the layer
                waits = []
                for ready in (False, True) * 4:
                    command = {"type": "ready", "nonce_commitment": "1" * 64} if ready else {"type": "unready"}
                    began = time.monotonic()
                    assert (await said(late, **command))["type"] == "ack"
                    assert (await heard(early, "table"))["table"]["seats"][1]["ready"] == ready
                    waits.append(time.monotonic() - began)
                assert sorted(waits)[len(waits) // 2] < 5, f"the doorbell is not heard: {waits}"

    asyncio.run(talk())


def test_limits_are_counted_without_redis(server: ServerProcess, own_redis: OwnRedis, table: Table) -> None:
    anna, bao = (Client(server.url, name) for name in ("anna", "bao"))
    anna.sign_in(PASSWORD)
    own_redis.stop()
    bao.sign_in(PASSWORD)
    for _call in range(3):
        anna.get("/api/v1/me/")
        bao.get("/api/v1/me/")
    guesser = Client(server.url, "anna")
    for _try in range(5):
        with pytest.raises(ClientError, match="refused"):
            guesser.sign_in("a-wrong-password")
    with pytest.raises(ClientError, match="refused"):  # too many tries, be it the right one
        guesser.sign_in(PASSWORD)
    told = [line for line in server.log.read_text().splitlines() if "Redis is away" in line]
    assert len(told) == 1

    own_redis.start()
    time.sleep(4)  # more than `AGAIN_SECONDS`
    anna.get("/api/v1/me/")
    with Redis(unix_socket_path=str(own_redis.socket)) as store:
        assert [key for key in store.scan_iter() if b"throttle_user" in key], "limits are not shared any more"
