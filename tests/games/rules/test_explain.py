"""Every payment and every fan of the conformance records is explained, and the explanation adds up."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from django.utils.translation import override

from games import words
from games.rules.actions import Kind
from games.rules.events import PaymentKind, PaymentRule
from games.rules.explain import payment_explained, waits_left, win_told
from games.rules.hand import Hand
from games.rules.record import replay
from tests.games.rules.cases import cases
from tests.games.rules.stories import WAITS, act, answers, hand_of, play_on

NAMES = ("Ann", "Bo", "Chen", "Dee")
RAW = re.compile(r"[a-z]+_[a-z_]+|%\(|\{|\}|None")


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    return list(finished_hands())


def finished_hands() -> Iterator[Hand]:
    for case in cases("records"):
        *_, (hand, _events) = replay(case["in"])
        yield hand


def test_the_items_of_a_fan_sum_up_to_it_and_the_units_follow(hands: list[Hand]) -> None:
    wins = [(hand, win) for hand in hands for win in hand.wins]
    assert len(wins) > 500
    for hand, win in wins:
        told = win_told(hand.ruleset, win, hand.seats[win.seat].melds)
        assert told["items"][0]["name"] == told["base"]
        assert sum(item["fan"] for item in told["items"]) == told["uncapped_fan"]
        assert told["multiplier"] == max(1, 2 ** (told["fan"] - told["fan_origin"]))
        assert told["units"] == told["multiplier"] + told["bonus"]
        paid = [payment for payment in hand.payments if payment.kind == "win" and payment.payee == win.seat]
        assert all(payment.units == told["units"] for payment in paid)


def test_the_items_of_a_win_by_name() -> None:
    """Kongs of one kind are one item; what gives no fan is none, but for the pattern."""
    hands = ["19m258p25s136789p", "46p333666888s11p", "1112223456788m", "2589p2589s23467s"]
    hand = hand_of(hands, "4s", "2m5m", preset="jj")
    act(hand, 0, Kind.DISCARD, "1m")
    answers(hand, seat_2=Kind.KONG)
    act(hand, 2, Kind.KONG, "2m")
    act(hand, 2, Kind.WIN, "5m")
    told = win_told(hand.ruleset, hand.wins[0], hand.seats[2].melds)
    fan = {"qingyise": 2, "exposed_kong": 1, "concealed_kong": 1, "kong_flower": 1, "self_draw": 1}
    assert told["items"] == [{"name": name, "times": 1, "fan": worth} for name, worth in fan.items()]
    assert (told["fan"], told["uncapped_fan"], told["units"], told["bonus"], told["fan_origin"]) == (4, 6, 16, 0, 0)
    kong = payment_explained(hand, hand.payments[0])
    assert kong == {
        "kind": "kong",
        "payer": 0,
        "payee": 2,
        "units": 2,
        "rule": "exposed_kong",
        "tile": "1m",
        "ready": None,
        "lower": None,
    }


def test_the_ready_hands_that_a_drawn_hand_goes_by() -> None:
    hand = hand_of(WAITS, "", preset="chengdu", forced_win="off")
    play_on(hand)
    gap = payment_explained(hand, next(payment for payment in hand.payments if payment.kind == "dajiao_gap"))
    assert gap["ready"] == {"tile": "3m", "base": "pinghu", "gen": 1, "fan": 1, "multiplier": 2}
    assert gap["lower"] == {"tile": "1p", "base": "pinghu", "gen": 0, "fan": 0, "multiplier": 1}
    assert [waits_left(hand, seat) for seat in range(4)] == [[], ["3m", "6m", "9m", "7p"], ["1p"], []]


def test_every_payment_has_a_rule_of_its_kind_and_the_facts_of_that_rule(hands: list[Hand]) -> None:
    seen: Counter[PaymentRule] = Counter()
    for hand in hands:
        for payment in hand.payments:
            told = payment_explained(hand, payment)
            seen[payment.rule] += 1
            assert told["kind"] == payment.rule.kind
            assert (told["tile"] is not None) == (told["kind"] in ("kong", "kong_transfer", "kong_refund"))
            if told["kind"] == "dajiao":
                assert told["ready"]["multiplier"] == told["units"]
            if told["kind"] == "dajiao_gap":
                assert told["ready"]["multiplier"] - told["lower"]["multiplier"] == told["units"]
    assert set(seen) == set(PaymentRule), "the records know every rule"


def test_every_rule_belongs_to_a_kind_and_every_kind_has_one() -> None:
    assert {rule.kind for rule in PaymentRule} == set(PaymentKind)


def test_the_waits_of_a_drawn_hand_are_told_where_they_decided_something(hands: list[Hand]) -> None:
    told = {True: 0, False: 0}
    for hand in hands:
        for seat in hand.seats:
            waits = waits_left(hand, seat.number)
            assert (waits is not None) == (hand.end == "drawn" and seat.live)
            if waits is not None:
                ready = {payment.payee for payment in hand.payments if payment.kind == "dajiao"}
                assert waits or seat.number not in ready
                told[bool(waits)] += 1
    assert all(told.values())


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_all_of_it_is_said_in_words(hands: list[Hand], language: str) -> None:
    said: set[str] = set()
    with override(language):
        for hand in hands:
            payments = [payment_explained(hand, payment) for payment in hand.payments]
            for payment in payments:
                said |= {words.payment_words(payment, NAMES), words.reason_words([payment], NAMES)}
            groups = words.payment_groups(payments)
            assert [payment for group in groups for payment in group] == payments
            said |= {words.payments_explained_words(group, NAMES) for group in groups}
            for win in hand.wins:
                told = win_told(hand.ruleset, win, hand.seats[win.seat].melds)
                said |= {words.fan_words(told), words.units_words(told)}
    assert [sentence for sentence in said if RAW.search(sentence) or "  " in sentence] == []
    if language == "en":
        assert [sentence for sentence in said if re.search("[㐀-鿿]", sentence)] == []
