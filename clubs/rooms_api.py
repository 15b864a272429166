"""The API's routes about rooms and their terms."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import DetailView, ListView, OrderView, StrictSerializer, Text, WholeNumber
from clubs.api import OPERATORS_ONLY, ClubShape, ClubView, clubs_of
from clubs.models import Room, RoomTerms
from clubs.rooms import preset_name, room_change, room_create, ruleset_of, unit_coins

INVALID = {"400": "A field is unknown or wrong, or the terms are (`invalid_terms`, with the errors by field)."}


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


def rooms() -> QuerySet[Room]:
    return Room.objects.select_related("club", "terms")


class ClubRoomsView(ClubView, ListView):
    """Open and closed rooms with their present terms."""

    summary = "Rooms of a club"
    serializer_class = RoomShape

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club=self.club)


class RoomFilters(filters.FilterSet):
    club = filters.CharFilter("club__slug", help_text="Slug of a club.")


class RoomsView(ListView):
    """Rooms of all clubs where I am an active member, with their present terms."""

    summary = "Rooms of my clubs"
    serializer_class = RoomShape
    filterset_class = RoomFilters

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club__in=clubs_of(self.person()))


class RoomView(DetailView):
    """A hand keeps the terms that it was dealt under; a change makes a new version."""

    summary = "A room with all versions of its terms"
    serializer_class = RoomWithVersions

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club__in=clubs_of(self.person())).prefetch_related("versions")


# --- For operators -------------------------------------------------------------------------------------------------
class TermsOrder(StrictSerializer):
    """Terms; what is left out stays as it is, in a new room as the preset and the defaults have it."""

    preset = Text(max_length=24, required=False)
    options = serializers.DictField(required=False, help_text="All that differ from the preset's.")
    coefficient = WholeNumber(min_value=0, required=False)
    rake = WholeNumber(min_value=0, required=False)
    entry_minimum = WholeNumber(min_value=0, required=False)
    turn_seconds = WholeNumber(min_value=0, required=False)
    claim_seconds = WholeNumber(min_value=0, required=False)
    void_seconds = WholeNumber(min_value=0, required=False)
    reserve_seconds = WholeNumber(min_value=0, required=False)
    pacing = serializers.ChoiceField(RoomTerms.Pacing.values, required=False)
    waits_shown = serializers.BooleanField(required=False)
    bots_allowed = serializers.BooleanField(required=False)
    watching = serializers.ChoiceField(RoomTerms.Watching.values, required=False)
    watch_delay = WholeNumber(min_value=0, required=False)


class RoomOrder(StrictSerializer):
    name = Text(max_length=24)
    terms = TermsOrder(help_text="`preset` is needed.")


class RoomChangeOrder(StrictSerializer):
    name = Text(max_length=24, required=False)
    is_open = serializers.BooleanField(required=False, help_text="false: nobody sits down or starts a hand any more.")
    terms = TermsOrder(required=False, help_text="What differs; makes a new version, from the next hand on.")
    reason = Text(max_length=200, required=False, allow_blank=True)


class RoomCreateView(ClubView, OrderView):
    summary = "Open a new room"
    serializer_class = RoomOrder
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY | OrderView.problems | INVALID | {"409": "Another room has that name (`name_taken`)."}
    )

    @extend_schema(
        responses={201: RoomShape},
        examples=[
            OpenApiExample(
                "room",
                value={"name": "望江厅", "terms": {"preset": "qq_dingque", "coefficient": 200, "rake": 400}},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators."""
        order = self.order()
        made = room_create(club=self.club, name=order["name"], actor=self.person(), **order["terms"])
        return Response(RoomShape(rooms().get(pk=made.pk)).data, status=201)


class RoomChangeView(OrderView):
    summary = "Change a room"
    serializer_class = RoomChangeOrder
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | INVALID
        | {"409": "Nothing would be changed (`nothing_changed`), or another room has that name (`name_taken`)."}
    )

    def get_queryset(self) -> QuerySet[Room]:
        """All of one's clubs: who runs none of them is refused, not told that there is no room."""
        return rooms().select_related("club__book").filter(club__in=clubs_of(self.person()))

    @extend_schema(
        responses=RoomShape,
        examples=[
            OpenApiExample("dearer", value={"terms": {"rake": 500}, "reason": "夜场"}, request_only=True),
            OpenApiExample("close", value={"is_open": False}, request_only=True),
        ],
    )
    def post(self, request: Request, id: str) -> Response:
        """For operators. Running hands are played out under the terms that they were dealt under."""
        room = self.get_object()
        room_change(room=room, actor=self.person(), **self.order())
        return Response(RoomShape(rooms().get(pk=room.pk)).data)
