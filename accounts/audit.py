"""Audit entries: who changed what, from what to what, and why. Written in the transaction of the change."""

from collections.abc import Mapping
from typing import Any

from django.db import models, transaction

from accounts.models import AuditEntry, Book, User


def audit_write(
    *,
    actor: User | None,
    action: str,
    subject: models.Model,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str = "",
    book: Book | None = None,
) -> AuditEntry:
    """Keep a change of `subject`: the changed values before and after. `book` is the book of the club concerned."""
    assert transaction.get_connection().in_atomic_block, "an audit entry belongs to the transaction of its change"
    return AuditEntry.objects.create(
        actor=actor,
        action=action,
        subject_type=subject._meta.model_name or "",
        subject_id=str(subject.pk),
        before=dict(before or {}),
        after=dict(after or {}),
        reason=reason,
        book=book,
    )


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Only what differs between two states: (before, after)."""
    keys = [key for key in after if before.get(key) != after[key]]
    return {key: before.get(key) for key in keys}, {key: after[key] for key in keys}
