"""What lets a phone keep the site like an app: its manifest, and a worker that shows a page of its own while there is no network.

The worker keeps that page and what it is drawn with, and nothing else: what is live is never shown from a store.
"""

from hashlib import sha256
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_GET

_FELT: Final = "#0A4538"  # --felt-lo of css/tokens.css
_PAPER: Final = "#FAF8F3"  # --paper
_KEPT: Final = ("site/offline.html", "site/offline.css", "site/mark.svg")


@require_GET
def manifest(request: HttpRequest, language: str) -> HttpResponse:
    """The web app manifest; browsers ask for it without cookies, so the language stands in the address."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with override(language):
        content = {
            "name": _("麻将俱乐部"),
            "short_name": _("麻将"),
            "description": _("四川麻将俱乐部：开桌、打牌、复盘、对账。"),
            "lang": language,
            "id": "/",
            "start_url": reverse("home"),
            "scope": "/",
            "display": "standalone",
            "theme_color": _FELT,
            "background_color": _PAPER,
            "icons": [
                *(_icon(size, "any") for size in (192, 512)),
                _icon(512, "maskable"),
                {"src": static("site/mark.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
            ],
            "shortcuts": [
                {"name": _("战绩"), "url": reverse("history")},
                {"name": _("算番器"), "url": reverse("calculator")},
            ],
        }
    return JsonResponse(content, content_type="application/manifest+json", json_dumps_params={"ensure_ascii": False})


def _icon(size: int, purpose: str) -> dict[str, str]:
    address = static(f"icons/app-{size}{'-maskable' if purpose == 'maskable' else ''}.png")
    return {"src": address, "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}


@require_GET
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker, at the root of the site so that it is asked about every page; another offline page, another worker."""
    content = b"".join(Path(str(finders.find(path))).read_bytes() for path in _KEPT)
    context = {"version": sha256(content).hexdigest()[:12], "kept": [static(path) for path in _KEPT]}
    answer = render(request, "worker.js", context, content_type="text/javascript")
    answer["Cache-Control"] = "no-cache"
    return answer
