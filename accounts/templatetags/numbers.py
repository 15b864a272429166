"""How numbers and people are written on pages: coins in full and grouped, changes with their sign."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()

_MINUS: Final = "\N{MINUS SIGN}"
_AVATAR_COLOURS: Final = 6


@register.filter
def coins(value: int | Decimal) -> str:
    """1284600 → 1,284,600, and -0.45 → −0.45."""
    return f"{value:,}".replace("-", _MINUS)


@register.filter
def signed(value: int) -> str:
    """1200 → +1,200, -400 → −400, 0 → 0."""
    return f"+{value:,}" if value > 0 else coins(value)


@register.filter
def change(value: int) -> SafeString:
    """A gain or a loss, with its sign and its colour."""
    tone = "up" if value > 0 else "down" if value < 0 else "zero"
    return format_html('<b class="amt {}">{}</b>', tone, signed(value))


@register.filter
def percent(share: float) -> str:
    """0.5708 → 57.1%."""
    return f"{100 * share:.1f}%"


@register.filter
def day_time(moment: datetime) -> str:
    """11月28日 21:42, where the year is plain."""
    return date_format(timezone.localtime(moment), _("n月j日 H:i"), use_l10n=False)


@register.filter
def day_name(day: date) -> str:
    """11月28日 星期六, where the year is plain."""
    return date_format(day, _("n月j日 l"), use_l10n=False)


@register.filter
def size(number: int) -> int:
    """How many that is, whatever its sign: −1 is one."""
    return abs(number)


@register.simple_tag
def zone() -> str:
    """The time zone that pages speak in: UTC+8, or its name where clocks are changed in the year."""
    here, now = timezone.get_current_timezone(), timezone.now()
    offsets = {here.utcoffset(now.replace(month=month, day=1, tzinfo=None)) for month in range(1, 13)}
    if len(offsets) > 1:
        return str(here)
    minutes = int((offsets.pop() or timedelta()).total_seconds()) // 60
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'+' if minutes >= 0 else _MINUS}{hours}" + (f":{rest:02}" if rest else "")


@register.filter
def avatar(name: str) -> str:
    """The letter that stands for a person or a club."""
    return name[:1].upper()


@register.filter
def avatar_colour(name: str) -> str:
    """The class of a name's colour: always the same for the same name."""
    return f"c{sum(map(ord, name)) % _AVATAR_COLOURS + 1}"


@register.filter
def times(units: int, unit_coins: int) -> int:
    """Units in coins; in a room without coins the units themselves."""
    return units * (unit_coins or 1)
