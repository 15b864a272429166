"""The API's routes about the titles of a club."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ListView, OrderView, StrictSerializer, Text, WholeNumber
from clubs.api import OPERATORS_ONLY, ClubView
from clubs.models import Title
from clubs.titles import LEVELS, MOST_NAME, titles_change


class TitleShape(serializers.Serializer[Title]):
    level = serializers.IntegerField()
    name = serializers.CharField()
    threshold = serializers.IntegerField(
        allow_null=True, help_text="Points from which the title is held; null for level 1."
    )


class TitlesView(ClubView, ListView):
    """All of them at once, level 1 first."""

    summary = "The 22 titles of a club"
    serializer_class = TitleShape
    pagination_class = None

    @extend_schema(
        responses=inline_serializer("Titles", {"results": TitleShape(many=True)}),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Title]:
        return Title.objects.filter(club=self.club).order_by("level")


class TitleOrder(StrictSerializer):
    level = WholeNumber(min_value=1, max_value=LEVELS)
    name = Text(max_length=MOST_NAME, required=False)
    threshold = WholeNumber(required=False, help_text="Not for level 1, which is open below.")


class TitlesOrder(StrictSerializer):
    titles = TitleOrder(many=True, help_text="What is left out stays as it is.")
    reason = Text(max_length=200)


class TitlesChangeView(ClubView, OrderView):
    summary = "Change the titles of a club"
    serializer_class = TitlesOrder
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {"400": "A field is wrong (`bad_titles`), or the thresholds do not rise (`thresholds_not_rising`)."}
    )

    @extend_schema(
        responses=TitleShape(many=True),
        examples=[
            OpenApiExample(
                "level 2", value={"titles": [{"level": 2, "threshold": 6}], "reason": "胡一次就升"}, request_only=True
            )
        ],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. Members are put on their new levels at once."""
        order = self.order()
        titles_change(
            club=self.club,
            actor=self.person(),
            thresholds={each["level"]: each["threshold"] for each in order["titles"] if "threshold" in each},
            names={each["level"]: each["name"] for each in order["titles"] if "name" in each},
            reason=order["reason"],
        )
        ladder: Any = self.club.titles.order_by("level")
        return Response(TitleShape(ladder, many=True).data)
