"""The API's route about what was done in a club, for its operators."""

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api import ListView, Person, TimeFilters, choice_filter
from accounts.audit import ACTIONS
from accounts.models import AuditEntry
from clubs.api import OPERATORS_ONLY, ClubView


class AuditShape(serializers.Serializer[AuditEntry]):
    id = serializers.CharField(source="pk")
    actor = Person(allow_null=True, help_text="Null: the program.")
    action = serializers.CharField(help_text="room.terms_changed, for one.")
    words = serializers.SerializerMethodField(help_text="The action in the language of the request.")
    subject_type = serializers.CharField()
    subject_id = serializers.CharField()
    before = serializers.DictField(help_text="The values that were changed, as they were.")
    after = serializers.DictField()
    reason = serializers.CharField()
    created_at = serializers.DateTimeField()

    def get_words(self, entry: AuditEntry) -> str:
        return str(ACTIONS.get(entry.action, entry.action))


class AuditFilters(TimeFilters):
    action = choice_filter(list(ACTIONS))


class AuditView(ClubView, ListView):
    """For operators: who did what in the club, newest first."""

    summary = "The audit log of a club"
    serializer_class = AuditShape
    filterset_class = AuditFilters
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY

    def get_queryset(self) -> QuerySet[AuditEntry]:
        return AuditEntry.objects.filter(book=self.club.book_id).select_related("actor")
