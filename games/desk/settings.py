"""The desk's pages of the club itself: name, time zone, how one joins, and the ladder of titles."""

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.errors import Refused
from clubs.clubs import club_change
from clubs.forms import ClubForm, TitlesForm
from clubs.models import Membership
from clubs.titles import titles_change
from games.desk.shell import DeskRequest, desk_page, refusal_shown


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("club")
def settings(request: DeskRequest) -> HttpResponse:
    club = request.desk.club
    now = {name: getattr(club, name) for name in ClubForm.base_fields}
    form = ClubForm(request.POST if request.method == "POST" else None, initial=now)
    if form.is_valid():
        try:
            club_change(club=club, actor=request.user, **form.cleaned_data)
            messages.success(request, _("已保存"))
            if "time_zone" in form.changed_data:
                messages.info(request, _("新时区从下一手起用。以前的手还记在旧时区的日子里，要重算请找站点的管理员。"))
            return redirect("desk_settings", club.slug)
        except Refused as refusal:
            refusal_shown(form, refusal)
    return render(request, "desk/settings.html", {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("club")
def titles(request: DeskRequest) -> HttpResponse:
    """The ladder of 22, changed as a whole, with how many members stand on each step."""
    club = request.desk.club
    form = TitlesForm(request.POST if request.method == "POST" else None, titles=list(club.titles.order_by("level")))
    if form.is_valid():
        try:
            titles_change(
                club=club,
                actor=request.user,
                thresholds=form.changes("threshold"),
                names=form.changes("name"),
                reason=form.cleaned_data["reason"],
            )
            messages.success(request, _("头衔已保存，成员的等级已按新门槛重算。"))
            return redirect("desk_titles", club.slug)
        except Refused as refusal:
            refusal_shown(form, refusal)
    active = club.memberships.filter(status=Membership.Status.ACTIVE)
    counts = dict(active.values_list("level").annotate(Count("id")).order_by())
    context = {
        "form": form,
        "ladder": [(level, name, threshold, counts.get(level, 0)) for level, name, threshold in form.ladder()],
    }
    return render(request, "desk/titles.html", context, status=400 if form.errors else 200)
