"""From what to what something was changed, in words: for the audit log, a room's history, the difference of two versions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import Model
from django.utils.translation import gettext as _

from accounts.audit import VALUES
from accounts.models import AuditEntry


@dataclass(frozen=True)
class Change:
    """A value that differs, by its name; before or after there may have been none."""

    name: str
    before: str
    after: str


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """What differs between two states, whose values have the names that people know."""
    return [
        Change(name, plain_words(before.get(name)), plain_words(after.get(name)))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    ]


def entry_changes(entry: AuditEntry) -> list[Change]:
    """What an entry of the audit log tells of."""
    # A room's terms are a model of their own.
    models = [model for model in apps.get_models() if str(model._meta.model_name).startswith(entry.subject_type)]
    return changes(labelled(entry.before, *models), labelled(entry.after, *models))


def labelled(values: Mapping[str, Any], *models: type[Model]) -> dict[str, Any]:
    """The values of an audit entry with the labels of the models' fields for their names, and in the words of their choices."""
    fields = {field.name: field for model in reversed(models) for field in model._meta.fields}
    shown = {}
    for name, value in values.items():
        field = fields.get(name)
        choices = dict(field.flatchoices) if field is not None else {}
        label = str(field.verbose_name) if field is not None else _value_name(name)
        shown[label] = str(choices[value]) if isinstance(value, str) and value in choices else value
    return shown


def _value_name(name: str) -> str:
    """What a value of an audit entry is called that is no field: one of `accounts.audit`, or the level of a title."""
    return _("第 %(level)s 级") % {"level": name} if name.isdigit() else str(VALUES.get(name, name))


def plain_words(value: Any) -> str:
    """A value as people read it."""
    match value:
        case None | "":
            return "—"
        case bool():
            return _("是") if value else _("否")
        case int():
            return f"{value:,}"
        case dict():
            return _("、").join(f"{name} {plain_words(inner)}" for name, inner in value.items()) or "—"
        case list():
            return _("、").join(plain_words(inner) for inner in value) or "—"
    return str(value)
