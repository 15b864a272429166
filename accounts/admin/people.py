"""The admin of people and their API tokens."""

from collections.abc import Collection, Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.forms import SetPasswordMixin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import (
    UnfoldAdminPasswordWidget,
)

from accounts.admin.desk import DeskAdmin, ReadOnlyAdmin, RefusableForm, ask, column, person, row_action
from accounts.models import ApiToken, User
from accounts.users import user_change, user_create, user_password_set, user_token_revoke


class UserForm(RefusableForm):
    class Meta:
        model = User
        fields = ("username", "display_name", "language", "is_active", "is_staff")


class TwoPasswords(SetPasswordMixin):  # type: ignore[type-arg]
    """A form in which a new password is typed twice."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("password1", "password2"):
            self.fields[name].widget = UnfoldAdminPasswordWidget({"autocomplete": "new-password"})

    def clean(self) -> dict[str, Any] | None:
        self.validate_passwords()
        return super().clean()  # type: ignore[misc,no-any-return]


class NewUserForm(TwoPasswords, UserForm):
    password1, password2 = SetPasswordMixin.create_password_fields()

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        self.validate_password_for_user(self.instance)


class PasswordForm(TwoPasswords, forms.Form):
    password1, password2 = SetPasswordMixin.create_password_fields()


@admin.register(User)
class UserAdmin(DeskAdmin):
    list_display = ("username", "display_name", "clubs", "shown_active", "is_staff", "last_login", "date_joined")
    list_filter = ("is_active", "is_staff")
    search_fields = ("username", "display_name")
    ordering = ("-id",)
    actions_detail = ("password",)
    readonly_fields = ("last_login", "date_joined")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).annotate(club_count=Count("memberships"))  # type: ignore[no-any-return]

    @column(description=gettext_lazy("俱乐部数"), ordering="club_count")
    def clubs(self, user: Any) -> int:
        return int(user.club_count)

    @column(description=gettext_lazy("启用"), boolean=True, ordering="is_active")
    def shown_active(self, user: User) -> bool:
        return user.is_active

    def get_fields(self, request: HttpRequest, obj: User | None = None) -> Sequence[str]:
        if obj is None:
            return ("username", "display_name", "language", "password1", "password2", "is_staff")
        return ("username", "display_name", "language", "is_active", "is_staff", *self.readonly_fields)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Sequence[str]:
        own = () if request.user.is_superuser else ("is_staff",)
        return (*self.readonly_fields, *own) if obj is None else ("username", *self.readonly_fields, *own)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = UserForm if obj else NewUserForm
        return super().get_form(request, obj, change=change, **{"form": form, **kwargs})

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """An operator of the site may not lift another one off the seat, or a superuser."""
        if obj is not None and not request.user.is_superuser and (obj.is_staff or obj.is_superuser):
            return False
        return super().has_change_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        values = {name: value for name, value in form.cleaned_data.items() if name in UserForm.Meta.fields}
        if change:
            user_change(user=User.objects.get(pk=obj.pk), actor=person(request), changes=values)
            return
        user = user_create(password=form.cleaned_data["password1"], actor=person(request), **values)
        obj.pk = user.pk

    @row_action(description=gettext_lazy("设置密码"), url_path="password", icon="key")
    def password(self, request: HttpRequest, user: User) -> HttpResponse:
        if not self.has_change_permission(request, user):
            raise PermissionDenied

        def carry_out(answers: dict[str, Any]) -> str:
            user_password_set(user=user, password=answers["password1"], actor=person(request))
            return _("已为 %(name)s 设置新密码，其他设备上的登录已失效。") % {"name": user.username}

        return ask(
            self,
            request,
            form_class=PasswordForm,
            title=_("设置 %(name)s 的密码") % {"name": user.username},
            carry_out=carry_out,
            obj=user,
        )

    def offered(self, request: HttpRequest, user: User) -> Collection[str]:
        return self.actions_detail if self.has_change_permission(request, user) else ()


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("user", "name", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    list_select_related = ("user",)
    search_fields = ("user__username", "name")
    fields = ("user", "name", "created_at", "last_used_at", "expires_at", "revoked_at")
    actions_detail = ("revoke",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        tokens: QuerySet[ApiToken] = super().get_queryset(request)
        return tokens.defer("digest")

    @row_action(description=gettext_lazy("撤销"), url_path="revoke", icon="block")
    def revoke(self, request: HttpRequest, token: ApiToken) -> HttpResponse:
        def carry_out(answers: dict[str, Any]) -> str:
            user_token_revoke(token=token, actor=person(request))
            return _("令牌已撤销。")

        return ask(
            self,
            request,
            form_class=forms.Form,
            title=_("撤销令牌"),
            facts=[_("「%(name)s」（%(user)s）将立即失效。") % {"name": token.name, "user": token.user.username}],
            carry_out=carry_out,
            back=reverse("admin:accounts_apitoken_changelist"),
            obj=token,
        )
