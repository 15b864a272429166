"""Reports: a member tells the operators of the club what is wrong with a hand; one of them answers and closes it."""

from datetime import timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.models import Notice, User
from accounts.notices import notice_write
from clubs.models import Membership
from clubs.roles import is_operator, require_operator
from games.history import hand_for
from games.models import Report

MOST_A_DAY: Final = 5  # reports of one member in 24 hours
_TOLD: Final = 80  # letters of an answer that the notice shows
MOST_WORDS: Final = Report._meta.get_field("words").max_length or 0


@transaction.atomic
def report_open(*, hand_id: int, reporter: User, kind: str, words: str, seq: int | None = None) -> Report:
    """Report a finished hand to its club. `kind` is one of `Report.Kind`, `seq` the row of its log that it is about, if any.

    Raises `Refused`: hand_unknown, hand_running, bad_report (data: field), report_open (there is one of theirs already),
    too_many_reports (data: most).
    """
    hand = hand_for(user=reporter, hand_id=hand_id)
    words = words.strip()
    if kind not in Report.Kind.values:
        raise Refused("bad_report", _("请选一个类别。"), field="kind")
    if not words or len(words) > MOST_WORDS or "\x00" in words:
        raise Refused("bad_report", _("请写明发生了什么（最多 %(most)d 字）。") % {"most": MOST_WORDS}, field="words")
    if seq is not None and not hand.actions.filter(seq=seq).exists():
        raise Refused("bad_report", _("这一手没有这一步。"), field="seq")
    club = hand.table.room.club
    # Locked, so that the limit holds against two at once.
    member = Membership.objects.select_for_update(no_key=True).get(user=reporter, club=club)
    if member.reports.filter(created_at__gt=timezone.now() - timedelta(days=1)).count() >= MOST_A_DAY:
        message = _("24 小时内最多申诉 %(most)d 次，请稍后再来。") % {"most": MOST_A_DAY}
        raise Refused("too_many_reports", message, status=429, most=MOST_A_DAY)
    try:
        with transaction.atomic():
            report = Report.objects.create(hand=hand, reporter=member, kind=kind, words=words, seq=seq)
    except IntegrityError:
        raise Refused("report_open", _("你已申诉这一手，正在等俱乐部处理。"), status=409) from None
    audit_write(
        actor=reporter,
        action="report.opened",
        subject=report,
        after={"hand": hand.pk, "kind": kind},
        reason=words[:200],
        book=club.book,
    )
    return report


@transaction.atomic
def report_close(*, report: Report, actor: User, note: str) -> Report:
    """Close a report with an answer, of which the reporter is told.

    Raises `Refused`: not_an_operator, own_report, note_required, report_closed.
    """
    club = report.reporter.club
    require_operator(user=actor, club=club)
    if report.reporter.user_id == actor.pk:
        raise Refused("own_report", _("自己的申诉要由别的管理员来处理。"), status=403)
    note = note.strip()
    if not note or len(note) > MOST_WORDS or "\x00" in note:
        raise Refused(
            "note_required", _("请写给申诉人一个答复（最多 %(most)d 字）。") % {"most": MOST_WORDS}, field="note"
        )
    closed = {"is_open": False, "note": note, "closed_by": actor, "closed_at": timezone.now()}
    if not Report.objects.filter(pk=report.pk, is_open=True).update(**closed):
        raise Refused("report_closed", _("这个申诉已经处理过了。"), status=409)
    audit_write(
        actor=actor,
        action="report.closed",
        subject=report,
        before={"is_open": True},
        after={"is_open": False},
        reason=note,
        book=club.book,
    )
    notice_write(
        users=[report.reporter.user],
        kind=Notice.Kind.REPORT,
        book=club.book,
        cause=f"report:{report.pk}",
        data={"hand": report.hand_id, "note": Truncator(note).chars(_TOLD)},
    )
    report.refresh_from_db()
    return report


def reports_for(membership: Membership) -> QuerySet[Report]:
    """The reports of a club that a member may see, newest first: operators see all of them, everybody their own."""
    reports = Report.objects.filter(reporter__club=membership.club)
    if not is_operator(user=membership.user, club=membership.club):
        reports = reports.filter(reporter=membership)
    return reports.select_related("hand__table__room", "reporter__user", "reporter__club__book", "closed_by").order_by(
        "-id"
    )


def my_report(*, user: User, hand_id: int) -> Report | None:
    """The last report of a person on a hand."""
    return Report.objects.filter(hand=hand_id, reporter__user=user).order_by("-id").first()
