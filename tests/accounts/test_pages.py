import re
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core import mail
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
        answer = own.get(address)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
        assert "不能直接打开" in answer.text and reverse("home") in answer.text, "a way on"


@pytest.mark.parametrize("address", ["account_login", "account_signup", "join"])
def test_entrance_pages_render_in_both_languages(client: Client, db: None, address: str) -> None:
    for language in ("zh-hans", "en"):
        page = client.get(reverse(address), headers={"accept-language": language})
        assert page.status_code == 200 and f'<html lang="{language}">' in page.text


# --- E-mail --------------------------------------------------------------------------------------------------------
def test_an_address_counts_once_its_link_was_opened(own: Client, person: User) -> None:
    address = reverse("account_email")
    own.post(address, {"email": "anna@club.example", "action_add": ""})
    (letter,) = mail.outbox
    assert letter.to == ["anna@club.example"] and letter.subject == "确认你的邮箱"
    assert "等你确认" in own.get(address).text
    assert "还没有确认过的邮箱" in own.get(reverse("account")).text
    link = re.search(r"http://testserver(\S+)", str(letter.body)).group(1)
    assert "anna@club.example" in own.get(link).text
    own.post(link)
    assert EmailAddress.objects.get(user=person, primary=True).verified
    assert "邮件寄到 anna@club.example" in own.get(reverse("account")).text
    own.post(address, {"email": "anna@club.example", "action_remove": ""})
    assert not EmailAddress.objects.filter(user=person).exists()


# --- Installing ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("language", "name"), [("zh-hans", "麻将俱乐部"), ("en", "Mahjong Club")])
def test_the_manifest_names_the_site_and_icons_that_are_there(client: Client, language: str, name: str) -> None:
    answer = client.get(reverse("manifest", args=[language]))
    assert answer.headers["Content-Type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["name"], manifest["lang"], manifest["start_url"]) == (name, language, "/")
    for icon in manifest["icons"]:
        assert finders.find(icon["src"].removeprefix("/static/")), icon
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}
    assert client.get("/manifest-fr.webmanifest").status_code == 404


def test_the_worker_keeps_the_offline_page_alone(client: Client) -> None:
    worker = client.get("/worker.js")
    assert worker.headers["Content-Type"].startswith("text/javascript")
    kept = re.search(r"const KEPT = \[(.*)\]", worker.text).group(1).replace('"', "").split(", ")
    assert kept == ["/static/site/offline.html", "/static/site/offline.css", "/static/site/mark.svg"]
    page = Path(str(finders.find("site/offline.html"))).read_text()
    assert set(re.findall(r'(?:src|href)="([^"]+)"', page)) == set(kept[1:])


def test_an_unknown_address_gets_the_sites_own_page(client: Client, db: None) -> None:
    page = client.get("/no/such/page/")
    assert page.status_code == 404 and "没有这一页" in page.text
