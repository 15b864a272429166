from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.clubs import MOST_WELCOME_COINS, zone_names
from clubs.members import MOST_MESSAGE
from clubs.models import Invitation, Title
from clubs.titles import MOST_NAME

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


class ClubForm(forms.Form):
    """What a club's operators can change of it."""

    name = forms.CharField(label=_("名称"), max_length=40)
    time_zone = forms.ChoiceField(
        label=_("时区"),
        choices=lambda: [(name, name) for name in zone_names()],
        help_text=_("俱乐部的日子从哪里的零点算起。"),
    )
    needs_approval = forms.BooleanField(label=_("加入须管理员同意"), required=False)
    welcome_coins = forms.IntegerField(label=_("新成员赠币"), min_value=0, max_value=MOST_WELCOME_COINS)


class TitlesForm(forms.Form):
    """The ladder of a club: a name for each level, a threshold in points for each but the first, and why they are changed."""

    text_widget: ClassVar[type[forms.Widget]] = forms.TextInput
    number_widget: ClassVar[type[forms.Widget]] = forms.NumberInput
    reason = forms.CharField(label=_("事由"), max_length=200)

    def __init__(self, data: Any = None, *, titles: Sequence[Title]) -> None:
        super().__init__(data)
        self.titles = titles
        for title in titles:
            label = gettext("第 %(level)d 级头衔") % {"level": title.level}
            self.fields[f"name_{title.level}"] = forms.CharField(
                label=label,
                initial=title.own_name,
                required=False,
                max_length=MOST_NAME,
                widget=self.text_widget({"aria-label": label, "placeholder": title.usual_name}),
            )
            if title.threshold is not None:
                label = gettext("第 %(level)d 级门槛") % {"level": title.level}
                self.fields[f"threshold_{title.level}"] = forms.IntegerField(
                    label=label, initial=title.threshold, widget=self.number_widget({"aria-label": label})
                )

    def ladder(self) -> Iterator[tuple[int, Any, Any]]:
        """Level, name and threshold (None for level 1) of each row."""
        for title in self.titles:
            threshold = f"threshold_{title.level}"
            yield title.level, self[f"name_{title.level}"], self[threshold] if threshold in self.fields else None

    def clean(self) -> dict[str, Any]:
        below: int | None = None
        for title in self.titles:
            threshold = self.cleaned_data.get(f"threshold_{title.level}")
            if threshold is None:
                continue
            if below is not None and threshold <= below:
                self.add_error(f"threshold_{title.level}", gettext("须大于上一级的 %(below)d。") % {"below": below})
            below = threshold
        return self.cleaned_data

    def changes(self, kind: str) -> dict[int, Any]:
        """What was entered, by level: `kind` is "name" or "threshold"."""
        names = {title.level: f"{kind}_{title.level}" for title in self.titles}
        return {level: self.cleaned_data[name] for level, name in names.items() if name in self.cleaned_data}
