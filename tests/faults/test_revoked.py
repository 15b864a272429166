"""T25, I28: an open socket ends with the right to it, whether or not its client does anything, and so do commands."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, TypeVar

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone
from websockets.exceptions import ConnectionClosed

from accounts.models import User
from accounts.users import user_change, user_password_set
from clubs.members import member_ban
from clubs.models import Club, Membership
from games import tables
from games.admission import CHECK_SECONDS
from games.clients import Client
from games.models import Table
from tests.people import member_of
from tests.sockets import client_of, heard, said

CLOSED_SECONDS: Final = 15.0  # two on a machine of its own: docs/faults.md
Result = TypeVar("Result")
SIGNED_OUT, NO_ACCESS, NO_TABLE = 4401, 4403, 4404


def sign_out(client: Client, user: User, operator: User) -> None:
    client.post("/accounts/logout/", {}, "/accounts/logout/")


def change_password(client: Client, user: User, operator: User) -> None:
    user.set_password("another-password-1")
    user.save()


def reset_password(client: Client, user: User, operator: User) -> None:
    user_password_set(user=user, password="another-password-1", actor=operator)


def close_account(client: Client, user: User, operator: User) -> None:
    user_change(user=user, actor=operator, changes={"is_active": False})


def ban(client: Client, user: User, operator: User) -> None:
    member_ban(membership=Membership.objects.get(user=user), actor=operator, reason="test")


def leave_club(client: Client, user: User, operator: User) -> None:
    tables.club_leave(club=Membership.objects.get(user=user).club, user=user)


def let_session_expire(client: Client, user: User, operator: User) -> None:
    key = next(cookie.value for cookie in client.cookies)
    Session.objects.filter(pk=key).update(expire_date=timezone.now() - timedelta(seconds=1))


Event = Callable[[Client, User, User], None]
EVENTS: Final[dict[Event, int]] = {
    sign_out: SIGNED_OUT,
    change_password: SIGNED_OUT,
    reset_password: SIGNED_OUT,
    close_account: SIGNED_OUT,
    let_session_expire: SIGNED_OUT,
    ban: NO_ACCESS,
    leave_club: NO_TABLE,
}


async def beside(work: Callable[..., Result], *args: Any) -> Result:
    """Do something in a thread, which gives its connection back to the pool that the server has in this process, too."""

    def run() -> Result:
        try:
            return work(*args)
        finally:
            connection.close()

    return await asyncio.to_thread(run)


def test_a_socket_ends_with_the_right_to_it(live_asgi: str, table: Table, club: Club, operator: User) -> None:
    async def idle(event: Event, code: int) -> float:
        """How long after the event a client that says nothing is told."""
        user = await beside(member_of, club, operator, event.__name__)
        client = await beside(client_of, live_asgi, user)
        async with client.socket(table.pk) as socket:
            await heard(socket, "snapshot")
            await asyncio.sleep(2 * CHECK_SECONDS)  # the socket is known and at rest
            await beside(event, client, user, operator)
            began = time.monotonic()
            with pytest.raises(ConnectionClosed):
                await heard(socket, "never")
            assert socket.close_code == code, event.__name__
        return time.monotonic() - began

    async def all_idle() -> list[float]:
        return list(await asyncio.gather(*(idle(event, code) for event, code in EVENTS.items())))

    took = asyncio.run(all_idle())
    print({event.__name__: round(seconds, 2) for event, seconds in zip(EVENTS, took, strict=True)})
    assert max(took) < CLOSED_SECONDS


def test_no_command_is_carried_out_after_it(live_asgi: str, table: Table, club: Club, operator: User) -> None:
    async def act(event: Event, code: int) -> None:
        user = await beside(member_of, club, operator, event.__name__)
        client = await beside(client_of, live_asgi, user)
        async with client.socket(table.pk) as socket:
            await heard(socket, "snapshot")
            await beside(event, client, user, operator)
            try:
                answer = await said(socket, type="ready", nonce_commitment="0" * 64)
                assert answer["type"] == "error", event.__name__
            except ConnectionClosed:
                assert socket.close_code == code, event.__name__

    async def all_act() -> None:
        await asyncio.gather(*(act(event, code) for event, code in EVENTS.items()))

    asyncio.run(all_act())
