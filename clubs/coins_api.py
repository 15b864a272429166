"""The API's routes about coins that operators issue and withdraw."""

import re
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import OrderView, Person, StrictSerializer, Text, WholeNumber
from accounts.errors import Refused
from accounts.ledger import MOST_AT_ONCE, hand_of
from accounts.models import Account, Posting, Transfer
from accounts.paging import ids_of
from clubs.api import OPERATORS_ONLY, ClubView
from clubs.members import MOST_MEMBERS, member_coins_issue, member_coins_withdraw, members_coins_move, members_found
from clubs.models import Membership

IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,50}")
IDEMPOTENCY_PARAMETER = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description="1 to 50 visible ASCII characters. A repeat with the same body gets the first answer and "
    "`Idempotent-Replayed: true`, and no coin moves twice.",
)


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
        return hand_id(transfer)


def hand_id(transfer: Transfer) -> str | None:
    hand = hand_of(transfer.key)
    return None if hand is None else str(hand)


def transfers() -> QuerySet[Transfer]:
    return Transfer.objects.select_related("actor").prefetch_related("postings__account__holder")


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
        parameters=[IDEMPOTENCY_PARAMETER],
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
        made = move(membership=membership, amount=order["amount"], reason=order["reason"], actor=self.person(), key=key)
        headers = {"Idempotent-Replayed": "true"} if is_repeat else None
        return Response(TransferShape(transfers().get(pk=made.pk)).data, status=201, headers=headers)


class SeveralCoinsOrder(StrictSerializer):
    kind = serializers.ChoiceField(["issue", "withdraw"])
    members = serializers.ListField(child=Text(max_length=18), min_length=1, max_length=MOST_MEMBERS)
    amount = WholeNumber(min_value=1, max_value=MOST_AT_ONCE, help_text="For each of them.")
    reason = Text(max_length=200)


class MembersCoinsView(ClubView, OrderView):
    summary = "Issue coins to several members, or withdraw them"
    serializer_class = SeveralCoinsOrder
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {
            "409": "A member has fewer coins (`insufficient_coins`).",
            "422": "The Idempotency-Key was used with another body (`key_reused`).",
        }
    )

    def get_queryset(self) -> QuerySet[Membership]:
        return members_found(club=self.club)

    @extend_schema(
        parameters=[IDEMPOTENCY_PARAMETER],
        responses={
            201: inline_serializer(
                "SeveralCoins",
                {"members": serializers.IntegerField(), "coins": serializers.IntegerField(help_text="In all.")},
            )
        },
        examples=[
            OpenApiExample(
                "prizes",
                value={"kind": "issue", "members": ["12", "15"], "amount": 20000, "reason": "周赛奖励"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators: each the same amount, all or none."""
        key, order = idempotency_key(request), self.order()
        members = list(self.get_queryset().filter(pk__in=ids_of(order["members"])))
        if len(members) != len(set(order["members"])):
            raise Refused("unknown_member", _("成员里有不是本社的。"), field="members")
        is_repeat = members_coins_move(
            members=members,
            kind=Transfer.Kind(order["kind"]),
            amount=order["amount"],
            reason=order["reason"],
            actor=self.person(),
            order=key,
        )
        headers = {"Idempotent-Replayed": "true"} if is_repeat else None
        told = {"members": len(members), "coins": order["amount"] * len(members)}
        return Response(told, status=201, headers=headers)
