"""A book with an operator and two wallets of 1,000 coins."""

from collections.abc import Callable

import pytest

from accounts import ledger
from accounts.models import Account, Book, User

Wallets = list[Account]


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_user("operator", display_name="掌柜")


@pytest.fixture
def book(db: None) -> Book:
    return ledger.book_open(name="锦里麻将社")


@pytest.fixture
def open_wallet(operator: User) -> Callable[[Book, str, int], Account]:
    """Opens a wallet with some coins in it."""

    def opened(book: Book, holder: str, coins: int) -> Account:
        wallet = ledger.wallet_open(book=book, holder=User.objects.create_user(holder))
        ledger.coins_issue(wallet=wallet, amount=coins, reason="开张", actor=operator, key=f"open:{holder}")
        return wallet

    return opened


@pytest.fixture
def wallets(book: Book, open_wallet: Callable[[Book, str, int], Account]) -> Wallets:
    return [open_wallet(book, holder, 1_000) for holder in ("anna", "bao")]
