"""Statistics: the rows behind them are rebuilt as they were written, and they come to what a plain recount does."""

import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import transaction
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from clubs.models import Club, Membership, Room
from clubs.rooms import room_create
from games import play, tables
from games.figures import figures_told
from games.log import fresh_fold
from games.models import Hand, HandSeat, Payment, SeatFigures, Table, Win
from games.rules.actions import Kind
from games.rules.hand import Hand as Core
from games.selfplay import hand_deal, hand_play_out
from games.settlement import hand_settle
from games.statistics import LEAST_HANDS, Mean, Rate, Statistics, statistics
from tests.games.rules.tables import settle_automatic
from tests.games.rules.test_stories import WAITING, act, hand_of, kong_that_seat_2_can_rob


def rows() -> list[dict[str, Any]]:
    """All figures as they are written."""
    written = SeatFigures.objects.order_by("hand_id", "number").values()
    return [{name: value for name, value in row.items() if name != "id"} for row in written]


def assert_rebuilt_as_written() -> None:
    settled = Hand.objects.filter(status=Hand.Status.SETTLED)
    told = sorted(figures_told(settled), key=lambda row: (row["hand_id"], row["number"]))
    assert told == rows()


def told_of(user: User, club: Club, *, auto: bool = False) -> Statistics:
    membership = Membership.objects.get(user=user, club=club)
    return statistics(membership=membership, rows=SeatFigures.objects.filter(club=club), auto=auto)


def settled(table: Table, users: Sequence[User], core: Core) -> Hand:
    """A hand made by a test, settled as a hand that was played."""
    terms = table.room.terms
    assert terms is not None
    number = Hand.objects.filter(table=table).count() + 1
    hand = Hand.objects.create(table=table, number=number, terms=terms, dealer=core.dealer, seed=bytes(32), engine="1")
    for seat, user in enumerate(users):
        member = Membership.objects.get(user=user, club=table.room.club)
        HandSeat.objects.create(hand=hand, number=seat, membership=member)
    fold = fresh_fold(hand)
    fold.core = core
    with transaction.atomic():
        hand_settle(fold)
    hand.refresh_from_db()
    return hand


def two_winners() -> Core:
    """Seat 0 feeds seats 1 and 2, then seat 3 leaves: 1 unit to each winner, 16 to seat 0."""
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 2, Kind.WIN)
    act(hand, 1, Kind.WIN)
    settle_automatic(hand)
    act(hand, 3, Kind.LEAVE)
    return hand


def robbed() -> Core:
    """Seat 2 robs a kong of seat 1, then seat 3 leaves: it pays 16 to seats 0 and 1."""
    hand = kong_that_seat_2_can_rob()
    act(hand, 2, Kind.WIN)
    settle_automatic(hand)
    act(hand, 3, Kind.LEAVE)
    return hand


@pytest.fixture
def plain(club: Club, operator: User) -> Room:
    """A room of the rules that the hands made by hand follow."""
    return room_create(club=club, name="平房", actor=operator, preset="qq_xuezhan", coefficient=10, rake=7)


@pytest.fixture
def story(plain: Room, seated: Callable[[Room], Table], members: list[User]) -> list[Hand]:
    table = seated(plain)
    return [settled(table, members[:4], core) for core in (two_winners(), two_winners(), robbed())]


def test_hands_made_by_hand(story: list[Hand], members: list[User], club: Club) -> None:
    anna, bao, chen, deng = (told_of(user, club) for user in members[:4])
    assert [told.hands for told in (anna, bao, chen, deng)] == [3, 3, 3, 3]
    assert [told.units for told in (anna, bao, chen, deng)] == [14 + 14 + 16, 1 + 1 - 1 + 16, 1 + 1 + 1, -16 - 16 - 32]
    unit = 10 * anna.points // anna.units
    assert [told.rake for told in (anna, bao, chen, deng)] == [21] * 4
    assert [told.coins for told in (anna, bao, chen, deng)] == [
        told.units * unit - 21 for told in (anna, bao, chen, deng)
    ]
    assert [told.finish for told in (anna, bao, chen, deng)] == [[0, 0, 0, 3], [2, 0, 0, 1], [1, 2, 0, 0], [0, 0, 0, 3]]
    assert [told.wins for told in (anna, bao, chen, deng)] == [0, 2, 3, 0]
    assert dict(chen.patterns)["pinghu"] == 3
    sources = {source.key: source for source in anna.sources}
    assert (sources["deal_in"].paid, sources["deal_in"].units, sources["escape"].units) == (4, -4, 48)
    assert {source.key: source for source in deng.sources}["escape"].paid == 3
    assert sum(source.units for source in anna.sources) == anna.units
    rates = {rate.key: rate for rate in anna.rates}
    assert (rates["deal_in"].count, rates["deal_in"].of, rates["deal_in"].share) == (2, 3, None)
    assert (rates["win"].club_count, rates["win"].club_of) == (5, 12)
    assert anna.mean("units_dealt_in").value == 1 and chen.mean("fan").value == 1
    assert anna.mean("units_won").value is None


def test_head_to_head(story: list[Hand], members: list[User], club: Club) -> None:
    met = {each.membership.user.username: each for each in told_of(members[0], club).opponents}
    assert set(met) == {"bao", "chen", "deng"}
    assert [(each.hands, each.i_fed, each.they_fed, each.units) for each in met.values()] == [
        (3, 2, 0, -2),
        (3, 2, 0, -2),
        (3, 0, 0, 48),
    ]
    chen = {each.membership.user.username: each for each in told_of(members[2], club).opponents}
    assert (chen["bao"].they_fed, chen["bao"].i_fed, chen["bao"].units) == (1, 0, 1)
    assert all(each.per_hundred is None for each in chen.values())


def recounted(user: User, club: Club) -> tuple[Counter[str], dict[date, int]]:
    """A member's figures by reading every hand's seat, wins, payments and record."""
    sums: Counter[str] = Counter()
    days: Counter[date] = Counter()
    for seat in HandSeat.objects.filter(membership__user=user, membership__club=club).select_related("hand"):
        hand = seat.hand
        if hand.end == "voided" or hand.is_practice or seat.auto_actions:
            continue
        sums["hands"] += 1
        days[timezone.localdate(hand.ended_at)] += seat.coins or 0
        for name in ("units", "points", "coins", "rake"):
            sums[name] += getattr(seat, name)
        mine = Win.objects.filter(hand=hand, seat=seat.number).first()
        if mine:
            sums.update({"wins": 1, f"order {mine.order + 1}": 1, mine.base: 1, "fan": mine.fan})
            sums.update(self_draw=mine.by == "self_draw", jipin=mine.is_jipin)
        fed = Win.objects.filter(hand=hand, source=seat.number).count()
        sums.update(fed=fed, dealt_in=fed > 0)
        kinds = Payment.objects.filter(hand=hand, payer=seat.number).values_list("kind", flat=True)
        sums.update(f"paid {kind}" for kind in kinds)
        kinds = Payment.objects.filter(hand=hand, payee=seat.number).values_list("kind", flat=True)
        sums.update(f"got {kind}" for kind in kinds)
    return sums, dict(days)


def test_played_hands_come_to_a_plain_recount(table: Table, members: list[User], club: Club) -> None:
    for _hand in range(12):
        hand_play_out(table_id=table.pk, users=members[:4])
    assert_rebuilt_as_written()
    for user in members[:4]:
        told = told_of(user, club)
        plain, days = recounted(user, club)
        for name in ("hands", "units", "points", "coins", "rake", "wins", "jipin"):
            assert getattr(told, name) == plain[name], name
        assert told.finish == [plain["order 1"], plain["order 2"], plain["order 3"], plain["hands"] - plain["wins"]]
        assert {name: times for name, times in told.patterns if times} == {
            name: plain[name] for name, _times in told.patterns if plain[name]
        }
        rates = {rate.key: rate.count for rate in told.rates}
        assert (rates["self_draw"], rates["deal_in"]) == (plain["self_draw"], plain["dealt_in"])
        assert told.mean("fan").sum == plain["fan"] and told.mean("units_dealt_in").of == plain["fed"]
        sources = {source.key: source for source in told.sources}
        for source, kind in (("transfer", "kong_transfer"), ("huazhu", "huazhu"), ("refund", "kong_refund")):
            assert (sources[source].got, sources[source].paid) == (plain[f"got {kind}"], plain[f"paid {kind}"])
        assert sources["kongs_paid"].paid == plain["paid kong"]
        assert sum(source.units for source in told.sources) == told.units
        assert {day.day: day.coins for day in told.days} == days
        assert told.days[-1].coins_so_far == told.coins and told.days[-1].points_so_far == told.points
        assert sum(each.units for each in told.opponents) == told.units


def test_the_command_and_the_migration_write_what_the_settlement_wrote(table: Table, members: list[User]) -> None:
    for _hand in range(2):
        hand_play_out(table_id=table.pk, users=members[:4])
    written = rows()
    assert len(written) == 8
    SeatFigures.objects.filter(number=0).update(units=F("units") + 1)
    SeatFigures.objects.filter(number=1).delete()
    call_command("figures_rebuild")
    assert rows() == written
    SeatFigures.objects.all().delete()
    importlib.import_module("games.migrations.0006_statistics_and_reports").fill(apps, None)
    assert rows() == written


def test_hands_with_a_decision_of_the_program_are_apart_and_practice_is_not_there(
    table: Table, practice: Room, members: list[User], club: Club
) -> None:
    hand_play_out(table_id=table.pk, users=members[:4])
    SeatFigures.objects.filter(membership__user=members[0]).update(is_auto=True)
    own, auto = told_of(members[0], club), told_of(members[0], club, auto=True)
    assert (own.hands, own.auto_hands, own.coins) == (0, 1, 0)
    assert (auto.hands, auto.auto_hands) == (1, 1)
    assert told_of(members[1], club).hands == 1
    for user in members[:4]:
        tables.seat_leave(table_id=table.pk, user=user)
    alone = tables.table_open(room=practice, user=members[0])
    tables.bots_fill(table_id=alone.pk, user=members[0])
    hand = hand_deal(table_id=alone.pk, users=members[:1])
    play.auto_switch(hand_id=hand.pk, user=members[0], on=True, command_id=str(uuid4()))
    play.tick(hand.pk)
    assert Hand.objects.get(pk=hand.pk).status == Hand.Status.SETTLED
    assert not SeatFigures.objects.filter(hand=hand).exists()


def test_a_hand_that_the_timer_played_counts_as_auto(
    plain: Room, seated: Callable[[Room], Table], members: list[User]
) -> None:
    hand = settled(seated(plain), members[:4], two_winners())
    assert set(SeatFigures.objects.filter(hand=hand).values_list("is_auto", flat=True)) == {False}
    hand.seats.filter(number=3).update(auto_actions=1)
    told = {row["number"]: row["is_auto"] for row in figures_told(Hand.objects.filter(pk=hand.pk))}
    assert told == {0: False, 1: False, 2: False, 3: True}


def test_a_period_a_room_and_a_ruleset_pick_hands(
    story: list[Hand], room: Room, members: list[User], client: Client, club: Club, plain: Room
) -> None:
    long_ago = timezone.now() - timedelta(days=40)
    SeatFigures.objects.filter(hand=story[0]).update(ended_at=long_ago)
    client.force_login(members[0])
    address = reverse("statistics", args=[club.slug])

    def hands(**query: Any) -> int:
        told: Statistics = client.get(address, query).context["statistics"]
        return told.hands

    assert hands() == hands(period="90") == hands(room=plain.pk) == hands(ruleset="qq_xuezhan") == 3
    assert hands(period="30") == 2
    day = timezone.localdate(long_ago)
    assert hands(period="dates", since=day, until=day) == 1
    assert hands(period="dates", since=day + timedelta(days=1)) == 2
    assert hands(room=room.pk) == hands(ruleset="qq_dingque") == hands(auto="only") == 0
    for wrong in ({"period": "1"}, {"room": "99999"}, {"ruleset": "jj"}, {"auto": "yes"}):
        assert client.get(address, wrong).status_code == 400, wrong


def test_the_page_tells_definitions_samples_and_the_numbers_in_a_table(
    story: list[Hand], members: list[User], client: Client, club: Club
) -> None:
    client.force_login(members[0])
    for language in ("zh-hans", "en"):
        page = client.get(reverse("statistics", args=[club.slug]), headers={"accept-language": language}).text
        told = told_of(members[0], club)
        assert all(f"{rate.count:,} / {rate.of:,}" in page for rate in told.rates)
        assert page.count('<svg class="plot"') == 1 and f"{told.days[0].day}" in page
        assert "style=" not in page and "UTC+8" in page
    page = client.get(reverse("statistics", args=[club.slug])).text
    assert "至少点炮或被抢杠一次的手数，占手数" in page and f"不足 {LEAST_HANDS} 手" in page


def test_an_interval_is_the_usual_one() -> None:
    rate = Rate("win", 734, 1286, 0, 0)
    assert rate.share == pytest.approx(0.5708, abs=1e-4)
    assert rate.interval == pytest.approx((0.544, 0.5976), abs=1e-3)
    assert rate.club_share is None
    assert Rate("win", 0, 50, 0, 0).interval == pytest.approx((0.0, 0.0713), abs=1e-3)
    assert Rate("win", 49, 49, 0, 0).share is None


def test_a_mean_is_rounded_from_whole_numbers() -> None:
    assert Mean("coins", 10**15 + 1, 2).value == Decimal(5 * 10**14)
    assert Mean("fan", 2, 3).value == Decimal("0.67")


def test_statistics_take_a_fixed_number_of_queries(
    story: list[Hand], members: list[User], club: Club, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    membership = Membership.objects.get(user=members[0], club=club)
    with django_assert_num_queries(12):
        statistics(membership=membership, rows=SeatFigures.objects.filter(club=club))
