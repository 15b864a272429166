"""The table socket of the real server: who may open it, what it says, and what it does with nonsense."""

import asyncio
import uuid
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import pytest
from channels.layers import get_channel_layer
from redis.exceptions import ConnectionError as RedisConnectionError
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from accounts.models import User
from accounts.sessions import device_end, devices_of
from clubs.members import member_ban, member_leave
from clubs.models import Club, Membership, Room
from clubs.roles import membership_of
from clubs.rooms import room_change_terms
from games import tables
from games.allowance import BURST
from games.clients import Client
from games.log import folded
from games.models import Action, Hand, Seat, Table
from games.play import hand_stop
from games.rules.hand import Phase
from games.selfplay import hand_deal
from tests.people import PASSWORD
from tests.sockets import PATIENCE, Payload, client_of, close_code, heard, run, said

HOSTILE = [
    "",
    "null",
    "[]",
    "{}",
    "nonsense",
    '{"type": "act"}',
    '{"type": "nothing"}',
    '{"type": ["ping"]}',
    '{"type": "ping", "more": 1}',
    '{"type": "sit", "id": "12345678", "seat": true}',
    '{"type": "sit", "id": "12345678", "seat": "1"}',
    '{"type": "sit", "id": "12345678", "seat": 1.5}',
    '{"type": "sit", "id": "12345678", "seat": 4}',
    '{"type": "sit", "id": "12345678", "seat": -1}',
    '{"type": "sit", "id": "12345678", "seat": NaN}',
    '{"type": "sit", "id": "12345678", "seat": ' + "9" * 3000 + "}",
    '{"type": "sit", "id": "x", "seat": 1}',
    '{"type": "sit", "id": "12345678\\u0000", "seat": 1}',
    '{"type": "sit", "id": "\\ud800\\ud800\\ud800\\ud800", "seat": 1}',
    '{"type": "ready", "id": "12345678", "nonce_commitment": "ff"}',
    '{"type": "unready", "id": "12345678\\n"}',
    '{"type": "sit", "id": "12345678", "seat": 1, "code": "ABCDEFGHJ"}',
    '{"type": "part", "id": "12345678", "on": 1}',
    '{"type": "say", "id": "12345678", "phrase": "<b>hello</b>"}',
    '{"type": "act", "id": "12345678", "hand": 1, "seq": 1, "action": {"kind": "discard", "tile": "0m"}}',
    '{"type": "act", "id": "12345678", "hand": 1, "seq": 1, "action": {"kind": "chow"}}',
    '{"type": "act", "id": "12345678", "hand": true, "seq": 1, "action": {"kind": "pass"}}',
    '{"type": "act", "id": "12345678", "hand": 1e999, "seq": 1, "action": {"kind": "pass"}}',
    "[" * 4000,
    '{"a":' * 800,
]


def test_who_may_open_a_table(live_asgi: str, table: Table, members: list[User]) -> None:
    assert close_code(Client(live_asgi, "nobody"), table.pk) == 4401
    stranger = User.objects.create_user("stranger")
    assert close_code(client_of(live_asgi, stranger), table.pk) == 4404
    assert close_code(client_of(live_asgi, members[4]), 10**6) == 4404
    banned = client_of(live_asgi, members[4])
    Membership.objects.filter(user=members[4]).update(status=Membership.Status.BANNED)
    assert close_code(banned, table.pk) == 4403


def test_nonsense_is_refused_by_code_and_changes_nothing(live_asgi: str, table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    rows = Action.objects.filter(hand=hand).count()

    async def talk(socket: ClientConnection) -> None:
        await heard(socket, "snapshot")
        for text in HOSTILE:
            await socket.send(text)
            frame = await heard(socket, "error")
            assert frame["code"] == "bad_frame", text
            assert frame["message"]
            await asyncio.sleep(0.1)  # nonsense counts against the limit of commands a second, too
        await socket.send(b"\x00\x01")
        assert (await heard(socket, "error"))["code"] == "bad_frame"
        await socket.send('{"type": "ping"}')
        await heard(socket, "pong")

    run(client_of(live_asgi, members[0]), table.pk, talk)
    assert Action.objects.filter(hand=hand).count() == rows
    assert Seat.objects.filter(table=table).count() == 4


def test_an_oversized_frame_and_a_flood_are_cut_off(live_asgi: str, table: Table, members: list[User]) -> None:
    client = client_of(live_asgi, members[0])

    async def too_long(socket: ClientConnection) -> None:
        await heard(socket, "snapshot")
        await socket.send("x" * 5000)
        with pytest.raises(ConnectionClosed):
            await heard(socket, "error")
        assert socket.close_code == 1009

    async def flood(socket: ClientConnection) -> None:
        await heard(socket, "snapshot")
        with pytest.raises(ConnectionClosed):
            await _many_pings(socket)
        assert socket.close_code == 4408

    run(client, table.pk, too_long)
    run(client, table.pk, flood)


async def _many_pings(socket: ClientConnection) -> None:
    """At once, so that it is too fast for a slow server, too."""
    for _ping in range(5 * int(BURST)):
        await socket.send('{"type": "ping"}')
    await heard(socket, "never")


def test_refusals_are_in_the_users_language(live_asgi: str, table: Table, members: list[User]) -> None:
    members[4].language = "en"
    members[4].save()

    async def talk(socket: ClientConnection) -> None:
        await heard(socket, "snapshot")
        refused = await said(socket, type="sit", seat=0)
        assert refused["code"] == "seat_taken"
        assert refused["message"].isascii()

    run(client_of(live_asgi, members[4]), table.pk, talk)


def test_a_repeated_command_gets_the_same_ack(live_asgi: str, table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    view_seat = min(folded(hand.pk).core.unanswered())

    async def talk(socket: ClientConnection) -> None:
        frame = await heard(socket, "snapshot")
        void = frame["hand"]["view"]["legal"][0]
        command = {"type": "act", "hand": hand.pk, "seq": frame["hand"]["seq"], "action": void, "id": str(uuid.uuid4())}
        first = await said(socket, **command)
        assert first["type"] == "ack"
        assert await said(socket, **command) == first
        other = {**command, "action": {"kind": "pass"}}
        assert (await said(socket, **other))["code"] == "command_conflict"

    run(client_of(live_asgi, members[view_seat]), table.pk, talk)


def test_steps_have_no_gaps_and_reconnecting_gives_the_same_table(
    live_asgi: str, table: Table, members: list[User]
) -> None:
    """Two tabs of one seat agree step by step, and a third that comes later shows the same as they do."""
    hand = hand_deal(table_id=table.pk, users=members[:4])
    core = folded(hand.pk).core
    assert core.phase is Phase.VOID
    clients = [client_of(live_asgi, user) for user in members[:4]]

    async def talk() -> None:
        async with clients[0].socket(table.pk) as one, clients[0].socket(table.pk) as two:
            first = await heard(one, "snapshot")
            await heard(two, "snapshot")
            for seat in sorted(core.unanswered()):
                async with clients[seat].socket(table.pk) as socket:
                    snapshot = await heard(socket, "snapshot")
                    choice = snapshot["hand"]["view"]["legal"][0]
                    seq = snapshot["hand"]["seq"]
                    assert (await said(socket, type="act", hand=hand.pk, seq=seq, action=choice))["type"] == "ack"
            seq = first["hand"]["seq"]
            while True:
                step, same = await heard(one, "event"), await heard(two, "event")
                assert step["seq"] == same["seq"] == seq + 1
                seq += 1
                assert _timeless(step) == _timeless(same)
                if step["events"][-1]["kind"] == "voids":
                    break
            async with clients[0].socket(table.pk) as three:
                again = await heard(three, "snapshot")
                assert _timeless(again["hand"]) == _timeless(step["hand"])
            await one.send('{"type": "resync"}')
            assert _timeless((await heard(one, "snapshot"))["log"]) == _timeless(again["log"])

    asyncio.run(talk())
    assert Hand.objects.get(pk=hand.pk).status == Hand.Status.PLAYING


def _timeless(value: Any) -> Any:
    """Without the server's clock, which goes on."""
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key != "now"}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def test_a_seat_is_taken_by_one_of_two(live_asgi: str, table: Table, members: list[User]) -> None:
    tables.seat_leave(table_id=table.pk, user=members[3])
    clients = [client_of(live_asgi, user) for user in members[3:5]]

    async def talk() -> None:
        async with clients[0].socket(table.pk) as one, clients[1].socket(table.pk) as two:
            answers = await asyncio.gather(said(one, type="sit", seat=3), said(two, type="sit", seat=3))
            assert sorted(answer["type"] for answer in answers) == ["ack", "error"]
            assert next(answer for answer in answers if answer["type"] == "error")["code"] == "seat_taken"

    asyncio.run(talk())
    assert Seat.objects.filter(table=table, number=3).count() == 1


@pytest.mark.parametrize("how", ["sign-out", "other-device", "password", "blocked"])
def test_a_socket_ends_with_its_session(live_asgi: str, table: Table, members: list[User], how: str) -> None:
    client = Client(live_asgi, members[0].username)
    client.sign_in(PASSWORD)

    def end() -> None:
        if how == "sign-out":
            client.post("/accounts/logout/", {}, "/accounts/logout/")
        elif how == "other-device":
            (device,) = devices_of(user=members[0], here=None)
            assert device_end(user=members[0], device_id=device.id)
        elif how == "password":
            user = User.objects.get(pk=members[0].pk)
            user.set_password("another-password-1")
            user.save()
        else:
            User.objects.filter(pk=members[0].pk).update(is_active=False)

    async def talk() -> None:
        async with client.socket(table.pk) as socket:
            await heard(socket, "snapshot")
            await asyncio.to_thread(end)
            with pytest.raises(ConnectionClosed) as closed:
                await said(socket, type="unready")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401

    asyncio.run(talk())


@pytest.mark.parametrize(("how", "code"), [("sign-out", 4401), ("banned", 4403), ("left", 4404)])
def test_a_socket_that_is_silent_ends_too(
    live_asgi: str, table: Table, club: Club, members: list[User], operator: User, how: str, code: int
) -> None:
    client = client_of(live_asgi, members[4])  # who does not sit there

    def end() -> None:
        membership = membership_of(user=members[4], club=club)
        if how == "sign-out":
            client.post("/accounts/logout/", {}, "/accounts/logout/")
        elif how == "banned":
            member_ban(membership=membership, actor=operator, reason="test")
        else:
            member_leave(membership=membership)

    async def talk() -> None:
        async with client.socket(table.pk) as socket:
            await heard(socket, "snapshot")
            await asyncio.to_thread(end)
            async with asyncio.timeout(PATIENCE):
                await socket.wait_closed()
            assert socket.close_code == code

    asyncio.run(talk())


def test_the_table_goes_on_without_a_channel_layer(
    live_asgi: str,
    table: Table,
    members: list[User],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    clients = [client_of(live_asgi, user) for user in members[:2]]

    async def away(*args: Any, **kwargs: Any) -> None:
        raise RedisConnectionError("away")

    layer = type(get_channel_layer())
    for name in ("new_channel", "group_add", "group_send", "group_discard", "receive"):
        monkeypatch.setattr(layer, name, away, raising=False)

    async def talk() -> None:
        async with clients[0].socket(table.pk) as one, clients[1].socket(table.pk) as two:
            await heard(two, "snapshot")
            assert (await said(one, type="ready", nonce_commitment="0" * 64))["type"] == "ack"
            told = await heard(two, "table")
            assert told["table"]["seats"][0]["ready"]
            assert (await said(one, type="unready"))["type"] == "ack"

    asyncio.run(talk())
    assert len([record for record in caplog.records if record.name == "games.doorbell"]) == 1, (
        "told once, not each time"
    )


def test_new_terms_are_told_are_not_those_of_a_running_hand_and_want_everybody_ready_again(
    live_asgi: str, room: Room, table: Table, members: list[User], operator: User
) -> None:
    def change(coefficient: int) -> None:
        room_change_terms(room=room, actor=operator, changes={"coefficient": coefficient})

    for number, user in enumerate(members[:3]):
        tables.seat_ready(table_id=table.pk, user=user, nonce_commitment=f"{number}" * 64)

    async def talk(socket: ClientConnection) -> None:
        shown = (await heard(socket, "snapshot"))["table"]
        assert [seat["ready"] for seat in shown["seats"]] == [True, True, True, False]
        await asyncio.to_thread(change, 300)
        told = (await heard(socket, "table"))["table"]
        assert (told["terms"]["coefficient"], told["terms"]["version"], told["terms"]["newest"]) == (300, 2, True)
        assert not any(seat["ready"] for seat in told["seats"])
        ready = partial(tables.seat_ready, table_id=table.pk, user=members[3], nonce_commitment="3" * 64)
        assert await asyncio.to_thread(ready) is None, "three have not agreed to these terms"
        await asyncio.to_thread(partial(tables.seat_unready, table_id=table.pk, user=members[3]))
        hand = await asyncio.to_thread(partial(hand_deal, table_id=table.pk, users=members[:4]))
        while not (frame := await heard(socket, "snapshot", "event"))["hand"] or not frame["hand"]["view"]:
            pass
        await asyncio.to_thread(change, 400)
        while (told := (await heard(socket, "table"))["table"])["terms"]["newest"]:
            pass
        assert told["terms"]["coefficient"] == 300, "the hand keeps its own"
        assert told["terms"]["rules_url"].endswith("?version=2")
        await asyncio.to_thread(partial(hand_stop, hand_id=hand.pk, actor=operator, rule="void", reason="test"))
        while (told := (await heard(socket, "table"))["table"])["playing"]:
            pass
        assert (told["terms"]["coefficient"], told["terms"]["newest"]) == (400, True)

    run(client_of(live_asgi, members[0]), table.pk, talk)


@pytest.mark.parametrize("is_running", [True, False])
def test_leaving_is_answered_again(live_asgi: str, table: Table, members: list[User], is_running: bool) -> None:
    """The answer got lost, the browser sends the same command on a new line: by then the hand or the table is over."""
    if is_running:
        hand_deal(table_id=table.pk, users=members[:4])
    else:
        for user in members[1:4]:
            tables.seat_leave(table_id=table.pk, user=user)
    client = client_of(live_asgi, members[0])
    command = {"type": "leave", "escape": True, "id": str(uuid.uuid4())}
    answers: list[Payload] = []

    async def talk(socket: ClientConnection) -> None:
        answers.append(await said(socket, **command))

    run(client, table.pk, talk)
    run(client, table.pk, talk)
    assert answers[0] == answers[1]
    assert answers[0]["type"] == "ack"
    assert (answers[0]["seq"] > 0) == is_running


def test_a_person_has_eight_sockets_at_a_table_and_the_oldest_goes(
    live_asgi: str, table: Table, members: list[User]
) -> None:
    client = client_of(live_asgi, members[0])
    other = client_of(live_asgi, members[1])

    async def talk() -> None:
        async with AsyncExitStack() as stack:
            theirs = await stack.enter_async_context(other.socket(table.pk))
            sockets = []
            for _number in range(9):  # one after the other, so that the first is the oldest
                sockets.append(await stack.enter_async_context(client.socket(table.pk)))
                await heard(sockets[-1], "snapshot")
            with pytest.raises(ConnectionClosed):
                await heard(sockets[0], "never")
            assert sockets[0].close_code == 4409
            for socket in [*sockets[1:], theirs]:
                assert (await said(socket, type="unready"))["type"] == "ack"

    asyncio.run(talk())
