"""QR codes, drawn into the page."""

import segno
from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag
def qr(text: str) -> SafeString:
    """A text as a QR code that is as large as its place; dark on light in every scheme, as scanners want it."""
    code = segno.make_qr(text, error="m")
    return mark_safe(code.svg_inline(border=3, omitsize=True, light="#fff", svgclass="qr", lineclass=None))  # noqa: S308
