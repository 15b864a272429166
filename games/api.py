"""The API's routes about hands: of all clubs in which one is an active member, once they are over; and judging any hand.

A running hand is not there (404): not in lists, not as a record. What a hand came to is told by the function that tells
the table (`games.frames`), the replay by the one that the replay page shows (`games.history`). A hand that is sent in is
judged as the commands judge it (`games.lines`).
"""

import json
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, ClassVar, Final

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_field,
    inline_serializer,
)
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import (
    BODY_PROBLEMS,
    ApiView,
    BodyParser,
    DetailView,
    IdFilter,
    ListView,
    MomentFilter,
    StrictSerializer,
    Text,
    body_read,
    choice_filter,
)
from accounts.errors import Refused
from accounts.tokens import TokenAuthentication
from clubs.api import OPERATORS_ONLY, ClubShape, ClubView, TermsShape, clubs_of
from clubs.titles import title_names
from games.frames import settlement_payload
from games.history import hand_steps, seat_name
from games.lines import answer_line
from games.log import Stop, bot_name, folded
from games.models import Hand, HandSeat, Seat, Table
from games.play import hand_stop
from games.rules.errors import ErrorCode
from games.rules.holding import MeldKind
from games.rules.options import OPTIONS, Pattern
from games.rules.record import FORMAT, VERSION, judge
from games.rules.ruleset import PRESETS
from games.rules.scoring import FLAGS, explain_line, score_line
from games.rules.tiles import ALL_TILES, SUITS, TILE_NAMES
from games.rules.wall import wall_text
from games.tables import club_leave
from games.words import end_words

ENDS = ("won", "drawn", "escaped", "voided", "stopped")
LINE_MAX: Final = 64 * 1024  # bytes of a line that is sent in: a record with much beside it


# --- Shapes of lines and records ------------------------------------------------------------------------------------
# These shapes are for the schema. What is sent in is read by the rules alone, as from the command line.
def _choice(values: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": [str(value) for value in values]}


@extend_schema_field(_choice(TILE_NAMES), component_name="Tile")
class Tile(serializers.CharField):
    pass


@extend_schema_field(_choice(SUITS), component_name="Suit")
class Suit(serializers.CharField):
    pass


@extend_schema_field(_choice(MeldKind), component_name="MeldKind")
class KindOfMeld(serializers.CharField):
    pass


@extend_schema_field(_choice(FLAGS), component_name="Flag")
class Flag(serializers.CharField):
    pass


@extend_schema_field(_choice(Pattern), component_name="Pattern")
class BasePattern(serializers.CharField):
    pass


@extend_schema_field(
    {
        "oneOf": [
            _choice(PRESETS),
            {
                "type": "object",
                "properties": {
                    "preset": _choice(PRESETS),
                    "options": {
                        "type": "object",
                        "properties": {name: option.json_schema for name, option in OPTIONS.items()},
                        "additionalProperties": False,
                    },
                },
                "required": ["preset"],
                "additionalProperties": False,
            },
        ]
    },
    component_name="Ruleset",
)
class RulesetField(serializers.JSONField):
    """A preset, or a preset with options laid over it."""


@extend_schema_field(
    {
        "type": "array",
        "description": "Seat, what it does, and the tile where there is one.",
        "prefixItems": [
            {"type": "integer", "minimum": 0, "maximum": 3},
            _choice(["discard", "kong", "win", "pung", "leave"]),
            _choice(TILE_NAMES),
        ],
        "minItems": 2,
        "maxItems": 3,
    }
)
class RecordAction(serializers.ListField):
    pass


@extend_schema_field({"type": "boolean", "const": True})
class Yes(serializers.BooleanField):
    pass


@extend_schema_field({"type": "boolean", "const": False})
class No(serializers.BooleanField):
    pass


class LineMeld(serializers.Serializer[Any]):
    kind = KindOfMeld()
    tile = Tile()


class ScoringLine(serializers.Serializer[Any]):
    """A hand, with or without the tile that it wins with (docs/rules/RECORD.md)."""

    ruleset = RulesetField()
    concealed = serializers.CharField(
        help_text="13 tiles, three fewer for each meld, such as 1199p222888s; without the winning tile."
    )
    melds = LineMeld(many=True, required=False, help_text="In the order in which they were made.")
    win_tile = Tile(allow_null=True, required=False, help_text="Without it the waits are told.")
    self_draw = serializers.BooleanField(required=False, default=False)
    flags = serializers.ListField(child=Flag(), required=False, help_text="Facts of the moment of the win.")
    void = Suit(allow_null=True, required=False, help_text="The void suit.")


class FanItemShape(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="A base pattern, gen, a kind of kong, a flag or self_draw.")
    times = serializers.IntegerField()
    fan = serializers.IntegerField(help_text="Of all of them together.")


class WinPayment(serializers.Serializer[Any]):
    kind = serializers.CharField(help_text="win, kong or kong_transfer.")
    meld = LineMeld(required=False, help_text="The kong that is paid.")
    payer = serializers.CharField(
        help_text="discarder, robbed, feeder, each (other live seat) or others (but the feeder)."
    )
    units = serializers.IntegerField(
        allow_null=True, help_text="What one payer pays; null for a kong_transfer: what the discarder's kong collected."
    )


class ScoredWin(serializers.Serializer[Any]):
    win = Yes()
    base = BasePattern()
    gen = serializers.IntegerField(help_text="The gens counted.")
    fan = serializers.IntegerField()
    uncapped_fan = serializers.IntegerField()
    multiplier = serializers.IntegerField()
    units = serializers.IntegerField(help_text="What one payer pays.")
    jipin = serializers.BooleanField()
    items = FanItemShape(many=True, required=False, help_text="With explain=true: what the fan is made of.")
    payments = WinPayment(many=True, required=False, help_text="With explain=true: who pays what.")


class NoWin(serializers.Serializer[Any]):
    win = No()


class WaitShape(serializers.Serializer[Any]):
    tile = Tile()
    fan = serializers.IntegerField(help_text="As a discard win with nothing special.")
    multiplier = serializers.IntegerField()


class Readiness(serializers.Serializer[Any]):
    ready = serializers.BooleanField()
    waits = WaitShape(many=True)
    huazhu = serializers.BooleanField(help_text="Tiles of three suits.")


class RecordWin(serializers.Serializer[Any]):
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

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        source = serializers.IntegerField(allow_null=True, help_text="The seat that fed it; null for a self-draw.")
        return super().get_fields() | {"from": source}


class RecordPayment(serializers.Serializer[Any]):
    kind = serializers.CharField()
    payer = serializers.IntegerField()
    payee = serializers.IntegerField()
    units = serializers.IntegerField()


class JudgedHand(serializers.Serializer[Any]):
    """The `result` of a record, computed afresh."""

    end = serializers.CharField(help_text="won, drawn or escaped.")
    wins = RecordWin(many=True)
    payments = RecordPayment(many=True)
    units = serializers.ListField(child=serializers.IntegerField(), help_text="By seat.")
    points = serializers.ListField(child=serializers.IntegerField(), help_text="By seat.")
    rake = serializers.ListField(child=serializers.IntegerField(), help_text="Coins, by seat.")
    coins = serializers.ListField(child=serializers.IntegerField(), help_text="Net, after rake, by seat.")
    balances = serializers.ListField(child=serializers.IntegerField(), help_text="After the hand, by seat.")
    next_dealer = serializers.IntegerField(allow_null=True, help_text="null: drawn by lot.")


class RecordToJudge(serializers.Serializer[Any]):
    """A hand record, version 1; keys that are not named here are ignored (docs/rules/RECORD.md)."""

    format = serializers.CharField(help_text="sichuan-mahjong-hand")
    version = serializers.IntegerField()
    ruleset = RulesetField()
    coefficient = serializers.IntegerField()
    rake = serializers.IntegerField()
    balances = serializers.ListField(child=serializers.IntegerField())
    dealer = serializers.IntegerField()
    wall = serializers.CharField(help_text="108 tiles of two characters, front first.")
    voids = serializers.ListField(
        child=Suit(), allow_null=True, required=False, help_text="By seat; null where the ruleset has no void suit."
    )
    actions = serializers.ListField(child=RecordAction())


class HandRecord(RecordToJudge):
    """A hand record, version 1: the format that the program's own commands judge and replay."""

    voids = serializers.ListField(child=Suit(allow_null=True), allow_null=True)
    result = JudgedHand(required=False, help_text="Not there where an operator ended the hand.")
    stopped = serializers.DictField(
        required=False,
        help_text="By an operator: rule (void or settle), reason, and what it came to in place of a result.",
    )
    auto_actions = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Decisions of each seat that were made for it, by time-out or auto-play.",
    )


# --- Shapes of hands --------------------------------------------------------------------------------------------------------
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

    queryset = Hand.objects.none()
    summary = "Hands of my clubs"
    serializer_class = HandShape
    filterset_class = HandFilters

    def get_queryset(self) -> QuerySet[Hand]:
        return with_names(hands_for(self))


class HandView(DetailView):
    """Seats, wins with their fan item by item, payments with their rules, and the proof of a fair wall. 404 until it is over."""

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


class ClubTablesView(ClubView, ListView):
    """The open tables of a club, newest first: who sits there, and which hand is running."""

    queryset = Table.objects.none()
    summary = "Tables of a club"
    serializer_class = TableShape

    def get_queryset(self) -> QuerySet[Table]:
        running = Prefetch("hands", Hand.objects.exclude(status=Hand.Status.SETTLED), to_attr="running")
        tables = Table.objects.filter(room__club=self.club, closed_at=None).select_related("room")
        return tables.prefetch_related(
            Prefetch("seats", Seat.objects.select_related("user").order_by("number")), running
        )


class HandEndView(ApiView):
    queryset = Hand.objects.none()
    summary = "End a running hand"
    serializer_class = EndRequest
    pagination_class = None
    parser_classes = (BodyParser,)
    problems: ClassVar = (
        OPERATORS_ONLY
        | BODY_PROBLEMS
        | {
            "403": "For operators of the club only (`not_an_operator`), and not for one who plays in the hand (`own_hand`).",
            "409": "The hand is over (`hand_over`), or not dealt yet (`hand_starting`).",
        }
    )

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
        order = self.get_serializer(data=request.data)
        order.is_valid(raise_exception=True)
        rule, reason = order.validated_data["rule"], order.validated_data["reason"].strip()
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


class ClubLeaveView(ClubView):
    queryset = Hand.objects.none()
    summary = "Leave a club"
    serializer_class = StrictSerializer
    pagination_class = None
    parser_classes = (BodyParser,)
    problems: ClassVar = {
        "409": "You play in a hand that is not over (`hand_running`), or are the club's only operator (`last_operator`).",
    }

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The seat between hands and the place in a line are given up. Coins, points and hands stay with the club, for the day
        one joins again by another invitation."""
        club_leave(club=self.club, user=self.person())
        return Response(status=204)


# --- Judging any hand ----------------------------------------------------------------------------------------------
class LineParser(BaseParser):
    """The body as it came, under `line`: it is read where the lines of the commands are."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> dict[str, bytes]:
        return {"line": body_read(stream, LINE_MAX)}


class LineView(ApiView):
    """A line in, what it comes to out, for everybody. Nothing is read from the database and nothing written."""

    queryset = Hand.objects.none()
    authentication_classes = (TokenAuthentication,)
    permission_classes = (AllowAny,)
    parser_classes = (LineParser,)
    pagination_class = None
    problems: ClassVar[dict[str, str]] = {
        "400": "Not a line of this format (`bad_format`); or a parameter is unknown or wrong.",
        "401": "The token is wrong. None is needed.",
        "413": "More than 64 KiB (`body_too_large`).",
        "422": "A line that cannot be judged; `code` as RECORD.md has it, `data.at` is the action at fault or null.",
    }

    def answer(self, judged: Callable[[object], dict[str, Any]]) -> Response:
        """What the command would write, an error as a problem with the same code."""
        body = self.request.data
        assert isinstance(body, dict)
        outcome = json.loads(answer_line(judged, body.get("line", b"")))
        if "error" not in outcome:
            return Response(outcome)
        error = outcome["error"]
        is_line = error["code"] != ErrorCode.BAD_FORMAT
        status = HTTPStatus.UNPROCESSABLE_ENTITY if is_line else HTTPStatus.BAD_REQUEST
        raise Refused(error["code"], error["message"], status=status, at=error["at"])


_LINE: Final = {
    "ruleset": "chengdu",
    "concealed": "1199p222888s",
    "melds": [{"kind": "pung", "tile": "5p"}],
    "win_tile": "1p",
    "self_draw": True,
}
_READY_LINE: Final = {name: _LINE[name] for name in ("ruleset", "concealed", "melds")}
_RECORD: Final = {
    "format": FORMAT,
    "version": VERSION,
    "ruleset": {"preset": "qq_xuezhan", "options": {"escape_units": 8}},
    "coefficient": 200,
    "rake": 400,
    "balances": [100000, 100000, 100000, 100000],
    "dealer": 0,
    "wall": wall_text(ALL_TILES),
    "voids": None,
    "actions": [[0, "discard", "4p"], [1, "leave"]],
}


class ScoreView(LineView):
    summary = "Score a hand"
    serializer_class = ScoringLine
    parameters = ("explain",)

    @extend_schema(
        parameters=[
            OpenApiParameter("explain", bool, description="true: a win with its `items` and `payments`.", default=False)
        ],
        responses=PolymorphicProxySerializer("Scored", [ScoredWin, NoWin, Readiness], resource_type_field_name=None),
        examples=[
            OpenApiExample("win", value=_LINE, request_only=True),
            OpenApiExample("waits", value=_READY_LINE, request_only=True),
            OpenApiExample("win", value=score_line(_LINE), response_only=True),
            OpenApiExample("win, explained", value=explain_line(_LINE), response_only=True),
            OpenApiExample("waits", value=score_line(_READY_LINE), response_only=True),
        ],
    )
    def post(self, request: Request) -> Response:
        """What a hand comes to, or what it waits for: one scoring line, as `manage.py score_hands` judges it. Works without
        an account."""
        explain = request.query_params.get("explain", "false")
        if explain not in ("true", "false"):
            message = _("%(name)s 只能是 %(allowed)s。") % {"name": "explain", "allowed": "true, false"}
            raise serializers.ValidationError({"explain": [serializers.ErrorDetail(message, code="invalid_choice")]})
        return self.answer(explain_line if explain == "true" else score_line)


class JudgeView(LineView):
    summary = "Judge a hand record"
    serializer_class = RecordToJudge

    @extend_schema(
        responses=JudgedHand,
        examples=[
            OpenApiExample("escape", value=_RECORD, request_only=True),
            OpenApiExample("escape", value=judge(_RECORD), response_only=True),
        ],
    )
    def post(self, request: Request) -> Response:
        """The result of a hand record, computed afresh as `manage.py judge_hands` does. Works without an account."""
        return self.answer(judge)
