"""Notices: what a person is told of, on the site and by e-mail, each kind with a switch of its own.

A notice is written in the transaction of what it tells, and its mail goes out once that is committed. A mail that does not
arrive is lost: the site is where the truth stands. The words are made when they are read, in the reader's language.
"""

import logging
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.models import Book, Notice, NoticeSwitch, User

logger = logging.getLogger(__name__)

# Nobody's move waits for a mail server.
_postman: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")


# --- Telling -------------------------------------------------------------------------------------------------------
def notice_write(
    *, users: Iterable[User], kind: Notice.Kind, book: Book, cause: str, data: Mapping[str, Any] | None = None
) -> None:
    """Tell people of something, as their switches say. `cause` is what it is about ("hand:17"); who has been told of that
    already is not told again. `data` are the values of the words (`notice_words`), `book` is the book of the club concerned.
    """
    assert transaction.get_connection().in_atomic_block, "a notice belongs to the transaction of what it tells"
    people = {user.pk: user for user in users}
    told = Notice.objects.filter(user__in=people, kind=kind, cause=cause).values_list("user", flat=True)
    for user_id in told:
        people.pop(user_id, None)
    switches = {switch.user_id: switch for switch in NoticeSwitch.objects.filter(user__in=people, kind=kind)}
    notices = [Notice(user=user, kind=kind, book=book, cause=cause, data=dict(data or {})) for user in people.values()]
    Notice.objects.bulk_create(notice for notice in notices if switches.get(notice.user_id, NoticeSwitch()).on_site)
    _mail([notice for notice in notices if switches.get(notice.user_id, NoticeSwitch()).by_mail])


def notices_past(*, cause: str) -> None:
    """What these notices told of is over: nobody need look at them any more."""
    Notice.objects.filter(cause=cause, read_at=None).update(read_at=timezone.now())


def _mail(notices: list[Notice]) -> None:
    if not notices:
        return
    verified = EmailAddress.objects.filter(user__in=[notice.user for notice in notices], verified=True, primary=True)
    addresses = dict(verified.values_list("user", "email"))
    mails = [_mail_of(notice, addresses[notice.user_id]) for notice in notices if notice.user_id in addresses]
    transaction.on_commit(lambda: _postman.submit(_send, mails) if mails else None)


def _mail_of(notice: Notice, address: str) -> EmailMessage:
    with override(notice.user.language or settings.LANGUAGE_CODE):
        words = notice_words(notice)
        lines = [words]
        if settings.SITE_URL:
            lines += ["", settings.SITE_URL + notice_address(notice)]
        lines += ["", _("不想再收到这类邮件，可以在账户页关掉。")]
        return EmailMessage(" ".join(words.split()), "\n".join(lines), to=[address])


def _send(mails: list[EmailMessage]) -> None:
    try:
        get_connection().send_messages(mails)
    except Exception:  # whatever it is, nobody waits here who could be told
        logger.exception("%s mails not sent", len(mails))


# --- Reading -------------------------------------------------------------------------------------------------------
def notices_of(user: User) -> QuerySet[Notice]:
    """A person's notices, newest first."""
    return Notice.objects.filter(user=user).select_related("book__club")


def notices_read(*, user: User, ids: Iterable[int] | None = None) -> int:
    """Take note of notices, of all of them without `ids`. Returns how many had been unread."""
    unread = Notice.objects.filter(user=user, read_at=None)
    if ids is not None:
        unread = unread.filter(pk__in=ids)
    return unread.update(read_at=timezone.now())


def notice_words(notice: Notice) -> str:
    """What a notice says, in the present language."""
    data: dict[str, Any] = notice.data
    club = notice.book.club.name
    match notice.kind:
        case Notice.Kind.TABLE:
            return _("「%(club)s」%(room)s %(number)s 号桌开打了") % {"club": club, **data}
        case Notice.Kind.SEAT:
            return _("「%(club)s」%(room)s %(number)s 号桌给你留了座位，%(seconds)s 秒内到大厅入座") % {
                "club": club,
                **data,
            }
        case Notice.Kind.TURN:
            return _("%(room)s %(number)s 号桌轮到你时你不在，托管在替你出牌") % data
        case Notice.Kind.INVITATION:
            return _("「%(club)s」请你加入") % {"club": club}
        case Notice.Kind.REQUEST if data["approved"]:
            return _("「%(club)s」同意了你的入社申请") % {"club": club}
        case Notice.Kind.REQUEST:
            return _("「%(club)s」没有同意你的入社申请：%(reason)s") % {"club": club, **data}
        case Notice.Kind.REPORT:
            return _("「%(club)s」答复了你对第 %(hand)s 手的申诉：%(note)s") % {"club": club, **data}
    values = {"club": club, "coins": f"{abs(data['coins']):,}", "reason": data["reason"]}
    if data["kind"] == "reversal":
        words = _("「%(club)s」冲正，给你加 %(coins)s 金币：%(reason)s")
        if data["coins"] < 0:
            words = _("「%(club)s」冲正，从你这里减 %(coins)s 金币：%(reason)s")
        return words % values
    if data["coins"] < 0:
        return _("「%(club)s」收回 %(coins)s 金币：%(reason)s") % values
    return _("「%(club)s」发给你 %(coins)s 金币：%(reason)s") % values


def notice_address(notice: Notice) -> str:
    """The page that a notice leads to."""
    slug = notice.book.club.slug
    match notice.kind:
        case Notice.Kind.TABLE | Notice.Kind.TURN:
            return reverse("table", args=[notice.data["table"]])
        case Notice.Kind.INVITATION:
            return reverse("join_code", args=[notice.data["code"]])
        case Notice.Kind.REQUEST:
            return reverse("lobby", args=[slug]) if notice.data["approved"] else reverse("join")
        case Notice.Kind.REPORT:
            return reverse("hand", args=[notice.data["hand"]])
        case Notice.Kind.SEAT:
            return reverse("lobby", args=[slug])
    return reverse("statement", args=[slug])


# --- Switches ------------------------------------------------------------------------------------------------------
def switches_of(user: User) -> list[NoticeSwitch]:
    """How a person wants to be told, one for each kind."""
    kept = {switch.kind: switch for switch in NoticeSwitch.objects.filter(user=user)}
    return [kept.get(kind, NoticeSwitch(user=user, kind=kind)) for kind in Notice.Kind.values]


@transaction.atomic
def switch_set(*, user: User, kind: str, **how: bool) -> NoticeSwitch:
    """Be told of one kind `on_site` and `by_mail`, or not; what is not named stays as it is."""
    switch, _is_new = NoticeSwitch.objects.update_or_create(user=user, kind=kind, defaults=how)
    return switch


@transaction.atomic
def switches_set(*, user: User, on_site: Iterable[str], by_mail: Iterable[str]) -> None:
    """Be told of these kinds on the site and of those by e-mail, and of no others."""
    site, mail = set(on_site), set(by_mail)
    for kind in Notice.Kind.values:
        NoticeSwitch.objects.update_or_create(
            user=user, kind=kind, defaults={"on_site": kind in site, "by_mail": kind in mail}
        )
