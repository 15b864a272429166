from django import forms
from django.utils.translation import gettext_lazy as _

from clubs.models import Invitation


class JoinForm(forms.Form):
    """The code of an invitation, as somebody types it."""

    code = forms.CharField(
        label=_("邀请码"),
        max_length=Invitation._meta.get_field("code").max_length,
        help_text=_("不分大小写。链接里已经带着邀请码。"),
        widget=forms.TextInput(
            attrs={"class": "code", "autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )

    def clean_code(self) -> str:
        code = str(self.cleaned_data["code"]).strip().upper()
        if "/" in code:  # no address of an invitation holds one
            raise forms.ValidationError(_("没有这个邀请码，请核对后再试。"))
        return code
