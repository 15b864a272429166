"""Tables of a club, and ending a running hand."""

from collections.abc import Callable

from django.urls import reverse
from rest_framework.test import APIClient

from accounts import ledger
from accounts.models import AuditEntry, User
from clubs.rooms import room_close
from games import tables
from games.models import Hand
from tests.api.conftest import World

ClientOf = Callable[[User | None], APIClient]


def test_tables_say_who_sits_there_and_nothing_of_the_play(world: World, client_of: ClientOf) -> None:
    table = world.table()
    hand = world.deal(table)
    answer = client_of(world.players[0]).get(reverse("api_club_tables", args=["jinli"]))
    (shown,) = answer.json()["results"]
    assert shown["id"] == str(table.pk)
    assert [seat["name"] for seat in shown["seats"]] == ["Anna", "Bao", "Chen", "Deng"]
    assert shown["hand"] == {
        "id": str(hand.pk),
        "number": 1,
        "started_at": hand.started_at.isoformat().replace("+00:00", "Z"),
    }
    assert shown["is_private"] is False
    assert hand.commitment not in answer.content.decode()


def test_an_operator_ends_a_hand_once(world: World, client_of: ClientOf) -> None:
    hand = world.deal(world.table())
    address = reverse("api_hand_end", args=[hand.pk])
    order = {"rule": "void", "reason": "两人断线"}
    client = client_of(world.operator)
    ended = client.post(address, order)
    assert ended.status_code == 200
    assert ended.json()["end"] == "voided"
    assert ended.json()["stopped"]["reason"] == "两人断线"
    assert [seat["coins"] for seat in ended.json()["seats"]] == [0] * 4
    again = client.post(address, order)
    assert again.status_code == 200
    assert again["Idempotent-Replayed"] == "true"
    assert again.json() == ended.json()
    other = client.post(address, {**order, "reason": "别的"})
    assert (other.status_code, other.json()["code"]) == (409, "hand_over")
    assert AuditEntry.objects.filter(action="hand.stopped").count() == 1
    assert ledger.ledger_check() == []
    record = client_of(world.players[0]).get(reverse("api_hand_record", args=[hand.pk])).json()
    assert "result" not in record
    assert record["stopped"]["rule"] == "void"
    assert record["auto_actions"] == [0] * 4


def test_wrong_orders_end_nothing(world: World, client_of: ClientOf) -> None:
    hand = world.deal(world.table())
    address = reverse("api_hand_end", args=[hand.pk])
    client = client_of(world.operator)
    for wrong in ({}, {"rule": "void"}, {"rule": "x", "reason": "y"}, {"rule": "void", "reason": "y", "more": 1}):
        assert client.post(address, wrong).status_code == 400, wrong
    assert client.post(address, {"rule": "void", "reason": " "}).status_code == 400
    assert client_of(world.players[1]).post(address, {"rule": "void", "reason": "y"}).status_code == 403
    assert client_of(world.rival).post(address, {"rule": "void", "reason": "y"}).status_code == 404
    assert Hand.objects.get(pk=hand.pk).status == Hand.Status.PLAYING


def test_the_line_of_a_room_from_joining_to_the_seat(world: World, client_of: ClientOf) -> None:
    anna, bao, chen = (client_of(user) for user in world.players[:3])
    join = reverse("api_line_join", args=[world.room.pk])
    line, accept, leave = (reverse(f"api_line{what}") for what in ("", "_accept", "_leave"))
    assert anna.get(line).json() == {"line": None}
    first = anna.post(join, {}).json()["line"]
    assert (first["club"], first["room"]) == ("jinli", {"id": str(world.room.pk), "name": "锦江厅"})
    assert (first["state"], first["place"], first["length"], first["table"]) == ("waiting", 1, 1, None)
    assert bao.post(join, {}).json()["line"]["place"] == 2
    assert anna.post(join, {}).json()["line"] == first | {"length": 2}, "standing there already changes nothing"
    none = anna.post(accept, {})
    assert (none.status_code, none.json()["code"]) == (409, "no_offer")

    table = tables.table_open(room=world.room, user=world.players[3])
    offered = anna.get(line).json()["line"]
    assert (offered["state"], offered["place"]) == ("offered", None)
    assert offered["table"] == {"id": str(table.pk), "number": 1}
    assert offered["offered_until"] > offered["joined_at"]
    (told,) = anna.get(reverse("api_notices"), {"kind": "seat"}).json()["results"]
    assert (told["page"], told["read_at"]) == (reverse("lobby", args=["jinli"]), None)
    assert anna.post(accept, {}).json() == {"table": {"id": str(table.pk), "number": 1}, "seat": 1}
    assert anna.get(line).json() == {"line": None}
    refused = anna.post(join, {})
    assert (refused.status_code, refused.json()["code"]) == (409, "seated_elsewhere")

    assert bao.post(leave, {}).status_code == 204
    assert bao.get(line).json() == {"line": None}
    assert bao.post(join, {"place": 1}).status_code == 400
    room_close(room=world.room, actor=world.operator)
    closed = chen.post(join, {})
    assert (closed.status_code, closed.json()["code"]) == (409, "room_closed")
