"""API tokens and how a request is signed in by one."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from accounts.errors import Refused
from accounts.models import ApiToken, User
from accounts.tokens import SessionAuthentication, TokenAuthentication, token_create, token_revoke


@pytest.fixture
def anna(db: None) -> User:
    return User.objects.create_user("anna")


def sign_in(header: str | None) -> tuple[User, ApiToken] | None:
    headers = {} if header is None else {"Authorization": header}
    return TokenAuthentication().authenticate(Request(APIRequestFactory().get("/", headers=headers)))


def test_a_token_signs_in_and_is_not_stored(anna: User) -> None:
    token, text = token_create(user=anna, name=" 统计 ")
    assert text.startswith("smc_")
    assert len(text) > 40
    assert text not in str(ApiToken.objects.values().get())
    assert token.name == "统计"
    assert sign_in(f"Bearer {text}") == (anna, token)
    assert sign_in(f"bearer {text}") == (anna, token)
    token.refresh_from_db()
    assert token.last_used_at is not None


def test_the_last_use_is_kept_to_the_minute(anna: User) -> None:
    token, text = token_create(user=anna, name="x")
    recent, long_ago = timezone.now() - timedelta(seconds=30), timezone.now() - timedelta(seconds=90)
    for before, is_written in ((recent, False), (long_ago, True)):
        ApiToken.objects.update(last_used_at=before)
        sign_in(f"Bearer {text}")
        token.refresh_from_db()
        assert (token.last_used_at != before) is is_written


@pytest.mark.parametrize("header", [None, "", "Basic YTpi", "Token smc_x", "smc_x"])
def test_another_way_of_signing_in_is_left_to_others(anna: User, header: str | None) -> None:
    assert sign_in(header) is None


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer smc_x", "Bearer  smc_x y", "Bearer \xff\x00"])
def test_what_is_no_token_is_refused(anna: User, header: str) -> None:
    with pytest.raises(AuthenticationFailed):
        sign_in(header)


@pytest.mark.parametrize("end", ["revoked", "expired", "inactive", "deleted"])
def test_a_token_ends(anna: User, end: str) -> None:
    token, text = token_create(user=anna, name="x", expires_at=timezone.now() + timedelta(days=1))
    assert sign_in(f"Bearer {text}")
    if end == "revoked":
        token_revoke(token=token)
    elif end == "expired":
        ApiToken.objects.update(expires_at=timezone.now())
    elif end == "inactive":
        User.objects.update(is_active=False)
    else:
        anna.delete()
    with pytest.raises(AuthenticationFailed):
        sign_in(f"Bearer {text}")


def test_a_revoked_token_stays_as_it_was_revoked(anna: User) -> None:
    token, _text = token_create(user=anna, name="x")
    token_revoke(token=token)
    first = ApiToken.objects.get().revoked_at
    token_revoke(token=token)
    assert ApiToken.objects.get().revoked_at == first is not None


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\x00b"])
def test_a_token_has_a_name(anna: User, name: str) -> None:
    with pytest.raises(Refused) as caught:
        token_create(user=anna, name=name)
    assert (caught.value.code, caught.value.data) == ("bad_name", {"field": "name"})
    assert not ApiToken.objects.exists()


def test_a_token_does_not_expire_before_it_is_made(anna: User) -> None:
    with pytest.raises(Refused) as caught:
        token_create(user=anna, name="x", expires_at=timezone.now())
    assert caught.value.code == "bad_expiry"


def test_both_ways_challenge_with_401() -> None:
    request = APIRequestFactory().get("/")
    assert TokenAuthentication().authenticate_header(request) == "Bearer"
    assert SessionAuthentication().authenticate_header(request)
