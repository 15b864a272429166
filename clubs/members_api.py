"""The API's routes about a club's members, for its operators: one of them, suspension, roles, coins for several."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import (
    IDEMPOTENCY_PARAMETER,
    DetailView,
    OrderView,
    StrictSerializer,
    Text,
    WholeNumber,
    idempotency_key,
)
from accounts.errors import Refused
from accounts.ledger import MOST_AT_ONCE
from accounts.models import Transfer
from clubs.api import OPERATORS_ONLY, ClubView, MemberForOperators
from clubs.members import (
    MOST_MEMBERS,
    member_ban,
    member_role_change,
    member_unban,
    members_coins_move,
    members_found,
)
from clubs.models import Membership


class WhyOrder(StrictSerializer):
    reason = Text(max_length=200, help_text="Kept in the audit log.")


class RoleOrder(WhyOrder):
    role = serializers.ChoiceField(Membership.Role.values)


class SeveralCoinsOrder(StrictSerializer):
    kind = serializers.ChoiceField(["issue", "withdraw"])
    members = serializers.ListField(child=Text(max_length=18), min_length=1, max_length=MOST_MEMBERS)
    amount = WholeNumber(min_value=1, max_value=MOST_AT_ONCE, help_text="For each of them.")
    reason = Text(max_length=200)


class _MembersOfClub(ClubView):
    queryset = Membership.objects.none()
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY

    def get_queryset(self) -> QuerySet[Membership]:
        return members_found(club=self.club).prefetch_related("club__titles")


class MemberView(_MembersOfClub, DetailView):
    """For operators; somebody who has left is there too."""

    summary = "A member of a club"
    serializer_class = MemberForOperators


class _ChangeView(_MembersOfClub, OrderView):
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {"409": "It is one's own membership (`own_membership`), or somebody who has left (`not_a_member`)."}
    )
    change: Callable[..., None]

    @extend_schema(responses={200: MemberForOperators})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators; not for oneself. What is so already stays."""
        member = self.get_object()
        type(self).change(membership=member, actor=self.person(), **self.order())
        return Response(MemberForOperators(self.get_queryset().get(pk=member.pk)).data)


class MemberBanView(_ChangeView):
    summary = "Suspend a member"
    serializer_class = WhyOrder
    change = staticmethod(member_ban)


class MemberUnbanView(_ChangeView):
    summary = "Lift a member's suspension"
    serializer_class = WhyOrder
    change = staticmethod(member_unban)


class MemberRoleView(_ChangeView):
    summary = "Make a member an operator, or the other way round"
    serializer_class = RoleOrder
    change = staticmethod(member_role_change)


class MembersCoinsView(_MembersOfClub, OrderView):
    summary = "Issue coins to several members, or withdraw them"
    serializer_class = SeveralCoinsOrder
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {
            "409": "A member has fewer coins (`insufficient_coins`).",
            "422": "The Idempotency-Key was used with another body (`key_reused`).",
        }
    )

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
        ids = {int(pk) for pk in order["members"] if pk.isdecimal()}
        members = list(self.get_queryset().filter(pk__in=ids))
        if len(members) != len(set(order["members"])):
            raise Refused("unknown_member", _("成员里有不是本社的。"), field="members")
        try:
            is_repeat = members_coins_move(
                members=members,
                kind=Transfer.Kind(order["kind"]),
                amount=order["amount"],
                reason=order["reason"],
                actor=self.person(),
                order=key,
            )
        except Refused as refused:
            if refused.code == "key_reused":
                refused.status = 422
            raise
        headers = {"Idempotent-Replayed": "true"} if is_repeat else None
        told = {"members": len(members), "coins": order["amount"] * len(members)}
        return Response(told, status=201, headers=headers)
