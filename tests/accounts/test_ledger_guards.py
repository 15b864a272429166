"""What the database itself refuses, whoever writes: raw SQL, the ORM and its bulk routes."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.db.migrations.executor import MigrationExecutor

from accounts import ledger
from accounts.audit import audit_write
from accounts.models import Account, AuditEntry, Book, Posting, Transfer, User
from clubs.models import LevelChange, RoomTerms
from games.models import Action, Payment, Win

HAND: Final = Transfer.Kind.HAND
APPEND_ONLY: Final = (Transfer, Posting, AuditEntry, RoomTerms, LevelChange, Action, Win, Payment)


def sql(statement: str, *values: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def refused(write: Callable[[], object]) -> None:
    """A write that the database refuses, at the latest when the transaction is committed."""

    @transaction.atomic
    def committed() -> None:
        write()
        commit_checks()

    with pytest.raises(IntegrityError):
        committed()


def commit_checks() -> None:
    """What a COMMIT checks, now: Django's own at the end of a test, and it leaves the transaction as it is."""
    connection.check_constraints()


def write(key: str, book: Book, *lines: tuple[Account, int], wrong_by: int = 0) -> None:
    """A transfer past the posting function."""
    transfer = Transfer.objects.create(book=book, key=key, kind=HAND)
    Posting.objects.bulk_create(
        Posting(
            transfer=transfer,
            account=account,
            amount=amount,
            balance_after=Account.objects.get(pk=account.pk).balance + amount + wrong_by,
        )
        for account, amount in lines
    )


# --- Append-only ---------------------------------------------------------------------------------------------------
def installed() -> set[str]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'O'")
        return {name for (name,) in cursor.fetchall()}


@pytest.mark.django_db
def test_every_guard_is_in_place() -> None:
    """A migration that alters a guarded table on SQLite makes it anew, without its triggers."""
    ends = ("_update", "_delete", "_replace") if connection.vendor == "sqlite" else ("",)
    guards = {f"{model._meta.db_table}_append_only{end}" for model in APPEND_ONLY for end in ends}
    guards |= {"accounts_posting_apply", "accounts_posting_zero", "accounts_transfer_zero"}
    guards |= {"accounts_account_fixed", "accounts_account_balance"}
    assert guards <= installed()


@pytest.fixture
def rows(book: Book, wallets: list[Account], operator: User) -> list[models.Model]:
    """A row of each guarded table of this application."""
    anna, bao = wallets
    transfer = ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -5, bao.pk: 5})
    with transaction.atomic():
        entry = audit_write(actor=operator, action="club.changed", subject=book)
    return [transfer, transfer.postings.get(account=anna), entry]


ROUTES: Final[dict[str, Callable[[Any], object]]] = {
    "save": lambda row: row.save(),
    "update": lambda row: type(row).objects.filter(pk=row.pk).update(id=row.pk),
    "update of all": lambda row: type(row).objects.update(id=models.F("id")),
    "bulk_update": lambda row: type(row).objects.bulk_update([row], [row._meta.fields[1].name]),
    "upsert": lambda row: type(row).objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["id"], update_fields=[row._meta.fields[1].name]
    ),
    "delete": lambda row: row.delete(),
    "delete in bulk": lambda row: type(row).objects.filter(pk=row.pk).delete(),
    "raw delete": lambda row: type(row).objects.filter(pk=row.pk)._raw_delete("default"),
    "SQL update": lambda row: sql(f"UPDATE {row._meta.db_table} SET id = id WHERE id = %s", row.pk),
    "SQL delete": lambda row: sql(f"DELETE FROM {row._meta.db_table} WHERE id = %s", row.pk),
    "SQL delete of all": lambda row: sql(f"DELETE FROM {row._meta.db_table}"),
    "SQL upsert": lambda row: sql(
        f"INSERT INTO {row._meta.db_table} SELECT * FROM {row._meta.db_table} WHERE id = %s "
        "ON CONFLICT (id) DO UPDATE SET id = excluded.id",
        row.pk,
    ),
}


@pytest.mark.parametrize("route", ROUTES)
def test_what_is_written_is_neither_changed_nor_removed(rows: list[models.Model], route: str) -> None:
    for row in rows:
        before = list(type(row)._default_manager.order_by("pk").values())
        with pytest.raises((IntegrityError, models.ProtectedError)), transaction.atomic():
            ROUTES[route](row)
        assert list(type(row)._default_manager.order_by("pk").values()) == before


def test_what_is_written_is_not_replaced(rows: list[models.Model]) -> None:
    """INSERT OR REPLACE of SQLite deletes rows without telling triggers on deletion."""
    if connection.vendor != "sqlite":
        pytest.skip("a word of SQLite")
    transfer, posting, entry = rows
    columns = {
        "accounts_transfer": "book_id, key, kind, reason, created_at",
        "accounts_posting": "transfer_id, account_id, amount, balance_after",
    }
    for row in (transfer, posting):
        table = row._meta.db_table
        for written in ("*", columns[table]):  # by its id, by its other unique key
            into = table if written == "*" else f"{table} ({written})"
            again = f"REPLACE INTO {into} SELECT {written} FROM {table} WHERE id = %s"
            refused(lambda row=row, again=again: sql(again, row.pk))  # type: ignore[misc]
    refused(lambda: sql("REPLACE INTO accounts_auditentry SELECT * FROM accounts_auditentry WHERE id = %s", entry.pk))
    assert AuditEntry.objects.filter(pk=entry.pk).exists()


@pytest.mark.postgres
@pytest.mark.parametrize("model", APPEND_ONLY)
@pytest.mark.django_db
def test_nothing_is_truncated(model: type[models.Model]) -> None:
    refused(lambda: sql(f"TRUNCATE {model._meta.db_table} CASCADE"))


# --- The ledger ----------------------------------------------------------------------------------------------------
def test_the_balance_follows_a_posting_by_any_route(book: Book, wallets: list[Account]) -> None:
    anna, bao = wallets
    write("sound", book, (anna, -5), (bao, 5))
    commit_checks()
    assert [Account.objects.get(pk=wallet.pk).balance for wallet in wallets] == [995, 1_005]
    assert ledger.ledger_check() == []


def test_sums_that_are_not_zero_are_refused_at_commit(book: Book, wallets: list[Account]) -> None:
    anna, bao = wallets
    refused(lambda: write("one leg", book, (anna, -5)))
    refused(lambda: write("short", book, (anna, -5), (bao, 4)))
    refused(lambda: write("empty", book))
    sound = Transfer.objects.get(key="open:anna")
    issue = ledger.house_account(book, Account.Kind.ISSUE)
    assert sound.postings.filter(account=issue).exists()
    line = {"transfer": sound, "account": bao, "amount": 5, "balance_after": 1_005}
    refused(lambda: Posting.objects.create(**line))
    assert ledger.ledger_check() == []


@pytest.mark.django_db(transaction=True)
def test_a_real_commit_refuses_a_sum_that_is_not_zero(book: Book, wallets: list[Account]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        write("one leg", book, (wallets[0], -5))
    assert not Transfer.objects.filter(key="one leg").exists()
    with transaction.atomic():
        write("sound", book, (wallets[0], -5), (wallets[1], 5))
    assert Transfer.objects.filter(key="sound").exists()


@pytest.mark.postgres
def test_a_posting_moved_to_another_transfer_leaves_the_old_one_unsound(book: Book, wallets: list[Account]) -> None:
    """The sums hold even where somebody has taken the append-only guard away."""
    anna, bao = wallets
    old = ledger.post(book=book, key="hand:7", kind=HAND, lines={anna.pk: -5, bao.pk: 5})
    rake = ledger.house_account(book, Account.Kind.RAKE)
    commit_checks()
    sql("ALTER TABLE accounts_posting DISABLE TRIGGER accounts_posting_append_only")

    def move() -> None:
        new = Transfer.objects.create(book=book, key="new", kind=HAND)
        Posting.objects.create(transfer=new, account=rake, amount=5, balance_after=5)
        old.postings.filter(account=anna).update(transfer=new)

    refused(move)
    refused(lambda: old.postings.filter(account=anna).delete())
    refused(lambda: old.postings.filter(account=anna).update(amount=-6))


def test_an_account_of_another_book_is_refused(
    book: Book, wallets: list[Account], open_wallet: Callable[[Book, str, int], Account]
) -> None:
    chen = open_wallet(ledger.book_open(name="别处"), "chen", 50)
    refused(lambda: write("two books", book, (wallets[0], -5), (chen, 5)))


def test_a_line_shows_the_balance_after_it(book: Book, wallets: list[Account]) -> None:
    anna, bao = wallets
    refused(lambda: write("wrong", book, (anna, -5), (bao, 5), wrong_by=1))


def test_a_posting_is_not_slipped_in_before_others(book: Book, wallets: list[Account]) -> None:
    anna, _bao = wallets
    transfer = Transfer.objects.create(book=book, key="early", kind=HAND)
    refused(lambda: Posting.objects.create(pk=-1, transfer=transfer, account=anna, amount=5, balance_after=1_005))
    with pytest.raises(IntegrityError):
        commit_checks()
    transaction.set_rollback(True)


def test_debts_and_lines_of_nothing_are_refused(book: Book, wallets: list[Account]) -> None:
    anna, bao = wallets
    refused(lambda: write("debt", book, (anna, -1_001), (bao, 1_001)))
    refused(lambda: write("nothing", book, (anna, 0), (bao, 0)))


@pytest.mark.parametrize(
    "change",
    [{"balance": 1_001}, {"balance": 0}, {"kind": "rake", "holder": None}, {"book": 2}, {"holder": 2}],
)
def test_only_postings_move_a_balance_and_an_account_stays_whose_it_is(
    wallets: list[Account], operator: User, change: dict[str, Any]
) -> None:
    change = dict(change)
    if "book" in change:
        change["book"] = ledger.book_open(name="别处")
    if change.get("holder") == 2:
        change["holder"] = operator
    refused(lambda: Account.objects.filter(pk=wallets[0].pk).update(**change))
    refused(lambda: Account.objects.bulk_update([_with(wallets[0], change)], list(change)))


def _with(account: Account, change: dict[str, Any]) -> Account:
    account = Account.objects.get(pk=account.pk)
    for field, value in change.items():
        setattr(account, field, value)
    return account


def test_a_new_account_is_empty(book: Book, operator: User) -> None:
    refused(lambda: Account.objects.create(book=book, kind=Account.Kind.WALLET, holder=operator, balance=5))


def test_an_account_with_postings_stays(wallets: list[Account]) -> None:
    refused(lambda: sql("DELETE FROM accounts_account WHERE id = %s", wallets[0].pk))


@pytest.mark.django_db(transaction=True)
def test_the_guards_can_be_taken_back_and_put_again() -> None:
    before = installed()
    MigrationExecutor(connection).migrate([("accounts", "0001_initial")])
    try:
        assert not {name for name in installed() if name.startswith("accounts_")}
    finally:
        MigrationExecutor(connection).migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())
    assert installed() == before
