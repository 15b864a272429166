"""The posting function, issue and withdrawal, reversals, statements and the proof of a ledger."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts import ledger
from accounts.errors import Refused
from accounts.models import Account, AuditEntry, Book, Posting, Transfer, User
from tests.database import guards_off

HAND = Transfer.Kind.HAND


def balance(account: Account) -> int:
    return Account.objects.get(pk=account.pk).balance


def counts() -> tuple[int, int, int]:
    return Transfer.objects.count(), Posting.objects.count(), AuditEntry.objects.count()


def refusal(call: Callable[[], object]) -> Refused:
    """The refusal of a call, which changed nothing."""
    before = counts(), list(Account.objects.order_by("pk").values_list("pk", "balance"))
    with pytest.raises(Refused) as caught:
        call()
    assert (counts(), list(Account.objects.order_by("pk").values_list("pk", "balance"))) == before
    return caught.value


# --- Posting -------------------------------------------------------------------------------------------------------
def test_a_transfer_moves_coins_and_each_line_shows_the_balance_after_it(book: Book, wallets: list[Account]) -> None:
    anna, bao = wallets
    rake = ledger.house_account(book, Account.Kind.RAKE)
    transfer = ledger.post(book=book, key="hand:7", kind=HAND, lines={bao.pk: 300, rake.pk: 20, anna.pk: -320})
    assert [balance(account) for account in (anna, bao, rake)] == [680, 1_300, 20]
    lines = transfer.postings.order_by("pk").values_list("account", "amount", "balance_after")
    assert list(lines) == sorted([(anna.pk, -320, 680), (bao.pk, 300, 1_300), (rake.pk, 20, 20)])
    assert ledger.ledger_check() == []


def test_the_same_key_posts_once(book: Book, wallets: list[Account]) -> None:
    anna, bao = wallets
    first = ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -1_000, bao.pk: 1_000})
    # A repeat is answered though the coins would not suffice for it now.
    again = ledger.post(book=book, key="hand:7", kind=HAND, lines={bao.pk: 1_000, anna.pk: -1_000})
    assert again.pk == first.pk
    assert balance(anna) == 0


@pytest.mark.parametrize("lines", [(-10, 10), (5, -5)])
def test_a_key_is_not_used_for_something_else(book: Book, wallets: list[Account], lines: tuple[int, int]) -> None:
    anna, bao = wallets
    ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -5, bao.pk: 5})
    other = {anna.pk: lines[0], bao.pk: lines[1]}
    refused = refusal(lambda: ledger.post(book=book, key="hand:7", kind=HAND, lines=other))
    assert (refused.code, refused.status) == ("key_reused", 422)
    hold = Transfer.Kind.HOLD
    same = {anna.pk: -5, bao.pk: 5}
    assert refusal(lambda: ledger.post(book=book, key="hand:7", kind=hold, lines=same)).code == "key_reused"


def test_a_key_over_other_accounts_is_refused_too(
    book: Book, wallets: list[Account], open_wallet: Callable[[Book, str, int], Account]
) -> None:
    anna, bao = wallets
    chen = open_wallet(book, "chen", 100)
    ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -5, bao.pk: 5})
    lines = {chen.pk: -5, bao.pk: 5}
    assert refusal(lambda: ledger.post(book=book, key="hand:7", kind=HAND, lines=lines)).code == "key_reused"


def test_nobody_pays_more_than_he_has(book: Book, wallets: list[Account]) -> None:
    anna, bao = wallets
    lines = {anna.pk: -1_001, bao.pk: 1_001}
    refused = refusal(lambda: ledger.post(book=book, key="hand:7", kind=HAND, lines=lines))
    assert (refused.code, refused.status) == ("insufficient_coins", 409)
    assert refused.data == {"account": anna.pk, "balance": 1_000, "needed": 1_001}
    rake = ledger.house_account(book, Account.Kind.RAKE)
    lines = {rake.pk: -1, bao.pk: 1}
    assert refusal(lambda: ledger.post(book=book, key="hand:7", kind=HAND, lines=lines)).code == "insufficient_coins"


def test_balances_stay_exact_numbers_in_json(book: Book, wallets: list[Account]) -> None:
    issue = ledger.house_account(book, Account.Kind.ISSUE)
    lines = {wallets[0].pk: 2**53, issue.pk: -(2**53)}
    assert refusal(lambda: ledger.post(book=book, key="much", kind=HAND, lines=lines)).code == "balance_out_of_range"


@pytest.mark.parametrize("amounts", [(), (1,), (-5, 4), (0, 0), (5, -5, 0), (1.5, -1.5), (True, -1), ("5", "-5")])
def test_lines_that_are_no_transfer_are_a_mistake_of_ours(
    book: Book, wallets: list[Account], amounts: tuple[object, ...]
) -> None:
    accounts = [*wallets, ledger.house_account(book, Account.Kind.RAKE)]
    lines = {account.pk: amount for account, amount in zip(accounts, amounts, strict=False)}
    before = counts()
    with pytest.raises(ValueError, match=r"^bad: "):
        ledger.post(book=book, key="bad", kind=HAND, lines=lines)  # type: ignore[arg-type]
    assert counts() == before


def test_no_transfer_joins_two_books(
    book: Book, wallets: list[Account], open_wallet: Callable[[Book, str, int], Account]
) -> None:
    elsewhere = open_wallet(ledger.book_open(name="别处"), "chen", 50)
    with pytest.raises(ValueError, match="not of the book"):
        ledger.post(book=book, key="x", kind=HAND, lines={wallets[0].pk: -5, elsewhere.pk: 5})
    with pytest.raises(ValueError, match="not of the book"):
        ledger.post(book=book, key="x", kind=HAND, lines={wallets[0].pk: -5, 10**9: 5})


def test_a_wallet_is_opened_once(book: Book, operator: User) -> None:
    assert ledger.wallet_open(book=book, holder=operator) == ledger.wallet_open(book=book, holder=operator)


# --- Issue, withdraw, reverse --------------------------------------------------------------------------------------
def test_issue_and_withdraw_are_audited_once(book: Book, wallets: list[Account], operator: User) -> None:
    anna = wallets[0]
    issue = ledger.house_account(book, Account.Kind.ISSUE)
    for _repeat in range(2):
        ledger.coins_issue(wallet=anna, amount=50, reason=" 活动 ", actor=operator, key="k1")
        ledger.coins_withdraw(wallet=anna, amount=20, reason="更正", actor=operator, key="k2")
    assert balance(anna) == 1_030
    assert balance(issue) == -2_030
    issued, withdrawn = AuditEntry.objects.filter(reason__in=("活动", "更正")).order_by("pk")
    assert (issued.actor, issued.action, issued.after) == (operator, "coins.issue", {"coins": 50, "transfer": "k1"})
    assert (withdrawn.action, withdrawn.after) == ("coins.withdraw", {"coins": -20, "transfer": "k2"})
    assert issued.book == book
    assert (issued.subject_type, issued.subject_id) == ("user", str(anna.holder_id))


@pytest.mark.parametrize("amount", [0, -1, 10**9 + 1, 2.5, True, "5", None])
def test_a_bad_amount_is_refused(wallets: list[Account], operator: User, amount: object) -> None:
    for move in (ledger.coins_issue, ledger.coins_withdraw):
        refused = refusal(
            lambda move=move: move(wallet=wallets[0], amount=amount, reason="x", actor=operator, key="k")  # type: ignore[misc]
        )
        assert (refused.code, refused.data) == ("bad_amount", {"field": "amount"})


@pytest.mark.parametrize("reason", ["", "   ", "x" * 201, "a\x00b"])
def test_a_reason_is_required(wallets: list[Account], operator: User, reason: str) -> None:
    def issue() -> object:
        return ledger.coins_issue(wallet=wallets[0], amount=5, reason=reason, actor=operator, key="k")

    assert refusal(issue).code == "reason_required"
    transfer = Transfer.objects.earliest("pk")
    refused = refusal(lambda: ledger.transfer_reverse(transfer=transfer, reason=reason, actor=operator))
    assert refused.code == "reason_required"


@pytest.mark.parametrize("key", ["", "x" * 81, "a\nb", "a\x00b"])
def test_a_bad_key_is_refused(wallets: list[Account], operator: User, key: str) -> None:
    refused = refusal(lambda: ledger.coins_issue(wallet=wallets[0], amount=5, reason="x", actor=operator, key=key))
    assert refused.code == "bad_key"


def test_a_key_stands_for_amount_direction_wallet_and_reason(wallets: list[Account], operator: User) -> None:
    anna, bao = wallets

    def move(wallet: Account = anna, amount: int = 5, reason: str = "x", issue: bool = True) -> Transfer:
        function = ledger.coins_issue if issue else ledger.coins_withdraw
        return function(wallet=wallet, amount=amount, reason=reason, actor=operator, key="k")

    assert move() == move()
    for other in (
        lambda: move(wallet=bao),
        lambda: move(amount=6),
        lambda: move(reason="y"),
        lambda: move(issue=False),
    ):
        assert refusal(other).code == "key_reused"


def test_only_wallets_are_issued_to(book: Book, operator: User) -> None:
    rake = ledger.house_account(book, Account.Kind.RAKE)
    with pytest.raises(ValueError, match="not a wallet"):
        ledger.coins_issue(wallet=rake, amount=5, reason="x", actor=operator, key="k")


def test_withdrawing_more_than_there_is(wallets: list[Account], operator: User) -> None:
    refused = refusal(
        lambda: ledger.coins_withdraw(wallet=wallets[0], amount=1_001, reason="x", actor=operator, key="k")
    )
    assert refused.code == "insufficient_coins"


def test_a_reversal_is_the_contrary_and_both_stay(book: Book, wallets: list[Account], operator: User) -> None:
    anna, bao = wallets
    transfer = ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -300, bao.pk: 300})
    reversal = ledger.transfer_reverse(transfer=transfer, reason="误结", actor=operator)
    assert [balance(anna), balance(bao)] == [1_000, 1_000]
    assert reversal.reverses == transfer
    assert ledger.transfer_reverse(transfer=transfer, reason="又一次", actor=operator) == reversal
    assert AuditEntry.objects.filter(action="coins.reversal").count() == 1
    refused = refusal(lambda: ledger.transfer_reverse(transfer=reversal, reason="再来", actor=operator))
    assert refused.code == "not_reversible"
    assert ledger.ledger_check(book) == []


def test_what_is_held_for_a_hand_is_undone_with_it_and_not_by_itself(
    book: Book, wallets: list[Account], operator: User
) -> None:
    """Undone while the hand runs, or after it, it would be lacking when the hand, or another one, is settled."""
    anna, bao = wallets
    held, rake = (ledger.house_account(book, kind) for kind in (Account.Kind.HELD, Account.Kind.RAKE))
    hold = ledger.post(book=book, key="hand:7:held:0", kind=Transfer.Kind.HOLD, lines={anna.pk: -300, held.pk: 300})
    other = ledger.post(book=book, key="hand:70:held:0", kind=Transfer.Kind.HOLD, lines={anna.pk: -9, held.pk: 9})
    for each in (hold, other):
        undone = partial(ledger.transfer_reverse, transfer=each, reason="误扣", actor=operator)
        assert refusal(undone).code == "not_reversible"
    hand = ledger.post(book=book, key="hand:7", kind=HAND, lines={held.pk: -300, bao.pk: 250, rake.pk: 50})
    reversal = ledger.transfer_reverse(transfer=hand, reason="误结", actor=operator)
    assert [balance(account) for account in (anna, bao, held, rake)] == [991, 1_000, 9, 0]
    assert ledger.transfer_reverse(transfer=hand, reason="又一次", actor=operator) == reversal
    assert Transfer.objects.filter(kind=Transfer.Kind.REVERSAL).count() == 2
    assert ledger.ledger_check() == []


def test_what_is_spent_cannot_be_reversed(book: Book, wallets: list[Account], operator: User) -> None:
    anna, bao = wallets
    transfer = ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -300, bao.pk: 300})
    ledger.coins_withdraw(wallet=bao, amount=1_200, reason="x", actor=operator, key="k")
    refused = refusal(lambda: ledger.transfer_reverse(transfer=transfer, reason="误结", actor=operator))
    assert refused.code == "insufficient_coins"


# --- Reading -------------------------------------------------------------------------------------------------------
def test_a_statement_joins_opening_and_closing(book: Book, wallets: list[Account], operator: User) -> None:
    anna, bao = wallets
    ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -300, bao.pk: 300})
    ledger.coins_withdraw(wallet=anna, amount=100, reason="x", actor=operator, key="k")
    whole = ledger.statement(wallet=anna)
    assert (whole.opening, whole.closing) == (0, 600)
    assert [line.amount for line in whole.lines] == [-100, -300, 1_000]
    assert [ledger.hand_of(line.transfer.key) for line in whole.lines] == [None, 7, None]

    cut = whole.lines[1].transfer.created_at
    early, late = ledger.statement(wallet=anna, until=cut), ledger.statement(wallet=anna, since=cut)
    assert early.closing == late.opening == 1_000
    assert [*late.lines, *early.lines] == whole.lines
    now = timezone.now() + timedelta(hours=1)
    assert ledger.statement(wallet=anna, since=now) == ledger.Statement(600, [], 600)
    before = whole.lines[-1].transfer.created_at
    assert ledger.statement(wallet=anna, until=before) == ledger.Statement(0, [], 0)


@pytest.mark.parametrize(("key", "hand"), [("hand:17", 17), ("hand:17:held:2", 17), ("open:anna", None)])
def test_the_hand_of_a_transfer(key: str, hand: int | None) -> None:
    assert ledger.hand_of(key) == hand


# --- The proof -----------------------------------------------------------------------------------------------------
def test_the_proof_finds_every_kind_of_fault(
    book: Book, wallets: list[Account], open_wallet: Callable[[Book, str, int], Account], operator: User
) -> None:
    anna, bao = wallets
    hand = ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -300, bao.pk: 300})
    reversal = ledger.transfer_reverse(transfer=hand, reason="x", actor=operator)
    elsewhere = ledger.book_open(name="别处")
    chen = open_wallet(elsewhere, "chen", 50)
    call_command("ledger_check")
    assert ledger.ledger_check() == ledger.ledger_check(book) == []
    with guards_off():
        line = hand.postings.get(account=anna)
        Posting.objects.filter(pk=line.pk).update(amount=-299)
        empty = Transfer.objects.create(book=book, key="empty", kind=HAND)
        Account.objects.filter(pk=bao.pk).update(balance=999)
        stray = Posting.objects.create(transfer=hand, account=chen, amount=1, balance_after=51)
        faults = ledger.ledger_check(book)
        assert f"transfer {empty.pk} (empty): it has no postings" in faults
        assert f"transfer {hand.pk} (hand:7): its postings add up to 2" in faults
        assert f"transfer {reversal.pk} (reversal:{hand.pk}): it is not the contrary of transfer {hand.pk}" in faults
        assert f"posting {line.pk}: the balance after it is 700, the postings come to 701" in faults
        assert f"posting {stray.pk}: its account is of book {elsewhere.pk}, its transfer of book {book.pk}" in faults
        assert f"account {bao.pk}: its balance is 999, its postings come to 1000" in faults
        assert f"account {chen.pk}: its balance is 50, its postings come to 51" in ledger.ledger_check(elsewhere)
        with pytest.raises(CommandError):
            call_command("ledger_check")
        Posting.objects.filter(pk=stray.pk).delete()
        Posting.objects.filter(pk=line.pk).update(amount=-300)
        Transfer.objects.filter(pk=empty.pk).delete()
        Account.objects.filter(pk=bao.pk).update(balance=1_000)
    assert ledger.ledger_check() == []
