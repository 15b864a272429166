from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from django import forms
from django.utils.translation import gettext_lazy as _

from clubs.members import MOST_MESSAGE
from clubs.models import Invitation

_LONGEST_LINK: Final = 200


class JoinForm(forms.Form):
    """The code of an invitation, or its whole link, as somebody types or pastes it."""

    code = forms.CharField(
        label=_("邀请码或链接"),
        max_length=_LONGEST_LINK,
        help_text=_("不分大小写，没有 0、O、1、I。二维码用手机的相机扫，会直接打开邀请。"),
        widget=forms.TextInput(
            attrs={"class": "code", "autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )

    def clean_code(self) -> str:
        typed = str(self.cleaned_data["code"]).strip()
        if "://" in typed:  # a link: …/join/CODE/
            with suppress(ValueError):  # it is none
                typed = urlsplit(typed).path.rstrip("/").rpartition("/join/")[2]
        code = typed.upper()
        if not code or "/" in code or len(code) > (Invitation._meta.get_field("code").max_length or 0):
            raise forms.ValidationError(_("没有这个邀请码，请核对后再试。"))
        return code


class RequestForm(forms.Form):
    """What somebody who asks to be let in says to the club's operators."""

    message = forms.CharField(
        label=_("给管理员的话（可不填）"),
        max_length=MOST_MESSAGE,
        required=False,
        help_text=_("例如谁介绍你来的。只有管理员看得到。"),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
