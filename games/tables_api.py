"""The API's routes about the tables of a club, and leaving a club with the seat one has there."""

from typing import Any, ClassVar

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ListView, OrderView, StrictSerializer, Text
from clubs.api import OPERATORS_ONLY, ClubView, clubs_of
from clubs.rooms_api import RoomName
from games.log import bot_name
from games.models import Hand, Seat, Table
from games.tables import club_leave, table_end


class SittingShape(serializers.Serializer[Seat]):
    seat = serializers.IntegerField(source="number", help_text="0 to 3, in playing order.")
    member = serializers.CharField(source="membership_id", allow_null=True, help_text="Null for a bot.")
    name = serializers.SerializerMethodField()
    is_ready = serializers.BooleanField()

    def get_name(self, seat: Seat) -> str:
        return seat.user.name if seat.user else bot_name(seat.number, seat.strength)


class RunningShape(serializers.Serializer[Hand]):
    id = serializers.CharField(source="pk")
    number = serializers.IntegerField()
    started_at = serializers.DateTimeField()


class TableShape(serializers.Serializer[Table]):
    id = serializers.CharField(source="pk")
    room = RoomName()
    number = serializers.IntegerField()
    opened_at = serializers.DateTimeField()
    hands_played = serializers.IntegerField()
    is_private = serializers.SerializerMethodField(help_text="One needs a code to sit down.")
    seats = SittingShape(many=True, help_text="Who sits there; an empty seat is left out.")
    hand = serializers.SerializerMethodField(help_text="The running hand, or null. Nothing of its play is told.")

    def get_is_private(self, table: Table) -> bool:
        return bool(table.code)

    @extend_schema_field(RunningShape(allow_null=True))
    def get_hand(self, table: Table) -> Any:
        running = table.running  # type: ignore[attr-defined]
        return RunningShape(running[0]).data if running else None


class ClubTablesView(ClubView, ListView):
    """The open tables of a club, newest first: who sits there, and which hand is running."""

    summary = "Tables of a club"
    serializer_class = TableShape

    def get_queryset(self) -> QuerySet[Table]:
        running = Prefetch("hands", Hand.objects.exclude(status=Hand.Status.SETTLED), to_attr="running")
        tables = Table.objects.filter(room__club=self.club, closed_at=None).select_related("room")
        return tables.prefetch_related(
            Prefetch("seats", Seat.objects.select_related("user").order_by("number")), running
        )


class ClubLeaveView(ClubView, OrderView):
    summary = "Leave a club"
    serializer_class = StrictSerializer
    problems: ClassVar = OrderView.problems | {
        "409": "You play in a hand that is not over (`hand_running`), or are the club's only operator (`last_operator`).",
    }

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The seat between hands and the place in a line are given up. Coins, points and hands stay with the club, for the day
        one joins again by another invitation."""
        club_leave(club=self.club, user=self.person())
        return Response(status=204)


class CloseOrder(StrictSerializer):
    reason = Text(max_length=200, help_text="Kept in the audit log.")


class TableCloseView(OrderView):
    summary = "Close a table between hands"
    serializer_class = CloseOrder
    problems: ClassVar = (
        OPERATORS_ONLY | OrderView.problems | {"409": "A hand is running there (`hand_running`); end that first."}
    )

    def get_queryset(self) -> QuerySet[Table]:
        """All of one's clubs: who runs none of them is refused, not told that there is no table."""
        return Table.objects.filter(room__club__in=clubs_of(self.person()))

    @extend_schema(responses={204: None})
    def post(self, request: Request, id: str) -> Response:
        """For operators. Whoever sits there gets up; closed already it stays so."""
        table_end(table_id=self.get_object().pk, actor=self.person(), **self.order())
        return Response(status=204)
