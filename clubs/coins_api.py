"""The API's routes about coins: issuing and withdrawing them, the ledger of a club, one's own statement."""

import re
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import (
    IdFilter,
    ListView,
    MomentFilter,
    OrderView,
    Person,
    StrictSerializer,
    Text,
    TimeFilters,
    WholeNumber,
    choice_filter,
)
from accounts.errors import Refused
from accounts.ledger import MOST_AT_ONCE, hand_of
from accounts.models import Account, Posting, Transfer
from clubs.api import OPERATORS_ONLY, ClubView, clubs_of
from clubs.members import member_coins_issue, member_coins_withdraw
from clubs.models import Membership

IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,50}")


class AccountShape(serializers.Serializer[Account]):
    kind = serializers.CharField(help_text="issue, rake, held or wallet.")
    holder = Person(allow_null=True, help_text="Whose wallet; null for an account of the house.")


class PostingShape(serializers.Serializer[Posting]):
    account = AccountShape()
    amount = serializers.IntegerField(help_text="Coins into (positive) or out of (negative) the account.")
    balance_after = serializers.IntegerField(help_text="Coins in the account after this line.")


class TransferShape(serializers.Serializer[Transfer]):
    id = serializers.CharField(source="pk")
    kind = serializers.CharField(help_text="issue, withdraw, hand, hold or reversal.")
    reason = serializers.CharField()
    actor = Person(allow_null=True, help_text="Who did it; null for the program.")
    hand = serializers.SerializerMethodField(help_text="Id of the hand that it belongs to, or null.")
    reverses = serializers.CharField(
        source="reverses_id", allow_null=True, help_text="Id of the transfer that it takes back, or null."
    )
    created_at = serializers.DateTimeField()
    postings = PostingShape(many=True, help_text="They add up to 0.")

    def get_hand(self, transfer: Transfer) -> str | None:
        return _hand_id(transfer)


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
        return _hand_id(posting.transfer)


def _hand_id(transfer: Transfer) -> str | None:
    hand = hand_of(transfer.key)
    return None if hand is None else str(hand)


def idempotency_key(request: Request) -> str:
    """The key of a coin write, bound to who sends it: 1 to 50 visible ASCII characters in the header Idempotency-Key."""
    sent = request.headers.get("Idempotency-Key", "")
    if not sent:
        raise Refused("idempotency_key_required", _("此操作需要 Idempotency-Key 请求头。"))
    if not IDEMPOTENCY_KEY.fullmatch(sent):
        raise Refused("idempotency_key_invalid", _("Idempotency-Key 应为 1 到 50 个可见 ASCII 字符。"))
    return f"api:{request.user.pk}:{sent}"


class CoinsRequest(StrictSerializer):
    kind = serializers.ChoiceField(["issue", "withdraw"])
    amount = WholeNumber(min_value=1, max_value=MOST_AT_ONCE)
    reason = Text(max_length=200)


class MemberCoinsView(ClubView, OrderView):
    summary = "Issue coins to a member, or withdraw them"
    serializer_class = CoinsRequest
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {
            "409": "The member has fewer coins (`insufficient_coins`).",
            "422": "The Idempotency-Key was used with another body (`key_reused`).",
        }
    )

    def get_queryset(self) -> QuerySet[Membership]:
        return Membership.objects.filter(club=self.club).select_related("club", "wallet", "user")

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "Idempotency-Key",
                str,
                OpenApiParameter.HEADER,
                required=True,
                description="1 to 50 visible ASCII characters. A repeat with the same body gets the first answer and "
                "`Idempotent-Replayed: true`, and no coin moves twice.",
            )
        ],
        responses={201: TransferShape},
        examples=[
            OpenApiExample("issue", value={"kind": "issue", "amount": 20000, "reason": "周赛奖励"}, request_only=True),
            OpenApiExample(
                "transfer",
                value={
                    "id": "311",
                    "kind": "issue",
                    "reason": "周赛奖励",
                    "actor": {"id": "2", "name": "掌柜"},
                    "hand": None,
                    "reverses": None,
                    "created_at": "2026-11-30T09:12:00Z",
                    "postings": [
                        {"account": {"kind": "issue", "holder": None}, "amount": -20000, "balance_after": -920000},
                        {
                            "account": {"kind": "wallet", "holder": {"id": "7", "name": "老张"}},
                            "amount": 20000,
                            "balance_after": 120000,
                        },
                    ],
                },
                response_only=True,
                status_codes=["201"],
            ),
        ],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. The coins come from and go back to the club's issue account; the reason is kept for good."""
        membership = self.get_object()
        key = idempotency_key(request)
        order = self.order()
        is_repeat = Transfer.objects.filter(key=key).exists()
        move = member_coins_issue if order["kind"] == "issue" else member_coins_withdraw
        try:
            transfer = move(
                membership=membership,
                amount=order["amount"],
                reason=order["reason"],
                actor=self.person(),
                key=key,
            )
        except Refused as refused:
            if refused.code == "key_reused":
                refused.status = 422
            raise
        if (transfer.kind, transfer.reason) != (order["kind"], order["reason"]):
            raise Refused("key_reused", _("这个 Idempotency-Key 已用于另一笔操作。"), status=422)
        transfer = transfers().get(pk=transfer.pk)
        headers = {"Idempotent-Replayed": "true"} if is_repeat else None
        return Response(TransferShape(transfer).data, status=201, headers=headers)


class TransferFilters(TimeFilters):
    member = IdFilter("postings__account__membership", help_text="Id of a member of the club.")
    kind = choice_filter(Transfer.Kind.values)


def transfers() -> QuerySet[Transfer]:
    return Transfer.objects.select_related("actor").prefetch_related("postings__account__holder")


class ClubLedgerView(ClubView, ListView):
    """For operators: every transfer with its postings, newest first."""

    summary = "The ledger of a club"
    serializer_class = TransferShape
    filterset_class = TransferFilters
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY

    def get_queryset(self) -> QuerySet[Transfer]:
        return transfers().filter(book=self.club.book_id)


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
