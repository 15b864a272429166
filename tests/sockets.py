"""Clients at a table, signed in without a form; what they hear and say."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable
from http.cookiejar import Cookie
from typing import Any

import pytest
from django.conf import settings
from django.test import Client as Browser
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from accounts.models import User
from games.clients import Client

Payload = dict[str, Any]
PATIENCE = 30.0  # seconds in which a server says something, on a machine that much else keeps busy


def client_of(url: str, user: User) -> Client:
    """A client of a member who has signed in."""
    browser = Browser()
    browser.force_login(user)
    client = Client(url, user.username)
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME]
    details: Any = (None, False, "127.0.0.1", True, False, "/", True, False, None, False, None, None, {})
    client.cookies.set_cookie(Cookie(0, cookie.key, cookie.value, *details))
    return client


async def heard(socket: ClientConnection, *kinds: str) -> Payload:
    """The next frame of one of these types."""
    while True:
        frame: Payload = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if frame["type"] in kinds:
            return frame


async def said(socket: ClientConnection, **command: Any) -> Payload:
    """Send a command; its ack or error."""
    command.setdefault("id", str(uuid.uuid4()))
    await socket.send(json.dumps(command))
    while True:
        frame = await heard(socket, "ack", "error")
        if frame["id"] == command["id"]:
            return frame


def run(client: Client, table_id: int, dialogue: Callable[[ClientConnection], Awaitable[None]]) -> None:
    async def talk() -> None:
        async with client.socket(table_id) as socket:
            await dialogue(socket)

    asyncio.run(talk())


def close_code(client: Client, table_id: int) -> int | None:
    """The code with which a connection is closed at once. What its client says meanwhile is not answered."""
    codes: list[int | None] = []

    async def sit(socket: ClientConnection) -> None:
        await socket.send('{"type": "sit", "id": "12345678", "seat": 1}')
        await asyncio.wait_for(socket.recv(), PATIENCE)

    async def listen(socket: ClientConnection) -> None:
        with pytest.raises(ConnectionClosed):
            await sit(socket)
        codes.append(socket.close_code)

    run(client, table_id, listen)
    return codes[0]
