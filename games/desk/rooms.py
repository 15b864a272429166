"""The desk's pages of rooms: the list, a new one, and a change of terms, which is seen as a difference before it is a version."""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.changes import Change
from accounts.errors import Refused
from accounts.paging import id_of
from clubs.models import Room, RoomTerms
from clubs.rooms import preset_name, room_change, room_close, room_create, room_open, ruleset_of, unit_coins
from games.desk.shell import DeskRequest, desk_page, refusal_shown
from games.models import Hand
from games.room_history import room_history, terms_changes
from games.rulebook import rules_line
from games.rules.options import OPTIONS
from games.terms_form import TermsForm, field_names, terms_fields

#: The options of the rules as the form has them: what is won, kongs, the end of a hand.
OPTION_GROUPS: Final = (
    (
        gettext_lazy("胡牌"),
        (
            *("mode", "void_suit", "wild", "cap_fan", "fan_origin", "base_points", "gen_fan", "self_draw_bonus"),
            *("pass_win", "forced_win", "jipin_fan"),
        ),
    ),
    (
        gettext_lazy("杠"),
        (
            *("exposed_kong_units", "exposed_kong_others_units", "added_kong_units", "concealed_kong_units"),
            *("kong_flower_fan", "kong_shot_fan", "robbed_kong_fan", "exposed_kong_flower", "kong_shot_transfer"),
            "kong_fan",
        ),
    ),
    (
        gettext_lazy("流局、离开、坐庄"),
        (
            *("huazhu_units", "huazhu_pays_winners", "huazhu_pays_dajiao", "dajiao_gap", "kong_refund_to"),
            *("leaver_wins", "escape_units", "dealer"),
        ),
    ),
    (gettext_lazy("牌型番数"), ("patterns",)),
)
_COINS: Final = ("coefficient", "rake", "entry_minimum")
_PACE: Final = ("turn_seconds", "claim_seconds", "void_seconds", "reserve_seconds", "pacing", "waits_shown")
_PEOPLE: Final = ("watching", "watch_delay", "bots_allowed")


class RoomForm(TermsForm, forms.Form):
    """A room's name and terms, and why they are changed. `seen` names the terms whose difference was shown before."""

    name = forms.CharField(label=gettext_lazy("房间名"), max_length=24)
    reason = forms.CharField(
        label=gettext_lazy("改动说明"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("记入操作日志。"),
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, room: Room | None = None) -> None:
        super().__init__(data)
        self.room = room
        if room is not None and room.terms is not None:
            self.initial["name"] = room.name
            self.terms_show(room.terms)

    def digest(self) -> str:
        """Names what was entered and the version it differs from: other terms, or a version in between, have another one."""
        assert self.room is not None and self.room.terms is not None
        differing = [self.room.terms.version, self.cleaned_data["name"], self.terms()]
        return sha256(json.dumps(differing, sort_keys=True).encode()).hexdigest()[:16]

    def differences(self) -> list[Change]:
        """From what to what the room would be changed."""
        assert self.room is not None and self.room.terms is not None
        name = self.cleaned_data["name"]
        renamed = [Change(str(self["name"].label), self.room.name, name)] if name != self.room.name else []
        return renamed + terms_changes(self.room.terms, self.terms())

    def groups(self) -> Iterator[tuple[str, Sequence[Any], bool]]:
        """The fields below their headings, and whether they are shown at once."""
        yield _("金币"), [self[name] for name in _COINS], True
        yield _("节奏"), [self[name] for name in _PACE], True
        yield _("旁观和机器人"), [self[name] for name in _PEOPLE], True
        for title, options in OPTION_GROUPS:
            names = [name for option in options for name, _row in field_names(OPTIONS[option])]
            fields = [self[name] for name in names]
            yield str(title), fields, any(field.errors or field.value() for field in fields)


DeskRoomForm: Final[type[RoomForm]] = type("DeskRoomForm", (RoomForm,), terms_fields())


def _rooms(request: DeskRequest) -> Any:
    return request.desk.club.rooms.select_related("terms", "club__book").filter(terms__isnull=False)


@require_GET
@desk_page("rooms")
def rooms(request: DeskRequest) -> HttpResponse:
    shown = _rooms(request).annotate(
        open_tables=Count("tables", Q(tables__closed_at=None), distinct=True),
        line=Count("waiting", Q(waiting__lapsed_at=None), distinct=True),
    )
    context = {
        "rooms": [
            {
                "room": room,
                "preset": preset_name(room.terms.preset),
                "rules": rules_line(ruleset_of(room.terms)),
                "unit_coins": unit_coins(room.terms),
            }
            for room in shown.order_by("-is_open", "pk")
        ]
    }
    return render(request, "desk/rooms.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("rooms")
def room_new(request: DeskRequest) -> HttpResponse:
    """A new room; `?like=` begins with the terms of another one."""
    form = DeskRoomForm(request.POST if request.method == "POST" else None)
    like = id_of(request.GET.get("like", ""))
    if like is not None and (other := _rooms(request).filter(pk=like).first()):
        form.terms_show(other.terms)
    if form.is_valid():
        try:
            made = room_create(
                club=request.desk.club, name=form.cleaned_data["name"], actor=request.user, **form.terms()
            )
            messages.success(request, _("房间「%(room)s」已开") % {"room": made.name})
            return redirect("desk_room", request.desk.club.slug, made.pk)
        except Refused as refusal:
            refusal_shown(form, refusal)
    return render(request, "desk/room_new.html", {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("rooms")
def room(request: DeskRequest, room_id: int) -> HttpResponse:
    """A room with its terms to change: first the difference is shown, then the same again makes it a version."""
    shown: Room = get_object_or_404(_rooms(request), pk=room_id)
    assert shown.terms is not None
    form = DeskRoomForm(request.POST if request.method == "POST" else None, room=shown)
    differences: list[Change] = []
    if form.is_valid():
        differences = form.differences()
        if not differences:
            form.add_error(None, _("没有改动。"))
        elif form.cleaned_data["seen"] == form.digest():
            try:
                return _saved(request, shown, form)
            except Refused as refusal:
                refusal_shown(form, refusal)
    context = {
        "room": shown,
        "form": form,
        "differences": differences if not form.errors else [],
        "digest": form.digest() if form.is_valid() else "",
        "next_version": shown.terms.version + 1,
        "preset": preset_name(shown.terms.preset),
        "rules": rules_line(ruleset_of(shown.terms)),
        "hands": Hand.objects.filter(table__room=shown, status=Hand.Status.SETTLED).count(),
        "running": Hand.objects.filter(table__room=shown).exclude(status=Hand.Status.SETTLED).count(),
        "history": room_history(shown),
    }
    return render(request, "desk/room.html", context, status=400 if form.errors else 200)


def _saved(request: DeskRequest, room: Room, form: RoomForm) -> HttpResponse:
    answers = form.cleaned_data
    room_change(room=room, actor=request.user, name=answers["name"], terms=form.terms(), reason=answers["reason"])
    version = RoomTerms.objects.filter(room=room).count()
    messages.success(request, _("已保存，现行第 %(version)d 版，从下一局起用") % {"version": version})
    return redirect("desk_room", request.desk.club.slug, room.pk)


@require_POST
@desk_page("rooms")
def room_switch(request: DeskRequest, room_id: int) -> HttpResponse:
    """Open a room or close it: `do` says which."""
    switched = get_object_or_404(_rooms(request), pk=room_id)
    if request.POST.get("do") == "open":
        room_open(room=switched, actor=request.user)
        messages.success(request, _("「%(room)s」已开放") % {"room": switched.name})
    else:
        room_close(room=switched, actor=request.user)
        messages.success(request, _("「%(room)s」已关闭，正在打的打完为止") % {"room": switched.name})
    return redirect("desk_room", request.desk.club.slug, switched.pk)
