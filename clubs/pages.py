"""Pages of a club that need nothing of its games: joining, titles. And what stands around every page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Final

from django.contrib import messages
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.errors import Refused
from accounts.ledger import hand_of
from accounts.models import User
from accounts.pages import SignedInRequest, page
from accounts.reads import read_again
from clubs.forms import JoinForm, RequestForm
from clubs.guesses import invitation_typed
from clubs.invitations import invitation_decline, invitation_find, invitations_for
from clubs.members import member_join, request_make, request_withdraw
from clubs.models import Club, Invitation, JoinRequest, LevelChange, Membership, Title
from clubs.roles import membership_of
from clubs.signup import SESSION_CLUB, SESSION_CODE, invitation_brought
from clubs.titles import title_progress

_REQUESTS: Final = 10  # that a page shows
_TABS: Final = {
    "home": {"home", "join", "join_code"},
    "club": {"lobby", "club_leave", "room_rules", "table", "hand_end", "leaderboard", "reports"},
    "history": {"history", "hand", "statistics", "report"},
    "calculator": {"calculator"},
    "me": {
        "titles",
        "statement",
        "account",
        "account_close",
        "account_email",
        "notices",
        "profile_change",
        "token_new",
        "account_change_password",
        "account_logout",
    },
}


@dataclass
class Shell:
    """What stands around a page: the club one is in, one's coins there, the tab. Read from the database when first used."""

    request: HttpRequest

    @property
    def tab(self) -> str:
        match = self.request.resolver_match
        name = match.url_name if match else None
        return next((tab for tab, names in _TABS.items() if name in names), "")

    @property
    def person(self) -> User | None:
        """Who is signed in. Nobody is yet in a request that was refused on its way in, for another host than ours."""
        user = getattr(self.request, "user", None)
        return user if user is not None and user.is_authenticated else None

    @cached_property
    def memberships(self) -> list[Membership]:
        return list(memberships_of(self.person)) if self.person else []

    @property
    def membership(self) -> Membership | None:
        """The club whose pages were seen last, else the first one."""
        slug = self.request.session.get(SESSION_CLUB)
        return next((each for each in self.memberships if each.club.slug == slug), next(iter(self.memberships), None))

    @property
    def runs_club(self) -> bool:
        """Whether one may enter the desk of that club (`clubs.roles.is_operator`)."""
        membership, user = self.membership, self.request.user
        return membership is not None and (membership.role == Membership.Role.OPERATOR or user.is_staff)

    @property
    def invitation(self) -> Invitation | None:
        return invitation_brought(self.request)

    @cached_property
    def unread(self) -> int:
        """How many notices the bell counts."""
        return self.person.notices.filter(read_at=None).count() if self.person else 0


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `shell`, for every template."""
    return {"shell": Shell(request)}


class ClubTime:
    """Middleware: pages tell times where the club is that one is in; the admin, which is of all clubs, where the site is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with timezone.override(None):
            return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        slug = request.session.get(SESSION_CLUB)
        if slug is None or (request.resolver_match and request.resolver_match.app_name == "admin"):
            return
        if club := read_again(lambda: Club.objects.filter(slug=slug).only("time_zone").first()):
            timezone.activate(club.zone)


def memberships_of(user: User) -> QuerySet[Membership]:
    """A person's clubs with wallet and the name of their title, oldest first."""
    title = Title.objects.filter(club=OuterRef("club"), level=OuterRef("level")).values("own_name")[:1]
    return (
        Membership.objects.filter(user=user, status=Membership.Status.ACTIVE)
        .select_related("club", "wallet")
        .annotate(own_title=Subquery(title))
        .order_by("joined_at")
    )


def requests_of(user: User) -> QuerySet[JoinRequest]:
    """A person's requests to join, newest first, each with its `place` among the pending ones of its club."""
    ahead = (
        JoinRequest.objects.filter(club=OuterRef("club"), status=JoinRequest.Status.PENDING, pk__lte=OuterRef("pk"))
        .order_by()
        .values("club")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return (
        JoinRequest.objects.filter(user=user)
        .select_related("club", "decided_by")
        .annotate(place=Subquery(ahead))
        .order_by("-id")
    )


def requests_shown(user: User) -> list[JoinRequest]:
    """The requests that are news: pending ones, and those refused within a week."""
    lately = timezone.now() - timedelta(days=7)
    news = Q(status=JoinRequest.Status.PENDING) | Q(status=JoinRequest.Status.REFUSED, decided_at__gte=lately)
    return list(requests_of(user).filter(news)[:_REQUESTS])


def club_entered(request: SignedInRequest, slug: str) -> Membership:
    """One's membership of the club of a page, which from now on is the club one is in. Another's club is not found."""
    club = Club.objects.filter(slug=slug).first()
    if club is None:
        raise Http404
    try:
        membership = membership_of(user=request.user, club=club)
    except Refused as refusal:
        if refusal.code == "not_a_member":
            raise Http404 from refusal
        raise
    if request.session.get(SESSION_CLUB) != slug:
        request.session[SESSION_CLUB] = slug
    timezone.activate(club.zone)
    return membership


@require_GET
def join(request: HttpRequest) -> HttpResponse:
    """The form for a code or link; `?code=` leads on to the invitation."""
    form = JoinForm(request.GET or None)
    if form.is_valid():
        return redirect("join_code", code=form.cleaned_data["code"])
    return _join_page(request, form, status=400 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def join_code(request: HttpRequest, code: str) -> HttpResponse:
    """An invitation: which club, what happens next; POST joins or asks. Who has no account yet goes on to sign up with it."""
    asking = RequestForm(request.POST or None)
    try:
        club = invitation_typed(request, code).club
        if request.method == "POST" and request.user.is_authenticated:
            if not club.needs_approval:
                member_join(code=code, user=request.user)
                request.session[SESSION_CLUB] = club.slug
                messages.success(request, _("你已加入「%(club)s」") % {"club": club.name})
                return redirect("lobby", club.slug)
            if asking.is_valid():
                request_make(code=code, user=request.user, message=asking.cleaned_data["message"])
                messages.success(request, _("申请已提交，有结果会通知你"))
                return redirect("join")
        invitation = invitation_find(code, request.user if request.user.is_authenticated else None)
    except Refused as refusal:
        form = JoinForm({"code": code})
        form.is_valid()
        form.add_error("code" if "code" in form.cleaned_data else None, str(refusal.message))
        return _join_page(request, form, status=refusal.status)
    if not request.user.is_authenticated:
        request.session[SESSION_CODE] = code
    context = {
        "invitation": invitation,
        "asking": asking,
        "uses_left": invitation.max_uses - invitation.uses,
        "member_count": club.memberships.filter(status=Membership.Status.ACTIVE).count(),
        "is_pending": request.user.is_authenticated
        and club.join_requests.filter(user=request.user, status=JoinRequest.Status.PENDING).exists(),
        "is_member": request.user.is_authenticated
        and club.memberships.filter(user=request.user, status=Membership.Status.ACTIVE).exists(),
    }
    return _join_page(request, JoinForm(initial={"code": code}), status=400 if asking.errors else 200, **context)


def _join_page(request: HttpRequest, form: JoinForm, *, status: int, **context: Any) -> HttpResponse:
    if request.user.is_authenticated:
        context |= {"requests": requests_of(request.user)[:_REQUESTS], "invitations": invitations_for(request.user)}
    return render(request, "clubs/join.html", {"form": form, **context}, status=status)


@require_POST
@page
def join_decline(request: SignedInRequest, code: str) -> HttpResponse:
    """Do not take an invitation that is for oneself alone."""
    invitation_decline(invitation=invitation_typed(request, code), user=request.user)
    messages.success(request, _("已婉拒"))
    return redirect("home")


@require_POST
@page
def join_withdraw(request: SignedInRequest, request_id: int) -> HttpResponse:
    """Take a request to join back."""
    own = get_object_or_404(request.user.join_requests, pk=request_id)
    request_withdraw(request=own)
    messages.success(request, _("申请已撤回"))
    return redirect("join")


@require_GET
@page
def titles(request: SignedInRequest, slug: str) -> HttpResponse:
    """One's title, what is lacking to the next, the ladder with how many stand on each step, and one's rises and falls."""
    membership = club_entered(request, slug)
    active = Membership.objects.filter(club=membership.club, status=Membership.Status.ACTIVE)
    counts = dict(active.values_list("level").annotate(Count("id")))
    ladder = list(membership.club.titles.order_by("-level"))
    names = {title.level: title.name for title in ladder}
    changes = list(LevelChange.objects.filter(membership=membership).order_by("-id")[:20])
    context = {
        "membership": membership,
        "progress": title_progress(membership),
        "ladder": [{"title": title, "count": counts.get(title.level, 0)} for title in ladder],
        "most": max(counts.values(), default=1),
        "rank": active.filter(points__gt=membership.points).count() + 1,
        "member_count": sum(counts.values()),
        "changes": [
            {
                "change": change,
                "before": names[change.before],
                "after": names[change.after],
                "hand_id": hand_of(change.cause),
            }
            for change in changes
        ],
    }
    return render(request, "clubs/titles.html", context)
