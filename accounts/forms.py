"""Forms of accounts: sign-up, the profile, API tokens, the end of an account."""

from datetime import timedelta
from typing import Any, ClassVar

from allauth.account.forms import LoginForm as AllauthLoginForm
from allauth.account.forms import ReauthenticateForm
from allauth.account.forms import SignupForm as AllauthSignupForm
from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import ApiToken, User
from accounts.naming import name_validate

_NAME = User._meta.get_field("display_name")


class SignupForm(AllauthSignupForm):
    """allauth's form and the name that others see at the table."""

    display_name = forms.CharField(
        label=_("昵称"),
        max_length=_NAME.max_length,
        validators=[name_validate],
        help_text=_("同桌的人看到的名字，以后可以改"),
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    field_order: ClassVar = ["display_name", "username", "password1", "password2"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _("登录用，只能用字母、数字和 @ . + - _")
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class LoginForm(AllauthLoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("display_name", "language")
        help_texts: ClassVar = {"display_name": _("同桌的人看到的名字，最多 24 字")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["display_name"].required = True
        self.fields["language"] = forms.ChoiceField(label=_("语言"), choices=settings.LANGUAGES)
        self.initial["language"] = self.instance.language or get_language()


class CloseForm(ReauthenticateForm):
    """The password, to close an account for good; allauth limits how often it may be guessed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].widget.attrs.pop("placeholder", None)


class TokenForm(forms.Form):
    """A new API token: its name and how long it is good for."""

    name = forms.CharField(
        label=_("用途"),
        max_length=ApiToken._meta.get_field("name").max_length,
        help_text=_("给自己看的，例如「月报脚本」"),
    )
    days = forms.TypedChoiceField(
        label=_("有效期"),
        coerce=int,
        choices=[(30, _("30 天")), (90, _("90 天")), (365, _("一年")), (0, _("不过期"))],
        initial=90,
    )

    def expires_at(self) -> Any:
        """When the token asked for ends; None: never."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=days) if days else None
