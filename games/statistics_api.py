"""The API's routes about what hands come to: my statistics and the leaderboards of a club, and how a club does.

The numbers are those of the pages: `games.statistics`, `games.leaderboards`, `games.overview`.
"""

from typing import Any, ClassVar

from django_filters import rest_framework as filters
from django_filters.utils import translate_validation
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import IdFilter, MomentFilter, choice_filter, one_of
from clubs.api import OPERATORS_ONLY, ClubView
from clubs.ledger_api import BalancesShape
from clubs.roles import membership_of
from clubs.rooms_api import RoomName
from games.figures import FiguresAsked
from games.leaderboards import MEASURES, PERIODS, leaderboard
from games.models import SeatFigures
from games.overview import PERIODS as OVERVIEW_PERIODS
from games.overview import Overview, overview
from games.periods import day_asked, today
from games.rules.ruleset import PRESETS
from games.statistics import LEAST_HANDS, Mean, Opponent, Rate, Source, Statistics, statistics
from games.words import pattern_name


# --- Statistics ----------------------------------------------------------------------------------------------------
class RateShape(serializers.Serializer[Rate]):
    """How often something happened, and how often it did in the whole club."""

    key = serializers.CharField()
    name = serializers.CharField()
    definition = serializers.CharField()
    count = serializers.IntegerField()
    of = serializers.IntegerField(help_text="The size of the sample.")
    share = serializers.FloatField(
        allow_null=True, help_text=f"0 to 1; null where the sample has fewer than {LEAST_HANDS}."
    )
    interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="Low and high end, 95 % (Wilson)."
    )
    club_count = serializers.IntegerField()
    club_of = serializers.IntegerField()
    club_share = serializers.FloatField(allow_null=True)


class MeanShape(serializers.Serializer[Mean]):
    key = serializers.CharField()
    name = serializers.CharField()
    definition = serializers.CharField()
    sum = serializers.IntegerField(help_text="Coins, units or fan.")
    of = serializers.IntegerField(help_text="The size of the sample.")
    value = serializers.CharField(allow_null=True, help_text="A decimal, rounded; null where the sample is empty.")


class SourceShape(serializers.Serializer[Source]):
    key = serializers.CharField()
    name = serializers.CharField()
    got = serializers.IntegerField(
        allow_null=True, help_text="How often; null where it cannot be got, or is not counted."
    )
    paid = serializers.IntegerField(
        allow_null=True, help_text="How often; null where it cannot be paid, or is not counted."
    )
    units = serializers.IntegerField(help_text="Got less paid.")


class PatternTimes(serializers.Serializer[Any]):
    pattern = serializers.CharField()
    name = serializers.CharField()
    times = serializers.IntegerField()


class FinishShape(serializers.Serializer[Any]):
    first = serializers.IntegerField()
    second = serializers.IntegerField()
    third = serializers.IntegerField()
    none = serializers.IntegerField(help_text="Hands without a win of one's own.")


class BestWin(serializers.Serializer[SeatFigures]):
    hand = serializers.CharField(source="hand_id")
    ended_at = serializers.DateTimeField()
    pattern = serializers.CharField()
    fan = serializers.IntegerField()
    uncapped_fan = serializers.IntegerField()
    tiles = serializers.CharField(help_text="Concealed tiles, then each meld: 123m55p 666m.")
    win_tile = serializers.CharField()


class DayShape(serializers.Serializer[Any]):
    day = serializers.DateField(help_text="In the club's time zone.")
    hands = serializers.IntegerField()
    coins = serializers.IntegerField(help_text="Net, after rake.")
    points = serializers.IntegerField()
    coins_so_far = serializers.IntegerField()
    points_so_far = serializers.IntegerField()


class OpponentShape(serializers.Serializer[Opponent]):
    member = serializers.CharField(source="membership.pk", help_text="Id of the member.")
    name = serializers.CharField(source="membership.user.name")
    hands = serializers.IntegerField(help_text="Hands together.")
    i_fed = serializers.IntegerField(help_text="Wins of theirs that I fed.")
    they_fed = serializers.IntegerField(help_text="Wins of mine that they fed.")
    units = serializers.IntegerField(help_text="Units from them to me, less those from me to them.")
    per_hundred = serializers.IntegerField(allow_null=True, help_text=f"Null for fewer than {LEAST_HANDS} hands.")


class StatisticsShape(serializers.Serializer[Statistics]):
    """My figures of some hands, without practice and void ones; hands with a decision made by the program are apart."""

    hands = serializers.IntegerField()
    auto_hands = serializers.IntegerField(help_text="In which the program decided something for me.")
    coins = serializers.IntegerField(help_text="Net, after rake.")
    rake = serializers.IntegerField()
    points = serializers.IntegerField()
    units = serializers.IntegerField()
    wins = serializers.IntegerField()
    jipin = serializers.IntegerField(help_text="Wins that were 极品.")
    rates = RateShape(many=True)
    means = MeanShape(many=True)
    finish = serializers.SerializerMethodField()
    patterns = serializers.SerializerMethodField()
    sources = SourceShape(many=True, help_text="What the units came from and went to; together they are `units`.")
    best = BestWin(many=True)
    days = DayShape(many=True)
    opponents = OpponentShape(many=True, help_text="The most frequent ones.")

    @extend_schema_field(FinishShape)
    def get_finish(self, told: Statistics) -> Any:
        return dict(zip(("first", "second", "third", "none"), told.finish, strict=True))

    @extend_schema_field(PatternTimes(many=True))
    def get_patterns(self, told: Statistics) -> Any:
        return [{"pattern": pattern, "name": pattern_name(pattern), "times": times} for pattern, times in told.patterns]


class FiguresFilters(filters.FilterSet):
    """What figures are asked for; their sums, and not rows, are filtered (`FiguresAsked`)."""

    room = IdFilter("room", help_text="Id of a room.")
    ruleset = choice_filter(list(PRESETS), field_name="preset")
    since = MomentFilter("ended_at", "gte", help_text="RFC 3339; ended at this moment or later.")
    until = MomentFilter("ended_at", "lt", help_text="RFC 3339; ended before this moment.")


class StatisticsView(ClubView):
    summary = "My statistics in a club"
    serializer_class = StatisticsShape
    filterset_class = FiguresFilters
    pagination_class = None
    parameters = ("auto",)

    def asked(self) -> FiguresAsked:
        filterset = FiguresFilters(self.request.query_params, SeatFigures.objects.none())
        if not filterset.is_valid():
            raise translate_validation(filterset.errors)
        chosen = filterset.form.cleaned_data
        return FiguresAsked(self.club, chosen["since"], chosen["until"], chosen["room"] or None, chosen["ruleset"])

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "auto", str, enum=["only"], description="only: the hands in which the program decided something for me."
            ),
            OpenApiParameter("room", str, description="Id of a room."),
            OpenApiParameter("ruleset", str, enum=list(PRESETS)),
            OpenApiParameter("since", str, description="RFC 3339; ended at this moment or later."),
            OpenApiParameter("until", str, description="RFC 3339; ended before this moment."),
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        """Each figure with its definition and the size of its sample, over all hands or those of a period, room or ruleset."""
        asked = one_of(request, "auto", ("", "only"), "")
        told = statistics(
            membership=membership_of(user=self.person(), club=self.club),
            asked=self.asked(),
            auto=asked == "only",
        )
        return Response(self.get_serializer(told).data)


# --- Leaderboards --------------------------------------------------------------------------------------------------
class PlaceShape(serializers.Serializer[Any]):
    rank = serializers.IntegerField(help_text="Equal values share a rank.")
    rank_before = serializers.IntegerField(allow_null=True, help_text="In the period before; null: not on its board.")
    member = serializers.CharField(source="membership.pk")
    name = serializers.CharField(source="membership.user.name")
    level = serializers.IntegerField(source="membership.level")
    title = serializers.CharField()
    hands = serializers.IntegerField(source="sums.hands")
    wins = serializers.IntegerField(source="sums.wins")
    coins = serializers.IntegerField(source="sums.coins", help_text="Net, after rake.")
    points = serializers.IntegerField(source="sums.points")
    jipin = serializers.IntegerField(source="sums.jipin", help_text="Wins that were 极品.")


class LeaderboardShape(serializers.Serializer[Any]):
    period = serializers.CharField(source="kind")
    by = serializers.CharField(source="measure")
    first = serializers.DateField(source="period.first", help_text="The first day, in the club's time zone.")
    last = serializers.DateField(source="period.last", help_text="The last day.")
    time_zone = serializers.CharField(source="period.zone", help_text="The club's, by its name in the tz database.")
    threshold = serializers.IntegerField(help_text="Hands that one must have played to stand on the board.")
    places = PlaceShape(many=True)
    mine = PlaceShape(allow_null=True, help_text="My own place; null: I have not played enough hands.")
    my_hands = serializers.IntegerField()
    below_threshold = serializers.IntegerField(help_text="Members who have played, but too few hands.")


class LeaderboardView(ClubView):
    summary = "A leaderboard of a club"
    serializer_class = LeaderboardShape
    pagination_class = None
    parameters = ("period", "by", "day")

    @extend_schema(
        parameters=[
            OpenApiParameter("period", str, enum=list(PERIODS), default="week"),
            OpenApiParameter("by", str, enum=list(MEASURES), default="points"),
            OpenApiParameter("day", str, description="A day of the period, 2026-11-30; without it today."),
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        """Members ranked by what their hands of a period came to; hands with a decision of the program, practice and void hands
        do not count."""
        board = leaderboard(
            membership=membership_of(user=self.person(), club=self.club),
            kind=one_of(request, "period", PERIODS, "week"),
            measure=one_of(request, "by", MEASURES, "points"),
            day=day_asked(request.query_params.get("day", "")) or today(self.club.zone),
        )
        return Response(self.get_serializer(board).data)


class RoomSumShape(serializers.Serializer[Any]):
    room = RoomName()
    hands = serializers.IntegerField()
    rake = serializers.IntegerField()


class OverviewShape(serializers.Serializer[Any]):
    first = serializers.DateField(source="period.first", help_text="The first day, in the club's time zone.")
    last = serializers.DateField(source="period.last", help_text="Today.")
    hands = serializers.IntegerField(help_text="That count: without bots, and not void.")
    before = serializers.IntegerField(help_text="Hands in the time of the same length before.")
    players = serializers.IntegerField(help_text="Members who played in one of them.")
    rake = serializers.IntegerField()
    rooms = RoomSumShape(many=True)
    days = serializers.SerializerMethodField(help_text="Hands of each of the last 30 days, by day: 2026-11-30.")
    balances = BalancesShape(help_text="As they are now.")
    members = serializers.IntegerField(help_text="Active ones.")
    tables = serializers.IntegerField(help_text="Open now.")
    playing = serializers.IntegerField(help_text="Hands running now.")
    requests = serializers.IntegerField(help_text="To join, that wait for an answer.")
    reports = serializers.IntegerField(help_text="That wait for an answer.")
    below_minimum = serializers.IntegerField(help_text="Members with too few coins for every open room.")

    def get_days(self, told: Overview) -> dict[str, int]:
        return {str(day): hands for day, hands in told.days}


class OverviewView(ClubView):
    summary = "How a club does"
    serializer_class = OverviewShape
    pagination_class = None
    operators_only = True
    parameters = ("period",)
    problems: ClassVar = OPERATORS_ONLY

    @extend_schema(parameters=[OpenApiParameter("period", str, enum=list(OVERVIEW_PERIODS), default="today")])
    def get(self, request: Request, slug: str) -> Response:
        """For operators: hands, players and rake of a period that ends today, and what waits."""
        told = overview(self.club, one_of(request, "period", OVERVIEW_PERIODS, "today"))
        return Response(self.get_serializer(told).data)
