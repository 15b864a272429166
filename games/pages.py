"""Pages of rooms, tables and hands, those that put clubs and games together (home, lobby), the calculator."""

import json
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth import logout
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.forms import CloseForm
from accounts.models import User
from accounts.pages import SignedInRequest, page
from accounts.paging import id_of
from clubs.invitations import invitations_for
from clubs.models import Membership, Room
from clubs.pages import club_entered, memberships_of, requests_shown
from clubs.rooms import preset_name, ruleset_of, unit_coins
from clubs.titles import title_progress
from games import rulebook
from games.history import hand_lines, seats_of
from games.leaving import account_close as close_account
from games.lines import LONGEST_MESSAGE
from games.lobby import LIVE_SECONDS, hall_of, lobby_of, lobby_tag, table_card, tables_shown
from games.log import folded
from games.models import Hand, Table
from games.rules import PRESETS, Ruleset, RulesetError
from games.rules.options import OPTIONS, Option
from games.rules.views import view_for
from games.seating import seat_quick, waiting_accept, waiting_join, waiting_leave
from games.tables import club_leave as leave_club
from games.tables import seat_of, table_of, table_of_code
from games.tables import table_open as open_table
from games.worked import book_of


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
    mine = table_card(tables_shown([seat.table.room_id]).get(pk=seat.table_id)) if seat else None
    context = {
        "invitations": invitations_for(request.user),
        "requests": requests_shown(request.user),
        "suspended": Membership.objects.filter(user=request.user, status=Membership.Status.BANNED).select_related(
            "club"
        ),
        "clubs": [{"membership": membership, "tables": busy.get(membership.club_id, 0)} for membership in memberships],
        "mine": mine,
        "play": hand_glance(mine.hand, request.user) if mine and mine.hand else None,
        "recent": hand_lines(seats_of(user=request.user)[:3]),
        "progress": title_progress(memberships[0]) if memberships else None,
        "first": memberships[0] if memberships else None,
    }
    return render(request, "games/home.html", context)


def hand_glance(hand: Hand, user: User) -> dict[str, Any] | None:
    """A running hand as its player sees it at a glance: own tiles, wall, whose turn, who has what. None before the deal and for
    who does not play in it."""
    fold = folded(hand.pk)
    number = fold.seat_of(user.pk)
    if fold.core is None or number is None:
        return None
    view = view_for(fold.core, number)
    unit = unit_coins(fold.terms) or 1
    return {
        "tiles": view["seats"][number]["hand"],
        "wall": view["wall"],
        "turn": None if view["turn"] is None else fold.players[view["turn"]].name,
        "is_my_turn": view["turn"] == number,
        "auto": fold.auto[number],
        "seats": [
            {
                "name": player.name,
                "is_me": player.seat == number,
                "won": bool(view["seats"][player.seat]["won"]),
                "change": view["seats"][player.seat]["units"] * unit,
            }
            for player in fold.players
        ],
    }


@require_GET
@page
def lobby(request: SignedInRequest, slug: str) -> HttpResponse:
    """The rooms of a club, what is played in them and at which tables."""
    membership = club_entered(request, slug)
    return render(request, "games/lobby.html", lobby_of(membership, hall_of(membership.club)))


@require_GET
@page
def lobby_live(request: SignedInRequest, slug: str) -> HttpResponse:
    """The part of the lobby that changes. As long as nothing has, its ETag is answered with 304."""
    membership = club_entered(request, slug)
    hall = hall_of(membership.club, seconds=LIVE_SECONDS)
    shown = lobby_of(membership, hall)
    tag = f'"{lobby_tag(hall, shown)}-{get_language()}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponse(status=304)
    answer = render(request, "games/lobby/live.html", shown)
    answer["ETag"] = tag
    return answer


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


@require_http_methods(["GET", "HEAD", "POST"])
@page
def account_close(request: SignedInRequest) -> HttpResponse:
    """What closing one's account means; with the password it is done."""
    form = CloseForm(request.POST if request.method == "POST" else None, user=request.user)
    if form.is_valid():
        close_account(user=request.user)
        logout(request)
        messages.success(request, gettext("账户已注销"))
        return redirect("account_login")
    context = {"form": form, "memberships": memberships_of(request.user)}
    return render(request, "games/account_close.html", context, status=400 if form.errors else 200)


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
    asked = id_of(request.POST.get("room", ""))
    room = get_object_or_404(membership.club.rooms, pk=asked) if asked is not None else None
    return redirect("table", seat_quick(club=membership.club, user=request.user, room=room).table_id)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def table_code(request: SignedInRequest) -> HttpResponse:
    """The private table of a code: of the link `?code=`, or typed into the lobby, which then says that there is none."""
    typed = request.POST if request.method == "POST" else request.GET
    table = table_of_code(code=typed.get("code", ""), user=request.user)
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
