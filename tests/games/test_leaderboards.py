"""Leaderboards: who stands on them, in which order, and when a period begins."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from clubs.clubs import zone_names
from clubs.members import member_ban
from clubs.models import Club, Membership, Room
from clubs.rooms import room_create
from games.leaderboards import THRESHOLDS, Leaderboard, leaderboard
from games.models import Table
from games.periods import Period, day_asked, period_of, today
from games.statistics_pages import shown
from tests.games.rules.stories import two_winners
from tests.games.settled import settled


@pytest.mark.parametrize(
    ("kind", "day", "first", "last"),
    [
        ("day", "2026-11-30", "2026-11-30", "2026-11-30"),
        ("week", "2026-11-29", "2026-11-23", "2026-11-29"),
        ("week", "2026-11-30", "2026-11-30", "2026-12-06"),
        ("month", "2026-12-15", "2026-12-01", "2026-12-31"),
        ("month", "2028-02-29", "2028-02-01", "2028-02-29"),
        ("season", "2026-11-30", "2026-10-01", "2026-12-31"),
        ("season", "2026-03-31", "2026-01-01", "2026-03-31"),
    ],
)
def test_periods(kind: str, day: str, first: str, last: str) -> None:
    period = period_of(kind, date.fromisoformat(day), UTC)
    assert period == Period(UTC, date.fromisoformat(first), date.fromisoformat(last))


def test_a_day_begins_at_midnight_where_the_club_is_also_for_the_api() -> None:
    with timezone.override(UTC):
        period = period_of("day", date(2026, 11, 30), ZoneInfo("Asia/Shanghai"))
    assert period.since == datetime(2026, 11, 29, 16, tzinfo=UTC)
    assert period.until == datetime(2026, 11, 30, 16, tzinfo=UTC)
    assert day_asked("") is None


@given(st.datetimes(datetime(2000, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC)), st.sampled_from(zone_names()))
def test_a_moment_lies_in_its_day_in_every_zone(moment: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    period = period_of("day", moment.astimezone(zone).date(), zone)
    assert period.since is not None and period.until is not None
    assert period.since.astimezone(UTC) <= moment < period.until.astimezone(UTC)


@pytest.fixture
def played(club: Club, operator: User, seated: Callable[[Room], Table], members: list[User]) -> Table:
    """As many hands today as a day's board asks for: chen and bao win each, deng pays."""
    room = room_create(club=club, name="平房", actor=operator, preset="qq_xuezhan", coefficient=10, rake=7)
    table = seated(room)
    for _hand in range(THRESHOLDS["day"]):
        settled(table, members[:4], two_winners())
    return table


def board(user: User, club: Club, kind: str = "day", measure: str = "points") -> Leaderboard:
    membership = Membership.objects.get(user=user, club=club)
    return leaderboard(membership=membership, kind=kind, measure=measure, day=today(club.zone))


def test_members_are_ranked_and_equal_ones_share_a_rank(played: Table, members: list[User], club: Club) -> None:
    told = board(members[1], club)
    assert [(place.rank, place.membership.user.username) for place in told.places] == [
        (1, "anna"),
        (2, "bao"),
        (2, "chen"),
        (4, "deng"),
    ]
    assert told.mine is not None and told.mine.rank == 2 and told.mine.rank_before is None
    above, missing = told.to_next or (None, 0)
    assert above == told.places[0] and missing == told.places[0].sums.points - told.mine.sums.points
    assert [place.rank for place in board(members[0], club, measure="win_rate").places] == [1, 1, 3, 3]
    assert board(members[0], club, measure="win_rate").to_next is None


def test_who_has_played_too_little_is_told_what_is_lacking(played: Table, members: list[User], club: Club) -> None:
    week = board(members[0], club, "week")
    assert week.places == [] and week.mine is None
    assert (week.my_hands, week.below_threshold, week.threshold) == (THRESHOLDS["day"], 4, THRESHOLDS["week"])
    assert board(members[4], club).my_hands == 0


def test_hands_of_the_program_and_people_who_are_gone_do_not_count(
    played: Table, members: list[User], club: Club, operator: User
) -> None:
    before = [place.sums for place in board(members[0], club).places]
    settled(played, members[:4], two_winners(), auto=[0, 1, 2, 3])
    assert [place.sums for place in board(members[0], club).places] == before
    member_ban(membership=Membership.objects.get(user=members[1], club=club), actor=operator, reason="test")
    assert [place.membership.user.username for place in board(members[2], club).places] == ["anna", "chen", "deng"]


def test_ranks_are_compared_with_the_period_before(played: Table, members: list[User], club: Club) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    for _hand in range(THRESHOLDS["day"]):
        settled(played, [members[number] for number in (3, 1, 2, 0)], two_winners(), at=yesterday)
    told = {place.membership.user.username: place for place in board(members[0], club).places}
    assert (told["anna"].rank, told["anna"].rank_before, told["anna"].risen) == (1, 4, 3)
    assert (told["deng"].rank, told["deng"].rank_before, told["deng"].fallen) == (4, 1, 3)
    assert told["bao"].risen == 0


def test_the_page_says_period_zone_and_threshold(
    played: Table, members: list[User], client: Client, club: Club
) -> None:
    client.force_login(members[3])
    address = reverse("leaderboard", args=[club.slug])
    for language in ("zh-hans", "en"):
        page = client.get(address, {"period": "day"}, headers={"accept-language": language})
        assert f"{today(club.zone)}" in page.text and "UTC+8" in page.text
    page = client.get(address, {"period": "day"})
    assert "至少打 5 手才上榜" in page.text and "Deng（我）" in page.text
    assert "还没有人上榜" in client.get(address, {"period": "day", "day": "2020-02-02"}).text
    for wrong, status in (({"period": "year"}, 404), ({"by": "luck"}, 404), ({"day": "tomorrow"}, 400)):
        assert client.get(address, wrong).status_code == status


def test_my_own_place_is_shown_also_outside_the_first(played: Table, members: list[User], club: Club) -> None:
    told = board(members[3], club)
    assert told.mine is not None
    crowd = [replace(told.places[0], rank=rank) for rank in range(1, 15)]
    long = replace(told, places=[*crowd, told.mine])
    assert shown(long, everything=False) == [*crowd[:10], told.mine]
    assert shown(long, everything=True) == long.places
    assert shown(told, everything=False) == told.places
