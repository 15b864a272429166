"""The doorman of a server process: once a second looks for all its sockets at once whether one has missed something.

A socket hears the doorbell, which may get lost, and looks by itself only now and then. So the doorman reads how far the log of
every table is at which somebody has a socket, and what the right of each socket hangs on: the session, the person, the
memberships. Who is behind, and whose right has changed, is told to look, as by the doorbell, and closes itself if it must.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, NamedTuple

from channels.db import database_sync_to_async
from django.contrib.sessions.models import Session
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from clubs.models import Membership
from games.consumers import TableConsumer, open_sockets
from games.models import Action, Hand, Table

logger = logging.getLogger(__name__)

ROUND_SECONDS: Final = 1.0
_AT_ONCE: Final = 500  # sockets in one query: databases have a limit

Right = tuple[object, ...]


class Found(NamedTuple):
    """What a round has read: the version of each table, the last step of each hand that runs, the right of each socket."""

    versions: dict[int, int]
    steps: dict[int, int]
    rights: dict[TableConsumer, Right]


async def run_doorman() -> None:
    """Run until cancelled."""
    known: dict[TableConsumer, Right] = {}
    while True:
        await asyncio.sleep(ROUND_SECONDS)
        sockets = open_sockets()
        rights: dict[TableConsumer, Right] = {}
        for start in range(0, len(sockets), _AT_ONCE):
            try:
                found = await database_sync_to_async(_look, thread_sensitive=False)(sockets[start : start + _AT_ONCE])
            except Exception:
                logger.exception("doorman: could not look, will look again")
                continue
            rights |= found.rights
            for socket, right in found.rights.items():
                if known.get(socket) != right or _is_behind(socket, found):
                    socket.rang.set()
        known = rights


def _is_behind(socket: TableConsumer, found: Found) -> bool:
    """Whether there is more than a socket has shown. What lookers-on are shown depends on the hour as well: they look by
    themselves."""
    fold = socket.fold
    plays = fold is not None and fold.seat_of(socket.user.pk) is not None
    is_told_less = fold is not None and plays and fold.seq < found.steps.get(fold.hand.pk, 0)
    return is_told_less or socket.table_version != found.versions.get(socket.table_id)


def _look(sockets: Sequence[TableConsumer]) -> Found:
    tables = {socket.table_id for socket in sockets}
    running = Action.objects.filter(hand__table__in=tables).exclude(hand__status=Hand.Status.SETTLED)
    return Found(
        dict(Table.objects.filter(pk__in=tables).values_list("pk", "version")),
        dict(running.order_by().values("hand").annotate(last=Max("seq")).values_list("hand", "last")),
        _rights(sockets),
    )


def _rights(sockets: Sequence[TableConsumer]) -> dict[TableConsumer, Right]:
    """What the right of each socket hangs on, as it is now."""
    keys, people = {socket.session_key for socket in sockets}, {socket.user.pk for socket in sockets}
    sessions = Session.objects.filter(pk__in=keys, expire_date__gt=timezone.now())
    session_of = dict(sessions.values_list("pk", "session_data"))
    users = User.objects.filter(pk__in=people)
    user_of = {pk: right for pk, *right in users.values_list("pk", "is_active", "password")}
    members: dict[int, list[object]] = {pk: [] for pk in people}
    for pk, *right in Membership.objects.filter(user__in=people).order_by("pk").values_list("user", "club", "status"):
        members[pk].append(right)
    return {
        socket: (session_of.get(socket.session_key or ""), user_of.get(socket.user.pk), members[socket.user.pk])
        for socket in sockets
    }
