"""Who may keep a socket open: whose session lasts, whose account is not blocked, who is still a member of the table's club.

A command is checked by itself. All open sockets of a process are checked together, every second.
"""

import asyncio
import logging
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from channels.db import database_sync_to_async
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from accounts.errors import Refused
from accounts.models import User
from accounts.rows import all_rows, among, first_row, many, stored
from clubs.models import Membership

logger = logging.getLogger(__name__)

SIGNED_OUT: Final = "signed_out"  # the session is over: the socket is closed, no frame says so
CHECK_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a socket was opened with."""

    session_key: str
    user_id: int
    club_id: int


class Guest(Protocol):
    """An open socket."""

    ticket: Ticket

    def turn_away(self, refusal: Refused) -> None: ...


guests: set[Guest] = set()  # of this process


async def run_admission() -> None:
    """Turn away who may not stay any more, until cancelled."""
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        tickets = {guest.ticket for guest in guests}
        try:
            refused = await database_sync_to_async(_refused, thread_sensitive=False)(tickets)
        except DatabaseError:
            continue  # nobody can do anything meanwhile
        except Exception:
            logger.exception("could not check who may stay")
            continue
        for guest in [guest for guest in guests if guest.ticket in refused]:
            guest.turn_away(refused[guest.ticket])


def person_of(session_key: str) -> User | None:
    """Who is signed in by a session."""
    found = first_row(
        "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s",
        session_key,
        stored(timezone.now()),
    )
    user_id = SessionStore().decode(found[0]).get(SESSION_KEY) if found else None
    user = User.objects.filter(pk=user_id, is_active=True).first() if user_id else None
    return user if user and found and is_signed_in(found[0], user.pk, user.password) else None


def require_session(session_key: str, user_id: int) -> None:
    """A socket lasts no longer than the session that opened it: sign-out, another password, a blocked account.

    Raises `Refused`: signed_out.
    """
    found = first_row(
        "SELECT session.session_data, person.password FROM django_session session, accounts_user person"
        " WHERE session.session_key = %s AND session.expire_date > %s AND person.id = %s AND person.is_active",
        session_key,
        stored(timezone.now()),
        user_id,
    )
    if found is None or not is_signed_in(found[0], user_id, found[1]):
        raise signed_out()


def _refused(tickets: Collection[Ticket]) -> dict[Ticket, Refused]:
    """The tickets that do not hold any more, and why: signed_out, table_unknown (no member any more), banned."""
    if not tickets:
        return {}
    users = many({ticket.user_id for ticket in tickets})
    sessions = all_rows(
        f"SELECT session_key, session_data FROM django_session WHERE {among('session_key')} AND expire_date > %s",  # noqa: S608
        many({ticket.session_key for ticket in tickets}),
        stored(timezone.now()),
    )
    people = all_rows(f"SELECT id, password FROM accounts_user WHERE {among('id')} AND is_active", users)  # noqa: S608
    members = all_rows(
        f"SELECT user_id, club_id, status FROM clubs_membership WHERE {among('user_id')} AND {among('club_id')}",  # noqa: S608
        users,
        many({ticket.club_id for ticket in tickets}),
    )
    texts, passwords = dict(sessions), dict(people)
    states = {(user, club): status for user, club, status in members}
    refused = {}
    for ticket in tickets:
        text, password = texts.get(ticket.session_key), passwords.get(ticket.user_id)
        status = states.get((ticket.user_id, ticket.club_id), Membership.Status.LEFT)
        if password is None or not is_signed_in(text, ticket.user_id, password):
            refused[ticket] = signed_out()
        elif status == Membership.Status.BANNED:
            refused[ticket] = Refused("banned", _("你的成员资格已被停用。"), status=403)
        elif status == Membership.Status.LEFT:
            refused[ticket] = Refused("table_unknown", _("没有这张牌桌。"), status=404)
    return refused


def is_signed_in(session: str | None, user_id: int, password: str) -> bool:
    """Whether a stored session (None: there is none) says that a user is signed in, with the password (as it is stored) that
    is theirs now."""
    return session is not None and _says(session, user_id, password)


@lru_cache(maxsize=4096)
def _says(session: str, user_id: int, password: str) -> bool:
    said = SessionStore().decode(session)
    expected = User(pk=user_id, password=password).get_session_auth_hash()
    return said.get(SESSION_KEY) == str(user_id) and constant_time_compare(said.get(HASH_SESSION_KEY, ""), expected)


def signed_out() -> Refused:
    return Refused(SIGNED_OUT, "", status=401)
