"""The club of tests/games with an owner who is not of the site's staff, signed in."""

import pytest
from django.test import Client

from accounts.models import User
from clubs.members import member_role_change
from clubs.models import Club, Membership


@pytest.fixture
def owner(club: Club, members: list[User], operator: User) -> User:
    """An operator of the club who is not of the site's staff."""
    membership = Membership.objects.get(club=club, user=members[4])
    member_role_change(membership=membership, role=Membership.Role.OPERATOR, actor=operator, reason="管事")
    return members[4]


@pytest.fixture
def desk(owner: User) -> Client:
    """The desk, with the owner at it."""
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def anna(club: Club, members: list[User]) -> Membership:
    return Membership.objects.select_related("user", "wallet").get(club=club, user=members[0])
