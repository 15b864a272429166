"""Opening a club."""

import re
from typing import Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts import ledger
from accounts.audit import audit_write, changed
from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club, Membership
from clubs.roles import require_operator
from clubs.titles import titles_open

MOST_WELCOME_COINS: Final = 1_000_000
_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@transaction.atomic
def club_create(*, name: str, slug: str, actor: User, welcome_coins: int = 0, needs_approval: bool = False) -> Club:
    """A new club with its ledger and the 22 titles; `actor` becomes its operator.

    `welcome_coins` are issued to everybody who joins; with `needs_approval` an operator decides who does.

    Raises `Refused`: bad_name, bad_slug, slug_taken, bad_amount.
    """
    name = _clean_name(name)
    _require_welcome_coins(welcome_coins)
    if len(slug) > 40 or not _SLUG.fullmatch(slug):
        raise Refused("bad_slug", _("网址名只能用小写字母、数字和连字符。"), field="slug")
    book = ledger.book_open(name=name)
    try:
        with transaction.atomic():
            club = Club.objects.create(
                name=name, slug=slug, book=book, welcome_coins=welcome_coins, needs_approval=needs_approval
            )
    except IntegrityError:
        raise Refused("slug_taken", _("这个网址名已被使用。"), status=409, field="slug") from None
    titles_open(club)
    wallet = ledger.wallet_open(book=book, holder=actor)
    Membership.objects.create(club=club, user=actor, wallet=wallet, role=Membership.Role.OPERATOR)
    audit_write(actor=actor, action="club.created", subject=club, after={"name": name, "slug": slug}, book=book)
    return club


@transaction.atomic
def club_change(*, club: Club, actor: User, name: str, welcome_coins: int, needs_approval: bool) -> Club:
    """Rename a club, change what newcomers get or whether they are let in by an operator. Who has asked stays pending.

    Raises `Refused`: not_an_operator, bad_name, bad_amount.
    """
    require_operator(user=actor, club=club)
    name = _clean_name(name)
    _require_welcome_coins(welcome_coins)
    club = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    before, after = changed(
        {"name": club.name, "welcome_coins": club.welcome_coins, "needs_approval": club.needs_approval},
        {"name": name, "welcome_coins": welcome_coins, "needs_approval": needs_approval},
    )
    if after:
        Club.objects.filter(pk=club.pk).update(**after)
        audit_write(actor=actor, action="club.changed", subject=club, before=before, after=after, book=club.book)
        club.refresh_from_db()
    return club


def _clean_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > 40 or "\x00" in name:
        raise Refused("bad_name", _("名称须为 1 到 40 个字。"), field="name")
    return name


def _require_welcome_coins(coins: int) -> None:
    if type(coins) is not int or not 0 <= coins <= MOST_WELCOME_COINS:
        raise Refused(
            "bad_amount",
            _("数额须为 0 到 %(most)s 的整数。") % {"most": f"{MOST_WELCOME_COINS:,}"},
            field="welcome_coins",
        )
