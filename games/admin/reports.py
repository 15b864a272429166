"""The admin of reports, and their answers."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.widgets import UnfoldAdminTextareaWidget

from accounts.admin.desk import ReadOnlyAdmin, ask, column, person, row_action, row_link
from games.models import Report
from games.reports import MOST_WORDS, report_close


class AnswerForm(forms.Form):
    note = forms.CharField(
        label=gettext_lazy("给申诉人的答复"), max_length=MOST_WORDS, widget=UnfoldAdminTextareaWidget({"rows": 3})
    )


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """What members have reported, open ones first; an answer closes a report."""

    list_display = ("created_at", "shown_state", "kind", "club", "shown_hand", "reporter", "words")
    list_filter = ("is_open", "kind", "reporter__club", ("created_at", RangeDateTimeFilter))
    list_select_related = ("reporter__club", "reporter__user")
    search_fields = ("=hand__id", "words", "reporter__user__username", "reporter__user__display_name")
    ordering = ("-is_open", "-id")
    fields = (
        "state",
        "kind",
        "club",
        "shown_hand",
        "seq",
        "reporter",
        "words",
        "created_at",
        "note",
        "closed_by",
    )
    readonly_fields = ("state", "club", "shown_hand")
    actions_detail = ("answer",)

    @column(description=gettext_lazy("状态"), ordering="is_open", label={True: "warning", False: "success"})
    def shown_state(self, report: Report) -> tuple[bool, str]:
        return report.is_open, self.state(report)

    @column(description=gettext_lazy("状态"))
    def state(self, report: Report) -> str:
        return _("待处理") if report.is_open else _("已处理")

    @column(description=gettext_lazy("俱乐部"))
    def club(self, report: Report) -> str:
        return row_link(report.reporter.club, report.reporter.club.name)

    @column(description=gettext_lazy("牌局"))
    def shown_hand(self, report: Report) -> str:
        address = reverse("admin:games_hand_change", args=[report.hand_id])
        return format_html('<a href="{}">#{}</a>', address, report.hand_id)

    @row_action(description=gettext_lazy("答复并结案"), url_path="answer", icon="task_alt")
    def answer(self, request: HttpRequest, report: Report) -> HttpResponse:
        def carry_out(answers: dict[str, Any]) -> None:
            report_close(report=report, actor=person(request), note=answers["note"])

        return ask(
            self,
            request,
            title=_("答复并结案"),
            form_class=AnswerForm,
            facts=[f"{report.get_kind_display()} · {report.reporter} · #{report.hand_id}", report.words],
            carry_out=carry_out,
            obj=report,
        )

    def offered(self, request: HttpRequest, report: Report) -> Collection[str]:
        return self.actions_detail if report.is_open else ()
