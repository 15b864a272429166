"""Every address that the site has, by its name, out of the URL conf itself: a page that is new is in the list without doing."""

import re
from collections.abc import Iterable, Iterator, Sequence

from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import ApiToken, Notice, Transfer
from tests.e2e.season import Season

API = "api/v1/"
#: Addresses of Django's admin that nothing here leads to.
UNUSED = re.compile("admin:(view_on_site|.*_history)")


def addresses(season: Season) -> dict[str, str]:
    """A path for every named address outside the API, with the things of a season in it."""
    return {
        name: reverse(name, kwargs={each: _value(each, name, season) for each in wanted})
        for name, wanted in _named(get_resolver().url_patterns)
        if not UNUSED.fullmatch(name)
    }


def _named(
    patterns: Iterable[URLPattern | URLResolver], space: str = "", route: str = "", outer: Sequence[str] = ()
) -> Iterator[tuple[str, Iterable[str]]]:
    """The name of each address and the arguments it wants."""
    for pattern in patterns:
        where, wanted = route + str(pattern.pattern), [*outer, *pattern.pattern.regex.groupindex]
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else space
            yield from _named(pattern.url_patterns, inner, where, wanted)
        elif pattern.name and not where.startswith(API):
            yield space + pattern.name, wanted


def _value(argument: str, name: str, season: Season) -> object:
    if argument == "object_id":
        return _row(name, season)
    return {
        "slug": season.club.slug,
        "preset": "qq_dingque",
        "member_id": season.club.memberships.get(user=season.member).pk,
        "invitation_id": season.invitation.pk,
        "transfer_id": Transfer.objects.filter(kind=Transfer.Kind.HAND, book=season.club.book_id).latest("pk").pk,
        "room_id": season.room.pk,
        "table_id": season.table.pk,
        "hand_id": season.running.pk if name == "hand_end" else season.hand.pk,
        "report_id": season.report.pk,
        "request_id": season.request.pk,
        "notice_id": Notice.objects.filter(user=season.member).latest("pk").pk,
        "token_id": ApiToken.objects.latest("pk").pk,
        "device_id": 1,
        "code": season.invitation.code,
        "language": "en",
        "key": "unknown",
        "app_label": "clubs",
    }[argument]


def _row(name: str, season: Season) -> int:
    """The row that a page of the admin is about: one of the season, else the newest."""
    app, label = name.removeprefix("admin:").split("_")[:2]
    model = apps.get_model(app, label)
    found = {
        "hand": season.running if name.endswith("_stop") else season.hand,
        "report": season.report,
        "joinrequest": season.request,
        "invitation": season.invitation,
        "room": season.room,
        "club": season.club,
        "user": season.newcomer,
        "membership": season.club.memberships.get(user=season.member),
        "transfer": Transfer.objects.filter(kind=Transfer.Kind.HAND).latest("pk"),
    }.get(label)
    return int((found or model._default_manager.latest("pk")).pk)
