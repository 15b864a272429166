"""Pages of finished hands: the list of mine, the replay of one, and reporting one to the club."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from accounts.errors import Refused
from accounts.pages import SignedInRequest, page
from accounts.paging import id_of
from clubs.pages import club_entered
from clubs.roles import is_operator
from clubs.rooms import unit_coins
from games.filters import history_filters
from games.frames import coin_gaps, settlement_payload
from games.history import days_sums, hand_for, hand_line, hand_lines, hand_steps, seat_name
from games.log import SEATS, folded
from games.models import Report
from games.reports import MOST_WORDS, my_report, report_open, reports_for
from games.words import (
    end_words,
    event_words,
    payment_groups,
    payments_words,
    reason_words,
    suit_words,
    win_words,
)

_PAGE: Final = 30
_REPORTS: Final = 100


# --- The list ------------------------------------------------------------------------------------------------------
@require_GET
@page
def history(request: SignedInRequest) -> HttpResponse:
    """The hands I played, by day; filters and the place in the list stand in the address."""
    asked = history_filters(user=request.user, query=request.GET.dict())
    timezone.activate(asked.zone)
    seats = asked.qs
    before = id_of(request.GET.get("before", ""))
    older = seats.filter(hand__lt=before) if before is not None else seats
    lines = hand_lines(older[: _PAGE + 1])
    shown = lines[:_PAGE]
    by_day = [
        (day, list(rows)) for day, rows in groupby(shown, key=lambda line: timezone.localdate(line.hand.ended_at))
    ]
    totals = days_sums(seats, {day for day, _rows in by_day}, asked.zone)
    context = {
        "asked": asked,
        "before": before,
        "sums": asked.sums(),
        "days": [{"day": day, "count": totals[day][0], "coins": totals[day][1], "lines": rows} for day, rows in by_day],
        "next": shown[-1].hand.pk if len(lines) > _PAGE else None,
    }
    return render(request, "games/history.html", context)


# --- One hand ------------------------------------------------------------------------------------------------------
@require_GET
@page
def hand(request: SignedInRequest, hand_id: int) -> HttpResponse:
    """One hand: its replay, what was paid, the proof of its wall. `#84` opens it at row 84 of its log."""
    hand = hand_for(user=request.user, hand_id=hand_id)
    club_entered(request, hand.table.room.club.slug)
    seats = list(hand.seats.all())
    names = [seat_name(seat) for seat in seats]
    mine = next((seat for seat in seats if seat.membership and seat.membership.user_id == request.user.pk), None)
    line = hand_line(hand, hand.figures.get(number=mine.number)) if mine else None
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
            "bots": [seat.membership is None for seat in seats],
            "bottom": mine.number if mine else 0,
            "unit": unit or 1,
            "steps": [_replay_step(step, names) for step in steps],
            "words": {"left": gettext("已离开"), "wall": gettext("牌墙余")},
            "voids": {suit: gettext("缺%(suit)s") % {"suit": suit_words(suit)} for suit in "mps"},
        },
        "proof": settlement["proof"],
        "stopped": settlement["stopped"],
        "report": my_report(user=request.user, hand_id=hand.pk),
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
        **{name: step[name] for name in ("n", "seq", "seat", "mark", "words", "view")},
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


# --- Reports -------------------------------------------------------------------------------------------------------
class ReportForm(forms.Form):
    """What is wrong with a hand, and at which row of its log."""

    kind = forms.ChoiceField(label=gettext_lazy("类别"), choices=Report.Kind.choices)
    words = forms.CharField(
        label=gettext_lazy("发生了什么"),
        max_length=MOST_WORDS,
        help_text=gettext_lazy("俱乐部的管理员会看到，其他成员看不到。"),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    seq = forms.IntegerField(required=False, min_value=1, max_value=99_999, widget=forms.HiddenInput)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def report(request: SignedInRequest, hand_id: int) -> HttpResponse:
    """Report a hand to the club; `?seq=` says at which row of its log."""
    hand = hand_for(user=request.user, hand_id=hand_id)
    club_entered(request, hand.table.room.club.slug)
    seq = request.GET.get("seq", "")
    initial = {"seq": seq if seq.isdecimal() else None}
    form = ReportForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            report_open(hand_id=hand.pk, reporter=request.user, **form.cleaned_data)
            messages.success(request, gettext("已报告俱乐部，答复会写在这一手的页面上"))
            return redirect("hand", hand.pk)
        except Refused as refusal:
            field = refusal.data.get("field")
            form.add_error(field if field in ("kind", "words") else None, str(refusal.message))
    context = {"hand": hand, "form": form, "report": my_report(user=request.user, hand_id=hand.pk)}
    return render(request, "games/report.html", context, status=400 if form.errors else 200)


@require_GET
@page
def reports(request: SignedInRequest, slug: str) -> HttpResponse:
    """My own reports to a club, with its answers. An operator goes on to those of everybody, which are in the desk."""
    membership = club_entered(request, slug)
    if is_operator(user=request.user, club=membership.club):
        return redirect("desk_reports", slug)
    told = reports_for(membership)
    context = {
        "membership": membership,
        "open": told.filter(is_open=True)[:_REPORTS],
        "closed": told.filter(is_open=False)[:_REPORTS],
    }
    return render(request, "games/reports.html", context)
