"""Tables of a club, and ending a running hand."""

from collections.abc import Callable

from django.urls import reverse
from rest_framework.test import APIClient

from accounts import ledger
from accounts.models import AuditEntry, User
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
