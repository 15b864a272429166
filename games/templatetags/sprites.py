"""SVG sprites, put into a page once, so that `<use href="#m5">` finds its symbol without a request."""

from functools import cache
from pathlib import Path

from django import template
from django.contrib.staticfiles import finders
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag
@cache
def sprite(path: str) -> SafeString:
    """The SVG file at a static path, as an element of the page that takes no room. Raises `LookupError` if there is none."""
    found = finders.find(path)
    if found is None:
        raise LookupError(f"no static file {path!r}")
    return mark_safe(Path(found).read_text().replace("<svg ", '<svg class="sprite" aria-hidden="true" ', 1))  # noqa: S308
