import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import ApiToken, User
from accounts.tokens import token_create


@pytest.fixture
def person(db: None) -> User:
    return User.objects.create_user("anna", password="tea-house-42", display_name="Anna")


@pytest.fixture
def own(client: Client, person: User) -> Client:
    client.force_login(person)
    return client


def test_a_profile_change_speaks_the_new_language_at_once(own: Client, person: User) -> None:
    answer = own.post(reverse("profile_change"), {"display_name": "安娜", "language": "en"})
    person.refresh_from_db()
    assert (person.display_name, person.language) == ("安娜", "en")
    assert answer.cookies[settings.LANGUAGE_COOKIE_NAME].value == "en"


@pytest.mark.parametrize("change", [{"display_name": ""}, {"display_name": "长" * 25}, {"language": "fr"}])
def test_a_faulty_profile_changes_nothing(own: Client, person: User, change: dict[str, str]) -> None:
    answer = own.post(reverse("profile_change"), {"display_name": "安娜", "language": "en", **change})
    person.refresh_from_db()
    assert answer.status_code == 400
    assert (person.display_name, person.language) == ("Anna", "")


def test_a_token_is_shown_once(own: Client, person: User) -> None:
    page = own.post(reverse("token_new"), {"name": "月报", "days": "90"})
    assert page.status_code == 201 and "smc_" in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert "smc_" not in own.get(reverse("account")).text
    assert ApiToken.objects.get(user=person).expires_at is not None


@pytest.mark.parametrize(
    "form", [{"name": "", "days": "90"}, {"name": "月报", "days": "5"}, {"name": "x" * 61, "days": "0"}]
)
def test_a_faulty_token_is_not_made(own: Client, form: dict[str, str]) -> None:
    assert own.post(reverse("token_new"), form).status_code == 400
    assert not ApiToken.objects.exists()


def test_only_my_own_token_can_be_revoked(own: Client, person: User) -> None:
    mine, _text = token_create(user=person, name="mine")
    theirs, _text = token_create(user=User.objects.create_user("bao"), name="theirs")
    assert own.post(reverse("token_revoke", args=[mine.pk])).status_code == 302
    assert own.post(reverse("token_revoke", args=[theirs.pk])).status_code == 404
    mine.refresh_from_db()
    theirs.refresh_from_db()
    assert mine.revoked_at is not None and theirs.revoked_at is None


def test_pages_that_change_something_take_no_get(own: Client) -> None:
    for address in (reverse("profile_change"), reverse("token_new"), reverse("token_revoke", args=[1])):
        assert own.get(address).status_code == 405


@pytest.mark.parametrize("address", ["account_login", "account_signup", "join"])
def test_entrance_pages_render_in_both_languages(client: Client, db: None, address: str) -> None:
    for language in ("zh-hans", "en"):
        page = client.get(reverse(address), headers={"accept-language": language})
        assert page.status_code == 200 and f'<html lang="{language}">' in page.text


def test_an_unknown_address_gets_the_sites_own_page(client: Client, db: None) -> None:
    page = client.get("/no/such/page/")
    assert page.status_code == 404 and "没有这一页" in page.text
