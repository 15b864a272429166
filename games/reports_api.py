"""The API's routes about reports of hands."""

from typing import ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ListView, OrderView, Person, StrictSerializer, Text, WholeNumber
from clubs.api import ClubView, clubs_of
from clubs.roles import membership_of
from games.hands_api import hands_for
from games.models import Hand, Report
from games.reports import MOST_WORDS, report_close, report_open, reports_for


class ReportShape(serializers.Serializer[Report]):
    id = serializers.CharField(source="pk")
    hand = serializers.CharField(source="hand_id")
    seq = serializers.IntegerField(allow_null=True, help_text="The row of the hand's log that it is about, or null.")
    reporter = Person(source="reporter.user")
    kind = serializers.CharField(help_text="collusion, abuse, result, fault or other.")
    words = serializers.CharField()
    is_open = serializers.BooleanField()
    note = serializers.CharField(help_text="The answer; empty as long as it is open.")
    closed_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class ReportRequest(StrictSerializer):
    kind = serializers.ChoiceField(Report.Kind.values)
    words = Text(max_length=MOST_WORDS)
    seq = WholeNumber(min_value=1, max_value=99_999, required=False, allow_null=True, default=None)


class AnswerRequest(StrictSerializer):
    note = Text(max_length=MOST_WORDS)


class ReportFilters(filters.FilterSet):
    is_open = filters.BooleanFilter("is_open", help_text="true: those that wait for an answer.")


class ClubReportsView(ClubView, ListView):
    """Operators see all reports of their club, members their own."""

    summary = "Reports of hands"
    serializer_class = ReportShape
    filterset_class = ReportFilters

    def get_queryset(self) -> QuerySet[Report]:
        return reports_for(membership_of(user=self.person(), club=self.club))


class HandReportView(OrderView):
    summary = "Report a hand to its club"
    serializer_class = ReportRequest
    problems: ClassVar = OrderView.problems | {
        "409": "There is an open report of mine on this hand (`report_open`).",
        "429": "Too many reports within a day (`too_many_reports`), or requests.",
    }

    def get_queryset(self) -> QuerySet[Hand]:
        return hands_for(self)

    @extend_schema(
        responses={201: ReportShape},
        examples=[
            OpenApiExample("report", value={"kind": "fault", "words": "两次点胡都没反应", "seq": 84}, request_only=True)
        ],
    )
    def post(self, request: Request, id: str) -> Response:
        """The club's operators see it; I see their answer."""
        hand: Hand = self.get_object()
        report = report_open(hand_id=hand.pk, reporter=self.person(), **self.order())
        return Response(ReportShape(report).data, status=201)


class ReportAnswerView(OrderView):
    summary = "Answer a report and close it"
    serializer_class = AnswerRequest
    problems: ClassVar = OrderView.problems | {
        "403": "For operators of the club only (`not_an_operator`), and not for one's own report (`own_report`).",
        "409": "It is closed already (`report_closed`).",
    }

    def get_queryset(self) -> QuerySet[Report]:
        """All of one's clubs: who runs none of them is refused, not told that there is no report."""
        reports = Report.objects.filter(reporter__club__in=clubs_of(self.person()))
        return reports.select_related("reporter__club__book", "reporter__user")

    @extend_schema(responses=ReportShape)
    def post(self, request: Request, id: str) -> Response:
        """For operators. The reporter sees the answer."""
        report: Report = self.get_object()
        answered = report_close(report=report, actor=self.person(), note=self.order()["note"])
        return Response(ReportShape(answered).data)
