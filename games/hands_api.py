"""The API's routes about hands: of all clubs in which one is an active member, once they are over.

A running hand is not there (404): not in lists, not as a record. What a hand came to is told by the function that tells
the table (`games.frames`), the replay by the one that the replay page shows (`games.history`).
"""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import (
    ApiView,
    DetailView,
    IdFilter,
    ListView,
    MomentFilter,
    OrderView,
    StrictSerializer,
    Text,
    choice_filter,
)
from accounts.errors import Refused
from clubs.api import ClubShape, clubs_of
from clubs.rooms_api import RoomName, TermsShape
from clubs.titles import title_names
from games.frames import settlement_payload
from games.history import hand_steps, seat_name
from games.lines_api import FanItemShape, HandRecord, RecordPayment, RecordWin
from games.log import Stop, folded
from games.models import Hand, HandSeat
from games.play import hand_stop
from games.words import end_words

ENDS = ("won", "drawn", "escaped", "voided", "stopped")


# --- Shapes --------------------------------------------------------------------------------------------------------
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
    auto_actions = serializers.IntegerField(help_text="Decisions made for it, by time-out or auto-play.")

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
    end = serializers.CharField(help_text="won, drawn, escaped; or voided or stopped by an operator.")
    end_words = serializers.SerializerMethodField(help_text="The same in the language of the request.")
    dealer = serializers.IntegerField(help_text="Seat of the dealer.")
    practice = serializers.BooleanField(source="is_practice", help_text="A bot played: no points were moved.")
    terms = TermsShape(help_text="The terms that the hand was dealt under.")
    seats = SeatShape(many=True)

    def get_end_words(self, hand: Hand) -> str:
        return end_words(hand.end)


class NamedFanItem(FanItemShape):
    words = serializers.CharField(help_text="The name in the language of the request.")


class WinShape(RecordWin):
    """A win as the record's result has it, with its fan item by item and how fan become units."""

    items = NamedFanItem(many=True, help_text="They sum up to uncapped_fan; the base pattern comes first.")
    fan_origin = serializers.IntegerField(help_text="multiplier = 2^(fan - fan_origin), at least 1.")
    bonus = serializers.IntegerField(help_text="Units that a self-draw adds for each payer.")
    units = serializers.IntegerField(help_text="What one payer pays: multiplier + bonus.")
    words = serializers.CharField()
    fan_words = serializers.CharField(help_text="The items as a sum, with the cap where it applies.")
    units_words = serializers.CharField(help_text="How fan become units.")


class ReadyHandShape(serializers.Serializer[Any]):
    """A ready hand by its best wait."""

    tile = serializers.CharField()
    base = serializers.CharField()
    gen = serializers.IntegerField()
    fan = serializers.IntegerField()
    multiplier = serializers.IntegerField()


class PaymentShape(RecordPayment):
    """A payment as the record's result has it, with the rule behind it."""

    rule = serializers.CharField(help_text="Why it is paid, finer than kind; the table is in docs/api.md.")
    coins = serializers.IntegerField(
        help_text="units in coins of the room. Less moved where somebody's coins ran out; see notes."
    )
    tile = serializers.CharField(
        allow_null=True, help_text="The tile of the kong that is paid, transferred or refunded."
    )
    ready = ReadyHandShape(allow_null=True, help_text="The payee's best ready hand, where the payment goes by it.")
    lower = ReadyHandShape(allow_null=True, help_text="The payer's own, where the difference is paid.")
    name = serializers.CharField(help_text="What the payment is called.")
    words = serializers.CharField(help_text="Who pays whom how much.")
    reason = serializers.CharField(help_text="Why.")


class NoteShape(serializers.Serializer[Any]):
    """What else bears on the coins of a hand."""

    code = serializers.CharField(help_text="struck, shortage or rake.")
    words = serializers.CharField()


class ProofShape(serializers.Serializer[Any]):
    """What the wall is rebuilt from (docs/api.md)."""

    hand_id = serializers.CharField()
    seed = serializers.CharField(help_text="Hex.")
    commitment = serializers.CharField(help_text="Hex; was public before the first nonce.")
    nonce_commitments = serializers.ListField(child=serializers.CharField())
    nonces = serializers.ListField(child=serializers.CharField(), help_text="Hex, by seat.")
    wall = serializers.CharField(help_text="108 tiles of two characters, front first.")


class StopShape(serializers.Serializer[Any]):
    rule = serializers.CharField(help_text="void or settle.")
    reason = serializers.CharField()
    words = serializers.CharField()


class HandDetail(HandShape):
    wins = WinShape(many=True, source="settlement.wins")
    payments = PaymentShape(many=True, source="settlement.payments")
    notes = NoteShape(many=True, source="settlement.notes")
    stopped = StopShape(source="settlement.stopped", allow_null=True, help_text="Where an operator ended the hand.")
    proof = ProofShape(source="settlement.proof")


class StepShape(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    seq = serializers.IntegerField(help_text="The row of the hand's log; the replay page opens there with #seq.")
    at = serializers.DateTimeField()
    seat = serializers.IntegerField(allow_null=True)
    auto = serializers.BooleanField(help_text="The seat was played automatically.")
    mark = serializers.CharField(allow_null=True, help_text="pung, kong, win or leave, or null.")
    words = serializers.ListField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField(), help_text="Payments in words, and why they are made.")
    view = serializers.DictField(help_text="The table afterwards, all hands open.")


class EndRequest(StrictSerializer):
    rule = serializers.ChoiceField(["void", "settle"])
    reason = Text(max_length=200)


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

    summary = "Hands of my clubs"
    serializer_class = HandShape
    filterset_class = HandFilters

    def get_queryset(self) -> QuerySet[Hand]:
        return with_names(hands_for(self))


class HandView(DetailView):
    """Seats, wins with their fan item by item, payments with their rules, and the proof of a fair wall. 404 until it is over."""

    summary = "A hand"
    serializer_class = HandDetail

    def get_queryset(self) -> QuerySet[Hand]:
        return with_names(hands_for(self))

    def get_object(self) -> Hand:
        hand: Hand = super().get_object()
        hand.settlement = settlement_payload(folded(hand.pk))  # type: ignore[attr-defined]
        return hand


class HandRecordView(ApiView):
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


class HandEndView(OrderView):
    summary = "End a running hand"
    serializer_class = EndRequest
    problems: ClassVar = OrderView.problems | {
        "403": "For operators of the club only (`not_an_operator`), and not for one who plays in the hand (`own_hand`).",
        "409": "The hand is over (`hand_over`), or not dealt yet (`hand_starting`).",
    }

    def get_queryset(self) -> QuerySet[Hand]:
        return Hand.objects.filter(table__room__club__in=clubs_of(self.person()))

    @extend_schema(
        responses={200: HandDetail},
        examples=[OpenApiExample("void", value={"rule": "void", "reason": "两人断线"}, request_only=True)],
    )
    def post(self, request: Request, id: str) -> Response:
        """For operators. `void` gives back what was paid, takes no rake and counts for nothing; `settle` lets stand what was
        paid so far, with its rake. The players are shown the reason. A hand is ended once: the same order again gets the same
        answer with `Idempotent-Replayed: true`.
        """
        hand: Hand = self.get_object()
        order = self.order()
        rule, reason = order["rule"], order["reason"].strip()
        headers = None
        try:
            hand_stop(hand_id=hand.pk, actor=self.person(), rule=rule, reason=reason)
        except Refused as refusal:
            if refusal.code != "hand_over" or folded(hand.pk).stopped != Stop(rule, reason):
                raise
            headers = {"Idempotent-Replayed": "true"}
        hand = with_names(self.get_queryset()).get(pk=hand.pk)
        hand.settlement = settlement_payload(folded(hand.pk))  # type: ignore[attr-defined]
        return Response(HandDetail(hand).data, headers=headers)
