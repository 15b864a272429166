"""Names that people choose, for themselves and for what they run: everybody else reads them."""

from typing import Final
from unicodedata import category

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

_JOINER: Final = "\u200d"  # makes one emoji of several
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs that look like nothing
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})  # that hide, break lines or turn the text around


def is_seen(name: str) -> bool:
    """Whether there is something to be seen of a name, and nothing in it that cannot be seen but spoils what stands around it."""
    shown = name.replace(_JOINER, "")
    return not any(category(letter) in _UNSEEN for letter in shown) and any(
        category(letter)[0] not in "ZM" and letter not in _BLANK for letter in shown
    )


def name_validate(name: str) -> None:
    """Validator of forms and models."""
    if not is_seen(name):
        raise ValidationError(_("名字要看得见，不能有控制字符。"), code="unseen")
