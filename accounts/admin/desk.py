"""What every page of the admin shares.

The admin is for the site's operators (`is_staff`). It shows and asks; what changes goes through the same functions that
the site and the API call, and a refusal of theirs comes back as a message on the form.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar, cast
from uuid import uuid4

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import label_for_field, lookup_field
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminTextareaWidget,
)

from accounts.changes import Change
from accounts.errors import Refused
from accounts.exports import CsvResponse
from accounts.ledger import MOST_AT_ONCE
from accounts.models import User

_EXPORTED: Final = 500  # rows that are read together

Admin = TypeVar("Admin", bound="DeskAdmin")
Row = TypeVar("Row", bound=Model)
Cell = TypeVar("Cell", bound=Callable[..., Any])


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
    actions: Sequence[Any] = ("export",)
    actions_detail: Sequence[str] = ()

    @admin.action(description=gettext_lazy("导出表格"))
    def export(self, request: HttpRequest, rows: QuerySet[Any]) -> CsvResponse:
        """The chosen rows as the list shows them, for a spreadsheet."""
        columns = self.get_list_display(request)
        headings = [label_for_field(name, self.model, self) for name in columns]
        cells = ([self._cell(row, name) for name in columns] for row in rows.iterator(_EXPORTED))
        return CsvResponse(str(self.model._meta.model_name), headings, cells)

    def _cell(self, row: Model, name: str) -> Any:
        field, _attribute, value = lookup_field(name, row, self)
        if field is not None and field.choices:
            return getattr(row, f"get_{field.name}_display")()
        if isinstance(value, tuple):  # of a label: the value and its words
            value = value[1]
        return strip_tags(value) if isinstance(value, str) else value

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """By its address a list is filtered by what it offers, and by no other field of its rows: asked often enough, one that is
        not shown, a password or the seed of a running hand, would be told."""
        filters = [each[0] if isinstance(each, tuple) else each for each in self.get_list_filter(request)]
        offered = [getattr(each, "parameter_name", each).split(LOOKUP_SEP) for each in filters]
        asked = lookup.split(LOOKUP_SEP)
        is_field = asked[0] in {field.name for field in self.model._meta.get_fields()} - {"id"}
        is_offered = any(asked[: len(path)] == path for path in offered)
        return (is_offered or not is_field) and super().lookup_allowed(lookup, value, request)

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

    def beside(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """What the page of a row shows besides its fields: the context of `change_form_outer_after_template`."""
        return {}

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
        obj = self.get_object(request, object_id) if object_id else None
        context = {**(extra_context or {}), **(self.beside(request, obj) if obj else {})}
        try:
            return super().changeform_view(request, object_id, form_url, context)  # type: ignore[no-any-return]
        except Refused as refusal:
            request.refusal = refusal  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, context)  # type: ignore[no-any-return]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Every form that can be saved says which function does it."""
        raise NotImplementedError

    def offered(self, request: HttpRequest, obj: Any) -> Collection[str]:
        """Which of `actions_detail` can be done to this row as things stand."""
        return self.actions_detail

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[Any]:
        obj = self.get_object(request, str(object_id))
        offered = self.offered(request, obj) if obj else ()
        actions = super().get_actions_detail(request, object_id)
        return [each for each in actions if each.method.original_function_name in offered]


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


def column(**options: Any) -> Callable[[Cell], Cell]:
    """How lists and pages show what a method returns: Unfold's `display`, which has no types."""
    return display(**options)  # type: ignore[no-any-return]


def row_action(
    *, description: Any, url_path: str, icon: str
) -> Callable[
    [Callable[[Admin, HttpRequest, Row], HttpResponse | None]], Callable[[Admin, HttpRequest, str], HttpResponse | None]
]:
    """An action in a row's own page, which its method gets as an object. Who may not see the row is refused."""

    def decorate(
        method: Callable[[Admin, HttpRequest, Row], HttpResponse | None],
    ) -> Callable[[Admin, HttpRequest, str], HttpResponse | None]:
        @action(description=description, url_path=url_path, icon=icon)  # type: ignore[untyped-decorator]
        @wraps(method)
        def carried_out(self: Admin, request: HttpRequest, object_id: str) -> HttpResponse | None:
            row = self.get_object(request, object_id)
            if row is None:
                raise PermissionDenied
            return method(self, request, row)

        return carried_out  # type: ignore[no-any-return]

    return decorate


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
    carry_out: Callable[[dict[str, Any]], str | None],
    obj: Model | None = None,
    back: str = "",
    form_class: Callable[..., forms.Form] = ReasonForm,
    facts: Sequence[str] = (),
    states: Callable[[dict[str, Any]], Sequence[str]] | None = None,
    hidden: Sequence[tuple[str, str]] = (),
    template: str = "admin/ask.html",
) -> HttpResponse:
    """A page that asks for what `form_class` needs and then does it: `carry_out` gets the answers; what it returns is said.

    With `states` a second page says first what would be done, and only its confirmation does it. `facts` stand above
    the form, `hidden` fields come along. It goes `back` to the page of `obj`, unless told where to.
    """
    if obj and not back:
        back = _page_of(obj)
    step = request.POST.get("step", "")
    form = form_class(request.POST) if step else form_class()
    summary: Sequence[str] = ()
    if step and form.is_valid():
        if states and step == "review":
            summary = states(form.cleaned_data)
        else:
            try:
                messages.success(request, carry_out(form.cleaned_data) or _("已完成：%(what)s。") % {"what": title})
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


def _page_of(row: Model) -> str:
    return reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])


def login_name(user: User) -> str:
    """What a person is called, and by which name they sign in."""
    if user.name == user.username:
        return user.username
    return _("%(name)s（%(login)s）") % {"name": user.name, "login": user.username}


def row_link(row: Model, words: str) -> str:
    """A link to a row's own page here."""
    return format_html('<a href="{}">{}</a>', _page_of(row), words)


def coins_text(amount: int | None) -> str:
    """An amount with its thousands apart."""
    return "—" if amount is None else f"{amount:,}"


def changes_text(changed: Iterable[Change]) -> str:
    """From what to what, one line for each value that differs."""
    lines = format_html_join(
        "", "<div>{}{}{} → {}</div>", ((each.name, _("："), each.before, each.after) for each in changed)
    )
    return format_html("<div>{}</div>", lines)
