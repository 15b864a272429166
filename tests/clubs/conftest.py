"""A club with its operator, a second operator and two members; every service is called as the pages call it."""

from collections.abc import Callable

import pytest

from accounts.errors import Refused
from accounts.models import AuditEntry, Notice, Posting, User
from clubs.invitations import invitation_create
from clubs.members import member_join
from clubs.models import Club, Invitation, JoinRequest, LevelChange, Membership, Room, RoomTerms, Title
from tests.people import club_of

Join = Callable[[str], Membership]
TABLES = (AuditEntry, Notice, Posting, Club, Membership, Invitation, JoinRequest, Room, RoomTerms, Title, LevelChange)


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_user("operator", display_name="掌柜")


@pytest.fixture
def club(operator: User) -> Club:
    return club_of(operator, welcome_coins=500)


@pytest.fixture
def join(club: Club, operator: User) -> Join:
    """A new person, who joins the club."""

    def joined(username: str) -> Membership:
        invitation = invitation_create(club=club, actor=operator)
        return member_join(code=invitation.code, user=User.objects.create_user(username))

    return joined


@pytest.fixture
def anna(join: Join) -> Membership:
    return join("anna")


@pytest.fixture
def bao(join: Join) -> Membership:
    return join("bao")


@pytest.fixture
def refusal() -> Callable[[Callable[[], object]], Refused]:
    """The refusal of a call, which changed nothing in any table."""

    def refused(call: Callable[[], object]) -> Refused:
        before = [list(model._default_manager.order_by("pk").values()) for model in TABLES]
        with pytest.raises(Refused) as caught:
            call()
        assert [list(model._default_manager.order_by("pk").values()) for model in TABLES] == before
        assert str(caught.value.message)
        return caught.value

    return refused
