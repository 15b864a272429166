"""A club with an operator of the site, who works in the admin, and two members."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_join
from clubs.models import Club, Membership, Room, RoomTerms
from clubs.rooms import room_create
from games.log import forget_folds


@pytest.fixture
def site(db: None) -> User:
    """An operator of the site who is no superuser."""
    forget_folds()
    return User.objects.create_user("site", password="site-pass-1", display_name="站长", is_staff=True)


@pytest.fixture
def desk(site: User) -> Client:
    """The admin, signed in."""
    client = Client()
    client.force_login(site)
    return client


@pytest.fixture
def club(site: User) -> Club:
    return club_create(name="锦里麻将社", slug="jinli", actor=site)


@pytest.fixture
def join(club: Club, site: User) -> Callable[[str], Membership]:
    def join(name: str) -> Membership:
        user = User.objects.create_user(name, password=f"{name}-pass-1", display_name=name.title())
        membership = member_join(code=invitation_create(club=club, actor=site).code, user=user)
        member_coins_issue(membership=membership, amount=100_000, reason="开张", actor=site, key=f"test:{name}")
        return membership

    return join


@pytest.fixture
def anna(join: Callable[[str], Membership]) -> Membership:
    return join("anna")


@pytest.fixture
def bao(join: Callable[[str], Membership]) -> Membership:
    return join("bao")


@pytest.fixture
def room(club: Club, site: User) -> Room:
    return room_create(
        club=club,
        name="锦江厅",
        actor=site,
        preset="qq_dingque",
        coefficient=200,
        rake=400,
        pacing=RoomTerms.Pacing.INSTANT,
    )
