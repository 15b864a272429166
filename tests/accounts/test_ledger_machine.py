"""Any sequence of ledger operations against a model that is a dictionary."""

from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from accounts import ledger
from accounts.errors import Refused
from accounts.models import Account, AuditEntry, Posting, Transfer, User

amounts = st.integers(1, 120)
members = st.integers(0, 2)


class Ledger(RuleBasedStateMachine):
    """Three wallets. Each run is a transaction that is rolled back."""

    def __init__(self) -> None:
        super().__init__()
        self.run = transaction.atomic()
        self.run.__enter__()

    @initialize()
    def open(self) -> None:
        self.actor = User.objects.create_user("operator")
        self.book = ledger.book_open(name="账本")
        holders = [User.objects.create_user(f"member-{number}") for number in range(3)]
        self.wallets = [ledger.wallet_open(book=self.book, holder=holder) for holder in holders]
        self.house = {kind: ledger.house_account(self.book, kind) for kind in ledger.HOUSE_KINDS}
        self.balances = {account.pk: 0 for account in (*self.wallets, *self.house.values())}
        self.done: list[tuple[Transfer, dict[int, int]]] = []
        self.reversed: set[int] = set()

    def apply(self, lines: dict[int, int], call: Any) -> None:
        """A call that is to move these coins, or to be refused where somebody lacks them."""
        issue = self.house[Account.Kind.ISSUE].pk
        if all(self.balances[pk] + coins >= 0 for pk, coins in lines.items() if pk != issue):
            self.done.append((call(), lines))
            for pk, coins in lines.items():
                self.balances[pk] += coins
        else:
            with pytest.raises(Refused) as caught:
                call()
            assert caught.value.code == "insufficient_coins"

    def key(self) -> str:
        return f"event:{Transfer.objects.count()}"

    @rule(member=members, amount=amounts)
    def issue(self, member: int, amount: int) -> None:
        wallet, issue, key = self.wallets[member], self.house[Account.Kind.ISSUE], self.key()
        self.apply(
            {wallet.pk: amount, issue.pk: -amount},
            lambda: ledger.coins_issue(wallet=wallet, amount=amount, reason="x", actor=self.actor, key=key),
        )

    @rule(member=members, amount=amounts)
    def withdraw(self, member: int, amount: int) -> None:
        wallet, issue, key = self.wallets[member], self.house[Account.Kind.ISSUE], self.key()
        self.apply(
            {wallet.pk: -amount, issue.pk: amount},
            lambda: ledger.coins_withdraw(wallet=wallet, amount=amount, reason="x", actor=self.actor, key=key),
        )

    @rule(losers=st.lists(amounts, min_size=2, max_size=2), winner=members, rake=st.integers(0, 10))
    def hand(self, losers: list[int], winner: int, rake: int) -> None:
        others = [wallet for number, wallet in enumerate(self.wallets) if number != winner]
        lines = {wallet.pk: -coins for wallet, coins in zip(others, losers, strict=True)}
        lines[self.wallets[winner].pk] = sum(losers) - rake
        lines[self.house[Account.Kind.RAKE].pk] = rake
        lines = {pk: coins for pk, coins in lines.items() if coins}
        key = self.key()
        self.apply(lines, lambda: ledger.post(book=self.book, key=key, kind=Transfer.Kind.HAND, lines=lines))

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def reverse(self, data: st.DataObject) -> None:
        transfer, lines = data.draw(st.sampled_from(self.done))
        reverse = lambda: ledger.transfer_reverse(transfer=transfer, reason="x", actor=self.actor)  # noqa: E731
        if transfer.kind == Transfer.Kind.REVERSAL:
            with pytest.raises(Refused):
                reverse()
        elif transfer.pk in self.reversed:
            assert reverse().reverses_id == transfer.pk
        else:
            count = len(self.done)
            self.apply({pk: -coins for pk, coins in lines.items()}, reverse)
            if len(self.done) > count:
                self.reversed.add(transfer.pk)

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        transfer, lines = data.draw(st.sampled_from(self.done))
        kind = Transfer.Kind(transfer.kind)
        assert ledger.post(book=self.book, key=transfer.key, kind=kind, lines=lines) == transfer
        with pytest.raises(Refused) as caught:
            ledger.post(
                book=self.book, key=transfer.key, kind=kind, lines={pk: 2 * coins for pk, coins in lines.items()}
            )
        assert caught.value.code == "key_reused"

    @invariant()
    def the_database_agrees(self) -> None:
        if not hasattr(self, "balances"):
            return
        assert dict(Account.objects.filter(book=self.book).values_list("pk", "balance")) == self.balances
        assert ledger.ledger_check(self.book) == []
        assert Transfer.objects.count() == len(self.done)
        assert AuditEntry.objects.count() == Transfer.objects.exclude(kind=Transfer.Kind.HAND).count()
        assert sum(Posting.objects.values_list("amount", flat=True)) == 0
        connection.check_constraints()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.run.__exit__(None, None, None)


@pytest.mark.django_db
def test_the_ledger_agrees_with_its_model() -> None:
    quiet = settings(max_examples=20, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Ledger, settings=quiet)
