"""Statistics: the rows behind them are rebuilt as they were written, and they come to what a plain recount does."""

import importlib
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db.models import F, QuerySet, Sum
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from clubs.clubs import club_change
from clubs.models import Club, Membership, Room
from clubs.rooms import room_create
from games import play as live
from games import tables
from games.figures import FiguresAsked, days_rebuild, figures_told
from games.models import DayFigures, Hand, HandSeat, Payment, SeatFigures, Table, Win
from games.periods import midnight
from games.proof import days_check
from games.rules.ruleset import PRESETS
from games.selfplay import hand_deal, hand_play_out
from games.statistics import LEAST_HANDS, Mean, Rate, Statistics, statistics
from tests.games.rules.chances import play
from tests.games.rules.stories import robbed, two_winners
from tests.games.settled import settled


def rows() -> list[dict[str, Any]]:
    """All figures as they are written."""
    written = SeatFigures.objects.order_by("hand_id", "number").values()
    return [{name: value for name, value in row.items() if name != "id"} for row in written]


def days() -> list[dict[str, Any]]:
    """All sums by day as they are written."""
    written = DayFigures.objects.order_by("membership_id", "day", "room_id", "preset", "is_auto").values()
    return [{name: value for name, value in day.items() if name != "id"} for day in written]


def assert_rebuilt_as_written() -> None:
    settled = Hand.objects.filter(status=Hand.Status.SETTLED)
    told = sorted(figures_told(settled), key=lambda row: (row["hand_id"], row["number"]))
    assert told == rows()


def told_of(user: User, club: Club, *, auto: bool = False, **asked: Any) -> Statistics:
    membership = Membership.objects.get(user=user, club=club)
    return statistics(membership=membership, asked=FiguresAsked(club, **asked), auto=auto)


@pytest.fixture
def plain(club: Club, operator: User) -> Room:
    """A room of the rules that the hands made by hand follow."""
    return room_create(club=club, name="平房", actor=operator, preset="qq_xuezhan", coefficient=10, rake=7)


@pytest.fixture
def story(plain: Room, seated: Callable[[Room], Table], members: list[User]) -> list[Hand]:
    """The first hand forty days ago, two of today."""
    table = seated(plain)
    now = timezone.now()
    told = [(now - timedelta(days=40), two_winners()), (now, two_winners()), (now, robbed())]
    return [settled(table, members[:4], core, at=at) for at, core in told]


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


def recounted(user: User, hands: QuerySet[Hand], *, auto: bool = False) -> tuple[Counter[str], dict[date, int]]:
    """A member's figures of some hands by reading every hand's seat, wins and payments."""
    sums: Counter[str] = Counter()
    by_day: Counter[date] = Counter()
    for seat in HandSeat.objects.filter(membership__user=user, hand__in=hands).select_related(
        "hand__table__room__club"
    ):
        hand = seat.hand
        if hand.end == "voided" or hand.is_practice or (seat.auto_actions > 0) != auto:
            continue
        sums["hands"] += 1
        assert hand.ended_at is not None
        by_day[hand.ended_at.astimezone(hand.table.room.club.zone).date()] += seat.coins or 0
        for name in ("units", "points", "coins", "rake"):
            sums[name] += getattr(seat, name)
        wins, payments = Win.objects.filter(hand=hand), Payment.objects.filter(hand=hand)
        if mine := wins.filter(seat=seat.number).first():
            sums.update({"wins": 1, f"order {mine.order + 1}": 1, mine.base: 1, "fan": mine.fan})
            sums.update(self_draw=mine.by == "self_draw", jipin=mine.is_jipin)
        fed = wins.filter(source=seat.number).count()
        sums.update(fed=fed, dealt_in=fed > 0)
        sums.update(f"paid {kind}" for kind in payments.filter(payer=seat.number).values_list("kind", flat=True))
        sums.update(f"got {kind}" for kind in payments.filter(payee=seat.number).values_list("kind", flat=True))
        for other in hand.seats.exclude(pk=seat.pk):
            met = f"met {other.membership_id}"
            sums[f"{met} hands"] += 1
            sums[f"{met} i_fed"] += wins.filter(seat=other.number, source=seat.number).count()
            sums[f"{met} they_fed"] += wins.filter(seat=seat.number, source=other.number).count()
            got = payments.filter(payee=seat.number, payer=other.number).aggregate(sum=Sum("units"))["sum"] or 0
            paid = payments.filter(payer=seat.number, payee=other.number).aggregate(sum=Sum("units"))["sum"] or 0
            sums[f"{met} units"] += got - paid
    return sums, dict(by_day)


def assert_told_as_recounted(told: Statistics, plain: Counter[str], by_day: dict[date, int]) -> None:
    for name in ("hands", "units", "points", "coins", "rake", "wins", "jipin"):
        assert getattr(told, name) == plain[name], name
    assert told.finish == [plain["order 1"], plain["order 2"], plain["order 3"], plain["hands"] - plain["wins"]]
    assert dict(told.patterns) == {name: plain[name] for name, _times in told.patterns}
    rates = {rate.key: rate.count for rate in told.rates}
    assert (rates["self_draw"], rates["deal_in"]) == (plain["self_draw"], plain["dealt_in"])
    assert told.mean("fan").sum == plain["fan"] and told.mean("units_dealt_in").of == plain["fed"]
    sources = {source.key: source for source in told.sources}
    for source, kind in (("transfer", "kong_transfer"), ("huazhu", "huazhu"), ("refund", "kong_refund")):
        assert (sources[source].got, sources[source].paid) == (plain[f"got {kind}"], plain[f"paid {kind}"])
    assert sources["kongs_paid"].paid == plain["paid kong"]
    assert sum(source.units for source in told.sources) == told.units
    assert {day.day: day.coins for day in told.days} == by_day
    if told.days:
        assert told.days[-1].coins_so_far == told.coins and told.days[-1].points_so_far == told.points
    for each in told.opponents:
        for name in ("hands", "i_fed", "they_fed", "units"):
            assert getattr(each, name) == plain[f"met {each.membership.pk} {name}"], name
    assert sum(each.units for each in told.opponents) == told.units


def test_played_hands_come_to_a_plain_recount(table: Table, members: list[User], club: Club) -> None:
    for _hand in range(12):
        hand_play_out(table_id=table.pk, users=members[:4])
    assert_rebuilt_as_written()
    for user in members[:4]:
        assert_told_as_recounted(told_of(user, club), *recounted(user, Hand.objects.all()))


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(2, 60))])
def test_whatever_is_played_and_asked_the_sums_are_those_of_the_hands(
    seed: int, club: Club, operator: User, seated: Callable[[Room], Table], members: list[User]
) -> None:
    """Random hands of random people, days and rooms, in a random time zone; some are ended by an operator, some seats left to the
    program. Days are then asked for, and moments within them."""
    rng = random.Random(seed)
    Club.objects.update(time_zone=rng.choice(["Asia/Shanghai", "America/Havana", "Asia/Kathmandu", "Pacific/Apia"]))
    club.refresh_from_db()
    presets = rng.sample([*PRESETS], 2)
    rooms = [room_create(club=club, name=name, actor=operator, preset=name, coefficient=2, rake=3) for name in presets]
    tables_ = [Table.objects.create(room=room, number=1) for room in rooms]
    start = datetime(2026, rng.choice([3, 11]), 1, tzinfo=UTC)  # clocks are changed in these months
    moments = [start + timedelta(minutes=rng.randrange(4 * 24 * 60)) for _hand in range(12)]
    for moment in moments:
        number = rng.randrange(2)
        autos = [seat for seat in range(4) if rng.random() < 0.2]
        core = play(PRESETS[presets[number]].ruleset, rng)
        settled(tables_[number], rng.sample(members, 4), core, at=moment, auto=autos)
    assert_rebuilt_as_written()
    assert list(days_check()) == []
    written = days()
    days_rebuild(club=club)
    assert days() == written
    for _question in range(3):
        since, until = sorted(rng.sample(moments, 2))
        if rng.random() < 0.5:
            since, until = (midnight(moment.astimezone(club.zone).date(), club.zone) for moment in (since, until))
        asked: dict[str, Any] = {
            "since": since,
            "until": until,
            **rng.choice([{}, {"room": rooms[0].pk}, {"preset": presets[1]}]),
        }
        hands = Hand.objects.filter(ended_at__gte=since, ended_at__lt=until)
        hands = hands.filter(table__room=asked["room"]) if "room" in asked else hands
        hands = hands.filter(terms__preset=asked["preset"]) if "preset" in asked else hands
        for auto in (False, True):
            told = [told_of(user, club, auto=auto, **asked) for user in members]
            for user, each in zip(members, told, strict=True):
                assert_told_as_recounted(each, *recounted(user, hands, auto=auto))
            for number, rate in enumerate(told[0].rates):
                assert rate.club_count == sum(each.rates[number].count for each in told)
                assert rate.club_of == sum(each.rates[number].of for each in told)


def test_the_command_and_the_migrations_write_what_the_settlement_wrote(table: Table, members: list[User]) -> None:
    for _hand in range(2):
        hand_play_out(table_id=table.pk, users=members[:4])
    written, sums = rows(), days()
    assert (len(written), len(sums)) == (8, 4)
    SeatFigures.objects.filter(number=0).update(units=F("units") + 1)
    SeatFigures.objects.filter(number=1).delete()
    DayFigures.objects.update(hands=7)
    call_command("figures_rebuild")
    assert (rows(), days()) == (written, sums)
    SeatFigures.objects.all().delete()
    importlib.import_module("games.migrations.0006_statistics_and_reports").fill(apps, None)
    SeatFigures.objects.update(opponents={})
    DayFigures.objects.all().delete()
    importlib.import_module("games.migrations.0007_day_figures").fill(apps, None)
    assert (rows(), days()) == (written, sums)


def test_a_club_that_moves_has_its_days_rebuilt(
    plain: Room, seated: Callable[[Room], Table], members: list[User], operator: User, club: Club
) -> None:
    table = seated(plain)
    for hour in (10, 20):
        settled(table, members[:4], two_winners(), at=datetime(2026, 11, 29, hour, tzinfo=UTC))
    found = [[(day.day, day.hands) for day in told_of(members[0], club).days]]
    club = club_change(club=club, actor=operator, time_zone="Europe/Lisbon")
    assert len(list(days_check())) == 4, "the days of before are not those of the new zone"
    settled(table, members[:4], two_winners(), at=datetime(2026, 11, 29, 23, tzinfo=UTC))
    call_command("figures_rebuild", days=club.slug)
    assert list(days_check()) == []
    found.append([(day.day, day.hands) for day in told_of(members[0], club).days])
    assert found == [[(date(2026, 11, 29), 1), (date(2026, 11, 30), 1)], [(date(2026, 11, 29), 3)]]
    with pytest.raises(CommandError):
        call_command("figures_rebuild", days="nowhere")


def test_hands_with_a_decision_of_the_program_are_apart_and_practice_is_not_there(
    table: Table, practice: Room, members: list[User], club: Club
) -> None:
    settled(table, members[:4], two_winners(), auto=[0])
    own, auto = told_of(members[0], club), told_of(members[0], club, auto=True)
    assert (own.hands, own.auto_hands, own.coins) == (0, 1, 0)
    assert (auto.hands, auto.auto_hands) == (1, 1)
    assert told_of(members[1], club).hands == 1
    for user in members[:4]:
        tables.seat_leave(table_id=table.pk, user=user)
    alone = tables.table_open(room=practice, user=members[0])
    tables.bots_fill(table_id=alone.pk, user=members[0])
    hand = hand_deal(table_id=alone.pk, users=members[:1])
    live.auto_switch(hand_id=hand.pk, user=members[0], on=True, command_id=str(uuid4()))
    live.tick(hand.pk)
    assert Hand.objects.get(pk=hand.pk).status == Hand.Status.SETTLED
    assert SeatFigures.objects.get(hand=hand).is_practice
    assert sum(day["hands"] for day in days()) == 4


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
    client.force_login(members[0])
    address = reverse("statistics", args=[club.slug])

    def hands(**query: Any) -> int:
        told: Statistics = client.get(address, query).context["statistics"]
        return told.hands

    assert hands() == hands(period="90") == hands(room=plain.pk) == hands(ruleset="qq_xuezhan") == 3
    assert hands(period="30") == 2
    day = timezone.localdate(story[0].ended_at)
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
    with django_assert_num_queries(4):
        statistics(membership=membership, asked=FiguresAsked(club))
