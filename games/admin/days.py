"""The admin of the sums by day."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import RangeDateFilter
from unfold.decorators import action
from unfold.widgets import UnfoldAdminSelectWidget

from accounts.admin.desk import ReadOnlyAdmin, ask, coins_text, column
from clubs.models import Club
from clubs.rooms import preset_name
from games.figures import days_rebuild
from games.models import DayFigures


class DaysForm(forms.Form):
    club = forms.ModelChoiceField(
        Club.objects.order_by("name"), label=gettext_lazy("俱乐部"), widget=UnfoldAdminSelectWidget
    )


@admin.register(DayFigures)
class DayFiguresAdmin(ReadOnlyAdmin):
    """What members' hands come to by day; statistics and leaderboards are sums of these rows."""

    list_display = (
        *("day", "club", "shown_name", "room", "shown_preset", "is_auto", "hands", "wins", "jipin", "units", "points"),
        *("shown_coins", "shown_rake"),
    )
    list_display_links = None
    list_filter = ("club", "is_auto", ("day", RangeDateFilter))
    list_select_related = ("club", "room", "membership__user")
    search_fields = ("membership__user__username", "membership__user__display_name")
    ordering = ("-day", "-pk")
    show_full_result_count = False
    actions_list = ("rebuild",)

    @column(description=gettext_lazy("成员"))
    def shown_name(self, day: DayFigures) -> str:
        return day.membership.user.name

    @column(description=gettext_lazy("规则"), ordering="preset")
    def shown_preset(self, day: DayFigures) -> str:
        return preset_name(day.preset)

    @column(description=gettext_lazy("净金币"), ordering="coins")
    def shown_coins(self, day: DayFigures) -> str:
        return coins_text(day.coins)

    @column(description=gettext_lazy("台费"), ordering="rake")
    def shown_rake(self, day: DayFigures) -> str:
        return coins_text(day.rake)

    @action(description=gettext_lazy("重算"), url_path="rebuild", icon="refresh")  # type: ignore[untyped-decorator]
    def rebuild(self, request: HttpRequest) -> HttpResponse:
        """Sort the hands of a club into days anew, after it has moved to another time zone."""

        def carry_out(answers: dict[str, Any]) -> str:
            count = days_rebuild(club=answers["club"])
            return _("已按俱乐部现在的时区重算 %(count)d 名成员的每日统计。") % {"count": count}

        return ask(
            self,
            request,
            title=_("重算每日统计"),
            form_class=DaysForm,
            facts=[_("俱乐部改了时区以后，以前的手还记在旧时区的日子里。重算只改它们记在哪一天，不改任何金币和积分。")],
            carry_out=carry_out,
            back=reverse("admin:games_dayfigures_changelist"),
        )
