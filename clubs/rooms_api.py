"""The API's routes that make and change rooms, for operators."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import OrderView, StrictSerializer, Text, WholeNumber
from clubs.api import OPERATORS_ONLY, ClubView, RoomShape, clubs_of, rooms
from clubs.models import Room, RoomTerms
from clubs.rooms import room_change, room_create

INVALID = {"400": "A field is unknown or wrong, or the terms are (`invalid_terms`, with the errors by field)."}


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
    queryset = Room.objects.none()
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
    queryset = Room.objects.none()
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
