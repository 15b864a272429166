"""The desk's pages of tables: all that are open, one of them, ending its hand, closing it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from accounts.pages import SignedInRequest, page
from clubs.pages import club_entered
from clubs.roles import require_operator
from clubs.rooms import unit_coins
from games.desk.shell import Desk, DeskRequest, desk_page
from games.lobby import LIVE_SECONDS, Hall, TableCard, hall_of, table_card, tables_shown
from games.log import folded
from games.models import Action, Hand, Table
from games.play import hand_stop
from games.tables import table_end
from games.words import stop_words


@dataclass(frozen=True)
class WatchedTable:
    """An open table: its card, when somebody last did something in its hand, what is left of the wall, and each seat's state."""

    card: TableCard
    last: datetime | None
    wall: int | None
    seats: list[dict[str, Any] | None]


def watched(cards: list[TableCard]) -> list[WatchedTable]:
    """Tables with what everybody at them can see of their hands."""
    hands = [card.hand.pk for card in cards if card.hand]
    last = dict(Action.objects.filter(hand__in=hands).order_by().values_list("hand").annotate(Max("created_at")))
    return [_watched(card, last.get(card.hand.pk) if card.hand else None) for card in cards]


def _watched(card: TableCard, last: datetime | None) -> WatchedTable:
    fold = folded(card.hand.pk) if card.hand else None
    core = fold.core if fold else None
    seats: list[dict[str, Any] | None] = []
    for number, seat in enumerate(card.seats):
        state = {"auto": bool(fold and fold.auto[number]), "won": bool(core and core.seats[number].won)}
        seats.append({**seat, **state} if seat else None)
    return WatchedTable(card, last, core.wall_left if core else None, seats)


@require_GET
@desk_page("tables")
def tables(request: DeskRequest) -> HttpResponse:
    """Every open table of the club."""
    return render(request, "desk/tables.html", _tables(hall_of(request.desk.club)))


@require_GET
@desk_page("tables")
def tables_live(request: DeskRequest) -> HttpResponse:
    """The part of that page that changes."""
    return render(request, "desk/tables_live.html", _tables(hall_of(request.desk.club, seconds=LIVE_SECONDS)))


def _tables(hall: Hall) -> dict[str, Any]:
    shown = watched(hall.tables)
    shown.sort(key=lambda each: (each.last is None, each.last or each.card.table.opened_at))
    return {"tables": shown, "playing": sum(each.card.hand is not None for each in shown)}


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("tables")
def table(request: DeskRequest, table_id: int) -> HttpResponse:
    """An open table: who sits there, how its hand stands. POST closes it between hands."""
    club = request.desk.club
    found = get_object_or_404(Table, room__club=club, pk=table_id)
    if request.method == "POST":
        table_end(table_id=found.pk, actor=request.user, reason=request.POST.get("reason", ""))
        messages.success(request, gettext("牌桌已散"))
        return redirect("desk_tables", club.slug)
    shown = tables_shown([found.room_id]).filter(pk=found.pk).first()
    recent = found.hands.filter(status=Hand.Status.SETTLED).defer("record", "seed").order_by("-number")[:10]
    context = {
        "table": found,
        "watched": watched([table_card(shown)])[0] if shown else None,
        "balances": {
            seat.number: seat.membership.wallet.balance
            for seat in found.seats.select_related("membership__wallet")
            if seat.membership
        },
        "recent": recent,
    }
    return render(request, "desk/table.html", context)


# --- Ending a hand -------------------------------------------------------------------------------------------------
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
    request.desk = Desk(membership, "tables")  # type: ignore[attr-defined]
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
    return render(request, "desk/hand_end.html", context, status=400 if form.errors else 200)
