"""The admin of the audit log."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import RangeDateTimeFilter

from accounts.admin.desk import ReadOnlyAdmin, changes_text, column
from accounts.audit import ACTIONS
from accounts.changes import entry_changes
from accounts.models import AuditEntry


class ActionFilter(admin.SimpleListFilter):
    title = gettext_lazy("操作")
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(action, str(words)) for action, words in ACTIONS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        return queryset.filter(action=self.value()) if self.value() else queryset


@admin.register(AuditEntry)
class AuditAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "actor", "shown_action", "subject", "book", "shown_changes", "reason")
    list_filter = ("book", ActionFilter, ("created_at", RangeDateTimeFilter))
    list_select_related = ("actor", "book")
    list_display_links = ("created_at",)
    search_fields = ("=subject_id", "actor__username", "reason")
    fields = ("created_at", "actor", "shown_action", "subject", "book", "shown_changes", "reason")
    readonly_fields = ("shown_action", "subject", "shown_changes")
    show_full_result_count = False

    @column(description=gettext_lazy("对象"))
    def subject(self, entry: AuditEntry) -> str:
        names = {model._meta.model_name: model._meta.verbose_name for model in apps.get_models()}
        return f"{names.get(entry.subject_type, entry.subject_type)} #{entry.subject_id}"

    @column(description=gettext_lazy("操作"), ordering="action")
    def shown_action(self, entry: AuditEntry) -> str:
        return str(ACTIONS.get(entry.action, entry.action))

    @column(description=gettext_lazy("从什么改为什么"))
    def shown_changes(self, entry: AuditEntry) -> str:
        return changes_text(entry_changes(entry))
