"""The admin of hands: to look at, and to end a running one."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.widgets import UnfoldAdminSelectWidget

from accounts.admin.desk import ReadOnlyAdmin, ReasonForm, ask, column, person, row_action, row_link
from clubs.models import Membership
from games.frames import settlement_payload
from games.history import seat_name
from games.log import folded
from games.models import Hand, HandSeat
from games.play import hand_stop
from games.words import end_words, stop_words


class StopForm(ReasonForm):
    rule = forms.ChoiceField(
        label=gettext_lazy("怎样结束"),
        choices=[("void", gettext_lazy("作废")), ("settle", gettext_lazy("按现状结算"))],
        widget=UnfoldAdminSelectWidget,
    )
    field_order = ("rule", "reason")


@admin.register(Hand)
class HandAdmin(ReadOnlyAdmin):
    """Hands to look at. Of a running hand nothing is shown that is not public at its table."""

    list_display = (
        "id",
        "club",
        "room",
        "table_number",
        "number",
        "shown_status",
        "started_at",
        "ended_at",
        "shown_end",
        "players",
    )
    list_filter = ("table__room__club", "status", "end", ("ended_at", RangeDateTimeFilter))
    search_fields = ("=id", "seats__membership__user__username", "seats__membership__user__display_name")
    fields = (
        "club",
        "room",
        "table_number",
        "number",
        "status",
        "started_at",
        "ended_at",
        "shown_end",
        "shown_commitment",
    )
    readonly_fields = ("club", "room", "table_number", "shown_end", "shown_commitment")
    change_form_outer_after_template = "admin/hand.html"
    show_full_result_count = False
    actions_detail = ("stop",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hand]:
        hands: QuerySet[Hand] = super().get_queryset(request)
        seats = HandSeat.objects.select_related("membership__user").order_by("number")
        return (
            hands.defer("seed", "record").select_related("table__room__club").prefetch_related(Prefetch("seats", seats))
        )

    @column(description=gettext_lazy("俱乐部"))
    def club(self, hand: Hand) -> str:
        return row_link(hand.table.room.club, hand.table.room.club.name)

    @column(description=gettext_lazy("房间"))
    def room(self, hand: Hand) -> str:
        return row_link(hand.table.room, hand.table.room.name)

    @column(description=gettext_lazy("桌号"))
    def table_number(self, hand: Hand) -> int:
        return hand.table.number

    @column(
        description=gettext_lazy("状态"),
        ordering="status",
        label={"settled": "success", "playing": "info", "shuffling": "default"},
    )
    def shown_status(self, hand: Hand) -> tuple[str, str]:
        return hand.status, hand.get_status_display()

    @column(description=gettext_lazy("结果"), ordering="end")
    def shown_end(self, hand: Hand) -> str:
        return end_words(hand.end) if hand.end else "—"

    @column(description=gettext_lazy("种子承诺"))
    def shown_commitment(self, hand: Hand) -> str:
        return format_html('<span style="overflow-wrap: anywhere">{}</span>', hand.commitment)

    @column(description=gettext_lazy("玩家（得失）"))
    def players(self, hand: Hand) -> str:
        return _("、").join(
            seat_name(seat) + (f" {seat.coins:+,}" if seat.coins is not None else "") for seat in hand.seats.all()
        )

    @row_action(description=gettext_lazy("强制结束"), url_path="stop", icon="stop_circle")
    def stop(self, request: HttpRequest, hand: Hand) -> HttpResponse:
        """End a running hand: the rule and the reason, then a page that says what happens, then it is done."""

        def carry_out(answers: dict[str, Any]) -> None:
            hand_stop(hand_id=hand.pk, actor=person(request), rule=answers["rule"], reason=answers["reason"])

        return ask(
            self,
            request,
            title=_("强制结束"),
            form_class=StopForm,
            facts=[f"{hand.table.room.name} · {_('桌号')} {hand.table.number} · {self.players(hand)}"],
            states=lambda answers: [stop_words(answers["rule"]), _("事由：%(reason)s") % answers],
            carry_out=carry_out,
            obj=hand,
        )

    def offered(self, request: HttpRequest, hand: Hand) -> Collection[str]:
        return self.actions_detail if hand.status == Hand.Status.PLAYING else ()

    def beside(self, request: HttpRequest, hand: Hand) -> dict[str, Any]:
        seats = [(seat_name(seat), seat) for seat in hand.seats.all()]
        if hand.status != Hand.Status.SETTLED:
            return {"hand_seats": seats}
        settlement = settlement_payload(folded(hand.pk))
        wall = settlement["proof"]["wall"]
        own = Membership.objects.filter(user=person(request), status=Membership.Status.ACTIVE)
        return {
            "hand_seats": seats,
            "hand_wins": [(seats[win["seat"]][0], win) for win in settlement["wins"]],
            "settlement": settlement,
            "wall": [wall[start : start + 2] for start in range(0, len(wall), 2)],
            "has_replay": own.filter(club=hand.table.room.club).exists(),
        }
