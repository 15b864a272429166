"""Who may sign up: only somebody with a valid invitation, who is a member of its club from the first moment, or has asked to
be one."""

from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.contrib import messages
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import get_language

from accounts.errors import Refused
from accounts.models import User
from accounts.pages import language_remember
from clubs.invitations import invitation_find
from clubs.members import member_join, request_make
from clubs.models import Invitation

#: The session's invitation code, put there by the page of the invitation (`clubs.pages.join_code`).
SESSION_CODE: Final = "invitation"
#: The session's club: the one whose pages were seen last.
SESSION_CLUB: Final = "club"


def invitation_brought(request: HttpRequest) -> Invitation | None:
    """The invitation that a visitor came with, as long as it is valid."""
    code = request.session.get(SESSION_CODE)
    try:
        return invitation_find(code) if code else None
    except Refused:
        return None


class InvitedAccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return invitation_brought(request) is not None

    def save_user(self, request: HttpRequest, user: User, form: Form, commit: bool = True) -> User:
        """The new user and their membership or request, or neither: an invitation may be used up while the form is filled in."""
        code = request.session.get(SESSION_CODE, "")
        try:
            with transaction.atomic():
                super().save_user(request, user, form, commit=False)
                user.display_name = form.cleaned_data["display_name"]
                user.language = get_language() or ""
                user.save()
                club = invitation_find(code).club
                if club.needs_approval:
                    request_make(code=code, user=user)
                else:
                    member_join(code=code, user=user)
                    request.session[SESSION_CLUB] = club.slug
        except Refused as refusal:
            messages.error(request, str(refusal.message))
            raise ImmediateHttpResponse(redirect("join_code", code=code)) from refusal
        del request.session[SESSION_CODE]
        return user

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        slug = request.session.get(SESSION_CLUB)
        return reverse("lobby", args=[slug]) if slug else reverse("home")

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        language_remember(response, user)
        return response
