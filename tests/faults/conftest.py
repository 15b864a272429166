"""What the fault tests share: four members at a table, and servers that a test breaks."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from accounts.models import User
from clubs.models import Club, Room
from games.models import Table
from tests.faults.people import room_of
from tests.people import club_of, member_of, table_of
from tests.servers import ServerProcess, database_url


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A server that goes while a client connects leaves the client's socket to the collector."""
    for item in items:
        if "tests/faults" in item.path.as_posix():
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"))


@pytest.fixture(autouse=True)
def half_open_sockets() -> Iterator[None]:
    """The collector comes in the test that left them."""
    yield
    gc.collect()


@pytest.fixture
def operator(transactional_db: None) -> User:
    return User.objects.create_superuser("operator")


@pytest.fixture
def club(operator: User) -> Club:
    return club_of(operator)


@pytest.fixture
def users(club: Club, operator: User) -> list[User]:
    return [member_of(club, operator, f"player{number}") for number in range(4)]


@pytest.fixture
def room(club: Club, operator: User) -> Room:
    return room_of(club, operator)


@pytest.fixture
def table(room: Room, users: list[User]) -> Table:
    return table_of(room, users)


@pytest.fixture
def servers(transactional_db: None, tmp_path: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Makes server processes, not started yet, on the test's database or another; at the end all are killed."""
    made: list[ServerProcess] = []

    def make(database: str = "", **environment: str) -> ServerProcess:
        log = tmp_path / f"server{len(made)}.log"
        made.append(ServerProcess(database or database_url(), log, **environment))
        return made[-1]

    yield make
    for server in made:
        server.kill()
