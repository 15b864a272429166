"""Coins at the desk: an order is seen before it is carried out, and is carried out once; the ledger, its file, reversals."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.ledger import balances, house_account, ledger_check, post
from accounts.models import Account, AuditEntry, Transfer, User
from clubs.models import Club, Membership
from games.models import Table
from tests.games.rules.stories import two_winners
from tests.games.settled import settled

KEY = "7f1f2f0e-6d5b-4a3a-9a52-1f3f0a8c2b11"


@pytest.fixture
def chosen(club: Club, members: list[User]) -> list[Membership]:
    return list(Membership.objects.filter(club=club, user__in=members[:3]).order_by("pk"))


def order(members: list[Membership], step: str, **changed: str) -> dict[str, object]:
    values = {"kind": "issue", "amount": "60000", "reason": "例赛前三名", "key": KEY, **changed}
    return {**values, "step": step, "member": [str(each.pk) for each in members]}


def test_an_order_is_seen_then_carried_out_once(
    desk: Client, club: Club, chosen: list[Membership], owner: User
) -> None:
    address = reverse("desk_coins", args=["jinli"])
    page = desk.post(address, order(chosen, "review")).text
    assert "100,000 → <b>160,000</b>" in page and "发放 180,000 金币" in page and "例赛前三名" in page
    assert not Transfer.objects.filter(reason="例赛前三名").exists()
    answer = desk.post(address, order(chosen, "confirm"))
    assert answer.headers["Location"] == reverse("desk_ledger", args=["jinli"])
    desk.post(address, order(chosen, "confirm"))
    assert [each.wallet.balance for each in Membership.objects.filter(pk__in=[c.pk for c in chosen])] == [160_000] * 3
    made = Transfer.objects.filter(reason="例赛前三名")
    assert made.count() == 3 and {transfer.actor for transfer in made} == {owner}
    assert "没有重复入账" in desk.get(reverse("desk_ledger", args=["jinli"])).text
    assert AuditEntry.objects.filter(action="coins.issue", actor=owner).count() == 3
    assert balances(club.book).are_even and ledger_check(club.book) == []


def test_who_has_too_little_stops_all(desk: Client, chosen: list[Membership]) -> None:
    address = reverse("desk_coins", args=["jinli"])
    page = desk.post(address, order(chosen, "review", kind="withdraw", amount="100001")).text
    assert "余额不够" in page and "disabled" in page
    answer = desk.post(address, order(chosen, "confirm", kind="withdraw", amount="100001"))
    assert answer.status_code == 400 and "Anna" in answer.text
    desk.post(address, order(chosen, "confirm", kind="withdraw", amount="100000"))
    assert {each.wallet.balance for each in Membership.objects.filter(pk__in=[c.pk for c in chosen])} == {0}


@pytest.mark.parametrize(
    "wrong", [{"amount": "0"}, {"amount": "1.5"}, {"amount": "9" * 12}, {"reason": " "}, {"kind": "hand"}, {"key": "x"}]
)
def test_faults_are_shown_and_move_nothing(desk: Client, chosen: list[Membership], wrong: dict[str, str]) -> None:
    before = Transfer.objects.count()
    for step in ("review", "confirm"):
        assert desk.post(reverse("desk_coins", args=["jinli"]), order(chosen, step, **wrong)).status_code == 400
    assert Transfer.objects.count() == before


def test_nobody_chosen_is_said(desk: Client, chosen: list[Membership]) -> None:
    assert desk.post(reverse("desk_coins", args=["jinli"]), order([], "review")).status_code == 400
    assert desk.post(reverse("desk_coins", args=["jinli"]), order([], "confirm")).status_code == 400


def test_members_are_added_by_name(desk: Client, chosen: list[Membership]) -> None:
    address = reverse("desk_coins", args=["jinli"])

    def hidden(page: str) -> set[str]:
        return set(re.findall(r'name="member" value="(\d+)"', page))

    page = desk.get(address, {"add": "anna"}).text
    assert hidden(page) == {str(chosen[0].pk)} and "100,000" in page
    page = desk.get(address, {"member": str(chosen[0].pk), "add": "bao"}).text
    assert hidden(page) == {str(each.pk) for each in chosen[:2]}
    assert "没有这样的成员" in desk.get(address, {"add": "nobody"}).text
    assert "Chen" in desk.get(address, {"add": "e"}).text, "several match"


def test_the_ledger_is_filtered_and_exported(
    desk: Client, table: Table, members: list[User], chosen: list[Membership]
) -> None:
    hand = settled(table, members[:4], two_winners())
    address = reverse("desk_ledger", args=["jinli"])
    assert f"第 {hand.pk} 手" in desk.get(address).text
    assert f"第 {hand.pk} 手" in desk.get(address, {"kind": "hand"}).text
    assert f"第 {hand.pk} 手" not in desk.get(address, {"kind": "issue"}).text
    assert f"第 {hand.pk} 手" not in desk.get(address, {"period": "dates", "until": "2020-01-01"}).text
    assert desk.get(address, {"member": str(chosen[0].pk)}).text.count("<tr") == 3, "head, coins of the test, the hand"
    assert desk.get(address, {"q": "Anna"}).text.count("<tr") == 3
    csv = b"".join(desk.get(reverse("desk_ledger_csv", args=["jinli"]), {"kind": "hand"})).decode("utf-8-sig")
    assert len(csv.splitlines()) == 6, "a heading, four wallets, the rake"


def test_a_transfer_is_taken_back_once(desk: Client, chosen: list[Membership], owner: User) -> None:
    transfer = Transfer.objects.filter(postings__account=chosen[0].wallet).get()
    address = reverse("desk_transfer", args=["jinli", transfer.pk])
    assert "+100,000" in desk.get(address).text
    desk.post(address, {"reason": ""})
    assert not Transfer.objects.filter(kind="reversal").exists()
    answer = desk.post(address, {"reason": "发错了人"})
    reversal = Transfer.objects.get(kind="reversal")
    assert answer.headers["Location"] == reverse("desk_transfer", args=["jinli", reversal.pk])
    assert (reversal.actor, reversal.reverses) == (owner, transfer)
    desk.post(address, {"reason": "再来"})
    assert Transfer.objects.filter(kind="reversal").count() == 1
    assert f"已被 {reversal.pk} 冲正" in desk.get(reverse("desk_ledger", args=["jinli"])).text
    assert "已冲正" in desk.get(address).text


def test_what_is_held_for_a_hand_is_not_offered_to_be_taken_back(
    desk: Client, club: Club, chosen: list[Membership]
) -> None:
    lines = {chosen[0].wallet_id: -300, house_account(club.book, Account.Kind.HELD).pk: 300}
    hold = post(book=club.book, key="hand:7:held:0", kind=Transfer.Kind.HOLD, lines=lines)
    issued = Transfer.objects.filter(postings__account=chosen[1].wallet).get()
    for transfer, is_offered in ((issued, True), (hold, False)):
        page = desk.get(reverse("desk_transfer", args=["jinli", transfer.pk])).text
        assert ('id="reverse"' in page) is is_offered


def test_an_order_that_was_for_others_moves_nothing(desk: Client, chosen: list[Membership]) -> None:
    address = reverse("desk_coins", args=["jinli"])
    desk.post(address, order(chosen[:2], "confirm"))
    for others in (chosen, chosen[:1]):
        answer = desk.post(address, order(others, "confirm"))
        assert answer.status_code == 400 and "已用于另一笔" in answer.text
    assert Transfer.objects.filter(reason="例赛前三名").count() == 2


def test_the_books_are_proven(desk: Client, club: Club, chosen: list[Membership]) -> None:
    page = desk.get(reverse("desk_ledger_check", args=["jinli"])).text
    assert "账目一致" in page and "10 笔都对" in page
