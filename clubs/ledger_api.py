"""The API's routes about the ledger: a club's, with its balances and reversals, and one's own statement."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import IdFilter, ListView, MomentFilter, OrderView, StrictSerializer, Text, TimeFilters, choice_filter
from accounts.ledger import Balances, balances
from accounts.models import Posting, Transfer
from clubs.api import OPERATORS_ONLY, ClubView, clubs_of
from clubs.coins_api import TransferShape, hand_id, transfers
from clubs.members import club_transfer_reverse


# --- A club's ------------------------------------------------------------------------------------------------------
class TransferFilters(TimeFilters):
    member = IdFilter("postings__account__membership", help_text="Id of a member of the club.")
    kind = choice_filter(Transfer.Kind.values)


class ClubLedgerView(ClubView, ListView):
    """For operators: every transfer with its postings, newest first."""

    summary = "The ledger of a club"
    serializer_class = TransferShape
    filterset_class = TransferFilters
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY

    def get_queryset(self) -> QuerySet[Transfer]:
        return transfers().filter(book=self.club.book_id)


class BalancesShape(serializers.Serializer[Balances]):
    issued = serializers.IntegerField(help_text="Coins that were issued and not taken back.")
    wallets = serializers.IntegerField(help_text="In all members' wallets.")
    rake = serializers.IntegerField()
    held = serializers.IntegerField(help_text="Of players who left a running hand.")
    are_even = serializers.BooleanField(help_text="Whether `issued` is the sum of the others.")


class BalancesView(ClubView):
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
    summary = "Take a transfer back by its contrary"
    serializer_class = ReversalOrder
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {
            "409": "It is a reversal itself or held for a hand (`not_reversible`), or somebody has too few coins "
            "(`insufficient_coins`)."
        }
    )

    def get_queryset(self) -> QuerySet[Transfer]:
        return transfers().select_related("book").filter(book=self.club.book_id)

    @extend_schema(responses=TransferShape)
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. Answers with the reversal; asking again gets the same one."""
        made = club_transfer_reverse(transfer=self.get_object(), actor=self.person(), **self.order())
        return Response(TransferShape(self.get_queryset().get(pk=made.pk)).data)


# --- Mine ----------------------------------------------------------------------------------------------------------
class StatementLine(serializers.Serializer[Posting]):
    id = serializers.CharField(source="pk")
    club = serializers.CharField(source="account.book.club.slug")
    kind = serializers.CharField(source="transfer.kind", help_text="issue, withdraw, hand, hold or reversal.")
    reason = serializers.CharField(source="transfer.reason")
    hand = serializers.SerializerMethodField(help_text="Id of the hand that it belongs to, or null.")
    amount = serializers.IntegerField(help_text="Coins gained (positive) or lost (negative).")
    balance_after = serializers.IntegerField()
    created_at = serializers.DateTimeField(source="transfer.created_at")

    def get_hand(self, posting: Posting) -> str | None:
        return hand_id(posting.transfer)


class StatementFilters(TimeFilters):
    club = filters.CharFilter("account__book__club__slug", help_text="Slug of a club.")
    kind = choice_filter(Transfer.Kind.values, field_name="transfer__kind")
    since = MomentFilter("transfer__created_at", "gte", help_text="RFC 3339; this moment or later.")
    until = MomentFilter("transfer__created_at", "lt", help_text="RFC 3339; before this moment.")


class StatementView(ListView):
    """What came into and went out of my own wallets, newest first."""

    summary = "My coins, line by line"
    serializer_class = StatementLine
    filterset_class = StatementFilters

    def get_queryset(self) -> QuerySet[Posting]:
        mine = Posting.objects.filter(account__holder=self.person(), account__book__club__in=clubs_of(self.person()))
        return mine.select_related("transfer", "account__book__club")
