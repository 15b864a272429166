"""The admin of invitations and of requests to join."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Case, When
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.admin.desk import (
    DeskAdmin,
    ReadOnlyAdmin,
    ReasonForm,
    ask,
    column,
    login_name,
    person,
    reason_field,
    row_action,
)
from clubs.invitations import invitation_create, invitation_revoke
from clubs.members import request_approve, request_refuse
from clubs.models import Invitation, JoinRequest


class OptionalReasonForm(forms.Form):
    reason = reason_field(required=False)


@admin.register(Invitation)
class InvitationAdmin(DeskAdmin):
    list_display = (
        *("code", "club", "created_by", "invitee", "uses", "max_uses"),
        *("expires_at", "revoked_at", "created_at"),
    )
    list_filter = ("club", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("club", "created_by", "invitee")
    autocomplete_fields = ("invitee",)
    ordering = ("-id",)
    actions_detail = ("revoke",)
    change_form_outer_after_template = "admin/invitation.html"

    def get_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Sequence[str]:
        return ("club", "invitee", "max_uses", "expires_at") if obj is None else self.list_display

    def get_readonly_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Sequence[str]:
        return () if obj is None else self.list_display

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        values = form.cleaned_data
        made = invitation_create(actor=person(request), **values)
        obj.pk, obj.code = made.pk, made.code

    @row_action(description=gettext_lazy("撤销"), url_path="revoke", icon="block")
    def revoke(self, request: HttpRequest, invitation: Invitation) -> HttpResponse:
        def carry_out(answers: dict[str, Any]) -> str:
            invitation_revoke(invitation=invitation, actor=person(request))
            return _("邀请已撤销。")

        return ask(
            self,
            request,
            title=_("撤销邀请"),
            form_class=forms.Form,
            facts=[_("邀请码 %(code)s 将立即失效，已加入的成员不受影响。") % {"code": invitation.code}],
            carry_out=carry_out,
            back=reverse("admin:clubs_invitation_changelist"),
            obj=invitation,
        )


def requests_pending(request: HttpRequest) -> int:
    """How many people wait for an answer, for the side bar."""
    return JoinRequest.objects.filter(status=JoinRequest.Status.PENDING).count()


@admin.register(JoinRequest)
class JoinRequestAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "applicant", "club", "message", "shown_status", "decided_by", "decided_at", "reason")
    list_filter = ("status", "club")
    list_select_related = ("club", "user", "decided_by")
    search_fields = ("user__username", "user__display_name")
    fields = (
        *("created_at", "applicant", "club", "invitation", "message"),
        *("status", "decided_by", "decided_at", "reason"),
    )
    readonly_fields = ("applicant",)
    ordering = (Case(When(status=JoinRequest.Status.PENDING, then=0), default=1), "-id")
    actions_detail = ("approve", "refuse")

    @column(description=gettext_lazy("申请人"), ordering="user__username")
    def applicant(self, asked: JoinRequest) -> str:
        return login_name(asked.user)

    @column(
        description=gettext_lazy("状态"),
        ordering="status",
        label={"pending": "info", "approved": "success", "refused": "danger", "withdrawn": "default"},
    )
    def shown_status(self, asked: JoinRequest) -> tuple[str, str]:
        return asked.status, asked.get_status_display()

    @row_action(description=gettext_lazy("同意"), url_path="approve", icon="check_circle")
    def approve(self, request: HttpRequest, asked: JoinRequest) -> HttpResponse:
        return self._decide(request, asked, _("同意加入"), OptionalReasonForm, request_approve)

    @row_action(description=gettext_lazy("不同意"), url_path="refuse", icon="block")
    def refuse(self, request: HttpRequest, asked: JoinRequest) -> HttpResponse:
        return self._decide(request, asked, _("不同意加入"), ReasonForm, request_refuse)

    def _decide(
        self,
        request: HttpRequest,
        asked: JoinRequest,
        what: str,
        form_class: type[forms.Form],
        decide: Callable[..., object],
    ) -> HttpResponse:
        def carry_out(answers: dict[str, Any]) -> None:
            decide(request=asked, actor=person(request), reason=answers["reason"])

        return ask(
            self,
            request,
            title=what,
            form_class=form_class,
            facts=[
                f"{self.applicant(asked)} → {asked.club.name}",
                _("给管理员的话：%(message)s") % {"message": asked.message or "—"},
                _("事由会给申请人看到。"),
            ],
            carry_out=carry_out,
            back=reverse("admin:clubs_joinrequest_changelist"),
            obj=asked,
        )

    def offered(self, request: HttpRequest, asked: JoinRequest) -> Collection[str]:
        return self.actions_detail if asked.status == JoinRequest.Status.PENDING else ()
