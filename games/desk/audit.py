"""The desk's page of the club's audit log, and its lines as other pages show them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.db.models import Model, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_GET

from accounts.audit import ACTIONS
from accounts.changes import Change, entry_changes
from accounts.exports import CsvResponse
from accounts.models import AuditEntry, Transfer, User
from accounts.paging import id_of
from clubs.models import Club, Invitation, JoinRequest, Membership, Room
from games.desk.shell import DeskRequest, PeriodForm, asked, desk_page
from games.models import Hand, Report, Table
from games.room_history import room_changes

_PAGE: Final = 50
#: What the log can be narrowed to, by how its actions begin.
_AREAS: Final = {
    "member": pgettext_lazy("复数", "成员"),
    "request": pgettext_lazy("复数", "入社申请"),
    "invitation": pgettext_lazy("复数", "邀请"),
    "coins": gettext_lazy("金币"),
    "room": pgettext_lazy("复数", "房间"),
    "table": pgettext_lazy("复数", "牌桌"),
    "hand": pgettext_lazy("复数", "牌局"),
    "report": pgettext_lazy("复数", "申诉"),
    "titles": pgettext_lazy("复数", "头衔"),
    "club": gettext_lazy("俱乐部设置"),
}
#: What each kind of subject is called; several of a kind are read together.
_SUBJECTS: Final[dict[str, tuple[type[Model], tuple[str, ...], Callable[[Any], str]]]] = {
    "membership": (Membership, ("user",), lambda row: row.user.name),
    "user": (User, (), lambda row: row.name),
    "joinrequest": (JoinRequest, ("user",), lambda row: row.user.name),
    "invitation": (Invitation, (), lambda row: row.code),
    "room": (Room, (), lambda row: row.name),
    "table": (
        Table,
        ("room",),
        lambda row: _("%(room)s %(n)d 号桌") % {"room": row.room.name, "n": row.number},
    ),
    "hand": (Hand, (), lambda row: _("第 %(id)s 手") % {"id": row.pk}),
    "report": (Report, (), lambda row: _("第 %(id)s 手") % {"id": row.hand_id}),
    "transfer": (Transfer, (), lambda row: _("转账 %(id)s") % {"id": row.pk}),
    "club": (Club, (), lambda row: row.name),
}


@dataclass(frozen=True)
class AuditLine:
    """An entry of the log in words."""

    entry: AuditEntry
    action: str
    subject: str
    changes: list[Change]


def entries_of(club: Club) -> QuerySet[AuditEntry]:
    """The log of a club, newest first."""
    return AuditEntry.objects.filter(book=club.book_id).select_related("actor").order_by("-id")


def audit_lines(club: Club, condition: Q) -> list[AuditLine]:
    """The newest entries of a club's log on a condition."""
    return in_words(list(entries_of(club).filter(condition)[:_PAGE]))


def in_words(entries: Sequence[AuditEntry]) -> list[AuditLine]:
    """Entries in words, in a fixed number of queries."""
    names: dict[tuple[str, str], str] = {}
    for kind, (model, related, name) in _SUBJECTS.items():
        ids = [entry.subject_id for entry in entries if entry.subject_type == kind]
        rows = model._default_manager.select_related(*related) if related else model._default_manager.all()
        names |= {(kind, str(pk)): name(row) for pk, row in rows.in_bulk(ids).items()} if ids else {}
    return [
        AuditLine(
            entry,
            str(ACTIONS.get(entry.action, entry.action)),
            names.get((entry.subject_type, entry.subject_id), f"#{entry.subject_id}"),
            room_changes(entry.before, entry.after) if entry.subject_type == "room" else entry_changes(entry),
        )
        for entry in entries
    ]


class AuditAsked(PeriodForm):
    """What the log is filtered by."""

    area = forms.ChoiceField(
        required=False, choices=lambda: [("", _("全部操作")), *_AREAS.items()], label=gettext_lazy("操作")
    )
    who = forms.CharField(required=False, max_length=60)


def audit_filtered(club: Club, form: AuditAsked) -> QuerySet[AuditEntry]:
    """The entries that are asked for. Raises `Refused("bad_filter")`."""
    chosen, entries = form.cleaned_data, entries_of(club)
    if chosen["area"]:
        entries = entries.filter(action__startswith=f"{chosen['area']}.")
    if who := chosen["who"].replace("\x00", ""):
        entries = entries.filter(
            Q(actor__display_name__icontains=who) | Q(actor__username__icontains=who) | Q(reason__icontains=who)
        )
    return form.within(entries, club.zone)


@require_GET
@desk_page("audit")
def audit(request: DeskRequest) -> HttpResponse:
    form = asked(AuditAsked, request.GET)
    entries = audit_filtered(request.desk.club, form)
    before = id_of(request.GET.get("before", ""))
    older = entries.filter(pk__lt=before) if before is not None else entries
    found = list(older[: _PAGE + 1])
    context = {
        "form": form,
        "period": form.cleaned_data["period"],
        "lines": in_words(found[:_PAGE]),
        "before": before,
        "next": found[_PAGE - 1].pk if len(found) > _PAGE else None,
    }
    return render(request, "desk/audit.html", context)


@require_GET
@desk_page("audit")
def audit_csv(request: DeskRequest) -> CsvResponse:
    """The entries that the page shows, all of them."""
    entries = audit_filtered(request.desk.club, asked(AuditAsked, request.GET))
    headings = [_("时间"), _("操作人"), _("操作"), _("对象"), _("从什么改为什么"), _("事由")]
    return CsvResponse(f"audit-{request.desk.club.slug}", headings, _rows(entries))


def _rows(entries: QuerySet[AuditEntry]) -> Any:
    last: int | None = None
    while some := list((entries if last is None else entries.filter(pk__lt=last))[:500]):
        for line in in_words(some):
            told = _("；").join(f"{each.name} {each.before} → {each.after}" for each in line.changes)
            who = line.entry.actor.name if line.entry.actor else None
            yield [line.entry.created_at, who, line.action, line.subject, told, line.entry.reason]
        last = some[-1].pk
