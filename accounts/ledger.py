"""The double-entry ledger. Coins move in `post` and nowhere else.

Every transfer adds up to zero and has a unique business key, so that a retry posts once. Accounts are locked in the
order of their ids, whatever the transfer, so that two transfers cannot wait for each other. Nothing is corrected in
place: a mistake is reversed by a transfer of its own. The database checks all this again (migration `ledger_guards`)
and moves the balances itself.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet, Sum
from django.utils.translation import gettext as _

from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.models import Account, Book, Notice, Posting, Transfer, User
from accounts.notices import notice_write

MOST_COINS: Final = 2**53 - 1
MOST_AT_ONCE: Final = 1_000_000_000  # coins one issue or withdrawal may move
HOUSE_KINDS: Final = (Account.Kind.ISSUE, Account.Kind.RAKE, Account.Kind.HELD)


# --- Opening -------------------------------------------------------------------------------------------------------
@transaction.atomic
def book_open(*, name: str) -> Book:
    """A new book with its house accounts."""
    book = Book.objects.create(name=name)
    Account.objects.bulk_create(Account(book=book, kind=kind) for kind in HOUSE_KINDS)
    return book


def wallet_open(*, book: Book, holder: User) -> Account:
    """The wallet of a person in a book, opened where there is none yet."""
    return Account.objects.get_or_create(book=book, holder=holder, kind=Account.Kind.WALLET)[0]


def house_account(book: Book, kind: Account.Kind) -> Account:
    """A house account (issue, rake, held) of a book."""
    return Account.objects.get(book=book, kind=kind, holder=None)


def house_ids(book: Book) -> dict[str, int]:
    """The house accounts of a book, by kind."""
    return dict(Account.objects.filter(book=book, holder=None).values_list("kind", "pk"))


# --- Posting -------------------------------------------------------------------------------------------------------
def accounts_lock(ids: Iterable[int]) -> dict[int, Account]:
    """Lock accounts, in the order of their ids, for the rest of the transaction and give their present state."""
    locked = Account.objects.select_for_update(no_key=True).filter(pk__in=set(ids)).order_by("pk")
    return {account.pk: account for account in locked}


@transaction.atomic
def post(
    *,
    book: Book,
    key: str,
    kind: Transfer.Kind,
    lines: Mapping[int, int],
    reason: str = "",
    actor: User | None = None,
    reverses: Transfer | None = None,
) -> Transfer:
    """Move coins: `lines` are coins by account id (positive: into the account), none of them 0, which add up to 0.

    The same key with the same lines gives the transfer of the first time. Raises `Refused`: key_reused (the key was
    used for something else), insufficient_coins (data: account, balance, needed), balance_out_of_range. Raises
    ValueError for lines that are no transfer of the book: that is a mistake of ours.
    """
    return _post(book, key, kind, lines, reason, actor, reverses)[0]


def _post(
    book: Book,
    key: str,
    kind: Transfer.Kind,
    lines: Mapping[int, int],
    reason: str,
    actor: User | None,
    reverses: Transfer | None = None,
) -> tuple[Transfer, bool]:
    """What `post` does, and whether it was done now."""
    if not lines or any(type(coins) is not int or coins == 0 for coins in lines.values()):
        raise ValueError(f"{key}: coins are whole numbers other than 0")
    if sum(lines.values()) != 0:
        raise ValueError(f"{key}: the lines add up to {sum(lines.values())}, not to 0")
    # First the locks: a repeat waits here for the first one and then finds it.
    accounts = accounts_lock(lines)
    if len(accounts) != len(lines) or any(account.book_id != book.pk for account in accounts.values()):
        raise ValueError(f"{key}: an account is not of the book {book.pk}")
    first = _posted(key, kind, lines)
    if first is not None:
        return first, False
    for pk, coins in lines.items():
        _require_range(accounts[pk], coins)
    try:
        with transaction.atomic():
            transfer = Transfer.objects.create(
                book=book, key=key, kind=kind, reason=reason, actor=actor, reverses=reverses
            )
    except IntegrityError:
        first = _posted(key, kind, lines)  # another transaction was quicker with the same key, over other accounts
        if first is None:
            raise
        return first, False
    Posting.objects.bulk_create(
        Posting(transfer=transfer, account_id=pk, amount=lines[pk], balance_after=accounts[pk].balance + lines[pk])
        for pk in sorted(lines)
    )
    return transfer, True


def _posted(key: str, kind: Transfer.Kind, lines: Mapping[int, int]) -> Transfer | None:
    """The transfer that already has this key, if it is the same one."""
    transfer = Transfer.objects.filter(key=key).first()
    if transfer is None:
        return None
    if transfer.kind != kind or dict(transfer.postings.values_list("account", "amount")) != dict(lines):
        raise key_reused()
    return transfer


def key_reused() -> Refused:
    """What somebody is told whose key was used for something else."""
    return Refused("key_reused", _("这个业务编号已用于另一笔转账。"), status=422)


def _require_range(account: Account, coins: int) -> None:
    after = account.balance + coins
    if after < 0 and account.kind != Account.Kind.ISSUE:
        raise Refused(
            "insufficient_coins",
            _("余额不足：有 %(balance)s 币，需要 %(needed)s 币。")
            % {"balance": f"{account.balance:,}", "needed": f"{-coins:,}"},
            status=409,
            account=account.pk,
            balance=account.balance,
            needed=-coins,
        )
    if abs(after) > MOST_COINS:
        raise Refused("balance_out_of_range", _("数额过大。"), status=409)


# --- Issue, withdraw, reverse --------------------------------------------------------------------------------------
def coins_issue(*, wallet: Account, amount: int, reason: str, actor: User, key: str) -> Transfer:
    """Issue coins to a member. Raises `Refused`: bad_amount, bad_key, reason_required, and those of `post`."""
    return _issue(wallet, amount, reason, actor, key, Transfer.Kind.ISSUE)


def coins_withdraw(*, wallet: Account, amount: int, reason: str, actor: User, key: str) -> Transfer:
    """Take coins back from a member. Raises `Refused`: bad_amount, bad_key, reason_required, and those of `post`."""
    return _issue(wallet, amount, reason, actor, key, Transfer.Kind.WITHDRAW)


@transaction.atomic
def _issue(wallet: Account, amount: int, reason: str, actor: User, key: str, kind: Transfer.Kind) -> Transfer:
    if wallet.kind != Account.Kind.WALLET:
        raise ValueError(f"account {wallet.pk} is not a wallet")
    _require_amount(amount)
    _require_key(key)
    reason = require_reason(reason)
    signed = amount if kind is Transfer.Kind.ISSUE else -amount
    issue = house_account(wallet.book, Account.Kind.ISSUE)
    transfer, is_new = _post(wallet.book, key, kind, {wallet.pk: signed, issue.pk: -signed}, reason, actor)
    if is_new:
        audit_write(
            actor=actor,
            action=f"coins.{kind.value}",
            subject=wallet.holder or wallet,
            after={"coins": signed, "transfer": transfer.key},
            reason=reason,
            book=wallet.book,
        )
        _tell(transfer)
    elif transfer.reason != reason:
        raise key_reused()
    return transfer


@transaction.atomic
def transfer_reverse(*, transfer: Transfer, reason: str, actor: User) -> Transfer:
    """Undo a transfer by its contrary (冲正); both stay visible. Reversing twice gives the first reversal.

    Coins only: the points and the record of a hand stay as they are. With a hand goes what was held for it, which by itself
    cannot be undone: the hand counts on it. Raises `Refused`: not_reversible (a reversal itself, coins held for a hand),
    reason_required, insufficient_coins (somebody has spent what was to be given back).
    """
    reason = require_reason(reason)
    if transfer.kind == Transfer.Kind.REVERSAL:
        raise Refused("not_reversible", _("冲正本身不能再冲正。"), status=409)
    if transfer.kind == Transfer.Kind.HOLD:
        raise Refused("not_reversible", _("暂扣随这一手的结算一起冲正，不能单独冲正。"), status=409)
    held: list[Transfer] = []
    if transfer.kind == Transfer.Kind.HAND:
        held = list(Transfer.objects.filter(kind=Transfer.Kind.HOLD, key__startswith=f"{transfer.key}:"))
    accounts_lock(Posting.objects.filter(transfer__in=[transfer, *held]).values_list("account", flat=True))
    reversal = _reverse(transfer, reason, actor)
    for hold in held:
        _reverse(hold, reason, actor)
    return reversal


def _reverse(transfer: Transfer, reason: str, actor: User) -> Transfer:
    lines = {pk: -amount for pk, amount in transfer.postings.values_list("account", "amount")}
    reversal, is_new = _post(
        transfer.book, f"reversal:{transfer.pk}", Transfer.Kind.REVERSAL, lines, reason, actor, transfer
    )
    if is_new:
        audit_write(
            actor=actor,
            action="coins.reversal",
            subject=transfer,
            after={"reversal": reversal.key},
            reason=reason,
            book=transfer.book,
        )
        _tell(reversal)
    return reversal


def _tell(transfer: Transfer) -> None:
    """Tell the holders of the wallets of a transfer that operators made."""
    for posting in transfer.postings.filter(account__kind=Account.Kind.WALLET).select_related("account__holder"):
        assert posting.account.holder is not None
        notice_write(
            users=[posting.account.holder],
            kind=Notice.Kind.COINS,
            book=transfer.book,
            cause=f"transfer:{transfer.pk}",
            data={"kind": transfer.kind, "coins": posting.amount, "reason": transfer.reason},
        )


def _require_amount(amount: int) -> None:
    if type(amount) is not int or not 1 <= amount <= MOST_AT_ONCE:
        raise Refused(
            "bad_amount", _("数额须为 1 到 %(most)s 的整数。") % {"most": f"{MOST_AT_ONCE:,}"}, field="amount"
        )


def _require_key(key: str) -> None:
    if not 1 <= len(key) <= 80 or not key.isprintable():
        raise Refused("bad_key", _("业务编号须为 1 到 80 个可见字符。"), field="key")


def require_reason(reason: str) -> str:
    """A reason as it is kept: one to 200 characters. Raises `Refused("reason_required")`."""
    reason = reason.strip()
    if not reason or len(reason) > 200 or "\x00" in reason:
        raise Refused("reason_required", _("请写明事由（最多 200 字）。"), field="reason")
    return reason


# --- Reading -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Balances:
    """What a book comes to (coins): `issued` is what came from the issue account and has not gone back to it."""

    issued: int
    wallets: int
    rake: int
    held: int

    @property
    def are_even(self) -> bool:
        """Whether all that was issued is somewhere."""
        return self.issued == self.wallets + self.rake + self.held


def balances(book: Book) -> Balances:
    """What the accounts of a book come to now. That every posting is right, `ledger_check` proves."""
    sums = dict(Account.objects.filter(book=book).order_by().values_list("kind").annotate(Sum("balance")))
    issued, wallets, rake, held = (
        sums.get(kind, 0) for kind in (Account.Kind.ISSUE, Account.Kind.WALLET, Account.Kind.RAKE, Account.Kind.HELD)
    )
    return Balances(-issued, wallets, rake, held)


@dataclass(frozen=True, slots=True)
class Statement:
    """A wallet's lines of a period, newest first, between the balance before and the balance after it (coins)."""

    opening: int
    lines: list[Posting]
    closing: int


def statement(*, wallet: Account, since: datetime | None = None, until: datetime | None = None) -> Statement:
    """The statement of a wallet from `since` (included) to `until` (excluded)."""
    lines = list(statement_lines(wallet, since, until))
    if lines:
        return Statement(lines[-1].balance_after - lines[-1].amount, lines, lines[0].balance_after)
    balance = balance_at(wallet, since)
    return Statement(balance, [], balance)


def balance_at(wallet: Account, moment: datetime | None) -> int:
    """What was in a wallet before a moment; before all of them nothing."""
    before = wallet.postings.filter(transfer__created_at__lt=moment).first() if moment else None
    return before.balance_after if before else 0


def statement_lines(wallet: Account, since: datetime | None = None, until: datetime | None = None) -> QuerySet[Posting]:
    """A wallet's postings of a period with their transfers, newest first."""
    lines = wallet.postings.select_related("transfer__actor").order_by("-id")
    if since is not None:
        lines = lines.filter(transfer__created_at__gte=since)
    if until is not None:
        lines = lines.filter(transfer__created_at__lt=until)
    return lines


def hand_key(hand_id: int) -> str:
    """The key of a hand's settlement; other transfers for the hand have keys that go on after a colon."""
    return f"hand:{hand_id}"


def hand_of(key: str) -> int | None:
    """The hand that a key belongs to: 17 of "hand:17" and of "hand:17:held:2"."""
    kind, _colon, rest = key.partition(":")
    return int(rest.split(":")[0]) if kind == "hand" else None


def ledger_check(book: Book | None = None) -> list[str]:
    """Prove a book, or all of them: one line for each fault, none if all is well.

    Transfers have postings that add up to zero, all of them in the transfer's book; a reversal is the contrary of what
    it reverses; each line of an account shows the sum of those up to it, and the balance is the sum of all; only issue
    accounts are below zero.
    """
    accounts = Account.objects.order_by("pk")
    postings = Posting.objects.order_by("pk")
    transfers = Transfer.objects.order_by("pk")
    if book is not None:
        accounts, transfers = accounts.filter(book=book), transfers.filter(book=book)
        postings = postings.filter(Q(account__book=book) | Q(transfer__book=book))
    faults: list[str] = []
    balances: dict[int, int] = defaultdict(int)
    totals: dict[int, int] = defaultdict(int)
    of_transfers: dict[int, dict[int, int]] = defaultdict(dict)
    rows = postings.values_list(
        "pk", "transfer", "account", "amount", "balance_after", "account__book", "transfer__book"
    )
    for pk, transfer, account, amount, after, book_id, transfer_book_id in rows.iterator():
        balances[account] += amount
        totals[transfer] += amount
        of_transfers[transfer][account] = amount
        if balances[account] != after:
            faults.append(f"posting {pk}: the balance after it is {after}, the postings come to {balances[account]}")
        if book_id != transfer_book_id:
            faults.append(f"posting {pk}: its account is of book {book_id}, its transfer of book {transfer_book_id}")
    for pk, key, reverses in transfers.values_list("pk", "key", "reverses"):
        if pk not in of_transfers:
            faults.append(f"transfer {pk} ({key}): it has no postings")
        elif totals[pk] != 0:
            faults.append(f"transfer {pk} ({key}): its postings add up to {totals[pk]}")
        if reverses and of_transfers[pk] != {each: -amount for each, amount in of_transfers[reverses].items()}:
            faults.append(f"transfer {pk} ({key}): it is not the contrary of transfer {reverses}")
    for pk, kind, balance in accounts.values_list("pk", "kind", "balance"):
        if balance != balances[pk]:
            faults.append(f"account {pk}: its balance is {balance}, its postings come to {balances[pk]}")
        if balance < 0 and kind != Account.Kind.ISSUE:
            faults.append(f"account {pk}: below zero ({balance})")
    return faults
