"""Running a club by the API: members, coins for several, rooms, titles, tables, the ledger's balances and reversals, the log."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from accounts.models import AuditEntry, Transfer, User
from clubs.models import Membership, Room
from games.models import Table
from tests.api.conftest import COINS, World

API = "/api/v1/clubs/jinli/"


@pytest.fixture
def api(world: World, client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(world.operator)


def test_members_are_found_suspended_and_given_roles(world: World, api: APIClient) -> None:
    anna = world.membership(world.players[0])
    found = api.get(f"{API}members/", {"q": "ann"}).json()["results"]
    assert [each["id"] for each in found] == [str(anna.pk)]
    assert [each["name"] for each in api.get(f"{API}members/?status=banned").json()["results"]] == ["Eve"]
    assert len(api.get(f"{API}members/?role=operator").json()["results"]) == 1
    address = f"{API}members/{anna.pk}/"
    assert api.get(address).json()["coins"] == COINS
    for order, body, field, value in (
        ("ban", {}, "status", "banned"),
        ("unban", {}, "status", "active"),
        ("role", {"role": "operator"}, "role", "operator"),
    ):
        answer = api.post(f"{address}{order}", {"reason": "因为这样", **body})
        assert answer.json()[field] == value
        assert AuditEntry.objects.latest("pk").reason == "因为这样"
    own = Membership.objects.get(user=world.operator)
    refused = api.post(f"{API}members/{own.pk}/ban", {"reason": "x"})
    assert (refused.status_code, refused.json()["code"]) == (409, "own_membership")
    assert api.post(f"{address}role", {"role": "king", "reason": "x"}).status_code == 400


def test_several_members_get_coins_once_or_not_at_all(world: World, api: APIClient) -> None:
    members = [world.membership(user) for user in world.players]
    ids = [str(each.pk) for each in members]
    body = {"kind": "withdraw", "members": ids, "amount": COINS, "reason": "散场"}
    answer = api.post(f"{API}coins", body, headers={"Idempotency-Key": "k1"})
    assert (answer.status_code, answer.json()) == (201, {"members": 4, "coins": 4 * COINS})
    again = api.post(f"{API}coins", body, headers={"Idempotency-Key": "k1"})
    assert (again.json(), again["Idempotent-Replayed"]) == (answer.json(), "true")
    assert [world.membership(user).wallet.balance for user in world.players] == [0] * 4
    api.post(
        f"{API}coins",
        {**body, "kind": "issue", "amount": 5, "members": ids[:1]},
        headers={"Idempotency-Key": "k2"},
    )
    refused = api.post(f"{API}coins", {**body, "amount": 5}, headers={"Idempotency-Key": "k3"})
    assert (refused.status_code, refused.json()["code"]) == (409, "insufficient_coins")
    assert world.membership(world.players[0]).wallet.balance == 5, "all or none"
    other = api.post(f"{API}coins", {**body, "amount": 6}, headers={"Idempotency-Key": "k1"})
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    for others in (ids[:3], [*ids, str(Membership.objects.get(user=world.operator).pk)]):
        other = api.post(f"{API}coins", {**body, "members": others}, headers={"Idempotency-Key": "k1"})
        assert (other.status_code, other.json()["code"]) == (422, "key_reused"), "for others"
    within = api.post(f"{API}coins", {**body, "kind": "issue", "amount": 1}, headers={"Idempotency-Key": "k1:2"})
    assert within.status_code == 201 and "Idempotent-Replayed" not in within
    assert api.post(f"{API}coins", body, headers={"Idempotency-Key": "k1"}).json() == answer.json()
    for unknown in (["999999"], ["x"], [ids[0], "999999"]):
        refused = api.post(f"{API}coins", {**body, "members": unknown}, headers={"Idempotency-Key": "k4"})
        assert (refused.status_code, refused.json()["code"]) == (400, "unknown_member"), unknown
    assert api.post(f"{API}coins", body).json()["code"] == "idempotency_key_required"


def test_rooms_are_opened_and_changed(world: World, api: APIClient) -> None:
    made = api.post(f"{API}rooms/new", {"name": "望江厅", "terms": {"preset": "jj", "rake": 10}})
    assert made.status_code == 201 and made.json()["terms"]["rake"] == 10
    address = f"/api/v1/rooms/{made.json()['id']}/change"
    changed = api.post(address, {"name": "望江楼", "is_open": False, "terms": {"rake": 20}, "reason": "夜场"}).json()
    assert (changed["name"], changed["is_open"], changed["terms"]["rake"]) == ("望江楼", False, 20)
    assert changed["terms"]["version"] == 2
    told = dict(AuditEntry.objects.order_by("-pk").values_list("action", "reason")[:3])
    assert told == dict.fromkeys(("room.renamed", "room.closed", "room.terms_changed"), "夜场")
    assert api.post(address, {"terms": {"rake": 20}}).json()["code"] == "nothing_changed"
    assert api.post(address, {"is_open": True}).json()["is_open"] is True
    wrong = api.post(address, {"name": "别的", "terms": {"turn_seconds": 1}})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "invalid_terms")
    assert Room.objects.get(pk=made.json()["id"]).name == "望江楼", "all or nothing"
    assert api.post(f"{API}rooms/new", {"name": "锦江厅", "terms": {"preset": "jj"}}).json()["code"] == "name_taken"


def test_titles_are_changed(world: World, api: APIClient) -> None:
    told = api.post(f"{API}titles/change", {"titles": [{"level": 2, "threshold": 6, "name": "新手"}], "reason": "x"})
    assert told.json()[1] == {"level": 2, "name": "新手", "threshold": 6}
    falling = api.post(f"{API}titles/change", {"titles": [{"level": 3, "threshold": 5}], "reason": "x"})
    assert falling.json()["code"] == "thresholds_not_rising"


def test_a_table_is_closed_between_hands(world: World, api: APIClient) -> None:
    table = world.table()
    world.deal(table)
    refused = api.post(f"/api/v1/tables/{table.pk}/close", {"reason": "打烊"})
    assert (refused.status_code, refused.json()["code"]) == (409, "hand_running")


def test_an_idle_table_is_closed(world: World, api: APIClient) -> None:
    table = world.table()
    for _again in range(2):
        assert api.post(f"/api/v1/tables/{table.pk}/close", {"reason": "打烊"}).status_code == 204
    assert Table.objects.get(pk=table.pk).closed_at is not None


def test_the_ledger_is_even_and_a_transfer_is_taken_back(world: World, api: APIClient) -> None:
    told = api.get(f"{API}ledger/balances").json()
    assert told == {"issued": 5 * COINS, "wallets": 5 * COINS, "rake": 0, "held": 0, "are_even": True}
    first = Transfer.objects.earliest("pk")
    made = api.post(f"{API}ledger/{first.pk}/reverse", {"reason": "发错了"}).json()
    assert (made["kind"], made["reverses"]) == ("reversal", str(first.pk))
    assert api.post(f"{API}ledger/{first.pk}/reverse", {"reason": "发错了"}).json()["id"] == made["id"]
    refused = api.post(f"{API}ledger/{made['id']}/reverse", {"reason": "x"})
    assert (refused.status_code, refused.json()["code"]) == (409, "not_reversible")
    log = api.get(f"{API}audit/?action=coins.reversal").json()["results"]
    assert [(each["words"], each["reason"]) for each in log] == [("冲正转账", "发错了")]


def test_the_overview_is_told(world: World, api: APIClient) -> None:
    world.play(world.table())
    told = api.get(f"{API}overview/?period=7").json()
    assert (told["hands"], told["players"], told["rake"]) == (1, 4, 1_600)
    assert told["days"][told["last"]] == 1 and told["rooms"][0]["rake"] == 1_600
    assert api.get(f"{API}overview/?period=year").status_code == 400
