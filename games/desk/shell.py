"""What every page of the desk shares: who may enter, the entries of its bar and what waits there, filters in the address."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property, wraps
from typing import Any, Final, TypeVar

from django import forms
from django.db.models import QuerySet
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts.errors import Refused
from accounts.pages import SignedInRequest, page
from clubs.members import requests_pending
from clubs.models import Club, Membership
from clubs.pages import club_entered
from clubs.roles import is_operator
from games.models import Report
from games.periods import ALL, LAST, period_asked

Asked = TypeVar("Asked", bound=forms.Form)
Rows = TypeVar("Rows", bound=QuerySet[Any])


@dataclass(frozen=True)
class Section:
    """An entry of the bar: its picture, its first page's address, and whether a group of entries begins with it."""

    key: str
    name: str | Promise
    icon: str
    address: str
    opens_group: bool = False


SECTIONS: Final = (
    Section("overview", gettext_lazy("总览"), "chart", "desk"),
    Section("tables", pgettext_lazy("复数", "牌桌"), "grid", "desk_tables"),
    Section("reports", pgettext_lazy("复数", "申诉"), "scale", "desk_reports"),
    Section("members", pgettext_lazy("复数", "成员"), "users", "desk_members", opens_group=True),
    Section("rooms", pgettext_lazy("复数", "房间"), "sliders", "desk_rooms"),
    Section("coins", gettext_lazy("金币"), "coins", "desk_coins"),
    Section("audit", pgettext_lazy("复数", "操作日志"), "scroll", "desk_audit", opens_group=True),
    Section("club", gettext_lazy("俱乐部设置"), "gear", "desk_settings"),
)
_ON_PHONES: Final = ("overview", "members", "coins", "tables")


@dataclass
class Desk:
    """The desk of a club as one of its operators sees it."""

    membership: Membership
    section: str

    @property
    def club(self) -> Club:
        return self.membership.club

    @cached_property
    def waiting(self) -> dict[str, int]:
        """How much work waits in a section."""
        return {
            "members": requests_pending(self.club).count(),
            "reports": Report.objects.filter(reporter__club=self.club, is_open=True).count(),
        }

    @property
    def entries(self) -> Sequence[tuple[Section, int]]:
        return [(section, self.waiting.get(section.key, 0)) for section in SECTIONS]

    @property
    def tabs(self) -> Sequence[tuple[Section, int]]:
        """What a phone's bar shows."""
        shown = {section.key: (section, count) for section, count in self.entries}
        return [shown[key] for key in _ON_PHONES]

    @property
    def more(self) -> Sequence[tuple[Section, int]]:
        """What stands behind 更多 there."""
        return [(section, count) for section, count in self.entries if section.key not in _ON_PHONES]

    @property
    def is_in_more(self) -> bool:
        return self.section not in _ON_PHONES

    @property
    def more_count(self) -> int:
        return sum(count for _section, count in self.more)


class DeskRequest(SignedInRequest):
    desk: Desk


def desk_page(section: str) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """A page of the desk of the club whose `slug` stands in the address, for its operators; `request.desk` is that desk.

    Other members are told who can give them the right (403); for everybody else the club is not there (404).
    """

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @page
        @wraps(view)
        def guarded(request: SignedInRequest, /, slug: str, **arguments: Any) -> HttpResponseBase:
            membership = club_entered(request, slug)
            if not is_operator(user=request.user, club=membership.club):
                return _closed(request, membership.club)
            request.desk = Desk(membership, section)  # type: ignore[attr-defined]
            return view(request, **arguments)

        return guarded

    return decorate


def _closed(request: SignedInRequest, club: Club) -> HttpResponse:
    operators = club.memberships.filter(role=Membership.Role.OPERATOR, status=Membership.Status.ACTIVE)
    context = {"club": club, "operators": operators.select_related("user").order_by("joined_at")}
    return render(request, "desk/closed.html", context, status=403)


class PeriodForm(forms.Form):
    """A list's filter by time, in the club's days; without a choice all of it."""

    period = forms.ChoiceField(
        required=False,
        choices=[("", LAST[ALL]), *((key, name) for key, name in LAST.items() if key != ALL)],
        label=gettext_lazy("时间"),
    )
    since = forms.CharField(required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.CharField(required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def within(self, rows: Rows, zone: tzinfo) -> Rows:
        """Those of the time that was asked for. Raises `Refused("bad_filter")`."""
        chosen = self.cleaned_data
        period = period_asked(zone, chosen["period"] or ALL, chosen["since"], chosen["until"])
        if period.since:
            rows = rows.filter(created_at__gte=period.since)
        return rows.filter(created_at__lt=period.until) if period.until else rows


def asked(form_class: type[Asked], query: QueryDict) -> Asked:
    """What a list is filtered by, as it stands in the address; all fields are optional. Raises `Refused("bad_filter")`."""
    form = form_class(query)
    for field in form.fields.values():
        field.widget.attrs.setdefault("class", "in")
    if not form.is_valid():
        raise Refused("bad_filter", _("没有这样的筛选条件。"))
    return form


def refusal_shown(form: forms.Form, refusal: Refused) -> None:
    """What a function refused, at the fields of a form where it names them."""
    errors: dict[Any, str] = refusal.data.get("errors") or {refusal.data.get("field"): str(refusal.message)}
    for field, message in errors.items():
        form.add_error(field if field in form.fields else None, message)
