"""Two clubs: one with an operator, four members, a banned one and a room, and a rival club that must see nothing of it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from clubs.members import member_ban
from clubs.models import Club, Membership, Room
from games.log import forget_folds
from games.models import Hand, Table
from games.selfplay import hand_deal, hand_play_out
from tests.people import PASSWORD, club_of, member_of, room_of, table_of

PLAYERS = ("anna", "bao", "chen", "deng")
COINS = 777_123


@dataclass
class World:
    club: Club
    room: Room
    operator: User
    players: list[User]
    banned: User
    rival: User

    def membership(self, user: User) -> Membership:
        return Membership.objects.select_related("wallet", "club").get(club=self.club, user=user)

    def table(self) -> Table:
        return table_of(self.room, self.players)

    def play(self, table: Table) -> Hand:
        return hand_play_out(table_id=table.pk, users=self.players)

    def deal(self, table: Table) -> Hand:
        return hand_deal(table_id=table.pk, users=self.players)


@pytest.fixture
def world(db: None) -> World:
    forget_folds()
    operator = User.objects.create_user("boss", password=PASSWORD, display_name="掌柜")
    club = club_of(operator)
    room = room_of(club, operator)
    players = [member_of(club, operator, name, coins=COINS) for name in PLAYERS]
    banned = member_of(club, operator, "eve", coins=COINS)
    member_ban(membership=Membership.objects.get(club=club, user=banned), actor=operator, reason="test")
    rival = User.objects.create_user("rival", password=PASSWORD)
    club_of(rival, name="对门", slug="duimen")
    return World(club, room, operator, players, banned, rival)


@pytest.fixture
def client_of() -> Callable[[User | None], APIClient]:
    """An API client signed in as a user, or as nobody."""

    def make(user: User | None) -> APIClient:
        client = APIClient()
        if user is not None:
            client.force_login(user)
        return client

    return make
