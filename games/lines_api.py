"""The API's routes that judge a hand which is sent in, as the commands judge it (`games.lines`); shapes of lines and records."""

import json
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, ClassVar, Final

from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ApiView, body_read, one_of
from accounts.errors import Refused
from accounts.tokens import TokenAuthentication
from games.lines import answer_line
from games.rules.errors import ErrorCode
from games.rules.holding import MeldKind
from games.rules.options import OPTIONS, Pattern
from games.rules.record import FORMAT, VERSION, judge
from games.rules.ruleset import PRESETS
from games.rules.scoring import FLAGS, explain_line, score_line
from games.rules.tiles import ALL_TILES, SUITS, TILE_NAMES
from games.rules.wall import wall_text

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


# --- Judging any hand ----------------------------------------------------------------------------------------------
class LineParser(BaseParser):
    """The body as it came, under `line`: it is read where the lines of the commands are."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> dict[str, bytes]:
        return {"line": body_read(stream, LINE_MAX)}


class LineView(ApiView):
    """A line in, what it comes to out, for everybody. Nothing is read from the database and nothing written."""

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
        explain = one_of(request, "explain", ("true", "false"), "false")
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
