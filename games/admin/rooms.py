"""The admin of rooms and their terms, whose rules are said in this application's words."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.admin.desk import DeskAdmin, changes_text, coins_text, column, person
from clubs.models import Room
from clubs.rooms import preset_name, room_change, room_create
from games.room_form import RoomForm
from games.room_history import room_history
from games.rulebook import option_title
from games.rules.options import OPTIONS, OptionKind
from games.terms_form import field_names


@admin.register(Room)
class RoomAdmin(DeskAdmin):
    form = RoomForm
    list_display = (
        "name",
        "club",
        "is_open",
        "preset",
        "coefficient",
        "rake",
        "entry_minimum",
        "version",
        "open_tables",
    )
    list_filter = ("club", "is_open")
    list_select_related = ("club", "terms")
    search_fields = ("name",)
    ordering = ("club", "name")
    change_form_outer_after_template = "admin/room_history.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Room]:
        rooms: QuerySet[Room] = super().get_queryset(request)
        return rooms.annotate(open_table_count=Count("tables", Q(tables__closed_at=None)))

    @column(description=gettext_lazy("规则"), ordering="terms__preset")
    def preset(self, room: Room) -> str:
        return preset_name(room.terms.preset) if room.terms else "—"

    @column(description=gettext_lazy("系数 N"), ordering="terms__coefficient")
    def coefficient(self, room: Room) -> str:
        return coins_text(room.terms.coefficient if room.terms else None)

    @column(description=gettext_lazy("台费 A"), ordering="terms__rake")
    def rake(self, room: Room) -> str:
        return coins_text(room.terms.rake if room.terms else None)

    @column(description=gettext_lazy("入场下限"), ordering="terms__entry_minimum")
    def entry_minimum(self, room: Room) -> str:
        return coins_text(room.terms.entry_minimum if room.terms else None)

    @column(description=gettext_lazy("条款版本"), ordering="terms__version")
    def version(self, room: Room) -> str:
        return f"v{room.terms.version}" if room.terms else "—"

    @column(description=gettext_lazy("开着的桌"), ordering="open_table_count")
    def open_tables(self, room: Any) -> int:
        return int(room.open_table_count)

    def get_readonly_fields(self, request: HttpRequest, obj: Room | None = None) -> Sequence[str]:
        return ("club",) if obj else ()

    def get_fieldsets(self, request: HttpRequest, obj: Room | None = None) -> Any:
        seconds = ("turn_seconds", "claim_seconds", "void_seconds")
        head = ("club", "name", "is_open") if obj else ("club", "name")
        tables = [option for option in OPTIONS.values() if option.kind is OptionKind.TABLE]
        plain = [field_names(option)[0][0] for option in OPTIONS.values() if option.kind is not OptionKind.TABLE]
        return [
            (None, {"fields": [head, ("preset", "waits_shown", "bots_allowed"), *((("reason",),) if obj else ())]}),
            (_("金币"), {"fields": [("coefficient", "rake", "entry_minimum")]}),
            (_("时限"), {"fields": [seconds, ("reserve_seconds", "pacing")]}),
            (_("旁观"), {"fields": [("watching", "watch_delay")]}),
            (_("规则选项"), {"fields": _rows(plain), "classes": ["collapse"]}),
            *(
                (
                    option_title(option),
                    {"fields": _rows([name for name, _row in field_names(option)]), "classes": ["collapse"]},
                )
                for option in tables
            ),
        ]

    def beside(self, request: HttpRequest, room: Room) -> dict[str, Any]:
        lines = room_history(room)
        return {"history": [{"entry": line.entry, "changes": changes_text(line.changes)} for line in lines]}

    def save_model(self, request: HttpRequest, obj: Room, form: Any, change: bool) -> None:
        terms = form.terms()
        if not change:
            room = room_create(
                club=form.cleaned_data["club"], name=form.cleaned_data["name"], actor=person(request), **terms
            )
            obj.pk = room.pk
            return
        answers = form.cleaned_data
        room_change(
            room=Room.objects.select_related("terms", "club").get(pk=obj.pk),
            actor=person(request),
            name=answers["name"],
            is_open=answers["is_open"],
            terms=terms,
            reason=answers["reason"],
        )


def _rows(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Fields, three to a row."""
    return [tuple(names[start : start + 3]) for start in range(0, len(names), 3)]
