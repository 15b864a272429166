"""The API's routes about members: who I am, the members of a club; for its operators suspension and roles."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import Prefetch, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import (
    ApiView,
    DetailView,
    ListView,
    OrderView,
    StrictSerializer,
    Text,
    choice_filter,
)
from accounts.models import User
from clubs.api import OPERATORS_ONLY, ClubShape, ClubView
from clubs.members import (
    member_ban,
    member_role_change,
    member_unban,
    members_found,
    named,
)
from clubs.models import Membership
from clubs.roles import is_operator
from clubs.titles import title_names


class MembershipShape(serializers.Serializer[Membership]):
    """A member as every member of the club sees one."""

    id = serializers.CharField(source="pk")
    name = serializers.CharField(source="user.name")
    role = serializers.CharField(help_text="member or operator.")
    level = serializers.IntegerField(help_text="1 to 22.")
    title = serializers.SerializerMethodField()
    points = serializers.IntegerField(help_text="Level points, may be negative.")
    joined_at = serializers.DateTimeField()

    def get_title(self, membership: Membership) -> str:
        return title_names(membership.club).get(membership.level, "")


class MemberForOperators(MembershipShape):
    """A member as the club's operators see one."""

    status = serializers.CharField(help_text="active, banned or left.")
    coins = serializers.IntegerField(source="wallet.balance")


class MyMembership(MembershipShape):
    club = ClubShape()
    status = serializers.CharField(help_text="active, banned or left.")
    coins = serializers.IntegerField(source="wallet.balance")


class Me(serializers.Serializer[User]):
    id = serializers.CharField(source="pk")
    username = serializers.CharField()
    name = serializers.CharField()
    language = serializers.CharField(help_text="zh-hans, en, or empty: as the client asks for.")
    memberships = MyMembership(many=True)


class MeView(ApiView):
    summary = "Who I am and in which clubs"
    serializer_class = Me
    pagination_class = None

    @extend_schema(
        examples=[
            OpenApiExample(
                "me",
                value={
                    "id": "7",
                    "username": "laozhang",
                    "name": "老张",
                    "language": "zh-hans",
                    "memberships": [
                        {
                            "id": "12",
                            "name": "老张",
                            "role": "member",
                            "level": 3,
                            "title": "秀才",
                            "points": 1280,
                            "joined_at": "2026-11-01T08:00:00Z",
                            "club": {"slug": "jinjiang", "name": "锦江麻将社"},
                            "status": "active",
                            "coins": 100000,
                        }
                    ],
                },
                response_only=True,
            )
        ],
    )
    def get(self, request: Request) -> Response:
        """Every membership, a banned one too, with its coins, points and title."""
        return Response(self.get_serializer(self.get_queryset().get(pk=self.person().pk)).data)

    def get_queryset(self) -> QuerySet[User]:
        mine = Membership.objects.select_related("user", "club", "wallet").prefetch_related("club__titles")
        return User.objects.filter(pk=self.person().pk).prefetch_related(Prefetch("memberships", mine.order_by("pk")))


class MemberFilters(filters.FilterSet):
    q = filters.CharFilter(method="with_words", help_text="Part of a name, or of the name that somebody signs in by.")
    role = choice_filter(Membership.Role.values)
    status = choice_filter(Membership.Status.values)

    def with_words(self, members: QuerySet[Membership], name: str, value: str) -> QuerySet[Membership]:
        return members.filter(named(value))


class MembersView(ClubView, ListView):
    summary = "Members of a club"
    serializer_class = MembershipShape
    filterset_class = MemberFilters

    @extend_schema(
        responses=inline_serializer(
            "MembersPage",
            {
                "results": MemberForOperators(
                    many=True, help_text="`coins` and `status` are there for operators only."
                ),
                "next_cursor": serializers.CharField(allow_null=True),
            },
        ),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Members see names and titles of active members; operators see everybody, with coins and status."""
        return super().get(request, *args, **kwargs)

    def is_operator(self) -> bool:
        if not hasattr(self, "_is_operator"):
            self._is_operator = is_operator(user=self.person(), club=self.club)
        return self._is_operator

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Any]]:
        return MemberForOperators if self.is_operator() else MembershipShape

    def get_queryset(self) -> QuerySet[Membership]:
        members = members_found(club=self.club)
        if not self.is_operator():
            members = members.filter(status=Membership.Status.ACTIVE)
        return members.prefetch_related("club__titles")


# --- For operators -------------------------------------------------------------------------------------------------
class WhyOrder(StrictSerializer):
    reason = Text(max_length=200, help_text="Kept in the audit log.")


class RoleOrder(WhyOrder):
    role = serializers.ChoiceField(Membership.Role.values)


class _MembersOfClub(ClubView):
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
