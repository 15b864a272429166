"""What the database itself promises of the ledger, whoever writes and by whatever route.

- Transfers, postings and audit entries are only ever added (`accounts.append_only`).
- A posting moves the balance of its account, in the same statement; nothing else does. Its account is of the transfer's
  book, its `balance_after` is what the balance becomes, and its id is higher than those before it on the account: so
  the balance is the sum of the postings, and each statement line shows the balance of its moment.
- An account never changes its book, kind or holder.
- At COMMIT the postings of every transfer add up to zero, and there are some. PostgreSQL checks this with deferred
  constraint triggers, for the old and the new transfer of a posting. SQLite has none, but its foreign keys can be
  deferred: a transfer whose sum is not zero has a row in `accounts_unbalanced`, which refers to a row that never is.

Debts are refused by the constraint `no_debt`. Every refusal is an IntegrityError.
"""

from django.db import migrations

from accounts.append_only import append_only, triggers

INSTALL = {
    "postgresql": [
        """
        CREATE FUNCTION accounts_posting_apply() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            account accounts_account;
        BEGIN
            SELECT * INTO account FROM accounts_account WHERE id = NEW.account_id FOR NO KEY UPDATE;
            IF account.book_id IS DISTINCT FROM (SELECT book_id FROM accounts_transfer WHERE id = NEW.transfer_id) THEN
                RAISE EXCEPTION 'ledger: account % is not of the book of transfer %', NEW.account_id, NEW.transfer_id
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            IF account.balance + NEW.amount <> NEW.balance_after THEN
                RAISE EXCEPTION 'ledger: balance_after % of account % is not % %', NEW.balance_after, NEW.account_id,
                    account.balance, to_char(NEW.amount, 'SG9999999999999999') USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            IF EXISTS (SELECT 1 FROM accounts_posting WHERE account_id = NEW.account_id AND id > NEW.id) THEN
                RAISE EXCEPTION 'ledger: posting % is older than the last of account %', NEW.id, NEW.account_id
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            UPDATE accounts_account SET balance = NEW.balance_after WHERE id = NEW.account_id;
            RETURN NEW;
        END $$
        """,
        """
        CREATE TRIGGER accounts_posting_apply BEFORE INSERT ON accounts_posting
        FOR EACH ROW EXECUTE FUNCTION accounts_posting_apply()
        """,
        """
        CREATE FUNCTION accounts_account_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'ledger: book, kind and holder of account % are fixed', OLD.id
                USING ERRCODE = 'integrity_constraint_violation';
        END $$
        """,
        """
        CREATE TRIGGER accounts_account_fixed BEFORE UPDATE ON accounts_account FOR EACH ROW
        WHEN ((OLD.id, OLD.book_id, OLD.kind, OLD.holder_id) IS DISTINCT FROM (NEW.id, NEW.book_id, NEW.kind, NEW.holder_id))
        EXECUTE FUNCTION accounts_account_fixed()
        """,
        # The balance of an account is balance_after of its last posting, which by induction is the sum of all.
        """
        CREATE FUNCTION accounts_account_balance() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF EXISTS (
                SELECT 1 FROM accounts_account WHERE id = NEW.id AND balance <> COALESCE(
                    (SELECT balance_after FROM accounts_posting WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1), 0)
            ) THEN
                RAISE EXCEPTION 'ledger: the balance of account % is not the sum of its postings', NEW.id
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE CONSTRAINT TRIGGER accounts_account_balance AFTER INSERT OR UPDATE ON accounts_account
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION accounts_account_balance()
        """,
        """
        CREATE FUNCTION accounts_transfer_require_zero(transfer bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF (SELECT sum(amount) FROM accounts_posting WHERE transfer_id = transfer) IS DISTINCT FROM 0
                AND EXISTS (SELECT 1 FROM accounts_transfer WHERE id = transfer) THEN
                RAISE EXCEPTION 'ledger: the postings of transfer % do not add up to zero', transfer
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
        END $$
        """,
        """
        CREATE FUNCTION accounts_transfer_zero() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM accounts_transfer_require_zero(NEW.id);
            RETURN NULL;
        END $$
        """,
        """
        CREATE CONSTRAINT TRIGGER accounts_transfer_zero AFTER INSERT ON accounts_transfer
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION accounts_transfer_zero()
        """,
        """
        CREATE FUNCTION accounts_posting_zero() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP <> 'INSERT' THEN
                PERFORM accounts_transfer_require_zero(OLD.transfer_id);
            END IF;
            IF TG_OP <> 'DELETE' THEN
                PERFORM accounts_transfer_require_zero(NEW.transfer_id);
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE CONSTRAINT TRIGGER accounts_posting_zero AFTER INSERT OR UPDATE OR DELETE ON accounts_posting
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION accounts_posting_zero()
        """,
    ],
    "sqlite": [
        """
        CREATE TABLE accounts_unbalanced (
            transfer_id integer PRIMARY KEY, total integer NOT NULL,
            never integer NOT NULL DEFAULT -1 CHECK (never = -1)
                REFERENCES accounts_transfer (id) DEFERRABLE INITIALLY DEFERRED
        )
        """,
        # Two statements, so that a transfer of no postings keeps its row.
        """
        CREATE TRIGGER accounts_transfer_zero AFTER INSERT ON accounts_transfer BEGIN
            SELECT RAISE(ABORT, 'ledger: a transfer has a positive id') WHERE NEW.id <= 0;
            INSERT INTO accounts_unbalanced (transfer_id, total) VALUES (NEW.id, 0);
        END
        """,
        """
        CREATE TRIGGER accounts_posting_zero AFTER INSERT ON accounts_posting BEGIN
            INSERT INTO accounts_unbalanced (transfer_id, total) VALUES (NEW.transfer_id, NEW.amount)
                ON CONFLICT (transfer_id) DO UPDATE SET total = total + NEW.amount;
            DELETE FROM accounts_unbalanced WHERE transfer_id = NEW.transfer_id AND total = 0;
        END
        """,
        """
        CREATE TRIGGER accounts_posting_apply AFTER INSERT ON accounts_posting BEGIN
            SELECT RAISE(ABORT, 'ledger: the account is not of the book of the transfer')
                WHERE (SELECT book_id FROM accounts_account WHERE id = NEW.account_id)
                    IS NOT (SELECT book_id FROM accounts_transfer WHERE id = NEW.transfer_id);
            SELECT RAISE(ABORT, 'ledger: balance_after is not the balance and the amount')
                WHERE (SELECT balance FROM accounts_account WHERE id = NEW.account_id) + NEW.amount <> NEW.balance_after;
            SELECT RAISE(ABORT, 'ledger: a posting is newer than those before it on its account')
                WHERE EXISTS (SELECT 1 FROM accounts_posting WHERE account_id = NEW.account_id AND id > NEW.id);
            UPDATE accounts_account SET balance = NEW.balance_after WHERE id = NEW.account_id;
        END
        """,
        """
        CREATE TRIGGER accounts_account_fixed BEFORE UPDATE ON accounts_account
        WHEN (OLD.id, OLD.book_id, OLD.kind, OLD.holder_id) IS NOT (NEW.id, NEW.book_id, NEW.kind, NEW.holder_id)
        BEGIN SELECT RAISE(ABORT, 'ledger: book, kind and holder of an account are fixed'); END
        """,
        """
        CREATE TRIGGER accounts_account_balance BEFORE UPDATE ON accounts_account
        WHEN NEW.balance <> COALESCE(
            (SELECT balance_after FROM accounts_posting WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1), 0)
        BEGIN SELECT RAISE(ABORT, 'ledger: the balance of an account is the sum of its postings'); END
        """,
        """
        CREATE TRIGGER accounts_account_balance_new AFTER INSERT ON accounts_account
        WHEN NEW.balance <> 0 OR EXISTS (SELECT 1 FROM accounts_posting WHERE account_id = NEW.id)
        BEGIN SELECT RAISE(ABORT, 'ledger: a new account is empty'); END
        """,
    ],
}
REMOVE = {
    "postgresql": [
        "DROP TRIGGER accounts_posting_zero ON accounts_posting",
        "DROP TRIGGER accounts_transfer_zero ON accounts_transfer",
        "DROP TRIGGER accounts_account_balance ON accounts_account",
        "DROP TRIGGER accounts_account_fixed ON accounts_account",
        "DROP TRIGGER accounts_posting_apply ON accounts_posting",
        "DROP FUNCTION accounts_posting_zero()",
        "DROP FUNCTION accounts_transfer_zero()",
        "DROP FUNCTION accounts_transfer_require_zero(bigint)",
        "DROP FUNCTION accounts_account_balance()",
        "DROP FUNCTION accounts_account_fixed()",
        "DROP FUNCTION accounts_posting_apply()",
    ],
    "sqlite": [
        "DROP TRIGGER accounts_account_balance_new",
        "DROP TRIGGER accounts_account_balance",
        "DROP TRIGGER accounts_account_fixed",
        "DROP TRIGGER accounts_posting_apply",
        "DROP TRIGGER accounts_posting_zero",
        "DROP TRIGGER accounts_transfer_zero",
        "DROP TABLE accounts_unbalanced",
    ],
}


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [
        append_only("accounts", "Transfer", "Posting", "AuditEntry"),
        triggers(INSTALL, REMOVE),
    ]
