"""The admin of rooms (whose rules are said in this application's words), hands and reports, and the first page's figures."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, Prefetch, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from unfold.contrib.filters.admin import RangeDateFilter, RangeDateTimeFilter
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from accounts.admin.desk import (
    DeskAdmin,
    ReadOnlyAdmin,
    ReasonForm,
    ask,
    changes_text,
    coins_text,
    person,
    row_action,
)
from accounts.models import Account, Posting
from clubs.models import Club, Membership, Room
from clubs.rooms import preset_name, room_change, room_create
from games.figures import days_rebuild
from games.frames import settlement_payload
from games.history import seat_name
from games.log import folded
from games.models import DayFigures, Hand, HandSeat, Report, Table
from games.play import hand_stop
from games.reports import MOST_WORDS, report_close
from games.room_form import RoomForm
from games.room_history import room_history
from games.rulebook import option_title
from games.rules.options import OPTIONS, OptionKind
from games.terms_form import field_names
from games.words import end_words, stop_words


# --- Rooms ---------------------------------------------------------------------------------------------------------
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

    @display(description=gettext_lazy("规则"), ordering="terms__preset")  # type: ignore[untyped-decorator]
    def preset(self, room: Room) -> str:
        return preset_name(room.terms.preset) if room.terms else "—"

    @display(description=gettext_lazy("系数 N"), ordering="terms__coefficient")  # type: ignore[untyped-decorator]
    def coefficient(self, room: Room) -> str:
        return coins_text(room.terms.coefficient if room.terms else None)

    @display(description=gettext_lazy("台费 A"), ordering="terms__rake")  # type: ignore[untyped-decorator]
    def rake(self, room: Room) -> str:
        return coins_text(room.terms.rake if room.terms else None)

    @display(description=gettext_lazy("入场下限"), ordering="terms__entry_minimum")  # type: ignore[untyped-decorator]
    def entry_minimum(self, room: Room) -> str:
        return coins_text(room.terms.entry_minimum if room.terms else None)

    @display(description=gettext_lazy("条款版本"), ordering="terms__version")  # type: ignore[untyped-decorator]
    def version(self, room: Room) -> str:
        return f"v{room.terms.version}" if room.terms else "—"

    @display(description=gettext_lazy("开着的桌"), ordering="open_table_count")  # type: ignore[untyped-decorator]
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

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        room = self.get_object(request, object_id) if object_id else None
        lines = room_history(room) if room else []
        history = [{"entry": line.entry, "changes": changes_text(line.changes)} for line in lines]
        return super().changeform_view(request, object_id, form_url, {**(extra_context or {}), "history": history})

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


# --- Hands ---------------------------------------------------------------------------------------------------------
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

    @display(description=gettext_lazy("俱乐部"))  # type: ignore[untyped-decorator]
    def club(self, hand: Hand) -> str:
        return _link("admin:clubs_club_change", hand.table.room.club)

    @display(description=gettext_lazy("房间"))  # type: ignore[untyped-decorator]
    def room(self, hand: Hand) -> str:
        return _link("admin:clubs_room_change", hand.table.room)

    @display(description=gettext_lazy("桌号"))  # type: ignore[untyped-decorator]
    def table_number(self, hand: Hand) -> int:
        return hand.table.number

    @display(  # type: ignore[untyped-decorator]
        description=gettext_lazy("状态"),
        ordering="status",
        label={"settled": "success", "playing": "info", "shuffling": "default"},
    )
    def shown_status(self, hand: Hand) -> tuple[str, str]:
        return hand.status, hand.get_status_display()

    @display(description=gettext_lazy("结果"), ordering="end")  # type: ignore[untyped-decorator]
    def shown_end(self, hand: Hand) -> str:
        return end_words(hand.end) if hand.end else "—"

    @display(description=gettext_lazy("种子承诺"))  # type: ignore[untyped-decorator]
    def shown_commitment(self, hand: Hand) -> str:
        return format_html('<span style="overflow-wrap: anywhere">{}</span>', hand.commitment)

    @display(description=gettext_lazy("玩家（得失）"))  # type: ignore[untyped-decorator]
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

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        hand = self.get_object(request, object_id) if object_id else None
        seats = [(seat_name(seat), seat) for seat in hand.seats.all()] if hand else []
        members = Membership.objects.filter(user=person(request), status=Membership.Status.ACTIVE)
        is_over = hand is not None and hand.status == Hand.Status.SETTLED
        settlement = settlement_payload(folded(hand.pk)) if hand and is_over else None
        context = {**(extra_context or {}), "hand_seats": seats, "settlement": settlement}
        context["has_replay"] = hand is not None and is_over and members.filter(club=hand.table.room.club).exists()
        if settlement:
            context["hand_wins"] = [(seats[win["seat"]][0], win) for win in settlement["wins"]]
            wall = settlement["proof"]["wall"]
            context["wall"] = [wall[start : start + 2] for start in range(0, len(wall), 2)]
        return super().changeform_view(request, object_id, form_url, context)


# --- Reports -------------------------------------------------------------------------------------------------------
class AnswerForm(forms.Form):
    note = forms.CharField(
        label=gettext_lazy("给申诉人的答复"), max_length=MOST_WORDS, widget=UnfoldAdminTextareaWidget({"rows": 3})
    )


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """What members have reported, open ones first; an answer closes a report."""

    list_display = ("created_at", "shown_state", "kind", "club", "shown_hand", "reporter", "words")
    list_filter = ("is_open", "kind", "reporter__club", ("created_at", RangeDateTimeFilter))
    list_select_related = ("reporter__club", "reporter__user")
    search_fields = ("=hand__id", "words", "reporter__user__username", "reporter__user__display_name")
    ordering = ("-is_open", "-id")
    fields = (
        "state",
        "kind",
        "club",
        "shown_hand",
        "seq",
        "reporter",
        "words",
        "created_at",
        "note",
        "closed_by",
    )
    readonly_fields = ("state", "club", "shown_hand")
    actions_detail = ("answer",)

    @display(  # type: ignore[untyped-decorator]
        description=gettext_lazy("状态"), ordering="is_open", label={True: "warning", False: "success"}
    )
    def shown_state(self, report: Report) -> tuple[bool, str]:
        return report.is_open, self.state(report)

    @display(description=gettext_lazy("状态"))  # type: ignore[untyped-decorator]
    def state(self, report: Report) -> str:
        return _("待处理") if report.is_open else _("已处理")

    @display(description=gettext_lazy("俱乐部"))  # type: ignore[untyped-decorator]
    def club(self, report: Report) -> str:
        return _link("admin:clubs_club_change", report.reporter.club)

    @display(description=gettext_lazy("牌局"))  # type: ignore[untyped-decorator]
    def shown_hand(self, report: Report) -> str:
        address = reverse("admin:games_hand_change", args=[report.hand_id])
        return format_html('<a href="{}">#{}</a>', address, report.hand_id)

    @row_action(description=gettext_lazy("答复并结案"), url_path="answer", icon="task_alt")
    def answer(self, request: HttpRequest, report: Report) -> HttpResponse:
        def carry_out(answers: dict[str, Any]) -> None:
            report_close(report=report, actor=person(request), note=answers["note"])

        return ask(
            self,
            request,
            title=_("答复并结案"),
            form_class=AnswerForm,
            facts=[f"{report.get_kind_display()} · {report.reporter} · #{report.hand_id}", report.words],
            carry_out=carry_out,
            obj=report,
        )

    def offered(self, request: HttpRequest, report: Report) -> Collection[str]:
        return self.actions_detail if report.is_open else ()


# --- Sums by day ---------------------------------------------------------------------------------------------------
class DaysForm(forms.Form):
    club = forms.ModelChoiceField(
        Club.objects.order_by("name"), label=gettext_lazy("俱乐部"), widget=UnfoldAdminSelectWidget
    )


@admin.register(DayFigures)
class DayFiguresAdmin(ReadOnlyAdmin):
    """What members' hands come to by day; statistics and leaderboards are sums of these rows."""

    list_display = (
        *("day", "club", "shown_name", "room", "shown_preset", "is_auto", "hands", "wins", "jipin", "units", "points"),
        *("shown_coins", "shown_rake"),
    )
    list_display_links = None
    list_filter = ("club", "is_auto", ("day", RangeDateFilter))
    list_select_related = ("club", "room", "membership__user")
    search_fields = ("membership__user__username", "membership__user__display_name")
    ordering = ("-day", "-pk")
    show_full_result_count = False
    actions_list = ("rebuild",)

    @display(description=gettext_lazy("成员"))  # type: ignore[untyped-decorator]
    def shown_name(self, day: DayFigures) -> str:
        return day.membership.user.name

    @display(description=gettext_lazy("规则"), ordering="preset")  # type: ignore[untyped-decorator]
    def shown_preset(self, day: DayFigures) -> str:
        return preset_name(day.preset)

    @display(description=gettext_lazy("净金币"), ordering="coins")  # type: ignore[untyped-decorator]
    def shown_coins(self, day: DayFigures) -> str:
        return coins_text(day.coins)

    @display(description=gettext_lazy("台费"), ordering="rake")  # type: ignore[untyped-decorator]
    def shown_rake(self, day: DayFigures) -> str:
        return coins_text(day.rake)

    @action(description=gettext_lazy("重算"), url_path="rebuild", icon="refresh")  # type: ignore[untyped-decorator]
    def rebuild(self, request: HttpRequest) -> HttpResponse:
        """Sort the hands of a club into days anew, after it has moved to another time zone."""

        def carry_out(answers: dict[str, Any]) -> str:
            count = days_rebuild(club=answers["club"])
            return _("已按俱乐部现在的时区重算 %(count)d 名成员的每日统计。") % {"count": count}

        return ask(
            self,
            request,
            title=_("重算每日统计"),
            form_class=DaysForm,
            facts=[_("俱乐部改了时区以后，以前的手还记在旧时区的日子里。重算只改它们记在哪一天，不改任何金币和积分。")],
            carry_out=carry_out,
            back=reverse("admin:games_dayfigures_changelist"),
        )


def _link(page: str, row: Club | Room) -> str:
    return format_html('<a href="{}">{}</a>', reverse(page, args=[row.pk]), row.name)


# --- The first page ------------------------------------------------------------------------------------------------
def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The figures of all clubs on the admin's first page, and each club's own."""
    now = timezone.localtime()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    week = today - timedelta(days=today.weekday())
    active = Membership.objects.filter(status=Membership.Status.ACTIVE)
    open_tables = Table.objects.filter(closed_at=None)
    hands = Hand.objects.filter(status=Hand.Status.SETTLED, ended_at__gte=today)
    wallets = Account.objects.filter(kind=Account.Kind.WALLET)
    rake = Posting.objects.filter(account__kind=Account.Kind.RAKE, transfer__created_at__gte=week)
    members_of = dict(active.values_list("club").annotate(Count("id")))
    tables_of = dict(open_tables.values_list("room__club").annotate(Count("id")))
    hands_of = dict(hands.order_by().values_list("table__room__club").annotate(Count("id")))
    coins_of = dict(wallets.values_list("book").annotate(Sum("balance")))
    rake_of = dict(rake.order_by().values_list("account__book").annotate(Sum("amount")))
    rows = [
        [
            club.name,
            members_of.get(club.pk, 0),
            tables_of.get(club.pk, 0),
            hands_of.get(club.pk, 0),
            coins_text(coins_of.get(club.book_id, 0)),
            coins_text(rake_of.get(club.book_id, 0)),
        ]
        for club in Club.objects.order_by("name")[:50]
    ]
    figures = [
        (pgettext("复数", "成员"), coins_text(sum(members_of.values()))),
        (_("开着的桌"), coins_text(sum(tables_of.values()))),
        (_("今天的牌局"), coins_text(sum(hands_of.values()))),
        (_("流通金币"), coins_text(sum(coins_of.values()))),
        (_("本周台费"), coins_text(sum(rake_of.values()))),
    ]
    headers = [_("俱乐部"), *(name for name, _figure in figures)]
    return {**context, "figures": figures, "clubs_table": {"headers": headers, "rows": rows}}
