"""Opening and changing a club."""

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils.translation import override

from accounts.errors import Refused
from accounts.models import Account, AuditEntry, User
from clubs.clubs import club_change, club_create
from clubs.models import Club, Membership

Refusal = Callable[[Callable[[], object]], Refused]


def test_a_club_opens_with_ledger_titles_and_operator(operator: User) -> None:
    club = club_create(name=" 锦里麻将社 ", slug="jinli-2", actor=operator)
    assert club.name == "锦里麻将社"
    assert {account.kind for account in club.book.accounts.filter(holder=None)} == {"issue", "rake", "held"}
    member = Membership.objects.get(club=club)
    assert (member.user, member.role, member.level, member.points) == (operator, "operator", 1, 0)
    assert member.wallet == Account.objects.get(book=club.book, holder=operator)
    ladder = [(title.level, title.name, title.threshold) for title in club.titles.all()]
    assert len(ladder) == 22
    assert ladder[0] == (1, "未闻世事", None)
    assert ladder[1] == (2, "初入江湖", 100)
    assert ladder[20:] == [(21, "唯我独尊", 500_000), (22, "笑傲江湖", 500_001)]
    assert AuditEntry.objects.get().action == "club.created"
    with override("en"):
        assert [title.name for title in club.titles.all()[:2]] == ["Unheard-of", "Newcomer"]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"name": "  "}, "bad_name"),
        ({"name": "字" * 41}, "bad_name"),
        ({"name": "a\x00"}, "bad_name"),
        ({"slug": ""}, "bad_slug"),
        ({"slug": "A"}, "bad_slug"),
        ({"slug": "锦里"}, "bad_slug"),
        ({"slug": "a--b"}, "bad_slug"),
        ({"slug": "a\n"}, "bad_slug"),
        ({"slug": "a" * 41}, "bad_slug"),
        ({"slug": "jinli"}, "slug_taken"),
        ({"welcome_coins": -1}, "bad_amount"),
        ({"welcome_coins": 1_000_001}, "bad_amount"),
        ({"welcome_coins": True}, "bad_amount"),
        ({"welcome_coins": 1.5}, "bad_amount"),
        ({"time_zone": "Mars/Olympus"}, "bad_time_zone"),
        ({"time_zone": "Etc/GMT-8"}, "bad_time_zone"),
        ({"time_zone": "../passwd"}, "bad_time_zone"),
    ],
)
def test_a_bad_club_is_refused(club: Club, operator: User, refusal: Refusal, wrong: dict[str, Any], code: str) -> None:
    values = {"name": "别处", "slug": "elsewhere", "welcome_coins": 0, **wrong}
    refused = refusal(lambda: club_create(actor=operator, **values))
    assert refused.code == code
    assert refused.data == {"field": next(iter(wrong))}


def test_a_change_is_kept_with_what_it_changed(club: Club, operator: User) -> None:
    club = club_change(club=club, actor=operator, name=club.name, welcome_coins=20, needs_approval=False)
    assert club.welcome_coins == 20
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.before, entry.after) == ("club.changed", {"welcome_coins": 500}, {"welcome_coins": 20})
    club_change(club=club, actor=operator, name=club.name, welcome_coins=20, needs_approval=False)
    assert AuditEntry.objects.latest("pk") == entry
    assert club_change(club=club, actor=operator, time_zone="Europe/Lisbon").zone == ZoneInfo("Europe/Lisbon")
    assert AuditEntry.objects.latest("pk").before == {"time_zone": "Asia/Shanghai"}


def test_only_operators_change_a_club(club: Club, anna: Membership, refusal: Refusal) -> None:
    refused = refusal(lambda: club_change(club=club, actor=anna.user, name="x", welcome_coins=0, needs_approval=False))
    assert (refused.code, refused.status) == ("not_an_operator", 403)
