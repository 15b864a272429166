"""The API's routes about clubs: me, members and their coins, titles, rooms, ledger and statement.

A club's objects exist for its active members alone. What only operators may see or do is refused to members with
`not_an_operator` (403); for everybody else the club is not there (404).
"""

from typing import Any, ClassVar

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import (
    IDEMPOTENCY_PARAMETER,
    ApiView,
    DetailView,
    IdFilter,
    ListView,
    MomentFilter,
    OrderView,
    StatementLine,
    StrictSerializer,
    Text,
    TimeFilters,
    TransferShape,
    WholeNumber,
    choice_filter,
    idempotency_key,
)
from accounts.errors import Refused
from accounts.ledger import MOST_AT_ONCE
from accounts.models import Posting, Transfer, User
from clubs.clubs import MOST_WELCOME_COINS, club_change
from clubs.members import member_coins_issue, member_coins_withdraw, members_found, named
from clubs.models import Club, Membership, Room, RoomTerms, Title
from clubs.roles import is_operator, require_operator
from clubs.rooms import preset_name, ruleset_of, unit_coins
from clubs.titles import title_names

OPERATORS_ONLY = {"403": "For operators of the club only (`not_an_operator`)."}


# --- Shapes --------------------------------------------------------------------------------------------------------
class ClubShape(serializers.Serializer[Club]):
    slug = serializers.CharField()
    name = serializers.CharField()


class ClubDetail(ClubShape):
    """What its operators can change."""

    time_zone = serializers.CharField(help_text="Where its days begin, by its name in the tz database: Asia/Shanghai.")
    needs_approval = serializers.BooleanField(help_text="An operator decides who is let in.")
    welcome_coins = serializers.IntegerField(help_text="That everybody gets who joins.")


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


class TitleShape(serializers.Serializer[Title]):
    level = serializers.IntegerField()
    name = serializers.CharField()
    threshold = serializers.IntegerField(
        allow_null=True, help_text="Points from which the title is held; null for level 1."
    )


class TermsShape(serializers.Serializer[RoomTerms]):
    version = serializers.IntegerField()
    preset = serializers.CharField()
    label = serializers.SerializerMethodField(help_text="Name of the preset in the language of the request.")  # type: ignore[assignment]
    options = serializers.DictField(help_text="Options that differ from the preset's.")
    coefficient = serializers.IntegerField(help_text="Coins a point.")
    rake = serializers.IntegerField(help_text="Coins a seat and hand.")
    base_points = serializers.SerializerMethodField(help_text="Points a unit.")
    unit_coins = serializers.SerializerMethodField(help_text="Coins a unit: base_points × coefficient.")
    entry_minimum = serializers.IntegerField(help_text="Coins needed to sit down.")
    turn_seconds = serializers.IntegerField()
    claim_seconds = serializers.IntegerField()
    void_seconds = serializers.IntegerField()
    reserve_seconds = serializers.IntegerField(help_text="That a seat may take beyond its limits within one hand.")
    pacing = serializers.CharField(help_text="quick, blind or instant.")
    waits_shown = serializers.BooleanField(
        help_text="Whether a seat is shown what it waits for, and what after each discard."
    )
    bots_allowed = serializers.BooleanField()
    watching = serializers.CharField(
        help_text="off, seconds (members see it `watch_delay` later) or hands (once over)."
    )
    watch_delay = serializers.IntegerField(help_text="Seconds.")
    created_at = serializers.DateTimeField()

    def get_label(self, terms: RoomTerms) -> str:
        return preset_name(terms.preset)

    def get_base_points(self, terms: RoomTerms) -> int:
        return ruleset_of(terms).base_points

    def get_unit_coins(self, terms: RoomTerms) -> int:
        return unit_coins(terms)


class RoomShape(serializers.Serializer[Room]):
    id = serializers.CharField(source="pk")
    club = ClubShape()
    name = serializers.CharField()
    is_open = serializers.BooleanField()
    terms = TermsShape(help_text="The terms that the next hand is dealt under.")


class RoomName(serializers.Serializer[Any]):
    id = serializers.CharField(source="pk")
    name = serializers.CharField()


class RoomWithVersions(RoomShape):
    versions = TermsShape(many=True, help_text="All terms that the room has had, newest first.")


class CoinsRequest(StrictSerializer):
    kind = serializers.ChoiceField(["issue", "withdraw"])
    amount = WholeNumber(min_value=1, max_value=MOST_AT_ONCE)
    reason = Text(max_length=200)


class ClubOrder(StrictSerializer):
    name = Text(max_length=40, required=False)
    time_zone = Text(max_length=40, required=False)
    needs_approval = serializers.BooleanField(required=False)
    welcome_coins = WholeNumber(min_value=0, max_value=MOST_WELCOME_COINS, required=False)


# --- Scope ---------------------------------------------------------------------------------------------------------
def clubs_of(user: User) -> QuerySet[Club]:
    """The clubs that exist for a user: where the membership is active."""
    return Club.objects.filter(memberships__user=user, memberships__status=Membership.Status.ACTIVE)


class ClubView(ApiView):
    """A route below one club. `operators_only` routes are refused to its members."""

    operators_only = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.club = get_object_or_404(clubs_of(self.person()), slug=kwargs["slug"])
        if self.operators_only:
            require_operator(user=self.person(), club=self.club)


# --- Routes --------------------------------------------------------------------------------------------------------
class MeView(ApiView):
    queryset = User.objects.none()
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


class ClubsView(ListView):
    """The clubs where my membership is active."""

    queryset = Club.objects.none()
    summary = "My clubs"
    serializer_class = ClubShape

    def get_queryset(self) -> QuerySet[Club]:
        return clubs_of(self.person())


class ClubDetailView(ClubView):
    queryset = Club.objects.none()
    summary = "A club"
    serializer_class = ClubDetail
    pagination_class = None

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Its name, time zone, and how one joins."""
        return Response(self.get_serializer(self.club).data)


class ClubChangeView(ClubView, OrderView):
    queryset = Club.objects.none()
    summary = "Change a club"
    serializer_class = ClubOrder
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {"400": "A field is unknown or wrong, there is no such zone (`bad_time_zone`), or no such name (`bad_name`)."}
    )

    @extend_schema(
        responses=ClubDetail,
        examples=[OpenApiExample("zone", value={"time_zone": "Europe/Lisbon"}, request_only=True)],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators; what is left out stays as it is. A new time zone holds from the next hand on: hands of before stay in
        their days until the site's operators sort them anew."""
        return Response(ClubDetail(club_change(club=self.club, actor=self.person(), **self.order())).data)


class MemberFilters(filters.FilterSet):
    q = filters.CharFilter(method="with_words", help_text="Part of a name, or of the name that somebody signs in by.")
    role = choice_filter(Membership.Role.values)
    status = choice_filter(Membership.Status.values)

    def with_words(self, members: QuerySet[Membership], name: str, value: str) -> QuerySet[Membership]:
        return members.filter(named(value))


class MembersView(ClubView, ListView):
    queryset = Membership.objects.none()
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


class MemberCoinsView(ClubView, OrderView):
    queryset = Membership.objects.none()
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


class TitlesView(ClubView, ListView):
    """All of them at once, level 1 first."""

    queryset = Title.objects.none()
    summary = "The 22 titles of a club"
    serializer_class = TitleShape
    pagination_class = None

    @extend_schema(
        responses=inline_serializer("Titles", {"results": TitleShape(many=True)}),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Title]:
        return Title.objects.filter(club=self.club).order_by("level")


def rooms() -> QuerySet[Room]:
    return Room.objects.select_related("club", "terms")


class ClubRoomsView(ClubView, ListView):
    """Open and closed rooms with their present terms."""

    queryset = Room.objects.none()
    summary = "Rooms of a club"
    serializer_class = RoomShape

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club=self.club)


class RoomFilters(filters.FilterSet):
    club = filters.CharFilter("club__slug", help_text="Slug of a club.")


class RoomsView(ListView):
    """Rooms of all clubs where I am an active member, with their present terms."""

    queryset = Room.objects.none()
    summary = "Rooms of my clubs"
    serializer_class = RoomShape
    filterset_class = RoomFilters

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club__in=clubs_of(self.person()))


class RoomView(DetailView):
    """A hand keeps the terms that it was dealt under; a change makes a new version."""

    queryset = Room.objects.none()
    summary = "A room with all versions of its terms"
    serializer_class = RoomWithVersions

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club__in=clubs_of(self.person())).prefetch_related("versions")


# --- Coins ---------------------------------------------------------------------------------------------------------
class TransferFilters(TimeFilters):
    member = IdFilter("postings__account__membership", help_text="Id of a member of the club.")
    kind = choice_filter(Transfer.Kind.values)


def transfers() -> QuerySet[Transfer]:
    return Transfer.objects.select_related("actor").prefetch_related("postings__account__holder")


class ClubLedgerView(ClubView, ListView):
    """For operators: every transfer with its postings, newest first."""

    queryset = Transfer.objects.none()
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

    queryset = Posting.objects.none()
    summary = "My coins, line by line"
    serializer_class = StatementLine
    filterset_class = StatementFilters

    def get_queryset(self) -> QuerySet[Posting]:
        mine = Posting.objects.filter(account__holder=self.person(), account__book__club__in=clubs_of(self.person()))
        return mine.select_related("transfer", "account__book__club")
