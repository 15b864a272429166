"""What every form of a room's terms has: their fields, and one for every option of the rules, made from `OPTIONS`.

An option's field is empty where the room plays as its preset does, so that only what differs is stored. The desk's form is in
`games.desk.rooms`, the admin's, with the admin's widgets, in `games.room_form`.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.models import RoomTerms
from clubs.rooms import TERMS, preset_name
from games.rulebook import allowed_words, listed_values, option_title, option_words, row_title
from games.rules.options import OPTIONS, Option, OptionKind, RulesetError
from games.rules.ruleset import PRESETS, Ruleset

_NULL: Final = "null"

#: What has a field of its own in the form as it has in the terms.
PLAIN: Final = tuple(name for name in TERMS if name not in ("preset", "options"))


def field_names(option: Option) -> list[tuple[str, str | None]]:
    """The form's fields of an option: one, or one for each row of a table."""
    if option.kind is OptionKind.TABLE:
        return [(f"option_{option.name}_{row}", row) for row in option.rows]
    return [(f"option_{option.name}", None)]


def _choices(option: Option) -> Callable[[], Iterator[tuple[str, str]]]:
    def choices() -> Iterator[tuple[str, str]]:
        yield "", _("按规则预设")
        yield from ((_text(value), words) for value, words in listed_values(option))

    return choices


def _field(option: Option, row: str | None, number: type[forms.Widget], choice: type[Any]) -> forms.CharField:
    # No list of allowed values on the field itself: what is wrong is said by `clean`, in the words of the rules.
    is_listed = any(True for _value in listed_values(option))
    widget = choice(choices=_choices(option)) if is_listed else number()
    title = lazy(lambda: row_title(row) if row else option_title(option), str)()
    return forms.CharField(label=title, required=False, widget=widget)


def _entered(text: str) -> Any:
    """The JSON value that a field's text stands for."""
    if text in ("true", "false", _NULL):
        return {"true": True, "false": False, _NULL: None}[text]
    try:
        return int(text)
    except ValueError:
        return text


def _text(value: Any) -> str:
    return (
        {True: "true", False: "false", None: _NULL}[value]
        if value is None or value is True or value is False
        else str(value)
    )


class TermsForm(forms.BaseForm):
    """Part of a form that has the fields of `terms_fields`."""

    def terms_show(self, terms: RoomTerms) -> None:
        """Begin with the terms that a room has."""
        self.initial.update({name: getattr(terms, name) for name in ("preset", *PLAIN)})
        usual = PRESETS[terms.preset].ruleset.options()
        for option in OPTIONS.values():
            for name, row in field_names(option):
                value = usual[option.name] if row is None else usual[option.name].get(row)
                words = option_words(option, value) if row is None else str(value if value is not None else _("不计"))
                self.fields[name].help_text = _("预设：%(value)s") % {"value": words}
                if option.name in terms.options:
                    stored = terms.options[option.name]
                    shown = stored if row is None else stored.get(row)
                    if row is None or shown != value:
                        self.initial[name] = _text(shown)

    def clean(self) -> dict[str, Any] | None:
        cleaned: dict[str, Any] | None = super().clean()
        if "preset" in self.cleaned_data:
            self.cleaned_data["options"] = self._options(self.cleaned_data["preset"])
        if self.cleaned_data.get("bots_allowed") and (
            self.cleaned_data.get("coefficient") or self.cleaned_data.get("rake")
        ):
            self.add_error("bots_allowed", _("机器人没有钱包：允许机器人的房间，系数和台费都须为 0。"))
        return cleaned

    def _options(self, preset: str) -> dict[str, Any]:
        """The options that differ from the preset's. A wrong one is an error of its field that names it."""
        usual = PRESETS[preset].ruleset.options()
        given: dict[str, Any] = {}
        for option in OPTIONS.values():
            entered = {
                row: _entered(text) for name, row in field_names(option) if (text := self.cleaned_data.get(name, ""))
            }
            if not entered:
                continue
            value = entered[None] if None in entered else self._table(usual[option.name], entered)
            try:
                option.read(value)
            except RulesetError:
                self._say(option, entered)
            else:
                given[option.name] = value
        spec = Ruleset.parse({"preset": preset, "options": given}).spec
        return {} if isinstance(spec, str) else dict(spec["options"])

    def _table(self, usual: dict[str, int], entered: dict[str | None, Any]) -> dict[str, Any]:
        table = {**usual, **{str(row): value for row, value in entered.items()}}
        return {row: value for row, value in table.items() if value is not None}

    def _say(self, option: Option, entered: dict[str | None, Any]) -> None:
        names = {row: name for name, row in field_names(option)}
        for row, value in entered.items():
            self.add_error(
                names[row],
                _("选项「%(option)s」不能是 %(value)s，允许的是：%(allowed)s。")
                % {"option": option_title(option), "value": value, "allowed": allowed_words(option)},
            )

    def terms(self) -> dict[str, Any]:
        """The values of all terms, as `clubs.rooms` takes them."""
        return {name: self.cleaned_data[name] for name in TERMS}


def terms_fields(
    *, number: type[forms.Widget] = forms.NumberInput, choice: type[Any] = forms.Select
) -> dict[str, forms.Field]:
    """The fields of a room's terms, with widgets for numbers and choices."""
    fields: dict[str, forms.Field] = {
        "preset": forms.ChoiceField(
            label=gettext_lazy("规则预设"),
            choices=lambda: [(name, preset_name(name)) for name in PRESETS],
            widget=choice,
        )
    }
    for name in PLAIN:
        field: Any = RoomTerms._meta.get_field(name)
        made = field.formfield()
        if not isinstance(made, forms.TypedChoiceField):
            # A model's own limits are not the form's by themselves; those that are would be told twice.
            made.validators = [*made.validators, *(each for each in field.validators if each not in made.validators)]
        if isinstance(made, forms.IntegerField):
            made.widget = number()
        elif isinstance(made, forms.TypedChoiceField):
            made.widget = choice(choices=made.choices)
        fields[name] = made
    for option in OPTIONS.values():
        fields |= {name: _field(option, row, number, choice) for name, row in field_names(option)}
    return fields
