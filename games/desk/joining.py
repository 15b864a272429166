"""The desk's pages of who comes: requests to join, and invitations with their link and QR code."""

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.errors import Refused
from accounts.models import User
from accounts.paging import ids_of
from clubs.invitations import MOST_USES, invitation_create, invitation_revoke, invitations_made
from clubs.members import requests_decide, requests_pending
from clubs.models import JoinRequest
from games.desk.shell import DeskRequest, desk_page, refusal_shown

_SHOWN: Final = 100
_DAYS: Final = {"1": 1, "7": 7, "30": 30, "": None}


@require_GET
@desk_page("members")
def requests(request: DeskRequest) -> HttpResponse:
    """Who waits, and what was decided lately."""
    club = request.desk.club
    decided = club.join_requests.exclude(status=JoinRequest.Status.PENDING).select_related("user", "decided_by")
    context = {"pending": requests_pending(club)[:_SHOWN], "decided": decided.order_by("-decided_at")[:20]}
    return render(request, "desk/requests.html", context)


@require_POST
@desk_page("members")
def requests_answer(request: DeskRequest) -> HttpResponse:
    """Decide those that are chosen (`request`), all or none: `do` is approve or refuse."""
    ids = ids_of(request.POST.getlist("request"))
    chosen = list(request.desk.club.join_requests.filter(pk__in=ids).order_by("id"))
    approve = request.POST.get("do") == "approve"
    if not chosen:
        raise Refused("nobody_chosen", _("请先选申请。"))
    requests_decide(requests=chosen, approve=approve, actor=request.user, reason=request.POST.get("reason", ""))
    count = len(chosen)
    words = (
        ngettext("已同意 %(n)d 份申请", "已同意 %(n)d 份申请", count)
        if approve
        else ngettext("已拒绝 %(n)d 份申请", "已拒绝 %(n)d 份申请", count)
    )
    messages.success(request, words % {"n": count})
    return redirect("desk_requests", request.desk.club.slug)


class InviteForm(forms.Form):
    """For how many and how long, or for whom alone."""

    max_uses = forms.IntegerField(label=gettext_lazy("可用次数"), min_value=1, max_value=MOST_USES, initial=1)
    days = forms.ChoiceField(
        label=gettext_lazy("有效期"),
        required=False,
        choices=[
            ("7", gettext_lazy("7 天")),
            ("1", gettext_lazy("1 天")),
            ("30", gettext_lazy("30 天")),
            ("", gettext_lazy("不过期")),
        ],
    )
    invitee = forms.CharField(
        label=gettext_lazy("只给一个人（可不填）"),
        help_text=gettext_lazy("写登录名。此人会收到通知，邀请只有他能用。"),
        required=False,
        max_length=150,
    )

    def clean_invitee(self) -> User | None:
        if not (name := self.cleaned_data["invitee"]):
            return None
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(_("没有这个登录名。"))
        return user

    def terms(self) -> dict[str, Any]:
        """What `clubs.invitations.invitation_create` takes."""
        days = _DAYS[self.cleaned_data["days"]]
        return {
            "max_uses": self.cleaned_data["max_uses"],
            "invitee": self.cleaned_data["invitee"],
            "expires_at": timezone.now() + timedelta(days=days) if days else None,
        }


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("members")
def invitations(request: DeskRequest) -> HttpResponse:
    """Those that were made, and a form for a new one."""
    club = request.desk.club
    form = InviteForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = invitation_create(club=club, actor=request.user, **form.terms())
            return redirect("desk_invitation", club.slug, made.pk)
        except Refused as refusal:
            refusal_shown(form, refusal)
    context = {"form": form, "invitations": invitations_made(club)[:_SHOWN], "now": timezone.now()}
    return render(request, "desk/invitations.html", context, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("members")
def invitation(request: DeskRequest, invitation_id: int) -> HttpResponse:
    """One invitation with its code, link and QR code, and who came by it; POST revokes it."""
    made = get_object_or_404(invitations_made(request.desk.club), pk=invitation_id)
    if request.method == "POST":
        invitation_revoke(invitation=made, actor=request.user)
        messages.success(request, _("邀请已撤销"))
        return redirect("desk_invitations", request.desk.club.slug)
    context = {
        "invitation": made,
        "link": request.build_absolute_uri(reverse("join_code", args=[made.code])),
        "now": timezone.now(),
    }
    return render(request, "desk/invitation.html", context)
