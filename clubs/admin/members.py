"""The admin of clubs, their members and titles."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Count, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts.admin.desk import (
    CoinsForm,
    DeskAdmin,
    ReadOnlyAdmin,
    ask,
    coins_text,
    column,
    login_name,
    person,
    reason_field,
    row_action,
)
from accounts.ledger import hand_of
from accounts.models import Account, Transfer
from clubs.clubs import club_change, club_create, zone_names
from clubs.forms import TitlesForm
from clubs.members import (
    MOST_MEMBERS,
    member_ban,
    member_role_change,
    member_unban,
    members_coins_move,
)
from clubs.models import Club, LevelChange, Membership
from clubs.titles import title_names, titles_change


class AdminTitlesForm(TitlesForm):
    text_widget = UnfoldAdminTextInputWidget
    number_widget = UnfoldAdminIntegerFieldWidget
    reason = reason_field()


@admin.register(Club)
class ClubAdmin(DeskAdmin):
    list_display = ("name", "slug", "member_count", "coins", "shown_welcome_coins", "needs_approval", "created_at")
    search_fields = ("name", "slug")
    ordering = ("name",)
    actions_detail = ("titles",)
    readonly_fields = ("member_count", "coins", "rake", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Club]:
        clubs: QuerySet[Club] = super().get_queryset(request)
        active = Q(memberships__status=Membership.Status.ACTIVE)
        return clubs.annotate(active_count=Count("memberships", active)).select_related("book")

    @column(description=pgettext_lazy("复数", "成员"), ordering="active_count")
    def member_count(self, club: Any) -> int:
        return int(club.active_count)

    @column(description=gettext_lazy("流通金币"))
    def coins(self, club: Club) -> str:
        return coins_text(_balance(club, Account.Kind.WALLET))

    @column(description=gettext_lazy("新成员赠币"), ordering="welcome_coins")
    def shown_welcome_coins(self, club: Club) -> str:
        return coins_text(club.welcome_coins)

    @column(description=gettext_lazy("台费收入"))
    def rake(self, club: Club) -> str:
        return coins_text(_balance(club, Account.Kind.RAKE))

    def get_fields(self, request: HttpRequest, obj: Club | None = None) -> Sequence[str]:
        fields = ("name", "slug", "welcome_coins", "needs_approval", "time_zone")
        return fields if obj is None else (*fields, *self.readonly_fields)

    def get_readonly_fields(self, request: HttpRequest, obj: Club | None = None) -> Sequence[str]:
        return () if obj is None else ("slug", *self.readonly_fields)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name != "time_zone":
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        return forms.ChoiceField(
            label=db_field.verbose_name,
            choices=[(name, name) for name in zone_names()],
            initial=db_field.default,
            help_text=gettext_lazy("俱乐部的日子从哪里的零点算起。"),
            widget=UnfoldAdminSelectWidget,
        )

    def save_model(self, request: HttpRequest, obj: Club, form: Any, change: bool) -> None:
        values = {name: form.cleaned_data[name] for name in ("name", "welcome_coins", "needs_approval", "time_zone")}
        if change:
            club_change(club=obj, actor=person(request), **values)
            if "time_zone" in form.changed_data:
                words = _("新时区从下一手起用。以前的手还记在旧时区的日子里，要不要重算？")
                address = reverse("admin:games_dayfigures_rebuild")
                messages.warning(request, format_html('{} <a href="{}">{}</a>', words, address, _("重算每日统计")))
        else:
            club = club_create(slug=form.cleaned_data["slug"], actor=person(request), **values)
            obj.pk = club.pk

    @row_action(description=pgettext_lazy("复数", "头衔"), url_path="titles", icon="military_tech")
    def titles(self, request: HttpRequest, club: Club) -> HttpResponse:
        """The ladder of 22, changed as a whole."""
        titles = list(club.titles.order_by("level"))
        forms_made: list[TitlesForm] = []

        def form_class(data: Any = None) -> TitlesForm:
            forms_made.append(AdminTitlesForm(data, titles=titles))
            return forms_made[-1]

        def carry_out(answers: dict[str, Any]) -> str:
            form = forms_made[-1]
            titles_change(
                club=club,
                actor=person(request),
                thresholds=form.changes("threshold"),
                names=form.changes("name"),
                reason=answers["reason"],
            )
            return _("头衔已保存，成员的等级已按新门槛重算。")

        return ask(
            self,
            request,
            title=_("%(club)s 的头衔") % {"club": club.name},
            form_class=form_class,
            carry_out=carry_out,
            obj=club,
            template="admin/titles.html",
        )


def _balance(club: Club, kind: Account.Kind) -> int:
    total = Account.objects.filter(book=club.book_id, kind=kind).aggregate(total=Sum("balance"))["total"]
    return total or 0


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ("shown_name", "club", "shown_role", "shown_status", "coins", "points", "shown_title", "joined_at")
    list_filter = ("club", "role", "status")
    list_select_related = ("club", "user", "wallet")
    search_fields = ("user__username", "user__display_name")
    ordering = ("club", "user__username")
    fields = ("club", "user", "role", "status", "coins", "points", "shown_title", "joined_at")
    readonly_fields = ("coins", "shown_title")
    actions = ("coins_issue", "coins_withdraw", "export")
    actions_detail = ("issue", "withdraw", "ban", "unban", "make_operator", "make_member")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        members: QuerySet[Membership] = super().get_queryset(request)
        return members.prefetch_related("club__titles")

    @column(description=gettext_lazy("成员"), ordering="user__username")
    def shown_name(self, membership: Membership) -> str:
        return login_name(membership.user)

    @column(description=gettext_lazy("角色"), ordering="role", label={"operator": "info", "member": "default"})
    def shown_role(self, membership: Membership) -> tuple[str, str]:
        return membership.role, membership.get_role_display()

    @column(
        description=gettext_lazy("状态"),
        ordering="status",
        label={"active": "success", "banned": "danger", "left": "warning"},
    )
    def shown_status(self, membership: Membership) -> tuple[str, str]:
        return membership.status, membership.get_status_display()

    @column(description=gettext_lazy("金币"), ordering="wallet__balance")
    def coins(self, membership: Membership) -> str:
        return coins_text(membership.wallet.balance)

    @column(description=gettext_lazy("头衔"), ordering="level")
    def shown_title(self, membership: Membership) -> str:
        return f"{membership.level} {title_names(membership.club).get(membership.level, '')}"

    # Coins
    @admin.action(description=gettext_lazy("发放金币"))
    def coins_issue(self, request: HttpRequest, members: QuerySet[Membership]) -> HttpResponse | None:
        return self._coins(request, members, Transfer.Kind.ISSUE, request.get_full_path())

    @admin.action(description=gettext_lazy("收回金币"))
    def coins_withdraw(self, request: HttpRequest, members: QuerySet[Membership]) -> HttpResponse | None:
        return self._coins(request, members, Transfer.Kind.WITHDRAW, request.get_full_path())

    @row_action(description=gettext_lazy("发放金币"), url_path="issue", icon="add_card")
    def issue(self, request: HttpRequest, membership: Membership) -> HttpResponse | None:
        return self._coins_of_one(request, membership, Transfer.Kind.ISSUE)

    @row_action(description=gettext_lazy("收回金币"), url_path="withdraw", icon="credit_card_off")
    def withdraw(self, request: HttpRequest, membership: Membership) -> HttpResponse | None:
        return self._coins_of_one(request, membership, Transfer.Kind.WITHDRAW)

    def _coins_of_one(self, request: HttpRequest, membership: Membership, kind: Transfer.Kind) -> HttpResponse | None:
        back = reverse("admin:clubs_membership_change", args=[membership.pk])
        return self._coins(request, self.get_queryset(request).filter(pk=membership.pk), kind, back)

    def _coins(
        self, request: HttpRequest, members: QuerySet[Membership], kind: Transfer.Kind, back: str
    ) -> HttpResponse | None:
        """Amount and reason, then a page with names and sum, then all transfers or none."""
        chosen = list(members.order_by("pk")[: MOST_MEMBERS + 1])
        if len(chosen) > MOST_MEMBERS:
            self.message_user(request, _("一次最多选 %(most)d 人。") % {"most": MOST_MEMBERS}, "error")
            return None
        is_issue = kind == Transfer.Kind.ISSUE

        def states(answers: dict[str, Any]) -> list[str]:
            total = answers["amount"] * len(chosen)
            words = (
                _("共 %(count)d 人，发放合计 %(total)s 金币。")
                if is_issue
                else _("共 %(count)d 人，收回合计 %(total)s 金币。")
            )
            sign = "+" if is_issue else "−"
            return [
                *(
                    f"{self.shown_name(each)} @ {each.club.name}{_('：')}{sign}{coins_text(answers['amount'])}"
                    for each in chosen
                ),
                words % {"count": len(chosen), "total": coins_text(total)},
                _("事由：%(reason)s") % {"reason": answers["reason"]},
            ]

        def carry_out(answers: dict[str, Any]) -> str:
            is_repeat = members_coins_move(
                members=chosen,
                kind=kind,
                amount=answers["amount"],
                reason=answers["reason"],
                actor=person(request),
                order=f"admin:{answers['key']}",
            )
            if is_repeat:
                return _("这一单先前已经执行，没有重复入账。")
            return _("已入账：%(count)d 人，每人 %(amount)s 金币。") % {
                "count": len(chosen),
                "amount": coins_text(answers["amount"]),
            }

        return ask(
            self,
            request,
            title=_("发放金币") if is_issue else _("收回金币"),
            form_class=CoinsForm,
            facts=[
                f"{self.shown_name(each)} @ {each.club.name}{_('：')}{coins_text(each.wallet.balance)}"
                for each in chosen
            ],
            states=states,
            carry_out=carry_out,
            back=back,
            hidden=[
                ("action", "coins_issue" if is_issue else "coins_withdraw"),
                *((ACTION_CHECKBOX_NAME, str(each.pk)) for each in chosen),
            ],
        )

    # Roles and bans
    @row_action(description=gettext_lazy("停用"), url_path="ban", icon="block")
    def ban(self, request: HttpRequest, membership: Membership) -> HttpResponse:
        return self._change(request, membership, _("停用"), member_ban)

    @row_action(description=gettext_lazy("恢复"), url_path="unban", icon="check_circle")
    def unban(self, request: HttpRequest, membership: Membership) -> HttpResponse:
        return self._change(request, membership, _("恢复"), member_unban)

    @row_action(description=gettext_lazy("设为管理员"), url_path="operator", icon="shield_person")
    def make_operator(self, request: HttpRequest, membership: Membership) -> HttpResponse:
        return self._change(request, membership, _("设为管理员"), member_role_change, role=Membership.Role.OPERATOR)

    @row_action(description=gettext_lazy("设为普通成员"), url_path="member", icon="person")
    def make_member(self, request: HttpRequest, membership: Membership) -> HttpResponse:
        return self._change(request, membership, _("设为普通成员"), member_role_change, role=Membership.Role.MEMBER)

    def _change(
        self, request: HttpRequest, membership: Membership, what: str, change: Callable[..., object], **values: Any
    ) -> HttpResponse:
        def carry_out(answers: dict[str, Any]) -> None:
            change(membership=membership, actor=person(request), reason=answers["reason"], **values)

        return ask(
            self,
            request,
            title=what,
            facts=[
                f"{self.shown_name(membership)} @ {membership.club.name}",
                f"{membership.get_role_display()} · {membership.get_status_display()}",
            ],
            carry_out=carry_out,
            obj=membership,
        )

    def offered(self, request: HttpRequest, membership: Membership) -> Collection[str]:
        is_banned = membership.status == Membership.Status.BANNED
        is_operator = membership.role == Membership.Role.OPERATOR
        return {
            "issue",
            "withdraw",
            "unban" if is_banned else "ban",
            "make_member" if is_operator else "make_operator",
        }


@admin.register(LevelChange)
class LevelChangeAdmin(ReadOnlyAdmin):
    list_display = fields = ("created_at", "membership", "before", "after", "points", "shown_cause")
    readonly_fields = ("shown_cause",)
    list_filter = ("membership__club",)
    list_select_related = ("membership__user", "membership__club")
    search_fields = ("membership__user__username", "=cause")
    show_full_result_count = False

    @column(description=gettext_lazy("原因"), ordering="cause")
    def shown_cause(self, change: LevelChange) -> str:
        hand = hand_of(change.cause)
        if hand is None:
            return _("门槛调整")
        words = _("第 %(id)s 手") % {"id": hand}
        return format_html('<a href="{}">{}</a>', reverse("admin:games_hand_change", args=[hand]), words)
