"""The API's routes about joining a club: by an invitation, or by asking where the club approves its members."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ListView, OrderView, Person, StrictSerializer, Text, choice_filter
from clubs.api import OPERATORS_ONLY, ClubShape, ClubView
from clubs.guesses import invitation_typed
from clubs.members import MOST_MESSAGE, member_join, request_approve, request_make, request_refuse, request_withdraw
from clubs.models import JoinRequest

DECIDED = {"409": "Somebody has decided it already (`request_decided`)."}


# --- Shapes --------------------------------------------------------------------------------------------------------
class RequestShape(serializers.Serializer[JoinRequest]):
    id = serializers.CharField(source="pk")
    club = ClubShape()
    status = serializers.CharField(help_text="pending, approved, refused or withdrawn.")
    message = serializers.CharField(help_text="To the club's operators.")
    reason = serializers.CharField(help_text="What they answered, or empty.")
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)


class RequestForOperators(RequestShape):
    user = Person(help_text="Who asks.")
    invitation = serializers.CharField(source="invitation.code", help_text="By which invitation.")
    decided_by = Person(allow_null=True)


class JoinOrder(StrictSerializer):
    code = Text(max_length=40, help_text="Of an invitation.")
    message = Text(
        max_length=MOST_MESSAGE, required=False, allow_blank=True, help_text="Where the club approves its members."
    )


class ReasonOrder(StrictSerializer):
    reason = Text(max_length=200, help_text="Whoever asked sees it.")


class OptionalReasonOrder(StrictSerializer):
    reason = Text(max_length=200, required=False, allow_blank=True, help_text="Whoever asked sees it.")


# --- Mine ----------------------------------------------------------------------------------------------------------
class JoinView(OrderView):
    summary = "Join a club by an invitation, or ask to"
    serializer_class = JoinOrder
    problems: ClassVar = OrderView.problems | {
        "403": "You have been banned from the club (`banned`), or the invitation is for another (`invitation_personal`).",
        "404": "There is no such invitation (`invitation_unknown`).",
        "409": "The invitation admits nobody any more (`invitation_revoked`, `invitation_expired`, `invitation_used_up`).",
    }

    @extend_schema(
        responses={
            200: inline_serializer(
                "Joined",
                {
                    "club": ClubShape(),
                    "request": RequestShape(allow_null=True, help_text="Null: I am a member now."),
                },
            )
        },
        examples=[OpenApiExample("join", value={"code": "YL7Q2MXA", "message": "建国的同事"}, request_only=True)],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Where the club approves its members a request is made, which its operators decide; asking again gets the same one.
        Unknown codes are counted: too many of them, and one waits (`too_many_attempts`, 429)."""
        order = self.order()
        code, message = order["code"], order.get("message", "")
        club = invitation_typed(request, code).club
        is_member = club.memberships.filter(user=self.person()).exclude(status="left").exists()
        asked = None
        if club.needs_approval and not is_member:
            asked = request_make(code=code, user=self.person(), message=message)
        else:
            member_join(code=code, user=self.person())
        return Response({"club": ClubShape(club).data, "request": RequestShape(asked).data if asked else None})


class RequestsView(ListView):
    """What I asked of clubs that approve their members, and what came of it, newest first."""

    summary = "My requests to join"
    serializer_class = RequestShape

    def get_queryset(self) -> QuerySet[JoinRequest]:
        return JoinRequest.objects.filter(user=self.person()).select_related("club")


class RequestWithdrawView(OrderView):
    summary = "Withdraw a request to join"
    serializer_class = StrictSerializer
    problems: ClassVar = OrderView.problems | DECIDED

    def get_queryset(self) -> QuerySet[JoinRequest]:
        return JoinRequest.objects.filter(user=self.person()).select_related("club")

    @extend_schema(request=None, responses={200: RequestShape})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The invitation's use that it held is free again."""
        asked = self.get_object()
        request_withdraw(request=asked)
        return Response(RequestShape(self.get_queryset().get(pk=asked.pk)).data)


# --- A club's ------------------------------------------------------------------------------------------------------
def requests_to(view: ClubView) -> QuerySet[JoinRequest]:
    return JoinRequest.objects.filter(club=view.club).select_related("club", "user", "invitation", "decided_by")


class RequestFilters(filters.FilterSet):
    status = choice_filter(JoinRequest.Status.values)


class ClubRequestsView(ClubView, ListView):
    """For operators: who asks to be let in, and who has, newest first."""

    summary = "Requests to join a club"
    serializer_class = RequestForOperators
    filterset_class = RequestFilters
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY

    def get_queryset(self) -> QuerySet[JoinRequest]:
        return requests_to(self)


class _DecideView(ClubView, OrderView):
    """An operator decides a request."""

    operators_only = True
    problems: ClassVar = OPERATORS_ONLY | OrderView.problems | DECIDED

    def get_queryset(self) -> QuerySet[JoinRequest]:
        return requests_to(self)

    def decided(self, request: Request, decide: Callable[..., object]) -> Response:
        asked = self.get_object()
        decide(request=asked, actor=self.person(), reason=self.order().get("reason", ""))
        return Response(RequestForOperators(self.get_queryset().get(pk=asked.pk)).data)


class RequestApproveView(_DecideView):
    summary = "Let somebody in who asked"
    serializer_class = OptionalReasonOrder

    @extend_schema(responses={200: RequestForOperators})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. The new member gets the club's welcome coins and is told."""
        return self.decided(request, request_approve)


class RequestRefuseView(_DecideView):
    summary = "Do not let somebody in who asked"
    serializer_class = ReasonOrder

    @extend_schema(responses={200: RequestForOperators})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. Whoever asked is told the reason."""
        return self.decided(request, request_refuse)
