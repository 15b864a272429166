"""The account page and notices, and what every page of a signed-in person shares."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.errors import Refused
from accounts.forms import ProfileForm, TokenForm
from accounts.models import User
from accounts.notices import notice_address, notice_words, notices_of, notices_read, switches_of, switches_set
from accounts.sessions import device_end, devices_end, devices_of
from accounts.tokens import token_create, token_revoke

P = ParamSpec("P")

_NOTICES: Final = 50  # that the page shows


class SignedInRequest(HttpRequest):
    user: User


def page(
    view: Callable[Concatenate[SignedInRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """A page for signed-in people. A refusal is shown as the error page of its status; where a form was sent, as a message
    on the page that it came from."""

    @login_required
    @wraps(view)
    def guarded(request: SignedInRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except Refused as refusal:
            if request.method == "POST":
                messages.error(request, str(refusal.message))
                return redirect(_came_from(request))
            return render(request, "refused.html", {"refusal": refusal}, status=refusal.status)

    return guarded  # type: ignore[return-value]


def form_only(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: an address that only takes a form says so where it is opened as a page. Signing in again after a form was sent
    leads there, and so does changing the language on the page that answered. The API has an answer of its own."""

    def answered(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code == 405 and request.method == "GET" and not response.content:
            allow = response.headers["Allow"]
            response = render(request, "405.html", status=405)
            response.headers["Allow"] = allow
        return response

    return answered


def _came_from(request: HttpRequest) -> str:
    referer = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(
        referer, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return referer if ours else reverse("home")


def language_remember(response: HttpResponse, user: User) -> None:
    """Speak a person's own language from the next page on."""
    if user.language:
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, user.language, max_age=365 * 24 * 3600, samesite="Lax")


@require_GET
@page
def account(request: SignedInRequest) -> HttpResponse:
    return _account_page(request, profile=ProfileForm(instance=request.user), token_form=TokenForm())


@require_POST
@page
def profile_change(request: SignedInRequest) -> HttpResponse:
    form = ProfileForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _account_page(request, profile=form, token_form=TokenForm(), status=400)
    user = form.save()
    with override(user.language):
        messages.success(request, _("已保存"))
    response = redirect("account")
    language_remember(response, user)
    return response


@require_POST
@page
def token_new(request: SignedInRequest) -> HttpResponse:
    """Make a token and show it, this once, on the page that answers."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _account_page(request, profile=ProfileForm(instance=request.user), token_form=form, status=400)
    _token, plain = token_create(user=request.user, name=form.cleaned_data["name"], expires_at=form.expires_at())
    return _account_page(
        request, profile=ProfileForm(instance=request.user), token_form=TokenForm(), plain_token=plain, status=201
    )


@require_POST
@page
def token_end(request: SignedInRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(request.user.api_tokens, pk=token_id)
    token_revoke(token=token)
    messages.success(request, _("令牌「%(name)s」已撤销") % {"name": token.name})
    return redirect("account")


@require_POST
@page
def switches_change(request: SignedInRequest) -> HttpResponse:
    """Of which kinds one is told on the site and by e-mail."""
    switches_set(user=request.user, on_site=request.POST.getlist("on_site"), by_mail=request.POST.getlist("by_mail"))
    messages.success(request, _("已保存"))
    return redirect(f"{reverse('account')}#notices")


@require_POST
@page
def device_out(request: SignedInRequest, device_id: int) -> HttpResponse:
    """Sign out on another device."""
    if not device_end(user=request.user, device_id=device_id):
        raise Http404
    messages.success(request, _("那台设备已退出登录"))
    return redirect(f"{reverse('account')}#devices")


@require_POST
@page
def devices_out(request: SignedInRequest) -> HttpResponse:
    """Sign out everywhere but here."""
    devices_end(user=request.user, but=request.session.session_key)
    messages.success(request, _("其他设备都已退出登录"))
    return redirect(f"{reverse('account')}#devices")


def _account_page(
    request: SignedInRequest, *, profile: ProfileForm, token_form: TokenForm, plain_token: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "profile": profile,
        "token_form": token_form,
        "plain_token": plain_token,
        "tokens": request.user.api_tokens.filter(revoked_at=None),
        "switches": switches_of(request.user),
        "mail": EmailAddress.objects.get_verified(request.user),
        "devices": devices_of(user=request.user, here=request.session.session_key),
    }
    response = render(request, "accounts/account.html", context, status=status)
    if plain_token:
        response["Cache-Control"] = "no-store"
    return response


# --- Notices -------------------------------------------------------------------------------------------------------
@require_http_methods(["GET", "HEAD", "POST"])
@page
def notices(request: SignedInRequest) -> HttpResponse:
    """What one was told lately; POST takes note of all of it."""
    if request.method == "POST":
        notices_read(user=request.user)
        return redirect("notices")
    told = [{"notice": notice, "words": notice_words(notice)} for notice in notices_of(request.user)[:_NOTICES]]
    return render(request, "accounts/notices.html", {"told": told})


@require_GET
@page
def notice(request: SignedInRequest, notice_id: int) -> HttpResponse:
    """Go to what a notice is about, and take note of it."""
    told = get_object_or_404(notices_of(request.user), pk=notice_id)
    notices_read(user=request.user, ids=[told.pk])
    return redirect(notice_address(told))
