"""The first page of the admin: the figures of all clubs, and each club's own."""

from datetime import timedelta
from typing import Any

from django.db.models import Count, Sum
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.admin.desk import coins_text
from accounts.models import Account, Posting
from clubs.models import Club, Membership
from games.models import Hand, Table


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The figures of all clubs on the admin's first page, and each club's own."""
    now = timezone.localtime()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    week = today - timedelta(days=today.weekday())
    active = Membership.objects.filter(status=Membership.Status.ACTIVE)
    open_tables = Table.objects.filter(closed_at=None)
    hands = Hand.objects.filter(status=Hand.Status.SETTLED, ended_at__gte=today)
    wallets = Account.objects.filter(kind=Account.Kind.WALLET)
    rake = Posting.objects.filter(account__kind=Account.Kind.RAKE, transfer__created_at__gte=week)
    members_of = dict(active.values_list("club").annotate(Count("id")))
    tables_of = dict(open_tables.values_list("room__club").annotate(Count("id")))
    hands_of = dict(hands.order_by().values_list("table__room__club").annotate(Count("id")))
    coins_of = dict(wallets.values_list("book").annotate(Sum("balance")))
    rake_of = dict(rake.order_by().values_list("account__book").annotate(Sum("amount")))
    rows = [
        [
            club.name,
            members_of.get(club.pk, 0),
            tables_of.get(club.pk, 0),
            hands_of.get(club.pk, 0),
            coins_text(coins_of.get(club.book_id, 0)),
            coins_text(rake_of.get(club.book_id, 0)),
        ]
        for club in Club.objects.order_by("name")[:50]
    ]
    figures = [
        (pgettext("复数", "成员"), coins_text(sum(members_of.values()))),
        (_("开着的桌"), coins_text(sum(tables_of.values()))),
        (_("今天的牌局"), coins_text(sum(hands_of.values()))),
        (_("流通金币"), coins_text(sum(coins_of.values()))),
        (_("本周台费"), coins_text(sum(rake_of.values()))),
    ]
    headers = [_("俱乐部"), *(name for name, _figure in figures)]
    return {**context, "figures": figures, "clubs_table": {"headers": headers, "rows": rows}}
