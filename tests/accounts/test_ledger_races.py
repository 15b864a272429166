"""Transfers at the same time, on both databases."""

import time
from collections.abc import Callable
from functools import partial

import pytest
from django.db import IntegrityError, transaction

from accounts import ledger
from accounts.errors import Refused
from accounts.models import Account, AuditEntry, Book, Posting, Transfer, User
from tests.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)
HAND = Transfer.Kind.HAND


def codes(outcomes: list[object]) -> list[str]:
    return [each.code for each in outcomes if isinstance(each, Refused)]


def test_a_wallet_is_not_spent_twice(wallets: list[Account], operator: User) -> None:
    withdraw = partial(ledger.coins_withdraw, wallet=wallets[0], amount=400, reason="x", actor=operator)
    outcomes = at_once([partial(withdraw, key=f"k{number}") for number in range(8)])
    assert codes(outcomes) == ["insufficient_coins"] * 6
    assert Account.objects.get(pk=wallets[0].pk).balance == 200
    assert ledger.ledger_check() == []


def test_the_same_key_at_the_same_time_posts_once(wallets: list[Account], operator: User) -> None:
    """The coins suffice for one only: the others are answered with it, not refused."""
    withdraw = partial(ledger.coins_withdraw, wallet=wallets[0], amount=1_000, reason="x", actor=operator, key="k")
    outcomes = at_once([withdraw] * 8)
    assert {each.pk for each in outcomes} == {Transfer.objects.get(key="k").pk}
    assert AuditEntry.objects.filter(action="coins.withdraw").count() == 1


def test_the_same_key_over_other_wallets_posts_once(wallets: list[Account], operator: User) -> None:
    issue = partial(ledger.coins_issue, amount=5, reason="x", actor=operator, key="k")
    outcomes = at_once([partial(issue, wallet=wallet) for wallet in wallets * 3])
    assert codes(outcomes) == ["key_reused"] * 3
    assert Transfer.objects.filter(key="k").count() == 1


def test_one_reversal(book: Book, wallets: list[Account], operator: User) -> None:
    anna, bao = wallets
    hand = ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -300, bao.pk: 300})
    outcomes = at_once([partial(ledger.transfer_reverse, transfer=hand, reason="x", actor=operator)] * 6)
    assert len({each.pk for each in outcomes}) == 1
    assert AuditEntry.objects.filter(action="coins.reversal").count() == 1
    assert Account.objects.get(pk=anna.pk).balance == 1_000


def test_transfers_crosswise_do_not_wait_for_each_other_for_ever(book: Book, wallets: list[Account]) -> None:
    anna, bao = wallets
    calls = []
    for number in range(10):
        lines = {anna.pk: -1, bao.pk: 1} if number % 2 else {bao.pk: -1, anna.pk: 1}
        calls.append(partial(ledger.post, book=book, key=f"hand:{number}", kind=HAND, lines=lines))
    outcomes = at_once(calls)
    assert all(isinstance(each, Transfer) for each in outcomes)
    assert ledger.ledger_check() == []


@pytest.mark.postgres
def test_without_the_locks_the_race_is_real(book: Book, wallets: list[Account]) -> None:
    """The control: the same withdrawals from balances read without a lock. The database refuses what went wrong."""
    anna, bao = wallets

    def unlocked(key: str) -> None:
        with transaction.atomic():
            seen = {wallet.pk: wallet.balance for wallet in Account.objects.filter(pk__in=(anna.pk, bao.pk))}
            time.sleep(0.3)
            transfer = Transfer.objects.create(book=book, key=key, kind=HAND)
            for wallet, amount in ((anna, -400), (bao, 400)):
                after = seen[wallet.pk] + amount
                Posting.objects.create(transfer=transfer, account=wallet, amount=amount, balance_after=after)

    calls: list[Callable[[], None]] = [partial(unlocked, f"k{number}") for number in range(4)]
    outcomes = at_once(calls)
    assert sum(isinstance(each, IntegrityError) for each in outcomes) == 3
    assert ledger.ledger_check() == []
