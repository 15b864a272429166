"""The admin of the audit log."""

from django.apps import apps
from django.contrib import admin
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from accounts.admin.desk import (
    ReadOnlyAdmin,
    changes_text,
    labelled,
)
from accounts.models import AuditEntry


@admin.register(AuditEntry)
class AuditAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "actor", "action", "subject", "book", "shown_changes", "reason")
    list_filter = ("book", "action", "subject_type", ("created_at", RangeDateTimeFilter))
    list_select_related = ("actor", "book")
    list_display_links = ("created_at",)
    search_fields = ("=subject_id", "actor__username", "reason")
    fields = ("created_at", "actor", "action", "subject", "book", "shown_changes", "reason")
    readonly_fields = ("subject", "shown_changes")
    show_full_result_count = False

    @display(description=gettext_lazy("对象"))  # type: ignore[untyped-decorator]
    def subject(self, entry: AuditEntry) -> str:
        return f"{entry.subject_type} #{entry.subject_id}"

    @display(description=gettext_lazy("从什么改为什么"))  # type: ignore[untyped-decorator]
    def shown_changes(self, entry: AuditEntry) -> str:
        # A room's terms are a model of their own.
        models = [model for model in apps.get_models() if str(model._meta.model_name).startswith(entry.subject_type)]
        return changes_text(labelled(entry.before, *models), labelled(entry.after, *models))
