"""A club with an operator of the site, who works in the admin, and two members."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from clubs.models import Club, Membership, Room
from games.log import forget_folds
from tests.people import PASSWORD, club_of, member_of, room_of


@pytest.fixture
def site(db: None) -> User:
    """An operator of the site who is no superuser."""
    forget_folds()
    return User.objects.create_user("site", password=PASSWORD, display_name="站长", is_staff=True)


@pytest.fixture
def desk(site: User) -> Client:
    """The admin, signed in."""
    client = Client()
    client.force_login(site)
    return client


@pytest.fixture
def club(site: User) -> Club:
    return club_of(site)


@pytest.fixture
def join(club: Club, site: User) -> Callable[[str], Membership]:
    def join(name: str) -> Membership:
        return Membership.objects.get(user=member_of(club, site, name))

    return join


@pytest.fixture
def anna(join: Callable[[str], Membership]) -> Membership:
    return join("anna")


@pytest.fixture
def bao(join: Callable[[str], Membership]) -> Membership:
    return join("bao")


@pytest.fixture
def room(club: Club, site: User) -> Room:
    return room_of(club, site)
