"""Names that others read: something is to be seen of each, and none spoils the page around it."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.naming import is_seen, name_validate

SEEN = ["老张", "锦里 麻将社", "锦里　麻将社", "Zoë O'Brien", "عمر", "😀", "👨‍👩‍👧", "❤️", "=1+1", "<b>厅</b>", "7"]
UNSEEN = ["", " ", "\u3000", "\u200b", "\u200d", "\u3164", "\u2800 \u115f", "\ufe0f", "\u0301"]
SPOILS = [
    "老\u202e张",
    "\u2067老张",
    "老\x00张",
    "老\n张",
    "老\u2028张",
    "a\x1b[2J",
    "\ufeff老张",
    "老\u200b张",
    "a\x85b",
]


@pytest.mark.parametrize("name", SEEN)
def test_names_as_people_have_them(name: str) -> None:
    assert is_seen(name)
    name_validate(name)


@pytest.mark.parametrize("name", UNSEEN + SPOILS)
def test_names_that_nobody_sees_or_that_spoil_the_page(name: str) -> None:
    assert not is_seen(name)
    with pytest.raises(ValidationError):
        name_validate(name)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["\u200b", "老\u202e张", "\u3164"])
def test_nobody_is_called_so(client: Client, name: str) -> None:
    anna = User.objects.create_user("anna", password="tea-house-42", display_name="Anna")
    client.force_login(anna)
    assert client.post(reverse("profile_change"), {"display_name": name, "language": "en"}).status_code == 400
    anna.refresh_from_db()
    assert anna.name == "Anna"
