"""The API's routes about the line for a seat in a room (排队): to stand in it, to look, to take the seat that is kept."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ApiView, OrderView, StrictSerializer
from clubs.api import clubs_of
from clubs.models import Membership, Room
from clubs.rooms_api import RoomName
from games.models import Seat, Waiting
from games.seating import line_length, place_in_line, waiting_accept, waiting_join, waiting_leave

EXAMPLE = OpenApiExample(
    "offered",
    value={
        "line": {
            "club": "jinli",
            "room": {"id": "3", "name": "锦江厅"},
            "state": "offered",
            "place": None,
            "length": 5,
            "table": {"id": "118", "number": 2},
            "offered_until": "2026-11-30T12:08:45Z",
            "joined_at": "2026-11-30T11:59:02Z",
        }
    },
    response_only=True,
)


# --- Shapes --------------------------------------------------------------------------------------------------------
class TableName(serializers.Serializer[Any]):
    id = serializers.CharField(source="pk")
    number = serializers.IntegerField()


class LineShape(serializers.Serializer[Waiting]):
    club = serializers.CharField(source="room.club.slug")
    room = RoomName()
    state = serializers.CharField(
        help_text="waiting; offered: a seat is kept for me until `offered_until`; lapsed: one was, and I did not come."
    )
    place = serializers.SerializerMethodField(help_text="1: the next seat is mine. Null unless `waiting`.")
    length = serializers.SerializerMethodField(help_text="How many stand in the line, with me.")
    table = TableName(allow_null=True, help_text="Where the seat is kept, or null.")
    offered_until = serializers.DateTimeField(allow_null=True)
    joined_at = serializers.DateTimeField()

    def get_place(self, own: Waiting) -> int | None:
        return place_in_line(own) if own.state == "waiting" else None

    def get_length(self, own: Waiting) -> int:
        return line_length(own.room)


Line = inline_serializer("Line", {"line": LineShape(allow_null=True, help_text="Null: I stand in none.")})


class SeatTaken(serializers.Serializer[Seat]):
    table = TableName()
    seat = serializers.IntegerField(source="number", help_text="0 to 3, in playing order.")


# --- Routes --------------------------------------------------------------------------------------------------------
def line_of(view: ApiView) -> Response:
    """A person's place in a line, as the database has it."""
    mine = Waiting.objects.filter(user=view.person(), membership__status=Membership.Status.ACTIVE)
    own = mine.select_related("room__club", "table").first()
    return Response({"line": LineShape(own).data if own else None})


class LineView(ApiView):
    summary = "My place in a line"
    pagination_class = None

    @extend_schema(responses=Line, examples=[EXAMPLE])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One stands in one line, whatever the club. Whoever is offered a seat is told by a notice (`seat`), too."""
        return line_of(self)


class LineJoinView(OrderView):
    summary = "Stand in the line of a room"
    serializer_class = StrictSerializer
    problems: ClassVar = OrderView.problems | {
        "409": "The room is closed (`room_closed`), I lack the coins (`entry_minimum`), sit at a table (`seated_elsewhere`) or "
        "stand in another line (`waiting_elsewhere`)."
    }

    def get_queryset(self) -> QuerySet[Room]:
        return Room.objects.select_related("club").filter(club__in=clubs_of(self.person()), terms__isnull=False)

    @extend_schema(request=None, responses={200: Line})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A free seat is offered at once, and where four wait a table is opened for them. Standing there already changes
        nothing."""
        self.order()
        waiting_join(room=self.get_object(), user=self.person())
        return line_of(self)


class LineLeaveView(OrderView):
    summary = "Leave the line, or decline the seat"
    serializer_class = StrictSerializer

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Whoever stands in no line need not."""
        self.order()
        waiting_leave(user=self.person())
        return Response(status=204)


class LineAcceptView(OrderView):
    summary = "Take the seat that is kept for me"
    serializer_class = StrictSerializer
    problems: ClassVar = OrderView.problems | {
        "409": "None is kept, or not any more (`no_offer`); or one may not sit there now, as with sitting down elsewhere."
    }

    @extend_schema(request=None, responses={200: SeatTaken})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One sits at the table then, and plays over its socket (docs/protocol.md)."""
        self.order()
        return Response(SeatTaken(waiting_accept(user=self.person())).data)
