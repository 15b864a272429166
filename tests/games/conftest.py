"""A club with a quick room and four members at one of its tables."""

from collections.abc import Callable

import pytest

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_join
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_create
from games import tables
from games.log import forget_folds
from games.models import Table


@pytest.fixture(autouse=True)
def fresh_folds() -> None:
    """A rolled back test leaves hands in the cache whose numbers the next test uses again."""
    forget_folds()


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("operator", password="operator-pass-1", display_name="掌柜")


@pytest.fixture
def club(operator: User) -> Club:
    return club_create(name="锦里麻将社", slug="jinli", actor=operator)


@pytest.fixture
def members(club: Club, operator: User) -> list[User]:
    """Five members with 100,000 coins each."""
    return [member_of(club, operator, name) for name in ("anna", "bao", "chen", "deng", "emma")]


def member_of(club: Club, operator: User, name: str) -> User:
    user = User.objects.create_user(name, password=f"{name}-pass-1", display_name=name.title())
    membership = member_join(code=invitation_create(club=club, actor=operator).code, user=user)
    member_coins_issue(membership=membership, amount=100_000, reason="test", actor=operator, key=f"test:{name}")
    return user


@pytest.fixture
def room(club: Club, operator: User) -> Room:
    return room_create(
        club=club,
        name="锦江厅",
        actor=operator,
        preset="qq_dingque",
        coefficient=200,
        rake=400,
        pacing=RoomTerms.Pacing.INSTANT,
    )


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

    def sit(room: Room) -> Table:
        table = tables.table_open(room=room, user=members[0])
        for number, user in enumerate(members[1:4], start=1):
            tables.seat_take(table_id=table.pk, number=number, user=user)
        return table

    return sit


@pytest.fixture
def table(room: Room, seated: Callable[[Room], Table]) -> Table:
    return seated(room)
