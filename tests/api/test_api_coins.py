"""Coins through the API: one effect for one key, and no effect for what is wrong."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from rest_framework.test import APIClient

from accounts.ledger import ledger_check
from accounts.models import AuditEntry, Transfer, User
from clubs.members import member_coins_issue
from tests.api.conftest import COINS, World

Clients = Callable[[User | None], APIClient]
ORDER = {"kind": "issue", "amount": 500, "reason": "周赛奖励"}


def _send(client: APIClient, world: World, body: Any, key: str | None = "k-1") -> Any:
    member = world.membership(world.players[0])
    headers = {"Idempotency-Key": key} if key is not None else {}
    path = f"/api/v1/clubs/jinli/members/{member.pk}/coins/"
    if isinstance(body, bytes):
        return client.post(path, body, content_type="application/json", headers=headers)
    return client.post(path, body, headers=headers)


def _balance(world: World) -> int:
    return world.membership(world.players[0]).wallet.balance


def test_issue_and_withdraw(world: World, client_of: Clients) -> None:
    client = client_of(world.operator)
    made = _send(client, world, ORDER)
    assert made.status_code == 201
    body = made.json()
    assert (body["kind"], body["reason"], body["actor"]["name"]) == ("issue", "周赛奖励", "掌柜")
    assert sum(line["amount"] for line in body["postings"]) == 0
    assert _balance(world) == COINS + 500
    taken = _send(client, world, {"kind": "withdraw", "amount": 200, "reason": "更正"}, "k-2")
    assert taken.status_code == 201
    assert _balance(world) == COINS + 300
    assert AuditEntry.objects.filter(action="coins.issue", actor=world.operator, reason="周赛奖励").count() == 1
    assert ledger_check() == []


def test_a_repeat_gets_the_first_answer_and_moves_nothing(world: World, client_of: Clients) -> None:
    client = client_of(world.operator)
    first, second = _send(client, world, ORDER), _send(client, world, ORDER)
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert (second.status_code, second.json()) == (first.status_code, first.json())
    assert _balance(world) == COINS + 500


@pytest.mark.parametrize("other", [{"amount": 501}, {"kind": "withdraw"}, {"reason": "别的事由"}])
def test_the_same_key_with_another_body_is_refused(world: World, client_of: Clients, other: dict[str, Any]) -> None:
    client = client_of(world.operator)
    _send(client, world, ORDER)
    refused = _send(client, world, ORDER | other)
    assert (refused.status_code, refused.json()["code"]) == (422, "key_reused")
    assert _balance(world) == COINS + 500


def test_a_key_belongs_to_who_sends_it(world: World, client_of: Clients) -> None:
    site = User.objects.create_user("site", password="site-pass-1", is_staff=True)
    membership = world.membership(world.players[0])
    member_coins_issue(membership=membership, amount=1, reason="x", actor=site, key=f"api:{site.pk}:k-1")
    assert _send(client_of(world.operator), world, ORDER).status_code == 201
    assert _balance(world) == COINS + 501


@pytest.mark.parametrize("key", [None, "", " ", "x" * 51, "钥匙".encode().decode("latin-1"), "a b"])
def test_the_key_is_needed_and_checked(world: World, client_of: Clients, key: str | None) -> None:
    refused = _send(client_of(world.operator), world, ORDER, key)
    assert refused.status_code == 400
    assert refused.json()["code"] in {"idempotency_key_required", "idempotency_key_invalid"}
    assert _balance(world) == COINS


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (ORDER | {"amount": 0}, "#/amount"),
        (ORDER | {"amount": -5}, "#/amount"),
        (ORDER | {"amount": 1.0}, "#/amount"),
        (ORDER | {"amount": 1.5}, "#/amount"),
        (ORDER | {"amount": True}, "#/amount"),
        (ORDER | {"amount": "500"}, "#/amount"),
        (ORDER | {"amount": None}, "#/amount"),
        (ORDER | {"amount": [500]}, "#/amount"),
        (ORDER | {"amount": 2**53}, "#/amount"),
        (ORDER | {"amount": 10**40}, "#/amount"),
        (ORDER | {"kind": "gift"}, "#/kind"),
        (ORDER | {"kind": 1}, "#/kind"),
        (ORDER | {"reason": ""}, "#/reason"),
        (ORDER | {"reason": "   "}, "#/reason"),
        (ORDER | {"reason": 5}, "#/reason"),
        (ORDER | {"reason": "a\x00b"}, "#/reason"),
        (ORDER | {"reason": "x" * 201}, "#/reason"),
        (ORDER | {"balance": 10**9}, "#/balance"),
        ({"amount": 5}, "#/kind"),
        ([ORDER], "#"),
        ("issue", "#"),
        (5, "#"),
    ],
)
def test_wrong_bodies(world: World, client_of: Clients, body: Any, pointer: str) -> None:
    refused = _send(client_of(world.operator), world, json.dumps(body).encode())
    assert refused.status_code == 400, refused.content
    assert pointer in [error["pointer"] for error in refused.json()["errors"]]
    assert _balance(world) == COINS


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b'{"kind": "issue", "amount": NaN, "reason": "x"}', 400),
        (b'{"kind": "issue", "amount": ' + b"9" * 5000 + b', "reason": "x"}', 400),
        (b'{"kind": "issue", "amount": 5, "reason": "\\ud800"}', 400),
        (b"[" * 10_000, 400),
        (b'{"reason": "' + b"x" * 20_000 + b'"}', 413),
    ],
)
def test_hostile_bodies(world: World, client_of: Clients, body: bytes, status: int) -> None:
    refused = _send(client_of(world.operator), world, body)
    assert refused.status_code == status, refused.content
    assert refused.json()["code"]
    assert _balance(world) == COINS


def test_other_media_types_are_refused(world: World, client_of: Clients) -> None:
    member = world.membership(world.players[0])
    refused = client_of(world.operator).post(
        f"/api/v1/clubs/jinli/members/{member.pk}/coins/", ORDER, format="multipart", headers={"Idempotency-Key": "k"}
    )
    assert refused.status_code == 415


def test_more_than_a_member_has(world: World, client_of: Clients) -> None:
    refused = _send(client_of(world.operator), world, {"kind": "withdraw", "amount": COINS + 1, "reason": "x"})
    assert (refused.status_code, refused.json()["code"]) == (409, "insufficient_coins")
    assert _balance(world) == COINS


def test_a_write_with_a_session_needs_the_csrf_token(world: World) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(world.operator)
    assert _send(client, world, ORDER).status_code == 403
    assert _balance(world) == COINS


@pytest.mark.django_db(transaction=True)
def test_the_same_order_from_many_threads_counts_once(world: World, client_of: Clients) -> None:
    answers: list[HttpResponse] = []

    def send() -> None:
        try:
            answers.append(_send(client_of(world.operator), world, ORDER))
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [201] * 8
    assert len({answer.content for answer in answers}) == 1
    assert _balance(world) == COINS + 500
    assert Transfer.objects.filter(key=f"api:{world.operator.pk}:k-1").count() == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"kind": "\\ud800", "amount": 5, "reason": "x"}',
        b'{"\\udfff": 1, "kind": "issue", "amount": 5, "reason": "x"}',
        b'{"kind": "issue", "amount": 5, "reason": "\\ud83c"}',
    ],
)
def test_half_a_character_is_no_text(world: World, client_of: Clients, body: bytes) -> None:
    answer = _send(client_of(world.operator), world, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")
    assert _balance(world) == COINS


def test_a_body_is_utf_8_whatever_it_says(world: World, client_of: Clients) -> None:
    member = world.membership(world.players[0])
    answer = client_of(world.operator).generic(  # `post` would write it anew
        "POST",
        f"/api/v1/clubs/jinli/members/{member.pk}/coins/",
        '{"kind": "+2AA-", "amount": 5, "reason": "x"}',  # half a character in UTF-7
        content_type="application/json; charset=utf-7",
        headers={"Idempotency-Key": "k-1"},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
