"""Finished hands: which ones a person may see, one line of each, and the steps of a replay.

Nothing here ever shows a running hand. A replay is the fold of the hand's own log (`games.log`), seen with all hands open.
"""

from collections.abc import Collection, Mapping
from dataclasses import astuple, dataclass
from datetime import date, timedelta, tzinfo
from typing import Any, Final

from django.db.models import Count, Prefetch, Q, QuerySet, Sum
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.errors import Refused
from accounts.models import User
from accounts.moments import moment_text
from clubs.models import Membership
from games import rules
from games.figures import COUNTED
from games.log import bot_name, fresh_fold, rows_after
from games.models import Action, Hand, HandSeat, Report, SeatFigures, Win
from games.periods import midnight
from games.rules.events import Paid
from games.rules.explain import payment_explained
from games.rules.tiles import tile_name
from games.rules.views import event_for, view_for
from games.words import event_words, outcome_words, payment_groups, payments_explained_words

RESULTS: Final[Mapping[str, Promise]] = {
    "won": gettext_lazy("我胡了"),
    "fed": gettext_lazy("我点炮"),
    "jipin": gettext_lazy("我胡了极品"),
    "drawn": gettext_lazy("流局"),
    "escaped": gettext_lazy("有人逃跑"),
    "stopped": gettext_lazy("被管理员结束"),
}

#: What each result means of one's own seat.
RESULT_CONDITIONS: Final[Mapping[str, Q]] = {
    "won": Q(win_order__gt=0),
    "fed": Q(fed__gt=0),
    "jipin": Q(is_jipin=True),
    "drawn": Q(end="drawn"),
    "escaped": Q(end="escaped"),
    "stopped": Q(end__in=("voided", "stopped")),
}
_MARKS: Final = frozenset({"pung", "kong", "win", "leave"})


@dataclass(frozen=True)
class HandLine:
    """One hand as one of its players sees it in a list."""

    hand: Hand
    mine: HandSeat
    outcome: str
    is_jipin: bool
    others: list[str]
    figures: SeatFigures
    is_reported: bool


@dataclass(frozen=True)
class HandsSum:
    """Sums over the hands that count (no void ones): how many, coins net of rake, rake, points. And how many were practice."""

    hands: int = 0
    coins: int = 0
    rake: int = 0
    points: int = 0
    practice: int = 0

    def __add__(self, other: "HandsSum") -> "HandsSum":
        return HandsSum(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


def seats_of(*, user: User) -> QuerySet[SeatFigures]:
    """A person's own seats in the settled hands that they played, newest first."""
    members = list(Membership.objects.filter(user=user).values_list("pk", flat=True))
    # One club is asked for as one: its index is then in the order of the answer.
    mine = Q(membership=members[0]) if len(members) == 1 else Q(membership__in=members)
    return SeatFigures.objects.filter(mine).order_by("-hand_id")


def hands_sum(seats: QuerySet[SeatFigures]) -> HandsSum:
    """The sums over some seats of `seats_of`."""
    sums = seats.order_by().aggregate(
        **{name: Sum(name, default=0, filter=COUNTED) for name in ("coins", "rake", "points")},
        hands=Count("pk", COUNTED),
        practice=Count("pk", Q(is_practice=True)),
    )
    return HandsSum(**sums)


def days_sums(seats: QuerySet[SeatFigures], days: Collection[date], zone: tzinfo) -> dict[date, tuple[int, int]]:
    """How many hands of `seats_of` ended on each of some days, and what they came to in coins."""
    sums = dict.fromkeys(days, (0, 0))
    if not sums:
        return sums
    first, after = midnight(min(sums), zone), midnight(max(sums) + timedelta(days=1), zone)
    rows = seats.order_by().filter(ended_at__gte=first, ended_at__lt=after).values_list("ended_at", "coins")
    for ended_at, coins in rows:
        day = ended_at.astimezone(zone).date()
        if day in sums:
            sums[day] = sums[day][0] + 1, sums[day][1] + coins
    return sums


def hand_lines(seats: QuerySet[SeatFigures]) -> list[HandLine]:
    """The lines of some seats of `seats_of`, in a fixed number of queries."""
    own = list(seats)
    open_ones = Report.objects.filter(is_open=True)
    hands = (
        Hand.objects.filter(pk__in=[figures.hand_id for figures in own])
        .defer("record", "seed")
        .select_related("table__room__club")
        .prefetch_related("seats__membership__user", "wins", Prefetch("reports", open_ones, to_attr="open_reports"))
        .in_bulk()
    )
    return [hand_line(hands[figures.hand_id], figures) for figures in own]


def hand_line(hand: Hand, figures: SeatFigures) -> HandLine:
    """One line, of the seat that the figures are of; the hand's seats and wins are prefetched."""
    seats, number = list(hand.seats.all()), figures.number
    mine = seats[number]
    wins = [win_json(win) for win in hand.wins.all()]
    won = next((win for win in wins if win["seat"] == number), None)
    outcome = outcome_words(
        end=hand.end,
        win=won,
        fed=sum(win["from"] == number for win in wins),
        left=mine.has_left,
    )
    others = [seat_name(seat) for seat in seats if seat.number != number]
    return HandLine(
        hand,
        mine,
        outcome,
        bool(won and won["jipin"]),
        others,
        figures,
        any(report.reporter_id == mine.membership_id for report in getattr(hand, "open_reports", ())),
    )


def win_json(win: Win) -> dict[str, Any]:
    """A win as the record's result has it (RECORD.md)."""
    return {
        "seat": win.seat,
        "from": win.source,
        "by": win.by,
        "tile": win.tile,
        "base": win.base,
        "gen": win.gen,
        "fan": win.fan,
        "uncapped_fan": win.uncapped_fan,
        "multiplier": win.multiplier,
        "jipin": win.is_jipin,
    }


def seat_name(seat: HandSeat) -> str:
    """The player's name."""
    return seat.membership.user.name if seat.membership else bot_name(seat.number, seat.strength)


def hand_for(*, user: User, hand_id: int) -> Hand:
    """A settled hand of a club in which the person is a member.

    Raises `Refused`: hand_unknown (404; also where it is another club's), hand_running (409; nothing of it is shown).
    """
    hand = (
        Hand.objects.select_related("table__room__club", "terms")
        .prefetch_related("seats__membership__user", "wins")
        .filter(pk=hand_id)
        .first()
    )
    if hand is None or not _is_member(user, hand):
        raise Refused("hand_unknown", _("没有这一手。"), status=404)
    if hand.status != Hand.Status.SETTLED:
        raise Refused("hand_running", _("这一手还没有打完。"), status=409)
    return hand


def _is_member(user: User, hand: Hand) -> bool:
    active = Membership.objects.filter(user=user, status=Membership.Status.ACTIVE)
    return active.filter(club=hand.table.room.club_id).exists()


def hand_steps(hand: Hand) -> list[dict[str, Any]]:
    """The replay of a settled hand: one JSON value for each row of its log that everybody could see something of.

    `n` counts from 0 (the deal), `seq` is the number of the row, `at` is ISO 8601, `seat` who acted, `auto` whether the seat
    was played automatically, `mark` pung, kong, win or leave where one happened, `words` sentences of what happened, `notes`
    sentences of what was paid and why, `events` what happened, `view` the table afterwards with all four hands open
    (docs/protocol.md).
    """
    assert hand.status == Hand.Status.SETTLED
    fold = fresh_fold(hand)
    names = [player.name for player in fold.players]
    steps: list[dict[str, Any]] = []
    for row in rows_after(fold):
        step = fold.take(row)
        events = [cut for event in step.events if (cut := _open_event(event))]
        if fold.core is None or not events:
            continue
        paid = [payment_explained(fold.core, event.payment) for event in step.events if isinstance(event, Paid)]
        marks = [event["kind"] for event in events if event["kind"] in _MARKS]
        steps.append(
            {
                "n": len(steps),
                "seq": row.seq,
                "at": moment_text(row.created_at),
                "seat": row.seat,
                "auto": row.source == Action.Source.TIMER,
                "mark": marks[0] if marks else None,
                "words": [event_words(event, names) for event in events if event["kind"] != "pay"],
                "notes": [payments_explained_words(group, names) for group in payment_groups(paid)],
                "events": events,
                "view": _open_view(fold.core),
            }
        )
    return steps


def _open_event(event: Any) -> dict[str, Any] | None:
    """An event with its tile, for a hand that is over; not what a seat answered in secret, only what came of it."""
    if isinstance(event, dict):
        return event
    return None if event.kind == "answer" else event_for(event, getattr(event, "seat", None))


def _open_view(core: rules.Hand) -> dict[str, Any]:
    """A spectator's view with all four hands open."""
    view = view_for(core, None)
    if core.phase is rules.Phase.TURN and core.drawn is not None:
        view["drawn"] = tile_name(core.drawn)
    for shown, seat in zip(view["seats"], core.seats, strict=True):
        shown["hand"] = [tile_name(tile) for tile in seat.tiles]
    return view
