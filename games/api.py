"""The API's routes about hands: of all clubs in which one is an active member, once they are over.

A running hand is not there (404): not in lists, not as a record. What a hand came to is told by the function that tells
the table (`games.frames`), the replay by the one that the replay page shows (`games.history`).
"""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ApiView, DetailView, IdFilter, ListView, MomentFilter, choice_filter
from clubs.api import ClubShape, TermsShape, clubs_of
from clubs.titles import title_names
from games.frames import settlement_payload
from games.history import hand_steps, seat_name
from games.log import folded
from games.models import Hand, HandSeat
from games.words import end_words

ENDS = ("won", "drawn", "escaped")


# --- Shapes --------------------------------------------------------------------------------------------------------
class RoomName(serializers.Serializer[Any]):
    id = serializers.CharField(source="pk")
    name = serializers.CharField()


class SeatShape(serializers.Serializer[HandSeat]):
    seat = serializers.IntegerField(source="number", help_text="0 to 3, in playing order.")
    member = serializers.CharField(
        source="membership_id", allow_null=True, help_text="Id of the member; null for a bot."
    )
    name = serializers.SerializerMethodField()
    level = serializers.IntegerField(source="level_after", allow_null=True, help_text="Level after the hand.")
    title = serializers.SerializerMethodField(help_text="Title after the hand; empty for a bot.")
    units = serializers.IntegerField()
    points = serializers.IntegerField()
    rake = serializers.IntegerField(help_text="Coins.")
    coins = serializers.IntegerField(help_text="Coins gained or lost, after rake.")
    has_left = serializers.BooleanField(help_text="Left while the hand was running.")

    def get_name(self, seat: HandSeat) -> str:
        return seat_name(seat)

    def get_title(self, seat: HandSeat) -> str:
        return title_names(seat.hand.table.room.club).get(seat.level_after or 0, "")


class HandShape(serializers.Serializer[Hand]):
    id = serializers.CharField(source="pk")
    club = ClubShape(source="table.room.club")
    room = RoomName(source="table.room")
    table = serializers.IntegerField(source="table.number", help_text="Number of the table in its room.")
    number = serializers.IntegerField(help_text="How many hands the table had played, this one included.")
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()
    end = serializers.CharField(help_text="won, drawn or escaped.")
    end_words = serializers.SerializerMethodField(help_text="The same in the language of the request.")
    dealer = serializers.IntegerField(help_text="Seat of the dealer.")
    practice = serializers.BooleanField(source="is_practice", help_text="A bot played: no points were moved.")
    terms = TermsShape(help_text="The terms that the hand was dealt under.")
    seats = SeatShape(many=True)

    def get_end_words(self, hand: Hand) -> str:
        return end_words(hand.end)


class WinShape(serializers.Serializer[Any]):
    """A win as the record's result has it."""

    seat = serializers.IntegerField()
    by = serializers.CharField(help_text="self_draw, discard or robbed_kong.")
    tile = serializers.CharField()
    base = serializers.CharField()
    gen = serializers.IntegerField()
    fan = serializers.IntegerField()
    uncapped_fan = serializers.IntegerField()
    multiplier = serializers.IntegerField()
    jipin = serializers.BooleanField()
    words = serializers.CharField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        source = serializers.IntegerField(allow_null=True, help_text="The seat that fed it; null for a self-draw.")
        return super().get_fields() | {"from": source}


class PaymentShape(serializers.Serializer[Any]):
    kind = serializers.CharField()
    payer = serializers.IntegerField()
    payee = serializers.IntegerField()
    units = serializers.IntegerField()
    words = serializers.CharField()


class ProofShape(serializers.Serializer[Any]):
    """What the wall is rebuilt from (docs/api.md)."""

    hand_id = serializers.CharField()
    seed = serializers.CharField(help_text="Hex.")
    commitment = serializers.CharField(help_text="Hex; was public before the first nonce.")
    nonce_commitments = serializers.ListField(child=serializers.CharField())
    nonces = serializers.ListField(child=serializers.CharField(), help_text="Hex, by seat.")
    wall = serializers.CharField(help_text="108 tiles of two characters, front first.")


class HandDetail(HandShape):
    wins = WinShape(many=True, source="settlement.wins")
    payments = PaymentShape(many=True, source="settlement.payments")
    proof = ProofShape(source="settlement.proof")


class HandRecord(serializers.Serializer[Any]):
    """A hand record, version 1: the format that the program's own commands judge and replay."""

    format = serializers.CharField(help_text="sichuan-mahjong-hand")
    version = serializers.IntegerField()
    ruleset = serializers.JSONField()
    coefficient = serializers.IntegerField()
    rake = serializers.IntegerField()
    balances = serializers.ListField(child=serializers.IntegerField())
    dealer = serializers.IntegerField()
    wall = serializers.CharField()
    voids = serializers.ListField(child=serializers.CharField(), allow_null=True)
    actions = serializers.ListField(child=serializers.ListField(child=serializers.JSONField()))
    result = serializers.DictField()


class StepShape(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    at = serializers.DateTimeField()
    seat = serializers.IntegerField(allow_null=True)
    auto = serializers.BooleanField(help_text="The seat was played automatically.")
    mark = serializers.CharField(allow_null=True, help_text="pung, kong, win or leave, or null.")
    words = serializers.ListField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField(), help_text="Payments in words.")
    view = serializers.DictField(help_text="The table afterwards, all hands open.")


# --- Routes --------------------------------------------------------------------------------------------------------
def hands_for(view: ApiView) -> QuerySet[Hand]:
    """The hands that exist for who asks: settled, and of clubs where the membership is active."""
    return Hand.objects.filter(status=Hand.Status.SETTLED, table__room__club__in=clubs_of(view.person()))


def with_names(hands: QuerySet[Hand]) -> QuerySet[Hand]:
    return hands.select_related("table__room__club", "terms").prefetch_related(
        "seats__membership__user", "seats__hand__table__room__club__titles"
    )


class HandFilters(filters.FilterSet):
    club = filters.CharFilter("table__room__club__slug", help_text="Slug of a club.")
    room = IdFilter("table__room", help_text="Id of a room.")
    member = IdFilter("seats__membership", help_text="Id of a member who played it.")
    since = MomentFilter("ended_at", "gte", help_text="RFC 3339; ended at this moment or later.")
    until = MomentFilter("ended_at", "lt", help_text="RFC 3339; ended before this moment.")
    result = choice_filter(ENDS, field_name="end")


class HandsView(ListView):
    """Finished hands of all clubs where I am an active member, newest first."""

    queryset = Hand.objects.none()
    summary = "Hands of my clubs"
    serializer_class = HandShape
    filterset_class = HandFilters

    def get_queryset(self) -> QuerySet[Hand]:
        return with_names(hands_for(self))


class HandView(DetailView):
    """Seats, wins and payments in words, and the proof that the wall was fair. 404 until the hand is over."""

    queryset = Hand.objects.none()
    summary = "A hand"
    serializer_class = HandDetail

    def get_queryset(self) -> QuerySet[Hand]:
        return with_names(hands_for(self))

    def get_object(self) -> Hand:
        hand: Hand = super().get_object()
        hand.settlement = settlement_payload(folded(hand.pk))  # type: ignore[attr-defined]
        return hand


class HandRecordView(ApiView):
    queryset = Hand.objects.none()
    summary = "The record of a hand"
    serializer_class = HandRecord
    pagination_class = None

    def get_queryset(self) -> QuerySet[Hand]:
        return hands_for(self)

    @extend_schema(
        examples=[
            OpenApiExample(
                "record",
                value={
                    "format": "sichuan-mahjong-hand",
                    "version": 1,
                    "ruleset": "qq_xuezhan",
                    "coefficient": 200,
                    "rake": 400,
                    "balances": [100000, 100000, 100000, 100000],
                    "dealer": 0,
                    "wall": "1m9s…",
                    "voids": ["m", "s", "p", "s"],
                    "actions": [[0, "discard", "5m"], [2, "pung"]],
                    "result": {"end": "won"},
                },
                response_only=True,
            )
        ],
    )
    def get(self, request: Request, id: str) -> Response:
        """The whole hand in the public record format (docs/rules/RECORD.md). 404 until the hand is over."""
        return Response(self.get_object().record)


class HandStepsView(ApiView):
    queryset = Hand.objects.none()
    summary = "The replay of a hand, step by step"
    serializer_class = StepShape
    pagination_class = None

    def get_queryset(self) -> QuerySet[Hand]:
        return hands_for(self).select_related("terms")

    @extend_schema(
        responses=inline_serializer("Steps", {"steps": StepShape(many=True)}),
    )
    def get(self, request: Request, id: str) -> Response:
        """Every step with its words and the table after it. 404 until the hand is over."""
        return Response({"steps": hand_steps(self.get_object())})
