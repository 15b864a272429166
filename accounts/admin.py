"""The admin of people, coins and the audit log, and what every page of the admin shares.

The admin is for the site's operators (`is_staff`). It shows and asks; what changes goes through the same functions that
the site and the API call, and a refusal of theirs comes back as a message on the form.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast
from uuid import uuid4

from allauth.account.models import EmailAddress
from django import forms
from django.apps import apps
from django.contrib import admin, messages
from django.contrib.auth.forms import SetPasswordMixin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import action, display
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminTextareaWidget,
)

from accounts.errors import Refused
from accounts.ledger import MOST_AT_ONCE, transfer_reverse
from accounts.models import Account, ApiToken, AuditEntry, Posting, Transfer, User
from accounts.users import user_change, user_create, user_password_set, user_token_revoke

# Groups and allauth's e-mail addresses are not used here.
admin.site.unregister((Group, EmailAddress))


# --- Shared by every page ------------------------------------------------------------------------------------------
class RefusableForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form on which the refusal of the function behind it is shown like its own faults, at its field where it has one."""

    refusal: Refused | None = None

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.refusal:
            errors = self.refusal.data.get("errors") or {self.refusal.data.get("field"): str(self.refusal.message)}
            for field, message in errors.items():
                self.add_error(field if field in self.fields else None, message)
        return cleaned


class DeskAdmin(ModelAdmin):
    """Open to the site's operators. Nothing is deleted here."""

    form = RefusableForm
    list_filter_submit = True
    list_fullwidth = True
    warn_unsaved_form = True
    actions: Sequence[Any] = ()

    def _is_operator(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.is_staff

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._is_operator(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self._is_operator(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self._is_operator(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        form.refusal = getattr(request, "refusal", None)
        return form

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form; where the function behind it refuses, the same form again with what it said."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)  # type: ignore[no-any-return]
        except Refused as refusal:
            request.refusal = refusal  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, extra_context)  # type: ignore[no-any-return]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Every form that can be saved says which function does it."""
        raise NotImplementedError


class ReadOnlyAdmin(DeskAdmin):
    """A list and pages to look at."""

    warn_unsaved_form = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyInline(TabularInline):
    extra = 0
    can_delete = False
    show_change_link = False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def person(request: HttpRequest) -> User:
    """Who works in the admin; nobody gets here without having signed in."""
    return cast(User, request.user)


def reason_field(required: bool = True) -> forms.CharField:
    """Why it is done, kept with it for good."""
    return forms.CharField(
        label=gettext_lazy("事由"), max_length=200, required=required, widget=UnfoldAdminTextareaWidget({"rows": 2})
    )


class ReasonForm(forms.Form):
    reason = reason_field()


class OrderForm(ReasonForm):
    """An order that must not be carried out twice: its key is made with the form and kept to the end."""

    key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)


class CoinsForm(OrderForm):
    amount = forms.IntegerField(
        label=gettext_lazy("每人金币"), min_value=1, max_value=MOST_AT_ONCE, widget=UnfoldAdminIntegerFieldWidget
    )
    field_order = ("amount", "reason")


def ask(
    model_admin: DeskAdmin,
    request: HttpRequest,
    *,
    title: str,
    form_class: Callable[..., forms.Form],
    carry_out: Callable[[dict[str, Any]], str],
    back: str,
    obj: Model | None = None,
    facts: Sequence[str] = (),
    states: Callable[[dict[str, Any]], Sequence[str]] | None = None,
    hidden: Sequence[tuple[str, str]] = (),
    template: str = "admin/ask.html",
) -> HttpResponse:
    """A page that asks for what `form_class` needs and then does it: `carry_out` gets the answers, returns the message.

    With `states` a second page says first what would be done, and only its confirmation does it. `facts` stand above
    the form, `hidden` fields come along.
    """
    step = request.POST.get("step", "")
    form = form_class(request.POST) if step else form_class()
    summary: Sequence[str] = ()
    if step and form.is_valid():
        if states and step == "review":
            summary = states(form.cleaned_data)
        else:
            try:
                messages.success(request, carry_out(form.cleaned_data))
                return HttpResponseRedirect(back)
            except Refused as refusal:
                form.add_error(None, str(refusal.message))
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.model._meta,
        "original": obj,
        "title": title,
        "form": form,
        "facts": summary or facts,
        "is_review": bool(summary),
        "next_step": "review" if states and not summary else "confirm",
        "hidden": hidden,
        "back": back,
    }
    return TemplateResponse(request, template, context, status=400 if form.errors else 200)


def coins_text(amount: int | None) -> str:
    """An amount with its thousands apart."""
    return "—" if amount is None else f"{amount:,}"


def changes_text(before: dict[str, Any], after: dict[str, Any]) -> str:
    """From what to what, one line for each value that differs."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return format_html_join(
        "",
        "<div>{}{}{} → {}</div>",
        ((name, _("："), _plain(before.get(name)), _plain(after.get(name))) for name in names),
    )


def labelled(values: dict[str, Any], *models: type[Model]) -> dict[str, Any]:
    """The values of an audit entry with the labels of the models' fields for their names, and in the words of their choices."""
    fields = {field.name: field for model in reversed(models) for field in model._meta.fields}
    shown = {}
    for name, value in values.items():
        field = fields.get(name)
        choices = dict(field.flatchoices) if field is not None else {}
        label = str(field.verbose_name) if field is not None else name
        shown[label] = str(choices[value]) if isinstance(value, str) and value in choices else value
    return shown


def _plain(value: Any) -> str:
    match value:
        case None | "":
            return "—"
        case bool():
            return _("是") if value else _("否")
        case dict():
            return _("、").join(f"{name} {_plain(inner)}" for name, inner in value.items()) or "—"
        case list():
            return _("、").join(_plain(inner) for inner in value) or "—"
    return str(value)


# --- People --------------------------------------------------------------------------------------------------------
class UserForm(RefusableForm):
    class Meta:
        model = User
        fields = ("username", "display_name", "language", "is_active", "is_staff")


class NewUserForm(SetPasswordMixin, UserForm):  # type: ignore[type-arg]
    password1, password2 = SetPasswordMixin.create_password_fields()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("password1", "password2"):
            self.fields[name].widget = UnfoldAdminPasswordWidget({"autocomplete": "new-password"})

    def clean(self) -> dict[str, Any] | None:
        self.validate_passwords()
        return super().clean()

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        self.validate_password_for_user(self.instance)


class PasswordForm(SetPasswordMixin, forms.Form):  # type: ignore[type-arg]
    password1, password2 = SetPasswordMixin.create_password_fields()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("password1", "password2"):
            self.fields[name].widget = UnfoldAdminPasswordWidget({"autocomplete": "new-password"})

    def clean(self) -> dict[str, Any] | None:
        self.validate_passwords()
        return super().clean()


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

    @display(description=gettext_lazy("俱乐部数"), ordering="club_count")  # type: ignore[untyped-decorator]
    def clubs(self, user: Any) -> int:
        return int(user.club_count)

    @display(description=gettext_lazy("启用"), boolean=True, ordering="is_active")  # type: ignore[untyped-decorator]
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

    @action(description=gettext_lazy("设置密码"), url_path="password", icon="key")  # type: ignore[untyped-decorator]
    def password(self, request: HttpRequest, object_id: str) -> HttpResponse:
        user = self.get_object(request, object_id)
        if user is None or not self.has_change_permission(request, user):
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
            back=reverse("admin:accounts_user_change", args=[user.pk]),
            obj=user,
        )


# --- Coins ---------------------------------------------------------------------------------------------------------
@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("shown_book", "shown_holder", "kind", "shown_balance")
    list_filter = ("book", "kind")
    list_select_related = ("book", "holder")
    search_fields = ("holder__username", "holder__display_name")
    ordering = ("book", "kind", "-balance")
    fields = readonly_fields = ("shown_book", "kind", "shown_holder", "shown_balance")

    @display(description=gettext_lazy("账本"), ordering="book")  # type: ignore[untyped-decorator]
    def shown_book(self, account: Account) -> str:
        return account.book.name

    @display(description=gettext_lazy("持有人"))  # type: ignore[untyped-decorator]
    def shown_holder(self, account: Account) -> str:
        return account.holder.name if account.holder else "—"

    @display(description=gettext_lazy("余额"), ordering="balance")  # type: ignore[untyped-decorator]
    def shown_balance(self, account: Account) -> str:
        return coins_text(account.balance)


class PostingInline(ReadOnlyInline):
    model = Posting
    fields = readonly_fields = ("shown_account", "shown_amount", "shown_balance")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Posting]:
        postings: QuerySet[Posting] = super().get_queryset(request)
        return postings.select_related("account__book", "account__holder").order_by("id")

    @display(description=gettext_lazy("账户"))  # type: ignore[untyped-decorator]
    def shown_account(self, posting: Posting) -> str:
        return str(posting.account)

    @display(description=gettext_lazy("变动"))  # type: ignore[untyped-decorator]
    def shown_amount(self, posting: Posting) -> str:
        return f"{posting.amount:+,}"

    @display(description=gettext_lazy("变动后余额"))  # type: ignore[untyped-decorator]
    def shown_balance(self, posting: Posting) -> str:
        return coins_text(posting.balance_after)


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    list_display = (
        "id",
        "created_at",
        "shown_book",
        "kind",
        "shown_sum",
        "shown_holders",
        "reason",
        "actor",
        "shown_reversal",
    )
    list_filter = ("book", "kind", ("created_at", RangeDateTimeFilter))
    list_select_related = ("book", "actor", "reversed_by")
    search_fields = ("key", "reason", "postings__account__holder__username", "postings__account__holder__display_name")
    fields = ("key", "shown_book", "kind", "reason", "actor", "created_at", "shown_reversed", "shown_reversal")
    readonly_fields = ("shown_book", "shown_reversed", "shown_reversal")
    inlines = (PostingInline,)
    actions_detail = ("reversal",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        transfers: QuerySet[Transfer] = super().get_queryset(request)
        return transfers.prefetch_related("postings__account__holder")

    @display(description=gettext_lazy("金额"))  # type: ignore[untyped-decorator]
    def shown_sum(self, transfer: Transfer) -> str:
        """The coins that change hands."""
        return coins_text(sum(posting.amount for posting in transfer.postings.all() if posting.amount > 0))

    @display(description=gettext_lazy("成员"))  # type: ignore[untyped-decorator]
    def shown_holders(self, transfer: Transfer) -> str:
        holders = (posting.account.holder for posting in transfer.postings.all())
        return _("、").join(holder.name for holder in holders if holder)

    @display(description=gettext_lazy("账本"), ordering="book")  # type: ignore[untyped-decorator]
    def shown_book(self, transfer: Transfer) -> str:
        return transfer.book.name

    @display(description=gettext_lazy("冲正了"))  # type: ignore[untyped-decorator]
    def shown_reversed(self, transfer: Transfer) -> str:
        return _transfer_link(transfer.reverses)

    @display(description=gettext_lazy("被冲正"))  # type: ignore[untyped-decorator]
    def shown_reversal(self, transfer: Transfer) -> str:
        return _transfer_link(getattr(transfer, "reversed_by", None))

    @action(description=gettext_lazy("冲正"), url_path="reverse", icon="undo")  # type: ignore[untyped-decorator]
    def reversal(self, request: HttpRequest, object_id: str) -> HttpResponse:
        transfer = self.get_object(request, object_id)
        if transfer is None:
            raise PermissionDenied

        def carry_out(answers: dict[str, Any]) -> str:
            reversal = transfer_reverse(transfer=transfer, reason=answers["reason"], actor=person(request))
            return _("已冲正，新转账为 #%(id)d。") % {"id": reversal.pk}

        lines = [
            f"{posting.account}{_('：')}{posting.amount:+,} → {-posting.amount:+,}"
            for posting in transfer.postings.select_related("account__book", "account__holder").order_by("id")
        ]
        return ask(
            self,
            request,
            form_class=ReasonForm,
            title=_("冲正转账 #%(id)d") % {"id": transfer.pk},
            facts=lines,
            states=lambda answers: [*lines, _("事由：%(reason)s") % {"reason": answers["reason"]}],
            carry_out=carry_out,
            back=reverse("admin:accounts_transfer_change", args=[transfer.pk]),
            obj=transfer,
        )


def _transfer_link(transfer: Transfer | None) -> str:
    if transfer is None:
        return "—"
    return format_html(
        '<a href="{}">#{}</a>', reverse("admin:accounts_transfer_change", args=[transfer.pk]), transfer.pk
    )


# --- Audit and tokens ----------------------------------------------------------------------------------------------
@admin.register(AuditEntry)
class AuditAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "actor", "action", "subject", "book", "shown_changes", "reason")
    list_filter = ("book", "action", "subject_type", ("created_at", RangeDateTimeFilter))
    list_select_related = ("actor", "book")
    list_display_links = ("created_at",)
    search_fields = ("=subject_id", "actor__username", "reason")
    fields = ("created_at", "actor", "action", "subject", "book", "shown_changes", "reason")
    readonly_fields = ("subject", "shown_changes")
    show_full_result_count = False

    @display(description=gettext_lazy("对象"))  # type: ignore[untyped-decorator]
    def subject(self, entry: AuditEntry) -> str:
        return f"{entry.subject_type} #{entry.subject_id}"

    @display(description=gettext_lazy("从什么改为什么"))  # type: ignore[untyped-decorator]
    def shown_changes(self, entry: AuditEntry) -> str:
        # A room's terms are a model of their own.
        models = [model for model in apps.get_models() if str(model._meta.model_name).startswith(entry.subject_type)]
        return changes_text(labelled(entry.before, *models), labelled(entry.after, *models))


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

    @action(description=gettext_lazy("撤销"), url_path="revoke", icon="block")  # type: ignore[untyped-decorator]
    def revoke(self, request: HttpRequest, object_id: str) -> HttpResponse:
        token = self.get_object(request, object_id)
        if token is None:
            raise PermissionDenied

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
