"""The desk's pages of members: the list, and one of them with roles, suspension, coins, hands and what was done to them."""

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import BigIntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from accounts.exports import CsvResponse
from accounts.ledger import statement_lines
from clubs.members import member_ban, member_role_change, member_unban, members_found
from clubs.models import Club, Membership, Title
from clubs.titles import title_names, title_progress
from games.desk.audit import audit_lines
from games.desk.shell import DeskRequest, asked, desk_page
from games.history import hand_lines
from games.models import DayFigures, SeatFigures
from games.periods import today

_PAGE: Final = 50
_LATELY: Final = 10  # hands, postings and entries that a member's page shows
#: How the list can be sorted, and by what.
_SORTS: Final = {
    "name": ("user__username",),
    "coins": ("-wallet__balance", "pk"),
    "points": ("-points", "pk"),
    "hands": ("-hands", "pk"),
    "joined": ("-joined_at", "-pk"),
}


class MembersAsked(forms.Form):
    """What the list is filtered and sorted by."""

    q = forms.CharField(required=False, max_length=60)
    role = forms.ChoiceField(
        required=False, choices=lambda: [("", _("全部角色")), *Membership.Role.choices], label=gettext_lazy("角色")
    )
    status = forms.ChoiceField(
        required=False,
        choices=lambda: [("", _("在社的")), *Membership.Status.choices, ("all", _("全部状态"))],
        label=gettext_lazy("状态"),
    )
    sort = forms.ChoiceField(
        required=False,
        choices=[
            ("", gettext_lazy("按余额")),
            ("points", gettext_lazy("按积分")),
            ("hands", gettext_lazy("按 30 天手数")),
            ("joined", gettext_lazy("按加入时间")),
            ("name", gettext_lazy("按登录名")),
        ],
        label=gettext_lazy("排序"),
    )


def members_listed(club: Club, chosen: dict[str, Any]) -> QuerySet[Any]:
    """The members that are asked for, each with the club's own name of the title, net coins of this week and hands of 30 days."""
    members = members_found(club=club, words=chosen["q"])
    if chosen["role"]:
        members = members.filter(role=chosen["role"])
    if not chosen["status"]:
        members = members.exclude(status=Membership.Status.LEFT)
    elif chosen["status"] != "all":
        members = members.filter(status=chosen["status"])
    day = today(club.zone)
    title = Title.objects.filter(club=club, level=OuterRef("level")).values("own_name")[:1]
    return members.annotate(
        own_title=Subquery(title),
        week=_sum("coins", day - timedelta(days=day.weekday())),
        hands=_sum("hands", day - timedelta(days=29)),
    ).order_by(*_SORTS[chosen["sort"] or "coins"])


def _sum(name: str, first: Any) -> Coalesce:
    """A number of a member's days from the first one on."""
    days = DayFigures.objects.filter(membership=OuterRef("pk"), day__gte=first).order_by().values("membership")
    return Coalesce(Subquery(days.annotate(sum=Sum(name)).values("sum")), Value(0), output_field=BigIntegerField())


@require_GET
@desk_page("members")
def members(request: DeskRequest) -> HttpResponse:
    club = request.desk.club
    form = asked(MembersAsked, request.GET)
    page = Paginator(members_listed(club, form.cleaned_data), _PAGE).get_page(request.GET.get("page"))
    active = club.memberships.filter(status=Membership.Status.ACTIVE)
    played = DayFigures.objects.filter(club=club, day__gte=today(club.zone) - timedelta(days=29))
    context = {
        "form": form,
        "page": page,
        "count": active.count(),
        "played": played.values("membership").distinct().count(),
        "is_narrowed": any(form.cleaned_data[name] for name in ("q", "role", "status")),
    }
    return render(request, "desk/members.html", context)


@require_GET
@desk_page("members")
def members_csv(request: DeskRequest) -> CsvResponse:
    """The members that the list shows, all of them."""
    club = request.desk.club
    rows = members_listed(club, asked(MembersAsked, request.GET).cleaned_data)
    headings = [
        *(_("昵称"), _("登录名"), _("角色"), _("状态"), _("等级"), _("头衔"), _("积分"), _("余额"), _("本周净")),
        *(_("30 天手数"), _("加入时间")),
    ]
    lines = (
        [
            *(each.user.name, each.user.username, each.get_role_display(), each.get_status_display(), each.level),
            *(each.title, each.points, each.wallet.balance, each.week, each.hands, each.joined_at),
        ]
        for each in rows.iterator(500)
    )
    return CsvResponse(f"members-{club.slug}", headings, lines)


def member_of(request: DeskRequest, member_id: int) -> Membership:
    """A member of the desk's club, one who has left too; another club's is not there."""
    return get_object_or_404(members_found(club=request.desk.club), pk=member_id)


@require_GET
@desk_page("members")
def member(request: DeskRequest, member_id: int) -> HttpResponse:
    shown = member_of(request, member_id)
    club, day = request.desk.club, today(request.desk.club.zone)
    lately = DayFigures.objects.filter(membership=shown, day__gte=day - timedelta(days=29))
    week = Q(day__gte=day - timedelta(days=day.weekday()))
    entries = Q(subject_type="membership", subject_id=str(shown.pk)) | Q(
        subject_type="user", subject_id=str(shown.user_id)
    )
    names = title_names(club)
    context = {
        "member": shown,
        "is_self": shown.user_id == request.user.pk,
        "progress": title_progress(shown),
        "figures": lately.aggregate(
            month=Sum("hands", default=0),
            net=Sum("coins", default=0),
            week_hands=Sum("hands", filter=week, default=0),
            week_net=Sum("coins", filter=week, default=0),
        ),
        "seat": shown.seats.select_related("table__room").first(),
        "lines": hand_lines(SeatFigures.objects.filter(membership=shown).order_by("-hand_id")[:_LATELY]),
        "postings": statement_lines(shown.wallet)[:_LATELY],
        "entries": audit_lines(club, entries)[:_LATELY],
        "changes": [
            (change, names[change.before], names[change.after])
            for change in shown.level_changes.order_by("-id")[:_LATELY]
        ],
    }
    return render(request, "desk/member.html", context)


@require_POST
@desk_page("members")
def member_change(request: DeskRequest, member_id: int) -> HttpResponse:
    """Suspend somebody, lift that, or change a role: `do` says which, `reason` why."""
    changed, reason = member_of(request, member_id), request.POST.get("reason", "")
    match request.POST.get("do"):
        case "ban":
            member_ban(membership=changed, actor=request.user, reason=reason)
        case "unban":
            member_unban(membership=changed, actor=request.user, reason=reason)
        case "operator" | "member" as role:
            member_role_change(membership=changed, role=Membership.Role(role), actor=request.user, reason=reason)
        case _:
            raise Http404
    messages.success(request, _("已保存"))
    return redirect("desk_member", request.desk.club.slug, changed.pk)
