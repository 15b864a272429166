"""Two clubs: one with an operator, four members, a banned one and a room, and a rival club that must see nothing of it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_ban, member_coins_issue, member_join
from clubs.models import Club, Membership, Room, RoomTerms
from clubs.rooms import room_create
from games import tables
from games.log import forget_folds
from games.models import Hand, Table
from games.selfplay import hand_deal, hand_play_out

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
        table = tables.table_open(room=self.room, user=self.players[0])
        for number, user in enumerate(self.players[1:], start=1):
            tables.seat_take(table_id=table.pk, number=number, user=user)
        return table

    def play(self, table: Table) -> Hand:
        return hand_play_out(table_id=table.pk, users=self.players)

    def deal(self, table: Table) -> Hand:
        return hand_deal(table_id=table.pk, users=self.players)


@pytest.fixture
def world(db: None) -> World:
    forget_folds()
    operator = User.objects.create_user("boss", password="boss-pass-1", display_name="掌柜")
    club = club_create(name="锦里麻将社", slug="jinli", actor=operator)
    room = room_create(
        club=club,
        name="锦江厅",
        actor=operator,
        preset="qq_dingque",
        coefficient=200,
        rake=400,
        pacing=RoomTerms.Pacing.INSTANT,
    )
    players = [_join(club, operator, name) for name in PLAYERS]
    banned = _join(club, operator, "eve")
    member_ban(membership=Membership.objects.get(club=club, user=banned), actor=operator, reason="test")
    rival = User.objects.create_user("rival", password="rival-pass-1")
    club_create(name="对门", slug="duimen", actor=rival)
    return World(club, room, operator, players, banned, rival)


def _join(club: Club, operator: User, name: str) -> User:
    user = User.objects.create_user(name, password=f"{name}-pass-1", display_name=name.title())
    membership = member_join(code=invitation_create(club=club, actor=operator).code, user=user)
    member_coins_issue(membership=membership, amount=COINS, reason="开张", actor=operator, key=f"test:{name}")
    return user


@pytest.fixture
def client_of() -> Callable[[User | None], APIClient]:
    """An API client signed in as a user, or as nobody."""

    def make(user: User | None) -> APIClient:
        client = APIClient()
        if user is not None:
            client.force_login(user)
        return client

    return make
