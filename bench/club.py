"""The people and tables of a benchmark's own site. Django must be loaded."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction

from accounts.errors import Refused
from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import MOST_USES, invitation_create
from clubs.members import member_join
from clubs.models import Club, RoomTerms
from clubs.rooms import room_create
from games.models import Hand
from games.play import hand_stop
from games.selfplay import table_open_with

SLUG: Final = "bench"


@dataclass(frozen=True)
class Seated:
    """A table and the cookies of the four who sit there, by seat."""

    table_id: int
    cookies: Sequence[str]


class BenchClub:
    """A club that grows by full tables."""

    def __init__(self) -> None:
        self.operator = User.objects.create_superuser("operator")
        self.club: Club = club_create(name="测试社", slug=SLUG, actor=self.operator)
        self._invitation = invitation_create(club=self.club, actor=self.operator, max_uses=MOST_USES)
        self._rooms = 0

    @transaction.atomic
    def seated(self, count: int, pacing: RoomTerms.Pacing) -> list[Seated]:
        """So many tables of a new room, four new members at each."""
        self._rooms += 1
        name = f"{pacing}-{self._rooms}"
        room = room_create(
            club=self.club, name=name, actor=self.operator, preset="qq_dingque", pacing=pacing, turn_seconds=60
        )
        found = []
        for number in range(count):
            users = [self.member(f"{name}-{number}-{seat}") for seat in range(4)]
            table = table_open_with(room, users)
            found.append(Seated(table.pk, [cookie_of(user) for user in users]))
        return found

    def member(self, name: str) -> User:
        user = User.objects.create_user(name)
        member_join(code=self._invitation.code, user=user)
        return user

    def hands_stop(self) -> None:
        """End all hands, so that no section runs into the next one."""
        for hand in Hand.objects.filter(status=Hand.Status.PLAYING):
            with suppress(Refused):  # the clock has just ended it
                hand_stop(hand_id=hand.pk, actor=self.operator, rule="void", reason="bench")


def cookie_of(user: User) -> str:
    """The Cookie header of a session in which a user is signed in."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"
