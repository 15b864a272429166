"""The API's routes about notices."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ListView, OrderView, StrictSerializer, Text, choice_filter
from accounts.models import Notice, NoticeSwitch
from accounts.notices import notice_address, notice_words, notices_of, notices_read, switch_set, switches_of
from accounts.paging import ids_of


class NoticeShape(serializers.Serializer[Notice]):
    id = serializers.CharField(source="pk")
    kind = serializers.CharField(help_text="table, seat, turn, invite, request, coins or report.")
    club = serializers.CharField(source="book.club.slug", help_text="Slug of the club concerned.")
    words = serializers.SerializerMethodField(help_text="In the language of the request.")
    page = serializers.SerializerMethodField(help_text="Address of the page that it leads to, below the site's own.")
    created_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True, help_text="Null: not read yet.")

    def get_words(self, notice: Notice) -> str:
        return notice_words(notice)

    def get_page(self, notice: Notice) -> str:
        return notice_address(notice)


class NoticeFilters(filters.FilterSet):
    kind = choice_filter(Notice.Kind.values)
    unread = filters.BooleanFilter("read_at", "isnull", help_text="true: unread ones only.")


class NoticesView(ListView):
    """What I was told, newest first. `table`: my table began; `seat`: a seat is kept for me, who stand in a line; `turn`: it
    was my turn and I was away; `invite`: a club invites me; `request`: my request to join was decided; `coins`: coins were
    issued to me, withdrawn or corrected; `report`: what I reported of a hand was answered."""

    summary = "My notices"
    serializer_class = NoticeShape
    filterset_class = NoticeFilters

    def get_queryset(self) -> QuerySet[Notice]:
        return notices_of(self.person())


class ReadRequest(StrictSerializer):
    ids = serializers.ListField(
        child=Text(max_length=18), required=False, max_length=200, help_text="Left out: all of them."
    )

    def validate_ids(self, ids: list[str]) -> list[str]:
        if len(ids_of(ids)) < len(ids):
            raise serializers.ValidationError(code="invalid")
        return ids


class NoticesReadView(OrderView):
    summary = "Mark notices as read"
    serializer_class = ReadRequest

    @extend_schema(
        responses={
            200: inline_serializer("NoticesRead", {"read": serializers.IntegerField(help_text="That were unread.")})
        },
        examples=[OpenApiExample("two", value={"ids": ["311", "312"]}, request_only=True)],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Ids of others' notices, and of none, change nothing."""
        ids = self.order().get("ids")
        return Response({"read": notices_read(user=self.person(), ids=None if ids is None else map(int, ids))})


class SwitchShape(serializers.Serializer[NoticeSwitch]):
    """How I want to be told of one kind."""

    kind = serializers.CharField()
    words = serializers.CharField(source="get_kind_display", help_text="In the language of the request.")
    on_site = serializers.BooleanField()
    by_mail = serializers.BooleanField(help_text="To my confirmed address, if I have one.")


class SwitchesView(ListView):
    """One for each kind of notice."""

    summary = "How I want to be told"
    serializer_class = SwitchShape
    pagination_class = None

    @extend_schema(responses=inline_serializer("Switches", {"results": SwitchShape(many=True)}))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response({"results": self.get_serializer(switches_of(self.person()), many=True).data})


class SwitchOrder(StrictSerializer):
    kind = serializers.ChoiceField(Notice.Kind.values)
    on_site = serializers.BooleanField(required=False)
    by_mail = serializers.BooleanField(required=False)


class SwitchView(OrderView):
    summary = "Be told of a kind, or not"
    serializer_class = SwitchOrder

    @extend_schema(
        responses=SwitchShape,
        examples=[OpenApiExample("mail", value={"kind": "report", "by_mail": True}, request_only=True)],
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """What is left out stays as it is."""
        return Response(SwitchShape(switch_set(user=self.person(), **self.order())).data)
