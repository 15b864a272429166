"""The API's routes about a club's invitations, for its operators."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ListView, OrderView, Person, StrictSerializer, Text, WholeNumber
from accounts.models import User
from clubs.api import OPERATORS_ONLY, ClubView
from clubs.invitations import MOST_USES, invitation_create, invitation_revoke, invitations_made
from clubs.models import Invitation


class InvitationShape(serializers.Serializer[Invitation]):
    id = serializers.CharField(source="pk")
    code = serializers.CharField()
    page = serializers.SerializerMethodField(help_text="Address of its page, below the site's own.")
    created_by = Person()
    invitee = Person(allow_null=True, help_text="For whom alone; null: for whoever has the code.")
    max_uses = serializers.IntegerField()
    uses = serializers.IntegerField(help_text="A pending request to join holds one.")
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()

    def get_page(self, invitation: Invitation) -> str:
        return reverse("join_code", args=[invitation.code])


class InviteOrder(StrictSerializer):
    max_uses = WholeNumber(min_value=1, max_value=MOST_USES, default=1)
    expires_at = serializers.DateTimeField(allow_null=True, default=None, help_text="RFC 3339; null: never.")
    invitee = Text(
        max_length=150,
        allow_null=True,
        default=None,
        help_text="Name by which somebody signs in, to invite them alone.",
    )

    def validate_invitee(self, name: str | None) -> User | None:
        if name is None:
            return None
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise serializers.ValidationError(_("没有叫这个名字的账号。"), code="does_not_exist")
        return user


def invitations_of(view: ClubView) -> QuerySet[Invitation]:
    return invitations_made(view.club)


class InvitationFilters(filters.FilterSet):
    revoked = filters.BooleanFilter("revoked_at", "isnull", exclude=True, help_text="false: those that still hold.")


class InvitationsView(ClubView, ListView):
    """For operators: newest first."""

    summary = "Invitations of a club"
    serializer_class = InvitationShape
    filterset_class = InvitationFilters
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY

    def get_queryset(self) -> QuerySet[Invitation]:
        return invitations_of(self)


class InviteView(ClubView, OrderView):
    summary = "Invite people to a club"
    serializer_class = InviteOrder
    operators_only = True
    problems: ClassVar = (
        OPERATORS_ONLY
        | OrderView.problems
        | {
            "400": "A field is unknown or wrong, or the time of expiry is past (`bad_expiry`).",
            "409": "The invitee is a member already (`already_a_member`), or was invited within a day (`invited_lately`).",
        }
    )

    @extend_schema(
        responses={201: InvitationShape},
        examples=[
            OpenApiExample("ten", value={"max_uses": 10, "expires_at": "2026-12-31T16:00:00Z"}, request_only=True),
            OpenApiExample("one person", value={"invitee": "laozhang"}, request_only=True),
        ],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. Who is invited alone is told."""
        invitation = invitation_create(club=self.club, actor=self.person(), **self.order())
        return Response(InvitationShape(invitation).data, status=201)


class InvitationRevokeView(ClubView, OrderView):
    summary = "Revoke an invitation"
    serializer_class = StrictSerializer
    operators_only = True
    problems: ClassVar = OPERATORS_ONLY | OrderView.problems

    def get_queryset(self) -> QuerySet[Invitation]:
        return invitations_of(self)

    @extend_schema(request=None, responses=InvitationShape)
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """For operators. Who has joined by it stays; revoking twice is as once."""
        invitation = self.get_object()
        invitation_revoke(invitation=invitation, actor=self.person())
        return Response(InvitationShape(self.get_queryset().get(pk=invitation.pk)).data)
