"""A club with a quick room and four members at one of its tables."""

from collections.abc import Callable

import pytest

from accounts.models import User
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_create
from games.log import forget_folds
from games.models import Table
from tests.people import PASSWORD, club_of, member_of, room_of, table_of


@pytest.fixture(autouse=True)
def fresh_folds() -> None:
    """A rolled back test leaves hands in the cache whose numbers the next test uses again."""
    forget_folds()


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("operator", password=PASSWORD, display_name="掌柜")


@pytest.fixture
def club(operator: User) -> Club:
    return club_of(operator)


@pytest.fixture
def members(club: Club, operator: User) -> list[User]:
    """Five members with 100,000 coins each."""
    return [member_of(club, operator, name) for name in ("anna", "bao", "chen", "deng", "emma")]


@pytest.fixture
def room(club: Club, operator: User) -> Room:
    return room_of(club, operator)


@pytest.fixture
def practice(club: Club, operator: User) -> Room:
    return room_create(
        club=club,
        name="练习房",
        actor=operator,
        preset="qq_xuezhan",
        bots_allowed=True,
        pacing=RoomTerms.Pacing.INSTANT,
    )


@pytest.fixture
def seated(members: list[User]) -> Callable[[Room], Table]:
    """Seats the first four members at a new table of a room."""

    return lambda room: table_of(room, members[:4])


@pytest.fixture
def table(room: Room, seated: Callable[[Room], Table]) -> Table:
    return seated(room)
