"""The API's routes about clubs, and what all routes of a club share.

A club's objects exist for its active members alone. What only operators may see or do is refused to members with
`not_an_operator` (403); for everybody else the club is not there (404).
"""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import (
    ApiView,
    ListView,
    OrderView,
    StrictSerializer,
    Text,
    WholeNumber,
)
from accounts.models import User
from clubs.clubs import MOST_WELCOME_COINS, club_change
from clubs.models import Club, Membership
from clubs.roles import require_operator

OPERATORS_ONLY = {"403": "For operators of the club only (`not_an_operator`)."}


class ClubShape(serializers.Serializer[Club]):
    slug = serializers.CharField()
    name = serializers.CharField()


class ClubDetail(ClubShape):
    """What its operators can change."""

    time_zone = serializers.CharField(help_text="Where its days begin, by its name in the tz database: Asia/Shanghai.")
    needs_approval = serializers.BooleanField(help_text="An operator decides who is let in.")
    welcome_coins = serializers.IntegerField(help_text="That everybody gets who joins.")


class ClubOrder(StrictSerializer):
    name = Text(max_length=40, required=False)
    time_zone = Text(max_length=40, required=False)
    needs_approval = serializers.BooleanField(required=False)
    welcome_coins = WholeNumber(min_value=0, max_value=MOST_WELCOME_COINS, required=False)


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


class ClubsView(ListView):
    """The clubs where my membership is active."""

    summary = "My clubs"
    serializer_class = ClubShape

    def get_queryset(self) -> QuerySet[Club]:
        return clubs_of(self.person())


class ClubDetailView(ClubView):
    summary = "A club"
    serializer_class = ClubDetail
    pagination_class = None

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Its name, time zone, and how one joins."""
        return Response(self.get_serializer(self.club).data)


class ClubChangeView(ClubView, OrderView):
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
