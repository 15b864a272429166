"""Watching over the real socket: not at all, late, or once it is over; and what those who sit at a table say to each other."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from accounts.models import User
from clubs.models import Room
from clubs.rooms import room_change_terms
from games import play, tables
from games.log import database_now, folded
from games.models import Action, Hand, Seat, Table
from games.selfplay import decide, hand_deal, hand_play_out
from games.watching import Sight, fold_until, sight_of
from tests.sockets import client_of, heard, run, said

Payload = dict[str, Any]


def watched(room: Room, operator: User, watching: str, delay: int = 0) -> None:
    room_change_terms(room=room, actor=operator, changes={"watching": watching, "watch_delay": delay})


def go_on(hand: Hand, users: list[User], times: int) -> None:
    for _time in range(times):
        fold = folded(hand.pk)
        if fold.is_over:
            return
        decide(fold, min(fold.asked), users)


def test_nobody_watches_where_the_room_does_not_allow_it(live_asgi: str, table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])

    async def watch(socket: ClientConnection) -> None:
        frame = await heard(socket, "snapshot")
        assert frame["table"]["you"] is None
        assert frame["table"]["playing"] == hand.number
        assert frame["hand"] is None
        assert frame["log"] == []
        await asyncio.to_thread(go_on, hand, members, 6)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(heard(socket, "event"), 5)
        refused = await said(socket, type="act", hand=hand.pk, seq=1, action={"kind": "pass"})
        assert refused["code"] == "not_in_hand"

    run(client_of(live_asgi, members[4]), table.pk, watch)


def test_a_watcher_sees_nothing_concealed(
    live_asgi: str, room: Room, table: Table, members: list[User], operator: User
) -> None:
    watched(room, operator, "seconds", 0)
    hand = hand_deal(table_id=table.pk, users=members[:4])

    async def watch(socket: ClientConnection) -> None:
        frame = await heard(socket, "snapshot")
        view = frame["hand"]["view"]
        assert [seat["hand"] for seat in view["seats"]] == [None] * 4
        assert view["drawn"] is None
        assert view["legal"] == []
        assert frame["hand"]["settlement"] is None
        assert "tile" not in json.dumps([event for event in frame["log"] if event["kind"] == "draw"])
        await asyncio.to_thread(go_on, hand, members, 12)
        told = [await heard(socket, "event")]
        assert told[0]["seq"] == frame["hand"]["seq"] + 1
        assert not [event for event in told[0]["events"] if event["kind"] == "draw" and event.get("tile")]

    run(client_of(live_asgi, members[4]), table.pk, watch)


def test_what_is_watched_comes_late_and_with_the_clock_of_then(
    live_asgi: str, room: Room, table: Table, members: list[User], operator: User
) -> None:
    watched(room, operator, "seconds", 5)
    hand = hand_deal(table_id=table.pk, users=members[:4])

    async def watch(socket: ClientConnection) -> None:
        frame = await heard(socket, "snapshot")
        assert frame["hand"] is None, "the hand began less than five seconds ago"
        await asyncio.to_thread(go_on, hand, members, 8)
        while (shown := (await heard(socket, "snapshot", "event"))["hand"]) is None or not shown["view"]:
            pass
        newest = await asyncio.to_thread(lambda: Action.objects.filter(hand=hand).latest("seq").created_at)
        assert newest - _moment(shown["now"]) < timedelta(seconds=5)
        assert (await asyncio.to_thread(database_now)) - _moment(shown["now"]) >= timedelta(seconds=5)

    run(client_of(live_asgi, members[4]), table.pk, watch)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.django_db
def test_a_sight_ends_where_the_delay_begins(room: Room, table: Table, members: list[User], operator: User) -> None:
    watched(room, operator, "seconds", 600)
    table = tables.table_of(table_id=table.pk, user=members[0])[0]
    hand = hand_deal(table_id=table.pk, users=members[:4])
    assert sight_of(table, members[4]) == Sight()
    assert sight_of(table, members[0]) == Sight(hand.pk)
    for rows in (0, 4, 10):
        until = Action.objects.get(hand=hand, seq=rows).created_at if rows else hand.started_at - timedelta(seconds=1)
        fold = fold_until(Sight(hand.pk, until))
        assert fold is not None
        assert fold.seq >= rows
        assert all(row.created_at > until for row in Action.objects.filter(hand=hand, seq__gt=fold.seq))
    Hand.objects.filter(pk=hand.pk).update(started_at=database_now() - timedelta(seconds=601))
    assert sight_of(table, members[4]).hand_id == hand.pk


@pytest.mark.django_db
def test_only_finished_hands_where_the_room_says_so(
    room: Room, table: Table, members: list[User], operator: User
) -> None:
    watched(room, operator, "hands")
    table = tables.table_of(table_id=table.pk, user=members[0])[0]
    first = hand_play_out(table_id=table.pk, users=members[:4])
    assert sight_of(table, members[4]) == Sight(first.pk)
    second = hand_deal(table_id=table.pk, users=members[:4])
    assert sight_of(table, members[4]) == Sight(first.pk)
    assert sight_of(table, members[1]) == Sight(second.pk)
    play.leave(hand_id=second.pk, user=members[1], escape=True, command_id=str(uuid.uuid4()))
    assert sight_of(table, members[4]) == Sight(second.pk)


@pytest.mark.django_db
def test_a_hand_is_watched_by_its_own_terms_and_a_private_one_never(
    room: Room, table: Table, members: list[User], operator: User
) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    watched(room, operator, "seconds", 0)
    table = tables.table_of(table_id=table.pk, user=members[0])[0]
    assert sight_of(table, members[4]) == Sight()
    Hand.objects.filter(pk=hand.pk).update(status=Hand.Status.SETTLED)
    Seat.objects.filter(table=table).update(is_ready=False)
    Table.objects.filter(pk=table.pk).update(hands_played=1, code="ABCDEFGH")
    hand_deal(table_id=table.pk, users=members[:4])
    table.refresh_from_db()
    assert sight_of(table, members[4]) == Sight()
    assert sight_of(table, members[0]).hand_id is not None


# --- Phrases -------------------------------------------------------------------------------------------------------
def both(clients: list[Any], table_id: int, talk: Callable[..., Awaitable[None]]) -> None:
    async def open_all() -> None:
        async with (
            clients[0].socket(table_id) as one,
            clients[1].socket(table_id) as two,
            clients[2].socket(table_id) as three,
        ):
            for socket in (one, two, three):
                await heard(socket, "snapshot")
            await talk(one, two, three)

    asyncio.run(open_all())


def test_phrases_are_heard_by_those_who_sit_and_not_too_many(live_asgi: str, table: Table, members: list[User]) -> None:
    clients = [client_of(live_asgi, user) for user in (members[0], members[1], members[4])]
    rows = Action.objects.count()

    async def talk(one: ClientConnection, two: ClientConnection, outside: ClientConnection) -> None:
        for phrase in ("nice", "bye"):  # in one breath
            await one.send(json.dumps({"type": "say", "id": str(uuid.uuid4()), "phrase": phrase}))
        assert (await heard(one, "ack", "error"))["type"] == "ack"
        assert (await heard(one, "ack", "error"))["code"] == "phrase_too_soon"
        assert await heard(two, "said") == {"type": "said", "seat": 0, "phrase": "nice"}
        assert (await said(outside, type="say", phrase="nice"))["code"] == "not_seated"
        assert (await said(two, type="say", phrase="thanks"))["type"] == "ack"
        assert (await heard(one, "said"))["phrase"] in ("nice", "thanks")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(heard(outside, "said"), 2)

    both(clients, table.pk, talk)
    assert Action.objects.count() == rows


# --- The table's own commands --------------------------------------------------------------------------------------
def test_a_private_seat_another_table_and_parting_over_the_socket(
    live_asgi: str, room: Room, members: list[User]
) -> None:
    private = tables.table_open(room=room, user=members[0], is_private=True)
    other = tables.table_open(room=room, user=members[2])
    clients = [client_of(live_asgi, user) for user in (members[0], members[1], members[4])]

    async def talk(one: ClientConnection, two: ClientConnection, outside: ClientConnection) -> None:
        assert (await said(two, type="sit", seat=1))["code"] == "table_private"
        assert (await said(two, type="sit", seat=1, code=private.code))["type"] == "ack"
        shown = (await heard(one, "table"))["table"]
        assert (shown["private"], shown["code"]) == (True, private.code)
        await outside.send('{"type": "resync"}')
        assert (await heard(outside, "snapshot"))["table"]["code"] is None
        assert (await said(one, type="part", on=True))["type"] == "ack"
        changed = await said(two, type="change")
        assert (changed["type"], changed["table"]) == ("ack", other.pk)
        assert (await said(one, type="part", on=True))["type"] == "ack"

    both(clients, private.pk, talk)
    private.refresh_from_db()
    assert private.closed_at is not None
    assert set(Seat.objects.values_list("user", flat=True)) == {members[1].pk, members[2].pk}
