"""Opening a club, and changing what it is."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final
from zoneinfo import available_timezones

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts import ledger
from accounts.audit import audit_write, changed
from accounts.errors import Refused
from accounts.models import User
from accounts.naming import is_seen
from clubs.models import Club, Membership
from clubs.roles import require_operator
from clubs.titles import titles_open

MOST_WELCOME_COINS: Final = 1_000_000
_NO_PLACES: Final = ("Etc/", "SystemV/", "US/")
_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@cache
def zone_names() -> Sequence[str]:
    """The time zones that a club can choose, by their names in the tz database: Asia/Shanghai."""
    return sorted(name for name in available_timezones() if "/" in name and not name.startswith(_NO_PLACES))


@transaction.atomic
def club_create(
    *,
    name: str,
    slug: str,
    actor: User,
    welcome_coins: int = 0,
    needs_approval: bool = False,
    time_zone: str = "Asia/Shanghai",
) -> Club:
    """A new club with its ledger and the 22 titles; `actor` becomes its operator.

    `welcome_coins` are issued to everybody who joins; with `needs_approval` an operator decides who does.

    Raises `Refused`: bad_name, bad_slug, slug_taken, bad_amount, bad_time_zone.
    """
    values = _clean(name=name, welcome_coins=welcome_coins, needs_approval=needs_approval, time_zone=time_zone)
    if len(slug) > 40 or not _SLUG.fullmatch(slug):
        raise Refused("bad_slug", _("网址名只能用小写字母、数字和连字符。"), field="slug")
    book = ledger.book_open(name=values["name"])
    try:
        with transaction.atomic():
            club = Club.objects.create(slug=slug, book=book, **values)
    except IntegrityError:
        raise Refused("slug_taken", _("这个网址名已被使用。"), status=409, field="slug") from None
    titles_open(club)
    wallet = ledger.wallet_open(book=book, holder=actor)
    Membership.objects.create(club=club, user=actor, wallet=wallet, role=Membership.Role.OPERATOR)
    audit_write(actor=actor, action="club.created", subject=club, after={"name": club.name, "slug": slug}, book=book)
    return club


@transaction.atomic
def club_change(*, club: Club, actor: User, **changes: Any) -> Club:
    """Change a club: `name`, `welcome_coins` for newcomers, `needs_approval`, `time_zone`. Who has asked stays pending.

    In a new time zone the days begin at another hour: from the next hand on, and of the hands of before once
    `games.figures.days_rebuild` has sorted them anew.

    Raises `Refused`: not_an_operator, bad_name, bad_amount, bad_time_zone.
    """
    require_operator(user=actor, club=club)
    wanted = _clean(**changes)
    club = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    before, after = changed({name: getattr(club, name) for name in wanted}, wanted)
    if after:
        Club.objects.filter(pk=club.pk).update(**after)
        audit_write(actor=actor, action="club.changed", subject=club, before=before, after=after, book=club.book)
        club.refresh_from_db()
    return club


def _clean(**values: Any) -> dict[str, Any]:
    """The values of a club as they are kept."""
    if "name" in values:
        values["name"] = values["name"].strip()
        if not is_seen(values["name"]) or len(values["name"]) > 40:
            raise Refused("bad_name", _("名称须为 1 到 40 个字。"), field="name")
    coins = values.get("welcome_coins", 0)
    if type(coins) is not int or not 0 <= coins <= MOST_WELCOME_COINS:
        raise Refused(
            "bad_amount",
            _("数额须为 0 到 %(most)s 的整数。") % {"most": f"{MOST_WELCOME_COINS:,}"},
            field="welcome_coins",
        )
    if "time_zone" in values and values["time_zone"] not in zone_names():
        raise Refused("bad_time_zone", _("没有这个时区，写作 Asia/Shanghai 这样。"), field="time_zone")
    return values
