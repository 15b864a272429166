"""The desk's pages of reports: those that wait and those that were answered, one with its hand, and the answer."""

from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from accounts.pages import SignedInRequest, page
from accounts.paging import id_of
from clubs.pages import club_entered
from games.desk.shell import DeskRequest, asked, desk_page
from games.history import seat_name
from games.models import Action, Report
from games.reports import MOST_WORDS, report_close, reports_for
from games.words import end_words

_PAGE: Final = 50


class ReportsAsked(forms.Form):
    """What the list is filtered by."""

    state = forms.ChoiceField(
        required=False,
        choices=[("", gettext_lazy("待处理")), ("closed", gettext_lazy("已处理"))],
        label=gettext_lazy("状态"),
    )
    kind = forms.ChoiceField(
        required=False, choices=lambda: [("", _("全部类别")), *Report.Kind.choices], label=gettext_lazy("类别")
    )


@require_GET
@desk_page("reports")
def reports(request: DeskRequest) -> HttpResponse:
    """Those that wait, the oldest first; `?state=closed` those that were answered, the newest first."""
    form = asked(ReportsAsked, request.GET)
    is_open = not form.cleaned_data["state"]
    told = reports_for(request.desk.membership).filter(is_open=is_open)
    if form.cleaned_data["kind"]:
        told = told.filter(kind=form.cleaned_data["kind"])
    before = id_of(request.GET.get("before", ""))
    if before is not None:
        told = told.filter(pk__gt=before) if is_open else told.filter(pk__lt=before)
    found = list(told.order_by("id" if is_open else "-id")[: _PAGE + 1])
    context = {
        "form": form,
        "is_open": is_open,
        "reports": found[:_PAGE],
        "next": found[_PAGE - 1].pk if len(found) > _PAGE else None,
    }
    return render(request, "desk/reports.html", context)


@require_GET
@desk_page("reports")
def report(request: DeskRequest, report_id: int) -> HttpResponse:
    """What somebody reports: the hand and what it came to, the steps that the program took, and a form for the answer."""
    shown = get_object_or_404(reports_for(request.desk.membership), pk=report_id)
    hand = shown.hand
    seats = list(hand.seats.select_related("membership__user").order_by("number"))
    late = hand.actions.filter(source=Action.Source.TIMER, seat__isnull=False).order_by("seq")
    context = {
        "report": shown,
        "hand": hand,
        "is_practice": any(seat.membership_id is None for seat in seats),
        "end": end_words(hand.end),
        "seats": [(seat_name(seat), seat) for seat in seats],
        "late": [(action, seat_name(seats[action.seat or 0])) for action in late[:_PAGE]],
        "others": reports_for(request.desk.membership).filter(hand=hand).exclude(pk=shown.pk),
        "is_own": shown.reporter.user_id == request.user.pk,
        "most_words": MOST_WORDS,
    }
    return render(request, "desk/report.html", context)


@require_POST
@page
def report_answer(request: SignedInRequest, report_id: int) -> HttpResponse:
    """For operators: close a report with an answer."""
    found = get_object_or_404(Report.objects.select_related("reporter__club__book"), pk=report_id)
    membership = club_entered(request, found.reporter.club.slug)
    report_close(report=found, actor=request.user, note=request.POST.get("note", ""))
    messages.success(request, _("已处理，申诉人会看到你的答复"))
    return redirect("desk_reports", membership.club.slug)
