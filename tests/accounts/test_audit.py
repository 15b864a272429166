import pytest
from django.db import transaction

from accounts.audit import audit_write, changed
from accounts.models import AuditEntry, Book, User


def test_an_entry_says_who_changed_what_and_why(book: Book, operator: User) -> None:
    audit_write(
        actor=operator,
        action="club.changed",
        subject=book,
        before={"name": "a"},
        after={"name": "b"},
        reason="x",
        book=book,
    )
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.reason, entry.book) == (operator, "club.changed", "x", book)
    assert (entry.subject_type, entry.subject_id) == ("book", str(book.pk))
    assert (entry.before, entry.after) == ({"name": "a"}, {"name": "b"})


def test_only_what_differs_is_kept() -> None:
    assert changed({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": None, "d": 4}) == ({"b": 2, "d": None}, {"b": 3, "d": 4})


@pytest.mark.django_db(transaction=True)
def test_an_entry_goes_with_its_change(book: Book, operator: User) -> None:
    with pytest.raises(AssertionError):
        audit_write(actor=operator, action="club.changed", subject=book)
    with transaction.atomic():
        audit_write(actor=operator, action="club.changed", subject=book)
        transaction.set_rollback(True)
    assert not AuditEntry.objects.exists()


def test_an_action_without_words_is_a_mistake_of_ours(book: Book, operator: User) -> None:
    with transaction.atomic(), pytest.raises(AssertionError, match="no words"):
        audit_write(actor=operator, action="book.eaten", subject=book)
