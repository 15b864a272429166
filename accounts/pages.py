"""The account page, and what every page of a signed-in person shares."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_GET, require_POST

from accounts.errors import Refused
from accounts.forms import ProfileForm, TokenForm
from accounts.models import User
from accounts.tokens import token_create, token_revoke

P = ParamSpec("P")


class SignedInRequest(HttpRequest):
    user: User


def page(
    view: Callable[Concatenate[SignedInRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """A page for signed-in people. A refusal is shown as the error page of its status; where a form was sent, as a message
    on the page that it came from."""

    @login_required
    @wraps(view)
    def guarded(request: SignedInRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Refused as refusal:
            if request.method == "POST":
                messages.error(request, str(refusal.message))
                return redirect(_came_from(request))
            return render(request, "refused.html", {"refusal": refusal}, status=refusal.status)

    return guarded  # type: ignore[return-value]


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


def _account_page(
    request: SignedInRequest, *, profile: ProfileForm, token_form: TokenForm, plain_token: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "profile": profile,
        "token_form": token_form,
        "plain_token": plain_token,
        "tokens": request.user.api_tokens.filter(revoked_at=None),
    }
    response = render(request, "accounts/account.html", context, status=status)
    if plain_token:
        response["Cache-Control"] = "no-store"
    return response
