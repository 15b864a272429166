"""What the pages of hands and statistics filter by. The choice stands in the address; a value that is none is refused."""

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_filters import rest_framework as filters

from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club, Membership, Room, RoomTerms
from clubs.rooms import preset_name
from games.figures import FiguresAsked
from games.history import RESULT_CONDITIONS, RESULTS, HandsSum, hands_sum, seats_of
from games.models import SeatFigures
from games.periods import ALL, LAST, Period, period_asked

FANS: Final = range(2, 9)

Choices = Iterable[tuple[str, str | Promise]]


class PageFilters(filters.FilterSet):
    """Filters of a page: `period` (a key of LAST; `since` and `until` where the dates are one's own) and what a page has besides.

    `qs` are the rows that are left, `chosen` the values; days are those of `zone`. Making one raises `Refused("bad_filter")`.
    """

    default_period = ALL

    period = filters.ChoiceFilter(choices=list(LAST.items()), method="passed", empty_label=None)
    since = filters.CharFilter(method="passed")
    until = filters.CharFilter(method="passed")

    def __init__(self, query: Mapping[str, str], queryset: QuerySet[Any], zone: tzinfo, **choices: Choices) -> None:
        """`choices` are those of the filters that have none of their own."""
        super().__init__({**query, "period": query.get("period") or self.default_period}, queryset=queryset)
        for name, offered in choices.items():
            self.filters[name].extra["choices"] = list(offered)
        for name, field in self.form.fields.items():
            field.widget.attrs["class"] = "in"
            if name in ("since", "until"):
                field.widget.input_type = "date"
        if not self.form.is_valid():
            raise Refused("bad_filter", _("没有这样的筛选条件。"))
        self.chosen: dict[str, Any] = self.form.cleaned_data
        self.zone = zone
        self.period_chosen: Period = period_asked(zone, *(self.chosen[name] for name in ("period", "since", "until")))

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but the default is chosen."""
        return any(value for name, value in self.chosen.items() if (name, value) != ("period", self.default_period))

    def passed(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """What `filter_queryset` takes together."""
        return rows

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().filter_queryset(queryset)
        if self.period_chosen.since:
            rows = rows.filter(ended_at__gte=self.period_chosen.since)
        if self.period_chosen.until:
            rows = rows.filter(ended_at__lt=self.period_chosen.until)
        return rows


class HistoryFilters(PageFilters):
    """Of a person's seats in the hands that they have played."""

    memberships: QuerySet[Membership]  # the person's

    club = filters.ChoiceFilter("club__slug", empty_label=gettext_lazy("全部俱乐部"))
    room = filters.ChoiceFilter(empty_label=gettext_lazy("全部房间"))
    result = filters.ChoiceFilter(
        choices=list(RESULTS.items()), method="with_result", empty_label=gettext_lazy("全部结果")
    )
    fan = filters.ChoiceFilter(method="with_fan", empty_label=gettext_lazy("全部番数"))

    def sums(self) -> HandsSum:
        """What the hands come to: where no result picks them, by the sums of days."""
        if self.chosen["result"] or self.chosen["fan"]:
            return hands_sum(self.qs)
        period, total = self.period_chosen, HandsSum(practice=self.qs.filter(is_practice=True).count())
        for membership in (
            self.memberships.filter(club__slug=self.chosen["club"]) if self.chosen["club"] else self.memberships
        ):
            asked = FiguresAsked(membership.club, period.since, period.until, self.chosen["room"] or None)
            total += HandsSum(**asked.sums(("hands", "coins", "rake", "points"), membership=membership))
        return total

    def with_result(self, seats: QuerySet[SeatFigures], name: str, value: str) -> QuerySet[SeatFigures]:
        return seats.filter(RESULT_CONDITIONS[value])

    def with_fan(self, seats: QuerySet[SeatFigures], name: str, value: str) -> QuerySet[SeatFigures]:
        """Those that one has won with at least so many fan, before the cap."""
        return seats.filter(win_order__gt=0, uncapped_fan__gte=int(value))


def history_filters(*, user: User, query: Mapping[str, str]) -> HistoryFilters:
    """The hands that a person asks for of those that they have played, by days of the club they ask for, else of the one they
    are in. Raises `Refused("bad_filter")`."""
    mine = Club.objects.filter(memberships__user=user, memberships__status=Membership.Status.ACTIVE).order_by("pk")
    rooms = Room.objects.filter(club__in=mine).order_by("club", "pk")
    zone = timezone.get_current_timezone()
    if query.get("club"):
        rooms = rooms.filter(club__slug=query["club"])
        zone = next((club.zone for club in mine if club.slug == query["club"]), zone)
    asked = HistoryFilters(
        query,
        seats_of(user=user),
        zone,
        club=mine.values_list("slug", "name"),
        room=_named(rooms),
        fan=((str(fan), _("%(fan)d 番以上") % {"fan": fan}) for fan in FANS),
    )
    asked.memberships = Membership.objects.filter(user=user).select_related("club")
    return asked


class StatisticsFilters(PageFilters):
    """Of the figures of a club."""

    default_period = "90"

    room = filters.ChoiceFilter(empty_label=gettext_lazy("全部房间"))
    ruleset = filters.ChoiceFilter("preset", empty_label=gettext_lazy("全部规则"))
    auto = filters.ChoiceFilter(
        choices=[("only", gettext_lazy("只看有托管的"))], method="passed", empty_label=gettext_lazy("不含托管")
    )

    def asked(self, club: Club) -> FiguresAsked:
        """The figures that are asked for."""
        period = self.period_chosen
        return FiguresAsked(club, period.since, period.until, self.chosen["room"] or None, self.chosen["ruleset"])

    @property
    def is_auto(self) -> bool:
        """Whether the hands are asked for that usually do not count."""
        return bool(self.chosen["auto"] == "only")


def statistics_filters(*, club: Club, query: Mapping[str, str]) -> StatisticsFilters:
    """The figures of a club that somebody asks for. Raises `Refused("bad_filter")`."""
    presets = RoomTerms.objects.filter(room__club=club).order_by("preset").values_list("preset", flat=True).distinct()
    return StatisticsFilters(
        query,
        SeatFigures.objects.none(),
        club.zone,
        room=_named(club.rooms.order_by("pk")),
        ruleset=((preset, preset_name(preset)) for preset in presets),
    )


def _named(rooms: QuerySet[Room]) -> Choices:
    return ((str(pk), name) for pk, name in rooms.values_list("pk", "name"))
