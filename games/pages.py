"""Pages of rooms, tables and hands, those that put clubs and games together (home, lobby, statement), the calculator."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.db.models import Count, Max, Prefetch, Q, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import ledger
from accounts.models import Posting, Transfer
from accounts.pages import SignedInRequest, page
from clubs.models import Membership, Room, RoomTerms
from clubs.pages import club_entered, memberships_of
from clubs.roles import is_operator, require_operator
from clubs.rooms import preset_name, ruleset_of, unit_coins
from clubs.titles import title_progress
from games import rulebook
from games.frames import coin_gaps, settlement_payload
from games.history import (
    RESULTS,
    HandLine,
    days_sums,
    hand_for,
    hand_line,
    hand_lines,
    hand_steps,
    hands_of,
    hands_sum,
    seat_name,
)
from games.lines import LONGEST_MESSAGE
from games.log import SEATS, bot_name, folded
from games.models import Hand, Table, Waiting
from games.play import hand_stop
from games.rules import PRESETS, Ruleset, RulesetError
from games.rules.options import OPTIONS, Option
from games.seating import place_in_line, seat_quick, waiting_accept, waiting_join, waiting_leave
from games.seats import OFFER_SECONDS
from games.tables import club_leave as leave_club
from games.tables import lobby_tables, seat_of, table_of, table_of_code
from games.tables import table_open as open_table
from games.words import (
    end_words,
    event_words,
    payment_groups,
    payments_words,
    reason_words,
    stop_words,
    suit_words,
    tile_words,
    win_words,
)
from games.worked import book_of

_PAGE: Final = 30


# --- Home and lobby ------------------------------------------------------------------------------------------------
@require_GET
@page
def home(request: SignedInRequest) -> HttpResponse:
    """My table, my clubs, my title, what I played last."""
    memberships = list(memberships_of(request.user))
    clubs = [membership.club_id for membership in memberships]
    busy = dict(
        Table.objects.filter(room__club__in=clubs, closed_at=None).values_list("room__club").annotate(Count("id"))
    )
    seat = seat_of(request.user)
    context = {
        "clubs": [{"membership": membership, "tables": busy.get(membership.club_id, 0)} for membership in memberships],
        "mine": table_card(_tables([seat.table.room_id]).get(pk=seat.table_id)) if seat else None,
        "recent": hand_lines(hands_of(user=request.user)[:3]),
        "progress": title_progress(memberships[0]) if memberships else None,
        "first": memberships[0] if memberships else None,
    }
    return render(request, "games/home.html", context)


@dataclass(frozen=True)
class TableCard:
    """An open table in a list: who sits where (None: nobody), the running hand, how many seats are free."""

    table: Table
    seats: list[dict[str, Any] | None]
    hand: Hand | None
    free: int

    @property
    def watch(self) -> str:
        """How the running hand may be watched: "seconds", "hands" or not at all ("")."""
        watching = self.hand.terms.watching if self.hand and not self.table.code else RoomTerms.Watching.OFF
        return "" if watching == RoomTerms.Watching.OFF else watching


@dataclass(frozen=True)
class RoomCard:
    """A room in the lobby: its terms, its rules in one line, its tables, and why one cannot sit down there (or "")."""

    room: Room
    terms: RoomTerms
    preset: str
    rules: str
    tables: list[TableCard]
    why_not: str
    line: int

    @property
    def waiting(self) -> TableCard | None:
        """The table that lacks the fewest people, of those where anybody may sit down."""
        open_ones = (card for card in self.tables if card.free and not card.hand and not card.table.code)
        return min(open_ones, key=lambda card: card.free, default=None)


def _tables(room_ids: list[int]) -> Any:
    running = Prefetch(
        "hands", Hand.objects.exclude(status=Hand.Status.SETTLED).select_related("terms"), to_attr="running"
    )
    return lobby_tables(room_ids).select_related("room__club").prefetch_related(running)


def table_card(table: Table) -> TableCard:
    """A table of `_tables` as a card."""
    seats: list[dict[str, Any] | None] = [None] * len(SEATS)
    for seat in table.seats.all():
        seats[seat.number] = {
            "name": seat.user.name if seat.user else bot_name(seat.number, seat.strength),
            "bot": seat.user is None,
        }
    running = table.running  # type: ignore[attr-defined]
    return TableCard(table, seats, running[0] if running else None, seats.count(None))


@require_GET
@page
def lobby(request: SignedInRequest, slug: str) -> HttpResponse:
    """The rooms of a club, what is played in them and at which tables."""
    membership = club_entered(request, slug)
    return render(request, "games/lobby.html", _lobby(membership))


@require_GET
@page
def lobby_live(request: SignedInRequest, slug: str) -> HttpResponse:
    """The part of the lobby that changes. As long as nothing has, its ETag is answered with 304, for a few small queries."""
    membership = club_entered(request, slug)
    tag = f'"{_lobby_tag(membership)}-{get_language()}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponse(status=304)
    answer = render(request, "games/lobby/live.html", _lobby(membership))
    answer["ETag"] = tag
    return answer


def _lobby_tag(membership: Membership) -> str:
    """Differs whenever the lobby looks otherwise to a member: tables and hands count their changes, terms are never changed."""
    club = membership.club
    tables = Table.objects.filter(room__club=club, closed_at=None).aggregate(
        count=Count("pk"), changes=Sum("version"), newest=Max("pk")
    )
    rooms = club.rooms.aggregate(count=Count("pk"), open=Count("pk", Q(is_open=True)), terms=Sum("terms"))
    lines = Waiting.objects.filter(room__club=club).aggregate(
        count=Count("pk"),
        newest=Max("pk"),
        offers=Count("table"),
        lapsed=Count("lapsed_at"),
        until=Max("offered_until"),
    )
    mine = Waiting.objects.filter(user=membership.user).values_list("pk", "offered_until", "lapsed_at").first()
    names = Room.objects.filter(club=club).order_by("pk").values_list("name", flat=True)
    facts = [*tables.values(), *rooms.values(), *lines.values(), mine, membership.wallet.balance, *names]
    return sha256(repr(facts).encode()).hexdigest()[:24]


def _lobby(membership: Membership) -> dict[str, Any]:
    user = membership.user
    rooms = list(membership.club.rooms.select_related("terms").filter(terms__isnull=False).order_by("id"))
    tables = [table_card(table) for table in _tables([room.pk for room in rooms])]
    mine = next((card for card in tables for seat in card.table.seats.all() if seat.user_id == user.pk), None)
    lines = Waiting.objects.filter(room__in=rooms, lapsed_at=None).values_list("room").annotate(Count("id")).order_by()
    in_line = dict(lines)
    cards = [
        _room_card(
            room, membership, [card for card in tables if card.table.room_id == room.pk], in_line.get(room.pk, 0)
        )
        for room in rooms
    ]
    waiting = [
        (card.terms.bots_allowed, card.waiting.free, card.waiting)
        for card in cards
        if card.waiting and not card.why_not
    ]
    own = Waiting.objects.filter(user=user).select_related("room__club", "table").first()
    return {
        "membership": membership,
        "rooms": [card for card in cards if card.room.is_open or card.tables],
        "tables": sorted(tables, key=lambda card: (bool(card.hand), card.free, card.table.pk)),
        "mine": mine,
        "quick": min(waiting, key=lambda each: each[:2], default=(None, None, None))[2],
        "can_play": any(not card.why_not for card in cards),
        "own": own,
        "own_place": place_in_line(own) if own and not own.lapsed_at and not own.table else None,
        "offer_seconds": OFFER_SECONDS,
        "is_operator": is_operator(user=user, club=membership.club),
    }


def _room_card(room: Room, membership: Membership, tables: list[TableCard], line: int) -> RoomCard:
    terms = room.terms
    assert terms is not None
    balance, missing = membership.wallet.balance, terms.entry_minimum - membership.wallet.balance
    why_not = ""
    if not room.is_open:
        why_not = gettext("房间已关闭，正在打的打完为止")
    elif missing > 0:
        why_not = gettext("下限 %(minimum)s，你有 %(balance)s，还差 %(missing)s") % {
            "minimum": f"{terms.entry_minimum:,}",
            "balance": f"{balance:,}",
            "missing": f"{missing:,}",
        }
    rules = rulebook.rules_line(ruleset_of(terms))
    return RoomCard(room, terms, preset_name(terms.preset), rules, tables, why_not, line)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def club_leave(request: SignedInRequest, slug: str) -> HttpResponse:
    """What leaving a club means, and a button that does it."""
    membership = club_entered(request, slug)
    if request.method == "POST":
        leave_club(club=membership.club, user=request.user)
        messages.success(request, gettext("你已退出「%(club)s」") % {"club": membership.club.name})
        return redirect("home")
    return render(request, "games/club_leave.html", {"membership": membership})


@require_POST
@page
def table_open(request: SignedInRequest, room_id: int) -> HttpResponse:
    """Open a table and sit down at it; `private`: one for friends, who need its code."""
    room = _room_of(request, room_id)
    is_private = request.POST.get("private") == "yes"
    return redirect("table", open_table(room=room, user=request.user, is_private=is_private).pk)


@require_POST
@page
def quick(request: SignedInRequest, slug: str) -> HttpResponse:
    """Sit down at the best table of a club, or of its room `room`."""
    membership = club_entered(request, slug)
    asked = request.POST.get("room", "")
    room = get_object_or_404(membership.club.rooms, pk=asked) if asked.isdecimal() and len(asked) < 18 else None
    return redirect("table", seat_quick(club=membership.club, user=request.user, room=room).table_id)


@require_GET
@page
def table_code(request: SignedInRequest) -> HttpResponse:
    """The private table of `?code=`."""
    table = table_of_code(code=request.GET.get("code", ""), user=request.user)
    return redirect(f"{reverse('table', args=[table.pk])}?code={table.code}")


@require_POST
@page
def line_join(request: SignedInRequest, room_id: int) -> HttpResponse:
    """Stand in the line of a room."""
    room = _room_of(request, room_id)
    waiting_join(room=room, user=request.user)
    return redirect("lobby", room.club.slug)


@require_POST
@page
def line_leave(request: SignedInRequest, slug: str) -> HttpResponse:
    """Step out of the line, decline a seat, or take note that an offer has lapsed."""
    membership = club_entered(request, slug)
    waiting_leave(user=request.user)
    return redirect("lobby", membership.club.slug)


@require_POST
@page
def line_accept(request: SignedInRequest) -> HttpResponse:
    """Take the seat that was offered."""
    return redirect("table", waiting_accept(user=request.user).table_id)


class StopForm(forms.Form):
    """How and why a hand is ended; the table's number again, so that it is not another one."""

    rule = forms.ChoiceField(choices=[("void", gettext_lazy("作废")), ("settle", gettext_lazy("按现状结算"))])
    reason = forms.CharField(max_length=200)
    number = forms.IntegerField()


@require_http_methods(["GET", "HEAD", "POST"])
@page
def hand_end(request: SignedInRequest, hand_id: int) -> HttpResponse:
    """For operators: end a running hand, with a rule, a reason and the table's number to confirm."""
    hand = get_object_or_404(Hand.objects.select_related("table__room__club", "terms"), pk=hand_id)
    membership = club_entered(request, hand.table.room.club.slug)
    require_operator(user=request.user, club=membership.club)
    form = StopForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if form.cleaned_data["number"] != hand.table.number:
            form.add_error("number", gettext("桌号不对，请再核对。"))
        else:
            answers = form.cleaned_data
            hand_stop(hand_id=hand.pk, actor=request.user, rule=answers["rule"], reason=answers["reason"])
            messages.success(request, gettext("已结束：%(what)s") % {"what": stop_words(answers["rule"])})
            return redirect("hand", hand.pk)
    fold = folded(hand.pk)
    if fold.is_over:
        return redirect("hand", hand.pk)
    unit = unit_coins(hand.terms)
    context = {
        "hand": hand,
        "form": form,
        "last": hand.actions.order_by("-seq").values_list("created_at", flat=True).first(),
        "seats": [
            {"name": player.name, "units": units, "coins": units * unit, "auto": fold.auto[player.seat]}
            for player in fold.players
            for units in [fold.core.seats[player.seat].units if fold.core else 0]
        ],
        "unit_coins": unit,
        "rake": hand.terms.rake,
        "plays": fold.seat_of(request.user.pk) is not None,
    }
    return render(request, "games/hand_end.html", context, status=400 if form.errors else 200)


@require_GET
@page
def table(request: SignedInRequest, table_id: int) -> HttpResponse:
    """The live table; everything on it comes over its socket."""
    table, membership = table_of(table_id=table_id, user=request.user)
    context = {"table": table, "membership": membership, "code": request.GET.get("code", "")[:8]}
    return render(request, "games/table.html", context)


@require_GET
@page
def room_rules(request: SignedInRequest, room_id: int) -> HttpResponse:
    """What is played in a room; `?version=` shows earlier terms."""
    room = _room_of(request, room_id)
    versions = list(room.versions.order_by("-version"))
    asked = request.GET.get("version", "")
    terms = next((terms for terms in versions if str(terms.version) == asked), None) if asked else versions[0]
    if terms is None:
        raise Http404
    ruleset = ruleset_of(terms)
    context = {
        "room": room,
        "terms": terms,
        "versions": versions,
        "preset": preset_name(terms.preset),
        "rules": rulebook.rules_line(ruleset),
        "ruleset": ruleset,
        "calculator": _calculator_query(ruleset),
        "unit_coins": unit_coins(terms),
        "cap": rulebook.cap_words(ruleset),
        "book": book_of(ruleset),
    }
    return render(request, "games/room_rules.html", context)


@require_GET
def rules(request: HttpRequest) -> HttpResponse:
    """The presets that rooms choose from."""
    presets = [(name, preset_name(name), rulebook.rules_line(PRESETS[name].ruleset)) for name in PRESETS]
    return render(request, "games/rules.html", {"presets": presets})


@require_GET
def tips(request: HttpRequest) -> HttpResponse:
    """Advice for players (RULES.md section 15)."""
    return render(request, "games/tips.html")


@require_GET
def preset_rules(request: HttpRequest, preset: str) -> HttpResponse:
    """What is played by a preset."""
    if preset not in PRESETS:
        raise Http404
    ruleset = PRESETS[preset].ruleset
    context = {
        "preset": preset_name(preset),
        "rules": rulebook.rules_line(ruleset),
        "ruleset": ruleset,
        "unit_coins": 0,
        "calculator": _calculator_query(ruleset),
        "book": book_of(ruleset),
    }
    return render(request, "games/preset_rules.html", context)


def _room_of(request: SignedInRequest, room_id: int) -> Room:
    room = get_object_or_404(Room.objects.select_related("club", "terms"), pk=room_id, terms__isnull=False)
    club_entered(request, room.club.slug)
    return room


# --- Hands ---------------------------------------------------------------------------------------------------------
@require_GET
@page
def history(request: SignedInRequest) -> HttpResponse:
    """The hands I played, by day; filters and the place in the list stand in the address."""
    memberships = list(memberships_of(request.user))
    club, result, before = (request.GET.get(name, "") for name in ("club", "result", "before"))
    hands = hands_of(user=request.user, club=club, result=result)
    sums = hands_sum(hands)
    older = hands.filter(pk__lt=int(before)) if before.isdecimal() and len(before) < 19 else hands
    lines = hand_lines(older[: _PAGE + 1])
    shown = lines[:_PAGE]
    by_day = [
        (day, list(rows)) for day, rows in groupby(shown, key=lambda line: timezone.localdate(line.hand.started_at))
    ]
    totals = days_sums(hands, {day for day, _rows in by_day})
    context = {
        "memberships": memberships,
        "results": RESULTS,
        "club": club,
        "result": result,
        "before": before,
        "sums": sums,
        "days": [{"day": day, "count": totals[day][0], "coins": totals[day][1], "lines": rows} for day, rows in by_day],
        "next": shown[-1].hand.pk if len(lines) > _PAGE else None,
    }
    return render(request, "games/history.html", context)


@require_GET
@page
def hand(request: SignedInRequest, hand_id: int) -> HttpResponse:
    """One hand: its replay, what was paid, the proof of its wall. `?step=` opens it at a step."""
    hand = hand_for(user=request.user, hand_id=hand_id)
    club_entered(request, hand.table.room.club.slug)
    seats = list(hand.seats.all())
    names = [seat_name(seat) for seat in seats]
    mine = next((seat for seat in seats if seat.membership and seat.membership.user_id == request.user.pk), None)
    line = hand_line(hand, number=mine.number) if mine else None
    unit = unit_coins(hand.terms)
    steps = hand_steps(hand)
    settlement = settlement_payload(folded(hand.pk))
    gaps = coin_gaps(seats, unit)
    context = {
        "hand": hand,
        "line": line,
        "outcome": line.outcome if line else end_words(hand.end),
        "steps": steps,
        "seats": seats,
        "names": names,
        "unit_coins": unit,
        "settlement": settlement_rows(settlement, names),
        "notes": settlement["notes"],
        "gaps": gaps if any(gaps) else None,
        "replay": {
            "names": names,
            "dealer": hand.dealer,
            "bottom": mine.number if mine else 0,
            "unit": unit or 1,
            "steps": [_replay_step(step, names) for step in steps],
            "words": {"dealer": gettext("庄"), "left": gettext("已离开"), "wall": gettext("牌墙余")},
            "tiles": {f"{rank}{suit}": tile_words(f"{rank}{suit}") for suit in "mps" for rank in range(1, 10)},
            "voids": {suit: gettext("缺%(suit)s") % {"suit": suit_words(suit)} for suit in "mps"},
        },
        "proof": settlement["proof"],
        "stopped": settlement["stopped"],
        "autos": any(seat.auto_actions for seat in seats),
    }
    return render(request, "games/hand.html", context)


def _replay_step(step: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """What the replay's page needs of a step: also the time of day, and its words for who may not see the tile."""
    first, view = step["events"][0], step["view"]
    wins = {seat["won"]["order"]: win_words(seat["won"]) for seat in view["seats"] if seat["won"]}
    return {
        "kind": first["kind"],
        "tile": first.get("tile"),
        "hidden": event_words({**first, "tile": None}, names) if first["kind"] == "draw" else None,
        "clock": f"{timezone.localtime(datetime.fromisoformat(step['at'])):%H:%M:%S}",
        "wins": {
            order: gettext("第 %(order)d 胡 · %(win)s") % {"order": order, "win": win} for order, win in wins.items()
        },
        **{name: step[name] for name in ("n", "seat", "mark", "words", "view")},
    }


@dataclass(frozen=True)
class SettlementRow:
    """Payments of one event: what for, who pays whom, why, and what each seat got or paid in units."""

    name: str
    words: str
    why: list[str]
    units: list[int]


def settlement_rows(settlement: dict[str, Any], names: Sequence[str]) -> list[SettlementRow]:
    """The payments of a hand's settlement (S of docs/protocol.md), those of one event together."""
    return [_settlement_row(settlement, group, names) for group in payment_groups(settlement["payments"])]


def _settlement_row(
    settlement: dict[str, Any], group: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> SettlementRow:
    first = group[0]
    units = [0] * len(SEATS)
    for payment in group:
        units[payment["payer"]] -= payment["units"]
        units[payment["payee"]] += payment["units"]
    why = [reason_words(group, names)]
    win = next((win for win in settlement["wins"] if win["seat"] == first["payee"]), None)
    if first["kind"] != "win" or win is None:
        return SettlementRow(first["name"], payments_words(group, names), why, units)
    return SettlementRow(
        win["words"], payments_words(group, names), [win["fan_words"], win["units_words"], *why], units
    )


# --- Coins ---------------------------------------------------------------------------------------------------------
@require_GET
@page
def statement(request: SignedInRequest, slug: str) -> HttpResponse:
    """My coins in a club, one month at a time (`?month=2026-11`): opening, every line, closing."""
    membership = club_entered(request, slug)
    months = _months_since(timezone.localtime(membership.joined_at))
    asked = request.GET.get("month", "")
    since = next((month for month in months if f"{month:%Y-%m}" == asked), None) if asked else months[0]
    if since is None:
        raise Http404
    until = _next_month(since)
    told = ledger.statement(wallet=membership.wallet, since=since, until=until)
    hand_ids = {hand_id for line in told.lines if (hand_id := ledger.hand_of(line.transfer.key))}
    played = {line.hand.pk: line for line in hand_lines(hands_of(user=request.user).filter(pk__in=hand_ids))}
    lines = [_statement_line(posting, played) for posting in told.lines]
    days = [
        (day, list(rows))
        for day, rows in groupby(lines, key=lambda line: timezone.localdate(line.posting.transfer.created_at))
    ]
    rake = sum(line.mine.rake or 0 for line in played.values())
    moved: dict[str, int] = defaultdict(int)
    for line in lines:
        moved[line.kind] += line.posting.amount
    context = {
        "membership": membership,
        "month": since,
        "months": months,
        "is_running": until > timezone.localtime(),
        "statement": told,
        "days": [(day, rows, sum(line.posting.amount for line in rows)) for day, rows in days],
        "hands": len(played),
        "rake": rake,
        "won": moved.pop(Transfer.Kind.HAND, 0) + moved.pop(Transfer.Kind.HOLD, 0) + rake,
        "moved": [(Transfer.Kind(kind).label, amount) for kind, amount in moved.items()],
    }
    return render(request, "games/statement.html", context)


@dataclass(frozen=True)
class StatementLine:
    """A posting of one's wallet, with the hand it belongs to where one was played."""

    posting: Posting
    kind: str
    played: HandLine | None

    @property
    def gross(self) -> int:
        """What the hand brought before the rake."""
        assert self.played is not None
        return (self.played.mine.coins or 0) + (self.played.mine.rake or 0)


def _statement_line(posting: Posting, played: dict[int, HandLine]) -> StatementLine:
    hand_id = ledger.hand_of(posting.transfer.key)
    return StatementLine(posting, posting.transfer.kind, played.get(hand_id) if hand_id else None)


def _months_since(joined: datetime) -> list[datetime]:
    """The first moments of the months from this one back to the one in which somebody joined."""
    months = [_month_of(timezone.localtime())]
    while months[-1] > _month_of(joined):
        months.append(_month_of(months[-1] - timedelta(days=1)))
    return months


def _month_of(moment: datetime) -> datetime:
    return moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _next_month(month: datetime) -> datetime:
    return _month_of(month + timedelta(days=31))


# --- Calculator ----------------------------------------------------------------------------------------------------
@require_GET
def calculator(request: HttpRequest) -> HttpResponse:
    """What a hand comes to, for everybody; the hand itself is the browser's (static/calculator/).

    `?preset=` and `?options=` (JSON) choose the ruleset; where there is none of that kind the page says why (400).
    """
    preset, options = request.GET.get("preset", next(iter(PRESETS))), request.GET.get("options")
    shown = [_calculator_ruleset(preset_name(name), each.ruleset) for name, each in PRESETS.items()]
    chosen, fault = 0, ""
    try:
        ruleset = Ruleset.parse({"preset": preset, "options": json.loads(options)} if options else preset)
    except (RulesetError, ValueError, RecursionError) as error:
        fault = str(error)[:LONGEST_MESSAGE]
    else:
        if isinstance(ruleset.spec, dict):
            name = gettext("%(preset)s（改过）") % {"preset": preset_name(preset)}
            shown.append(_calculator_ruleset(name, ruleset))
        chosen = [each["spec"] for each in shown].index(ruleset.spec)
    controls = [_calculator_control(option) for option in OPTIONS.values()]
    context = {"rulesets": {"rulesets": shown, "chosen": chosen, "controls": controls}, "fault": fault}
    return render(request, "games/calculator.html", context, status=400 if fault else 200)


def _calculator_ruleset(name: str, ruleset: Ruleset) -> dict[str, Any]:
    return {
        "name": name,
        "spec": ruleset.spec,
        "line": rulebook.rules_line(ruleset),
        "options": ruleset.options(),
    }


def _calculator_control(option: Option) -> dict[str, Any]:
    """What an option is chosen from: `values` with their words, or a number. A table has one of them for each of its `rows`."""
    return {
        "name": option.name,
        "title": rulebook.option_title(option),
        "allowed": rulebook.allowed_words(option),
        "values": list(rulebook.listed_values(option)),
        "lowest": option.lowest,
        "highest": option.highest,
        "rows": [(row, rulebook.row_title(row)) for row in option.rows],
    }


def _calculator_query(ruleset: Ruleset) -> str:
    """The parameters that open the calculator with a ruleset."""
    spec = ruleset.spec
    return urlencode({"preset": spec} if isinstance(spec, str) else {**spec, "options": json.dumps(spec["options"])})
