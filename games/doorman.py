"""The doorman of a server process: looks once a second whether all whose sockets are open may still be there.

A socket looks by itself only now and then, and a client that says nothing would watch on for as long. So what its right hangs
on, the session, the person and their memberships, is read for all sockets of the process at once. Where anything of it has
changed the socket is told to look, as by the doorbell, and closes itself if it must.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from channels.db import database_sync_to_async
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import User
from clubs.models import Membership
from games.consumers import TableConsumer, open_sockets

logger = logging.getLogger(__name__)

ROUND_SECONDS: Final = 1.0
_AT_ONCE: Final = 500  # sockets in one query: databases have a limit

Right = tuple[object, ...]


async def run_doorman() -> None:
    """Run until cancelled."""
    known: dict[TableConsumer, Right] = {}
    while True:
        await asyncio.sleep(ROUND_SECONDS)
        sockets = open_sockets()
        try:
            rights: dict[TableConsumer, Right] = {}
            for start in range(0, len(sockets), _AT_ONCE):
                some = sockets[start : start + _AT_ONCE]
                rights |= await database_sync_to_async(_rights, thread_sensitive=False)(some)
        except Exception:
            logger.exception("doorman: could not look, will look again")
            continue
        for socket, right in rights.items():
            if known.get(socket) != right:
                socket.rang.set()
        known = rights


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
        socket: (session_of.get(socket.session_key), user_of.get(socket.user.pk), members[socket.user.pk])
        for socket in sockets
    }
