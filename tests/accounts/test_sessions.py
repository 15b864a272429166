"""Where a person is signed in: noted now and then, listed, ended one by one or all at once."""

import time
from collections.abc import Callable

import pytest
from allauth.usersessions.models import UserSession
from django.test import Client, override_settings
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from accounts.sessions import NOTED_SECONDS, device_end, device_name, devices_end, devices_of
from config.settings import ALLAUTH_TRUSTED_PROXY_COUNT, NUM_PROXIES, REST_FRAMEWORK

PHONE = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0 Mobile Safari/537.36"
)
EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0 Safari/537.36 Edg/129.0"
IPAD = "Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile Safari/604.1"


@pytest.fixture
def anna(db: None) -> User:
    return User.objects.create_user("anna", password="anna-pass-1")


@pytest.fixture
def sign_in(anna: User) -> Callable[[str], Client]:
    """Anna signed in with a browser that describes itself so."""

    def signed_in(user_agent: str) -> Client:
        client = Client(headers={"user-agent": user_agent})
        client.force_login(anna)
        assert client.get(reverse("account")).status_code == 200
        return client

    return signed_in


def key_of(client: Client) -> str:
    return str(client.session.session_key)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (PHONE, "Android · Chrome"),
        (EDGE, "Windows · Edge"),
        (IPAD, "iPad · Safari"),
        ("curl/8", "不认识的设备"),
        ("", "不认识的设备"),
    ],
)
def test_a_device_has_a_name(user_agent: str, name: str) -> None:
    assert device_name(user_agent) == name


def test_devices_are_listed_this_one_first(anna: User, sign_in: Callable[[str], Client]) -> None:
    phone, _desk = sign_in(PHONE), sign_in(EDGE)
    devices = devices_of(user=anna, here=key_of(phone))
    assert [(device.name, device.is_here) for device in devices] == [
        ("Android · Chrome", True),
        ("Windows · Edge", False),
    ]
    page = phone.get(reverse("account")).text
    assert "Android · Chrome" in page and "Windows · Edge" in page and "退出其他所有设备" in page


def test_the_last_use_is_noted_once_in_a_while(
    anna: User, sign_in: Callable[[str], Client], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    phone = sign_in(PHONE)
    before = UserSession.objects.get().last_seen_at
    phone.get(reverse("account"))
    assert UserSession.objects.get().last_seen_at == before
    session = phone.session
    session["noted_at"] = int(time.time()) - NOTED_SECONDS
    session.save()
    phone.get(reverse("account"))
    assert UserSession.objects.get().last_seen_at > before


def test_nothing_is_noted_of_visitors(client: Client, db: None) -> None:
    client.get(reverse("calculator"))
    assert not UserSession.objects.exists()


def test_one_device_is_signed_out(anna: User, sign_in: Callable[[str], Client]) -> None:
    phone, desk = sign_in(PHONE), sign_in(EDGE)
    other = next(device for device in devices_of(user=anna, here=key_of(phone)) if not device.is_here)
    assert phone.post(reverse("device_end", args=[other.id])).status_code == 302
    assert desk.get(reverse("account")).status_code == 302
    assert phone.get(reverse("account")).status_code == 200
    assert phone.post(reverse("device_end", args=[other.id])).status_code == 404


def test_all_others_are_signed_out(anna: User, sign_in: Callable[[str], Client]) -> None:
    phone, *others = sign_in(PHONE), sign_in(EDGE), sign_in(IPAD)
    phone.post(reverse("devices_end"))
    assert [client.get(reverse("account")).status_code for client in (phone, *others)] == [200, 302, 302]


def test_nobody_ends_anothers_session(anna: User, sign_in: Callable[[str], Client]) -> None:
    phone = sign_in(PHONE)
    bao = User.objects.create_user("bao")
    device = devices_of(user=anna, here=None)[0]
    assert not device_end(user=bao, device_id=device.id)
    devices_end(user=bao)
    assert phone.get(reverse("account")).status_code == 200


def test_a_session_that_another_password_ended_is_not_listed(anna: User, sign_in: Callable[[str], Client]) -> None:
    sign_in(PHONE)
    anna.set_password("another-pass-1")
    anna.save()
    assert devices_of(user=anna, here=None) == []


def test_pages_of_a_signed_in_person_are_kept_by_nobody(sign_in: Callable[[str], Client], client: Client) -> None:
    """A page of statement or history would otherwise be shown to whoever goes back after signing out."""
    own = sign_in(PHONE)
    for name in ("home", "history", "account", "notices", "account_email", "rules", "api_me"):
        answer = own.get(reverse(name))
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "private, no-store"
    assert "Cache-Control" not in client.get(reverse("rules")).headers
    assert own.get(reverse("worker")).headers["Cache-Control"] == "no-cache"


def test_signing_in_and_the_api_count_the_same_proxies() -> None:
    assert ALLAUTH_TRUSTED_PROXY_COUNT == REST_FRAMEWORK["NUM_PROXIES"] == NUM_PROXIES


@override_settings(ALLAUTH_TRUSTED_PROXY_COUNT=1)
def test_behind_a_proxy_nobody_uses_up_the_tries_of_all(client: Client, anna: User) -> None:

    def sign_in(address: str, name: str, password: str) -> int:
        answer = client.post(
            reverse("account_login"),
            {"login": name, "password": password},
            headers={"x-forwarded-for": f"192.0.2.250, {address}"},
        )
        return answer.status_code

    tries = [sign_in("192.0.2.1", f"nobody{number}", "wrong-pass-1") for number in range(40)]
    assert tries[-1] == 429
    assert sign_in("192.0.2.2", "anna", "anna-pass-1") == 302
