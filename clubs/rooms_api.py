"""The API's routes about rooms and their terms."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework import serializers

from accounts.api import (
    DetailView,
    ListView,
)
from clubs.api import ClubShape, ClubView, clubs_of
from clubs.models import Room, RoomTerms
from clubs.rooms import preset_name, ruleset_of, unit_coins


class TermsShape(serializers.Serializer[RoomTerms]):
    version = serializers.IntegerField()
    preset = serializers.CharField()
    label = serializers.SerializerMethodField(help_text="Name of the preset in the language of the request.")  # type: ignore[assignment]
    options = serializers.DictField(help_text="Options that differ from the preset's.")
    coefficient = serializers.IntegerField(help_text="Coins a point.")
    rake = serializers.IntegerField(help_text="Coins a seat and hand.")
    base_points = serializers.SerializerMethodField(help_text="Points a unit.")
    unit_coins = serializers.SerializerMethodField(help_text="Coins a unit: base_points × coefficient.")
    entry_minimum = serializers.IntegerField(help_text="Coins needed to sit down.")
    turn_seconds = serializers.IntegerField()
    claim_seconds = serializers.IntegerField()
    void_seconds = serializers.IntegerField()
    reserve_seconds = serializers.IntegerField(help_text="That a seat may take beyond its limits within one hand.")
    pacing = serializers.CharField(help_text="quick, blind or instant.")
    waits_shown = serializers.BooleanField(
        help_text="Whether a seat is shown what it waits for, and what after each discard."
    )
    bots_allowed = serializers.BooleanField()
    watching = serializers.CharField(
        help_text="off, seconds (members see it `watch_delay` later) or hands (once over)."
    )
    watch_delay = serializers.IntegerField(help_text="Seconds.")
    created_at = serializers.DateTimeField()

    def get_label(self, terms: RoomTerms) -> str:
        return preset_name(terms.preset)

    def get_base_points(self, terms: RoomTerms) -> int:
        return ruleset_of(terms).base_points

    def get_unit_coins(self, terms: RoomTerms) -> int:
        return unit_coins(terms)


class RoomShape(serializers.Serializer[Room]):
    id = serializers.CharField(source="pk")
    club = ClubShape()
    name = serializers.CharField()
    is_open = serializers.BooleanField()
    terms = TermsShape(help_text="The terms that the next hand is dealt under.")


class RoomName(serializers.Serializer[Any]):
    id = serializers.CharField(source="pk")
    name = serializers.CharField()


class RoomWithVersions(RoomShape):
    versions = TermsShape(many=True, help_text="All terms that the room has had, newest first.")


def rooms() -> QuerySet[Room]:
    return Room.objects.select_related("club", "terms")


class ClubRoomsView(ClubView, ListView):
    """Open and closed rooms with their present terms."""

    summary = "Rooms of a club"
    serializer_class = RoomShape

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club=self.club)


class RoomFilters(filters.FilterSet):
    club = filters.CharFilter("club__slug", help_text="Slug of a club.")


class RoomsView(ListView):
    """Rooms of all clubs where I am an active member, with their present terms."""

    summary = "Rooms of my clubs"
    serializer_class = RoomShape
    filterset_class = RoomFilters

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club__in=clubs_of(self.person()))


class RoomView(DetailView):
    """A hand keeps the terms that it was dealt under; a change makes a new version."""

    summary = "A room with all versions of its terms"
    serializer_class = RoomWithVersions

    def get_queryset(self) -> QuerySet[Room]:
        return rooms().filter(club__in=clubs_of(self.person())).prefetch_related("versions")
