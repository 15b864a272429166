"""T20, T21: frames that nobody means well with. Nothing comes of them, and nobody else notices."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from django.core import serializers
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from accounts.models import User
from games.log import folded
from games.models import Action, Seat, Table
from games.rules.hand import Phase
from games.selfplay import hand_deal
from tests.faults import invariants
from tests.servers import ServerProcess
from tests.sockets import client_of, heard

LONGEST: Final = 4096  # bytes of a frame
AT_ONCE: Final = 100  # frames on the way
MORE_MEMORY: Final = 16 * 2**20  # bytes that a server may take for all of this
VALUES: Final = [
    *(
        "true",
        "null",
        "1.5",
        "-1",
        '"1"',
        "[]",
        "{}",
        "NaN",
        "-Infinity",
        "1e999",
        "9" * 3000,
        "00",
        "0x1",
        '"\\u0000"',
    ),
    *(
        '"\\ud800\\ud800"',
        '"' + "龍" * 900 + '"',
        "[" * 3000,
        '{"a":' * 600,
        '"12345678\\n"',
        '{"kind": "chow"}',
        "'1'",
    ),
]
COMMANDS: Final[list[dict[str, Any]]] = [
    {"type": "sit", "id": "12345678", "seat": 1, "code": ""},
    {"type": "ready", "id": "12345678", "nonce_commitment": "0" * 64},
    {"type": "bots", "id": "12345678", "strength": "easy"},
    {"type": "nonce", "id": "12345678", "hand": 1, "nonce": "0" * 64},
    {"type": "act", "id": "12345678", "hand": 1, "seq": 1, "action": {"kind": "pass"}},
    {"type": "auto", "id": "12345678", "on": True},
    {"type": "leave", "id": "12345678", "escape": True},
    {"type": "part", "id": "12345678", "on": True},
    {"type": "say", "id": "12345678", "phrase": "hello"},
    {"type": "ping"},
]
STILL_FINE: Final = {"escape", "on", "code", "strength"}  # fields for which a value above may be right, or left out


def hostile(rng: random.Random) -> str | bytes:
    """A frame that is no command."""
    command = rng.choice(COMMANDS)
    text = json.dumps(command)
    field = rng.choice([key for key in command if key not in STILL_FINE])
    match rng.randrange(8):
        case 0 | 1:  # one field is another thing
            fields = {key: json.dumps(value) for key, value in command.items()} | {field: rng.choice(VALUES)}
            if field == "seat":
                fields["seat"] = rng.choice([value for value in VALUES if value != "1"])
            return "{" + ", ".join(f'"{key}": {value}' for key, value in fields.items()) + "}"
        case 2:  # a field is missing
            return json.dumps({key: value for key, value in command.items() if key != field})
        case 3:  # a field too many
            return json.dumps({**command, rng.choice(["__class__", "user", "seat ", "", "\x00"]): 1})
        case 4:  # cut off
            return text[: rng.randrange(len(text))]
        case 5:  # a broken letter
            at = rng.randrange(len(text))
            return (
                text[:at] + rng.choice([letter for letter in "\x00\x1f{}[]\\" if letter != text[at]]) + text[at + 1 :]
            )
        case 6:
            return rng.randbytes(rng.randrange(200))
        case _:
            return rng.choice(VALUES)


def stored(table: Table) -> str:
    """All that a command at the table could change."""
    rows = [*Table.objects.filter(pk=table.pk), *Seat.objects.filter(table=table), *Action.objects.all()]
    return serializers.serialize("json", rows)


@pytest.mark.parametrize("frames", [2_000, pytest.param(200_000, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_nothing_comes_of_hostile_frames(
    table: Table, users: list[User], servers: Callable[..., ServerProcess], frames: int
) -> None:
    rng = random.Random(frames)
    server = servers()
    server.start("unlimited")
    hand = hand_deal(table_id=table.pk, users=users)
    core = folded(hand.pk).core
    assert core is not None and core.phase is not Phase.OVER
    clients = [client_of(server.url, user) for user in users[:2]]
    codes: Counter[str] = Counter()
    before = stored(table)

    async def answers(socket: ClientConnection, sent: list[str | bytes]) -> None:
        for text in sent:
            frame = await heard(socket, "ack", "error", "pong")
            codes[frame.get("code", frame["type"])] += 1
            assert frame.get("code") == "bad_frame", f"seed {frames}: {text!r}: {frame}"

    async def talk() -> None:
        async with clients[0].socket(table.pk) as socket, clients[1].socket(table.pk) as other:
            await heard(socket, "snapshot")
            for _batch in range(frames // AT_ONCE):
                batch = [hostile(rng) for _frame in range(AT_ONCE)]
                reading = asyncio.create_task(answers(socket, batch))
                for text in batch:
                    await socket.send(text)
                await reading
                await other.send('{"type": "ping"}')
                await heard(other, "pong")

    asyncio.run(talk())
    print(f"seed {frames}: {dict(codes)}")
    assert stored(table) == before
    assert "Traceback" not in server.log.read_text()
    invariants.check_all()


def test_what_no_browser_sends_is_cut_off(
    table: Table, users: list[User], servers: Callable[..., ServerProcess]
) -> None:
    server = servers()
    server.start()
    client, other = (client_of(server.url, user) for user in users[:2])
    where = urlsplit(server.url)

    async def closed(socket: ClientConnection) -> int | None:
        with pytest.raises(ConnectionClosed):
            await heard(socket, "never")
        return socket.close_code

    async def too_long(socket: ClientConnection) -> None:
        await socket.send("x" * (LONGEST + 1))
        assert await closed(socket) == 1009

    async def too_long_in_pieces(socket: ClientConnection) -> None:
        await socket.send(["x" * 1000] * 5)
        assert await closed(socket) == 1009

    async def as_compressed(socket: ClientConnection) -> None:
        assert socket.protocol.extensions == [], "the server does not inflate"
        bomb = b"\xc1\x84" + bytes(4) + b"\x9c\x00\x00\x00"  # a compressed frame of text
        socket.transport.write(bomb)
        assert await closed(socket) == 1002

    async def not_text(socket: ClientConnection) -> None:
        await socket.send(b"\x00\xff" * 100)
        assert (await heard(socket, "error"))["code"] == "bad_frame"

    async def talk() -> None:
        async with other.socket(table.pk) as bystander:
            for attack in (too_long, too_long_in_pieces, as_compressed, not_text):
                async with client.socket(table.pk) as socket:
                    await heard(socket, "snapshot")
                    await attack(socket)
            slow = [await asyncio.open_connection(where.hostname, where.port) for _number in range(100)]
            for _reader, writer in slow:
                writer.write(b"GET /ws/tables/1/ HTTP/1.1\r\nHost: ")
            await bystander.send('{"type": "ping"}')
            await heard(bystander, "pong")
            for _reader, writer in slow:
                writer.close()

    asyncio.run(talk())  # once, so that what the server keeps for good is there
    before = server.memory
    asyncio.run(talk())
    print(f"memory: {(server.memory - before) / 2**20:+.1f} MiB")
    assert server.memory - before < MORE_MEMORY
    assert "Traceback" not in server.log.read_text()
