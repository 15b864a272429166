"""The API's routes about what a club keeps: its titles, the ledger's balances and reversals, the audit log. For operators."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import (
    ListView,
    OrderView,
    Person,
    StrictSerializer,
    Text,
    TimeFilters,
    TransferShape,
    WholeNumber,
    choice_filter,
)
from accounts.audit import ACTIONS
from accounts.ledger import Balances, balances
from accounts.models import AuditEntry, Transfer
from clubs.api import OPERATORS_ONLY, ClubView, TitleShape, transfers
from clubs.members import club_transfer_reverse
from clubs.models import Title
from clubs.titles import LEVELS, titles_change


# --- Titles --------------------------------------------------------------------------------------------------------
class TitleOrder(StrictSerializer):
    level = WholeNumber(min_value=1, max_value=LEVELS)
    name = Text(max_length=12, required=False)
    threshold = WholeNumber(required=False, help_text="Not for level 1, which is open below.")


class TitlesOrder(StrictSerializer):
    titles = TitleOrder(many=True, help_text="What is left out stays as it is.")
    reason = Text(max_length=200)


class TitlesChangeView(ClubView, OrderView):
    queryset = Title.objects.none()
    summary = "Change the titles of a club"
    serializer_class = TitlesOrder
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {"400": "A field is wrong (`bad_titles`), or the thresholds do not rise (`thresholds_not_rising`)."}
    )

    @extend_schema(
        responses=TitleShape(many=True),
        examples=[
            OpenApiExample(
                "level 2", value={"titles": [{"level": 2, "threshold": 6}], "reason": "胡一次就升"}, request_only=True
            )
        ],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. Members are put on their new levels at once."""
        order = self.order()
        titles_change(
            club=self.club,
            actor=self.person(),
            thresholds={each["level"]: each["threshold"] for each in order["titles"] if "threshold" in each},
            names={each["level"]: each["name"] for each in order["titles"] if "name" in each},
            reason=order["reason"],
        )
        ladder: Any = self.club.titles.order_by("level")
        return Response(TitleShape(ladder, many=True).data)


# --- The ledger ----------------------------------------------------------------------------------------------------
class BalancesShape(serializers.Serializer[Balances]):
    issued = serializers.IntegerField(help_text="Coins that were issued and not taken back.")
    wallets = serializers.IntegerField(help_text="In all members' wallets.")
    rake = serializers.IntegerField()
    held = serializers.IntegerField(help_text="Of players who left a running hand.")
    are_even = serializers.BooleanField(help_text="Whether `issued` is the sum of the others.")


class BalancesView(ClubView):
    queryset = Transfer.objects.none()
    summary = "What a club's book comes to"
    serializer_class = BalancesShape
    pagination_class = None
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators."""
        return Response(BalancesShape(balances(self.club.book)).data)


class ReversalOrder(StrictSerializer):
    reason = Text(max_length=200, help_text="The members concerned are told it.")


class TransferReverseView(ClubView, OrderView):
    queryset = Transfer.objects.none()
    summary = "Take a transfer back by its contrary"
    serializer_class = ReversalOrder
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {"409": "It is a reversal itself (`not_reversible`), or somebody has too few coins (`insufficient_coins`)."}
    )

    def get_queryset(self) -> QuerySet[Transfer]:
        return transfers().select_related("book").filter(book=self.club.book_id)

    @extend_schema(responses=TransferShape)
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. Answers with the reversal; asking again gets the same one."""
        made = club_transfer_reverse(transfer=self.get_object(), actor=self.person(), **self.order())
        return Response(TransferShape(self.get_queryset().get(pk=made.pk)).data)


# --- The audit log -------------------------------------------------------------------------------------------------
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

    queryset = AuditEntry.objects.none()
    summary = "The audit log of a club"
    serializer_class = AuditShape
    filterset_class = AuditFilters
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY

    def get_queryset(self) -> QuerySet[AuditEntry]:
        return AuditEntry.objects.filter(book=self.club.book_id).select_related("actor")
