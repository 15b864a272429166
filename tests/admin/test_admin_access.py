"""Who may open the admin, and that every page of it opens in both languages and deletes nothing."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.models import ApiToken, AuditEntry, User
from accounts.tokens import token_create
from clubs.models import Club, Membership, Room

MODELS = sorted(f"{model._meta.app_label}_{model._meta.model_name}" for model in admin.site._registry)


@pytest.mark.parametrize("name", MODELS)
def test_lists_open_for_the_sites_operators_alone(name: str, desk: Client, anna: Membership, room: Room) -> None:
    path = reverse(f"admin:{name}_changelist")
    assert desk.get(path).status_code == 200
    assert desk.get(path, {"q": "anna"}).status_code == 200
    assert desk.get(path, headers={"Accept-Language": "en"}).status_code == 200
    member = Client()
    member.force_login(anna.user)
    for client in (Client(), member):
        assert client.get(path).status_code in (302, 403)


@pytest.mark.parametrize("name", MODELS)
def test_pages_open_and_nothing_can_be_deleted(name: str, desk: Client, anna: Membership, room: Room) -> None:
    token_create(user=anna.user, name="bot")
    model = next(each for each in admin.site._registry if name == f"{each._meta.app_label}_{each._meta.model_name}")
    first = model.objects.first()  # type: ignore[attr-defined]
    if first is None:
        return
    count = model.objects.count()  # type: ignore[attr-defined]
    assert desk.get(reverse(f"admin:{name}_change", args=[first.pk])).status_code == 200
    assert desk.post(reverse(f"admin:{name}_delete", args=[first.pk]), {"post": "yes"}).status_code == 403
    order = {"action": "delete_selected", "_selected_action": [first.pk], "post": "yes"}
    desk.post(reverse(f"admin:{name}_changelist"), order)
    assert model.objects.count() == count  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "lookup", "value"),
    [
        ("accounts_user", "password__startswith", "argon2"),
        ("accounts_user", "is_superuser__exact", "1"),
        ("accounts_apitoken", "digest__startswith", "a"),
        ("clubs_membership", "user__password__startswith", "argon2"),
        ("games_hand", "seed__regex", "^b"),
        ("games_hand", "actions__data__icontains", "5m"),
    ],
)
def test_lists_answer_no_question_about_what_they_do_not_show(desk: Client, name: str, lookup: str, value: str) -> None:
    """Asked often enough, they would tell passwords as they are stored, or the wall of a running hand."""
    assert desk.get(reverse(f"admin:{name}_changelist"), {lookup: value}).status_code == 400


@pytest.mark.parametrize(
    ("name", "lookup", "value"),
    [
        ("accounts_user", "is_staff__exact", "1"),
        ("accounts_apitoken", "revoked_at__isempty", "1"),
        ("accounts_auditentry", "action", "club.created"),
        ("accounts_transfer", "created_at_from_0", "2026-11-01"),
        ("accounts_transfer", "kind__exact", "hand"),
        ("clubs_membership", "club__id__exact", "1"),
        ("games_hand", "table__room__club__id__exact", "1"),
        ("games_hand", "status__exact", "playing"),
    ],
)
def test_lists_are_filtered_by_what_they_offer(
    desk: Client, anna: Membership, name: str, lookup: str, value: str
) -> None:
    assert desk.get(reverse(f"admin:{name}_changelist"), {lookup: value}).status_code == 200


@pytest.mark.parametrize("name", ["accounts_transfer", "accounts_account", "accounts_auditentry", "games_hand"])
def test_what_is_written_once_is_for_reading(name: str, desk: Client, anna: Membership) -> None:
    assert desk.get(reverse(f"admin:{name}_add")).status_code == 403


def test_first_page_has_the_figures(desk: Client, anna: Membership, bao: Membership) -> None:
    page = desk.get(reverse("admin:index")).content.decode()
    assert "流通金币" in page
    assert "200,000" in page
    assert "锦里麻将社" in page


def test_the_language_can_be_switched(desk: Client, club: Club) -> None:
    desk.post(reverse("set_language"), {"language": "en", "next": "/admin/"})
    assert '<html lang="en"' in desk.get("/admin/").content.decode()
    desk.post(reverse("set_language"), {"language": "zh-hans", "next": "/admin/"})
    assert '<html lang="zh-hans"' in desk.get("/admin/").content.decode()


def test_tokens_are_listed_without_their_digest_and_revoked(desk: Client, anna: Membership, site: User) -> None:
    token, text = token_create(user=anna.user, name="bot")
    for path in (
        reverse("admin:accounts_apitoken_changelist"),
        reverse("admin:accounts_apitoken_change", args=[token.pk]),
    ):
        page = desk.get(path).content.decode()
        assert "bot" in page
        assert token.digest not in page
        assert text not in page
    desk.post(reverse("admin:accounts_apitoken_revoke", args=[token.pk]), {"step": "confirm"})
    assert ApiToken.objects.get(pk=token.pk).revoked_at is not None
    assert AuditEntry.objects.get(action="user.token_revoked").actor == site


def test_people_are_made_changed_and_given_passwords(desk: Client, site: User) -> None:
    path = reverse("admin:accounts_user_add")
    secret = "xinhe-ting-9"
    made = desk.post(
        path, {"username": "lin", "display_name": "小林", "language": "", "password1": secret, "password2": secret}
    )
    assert made.status_code == 302, made.content.decode()
    lin = User.objects.get(username="lin")
    assert lin.check_password(secret)
    assert not lin.is_staff
    weak = desk.post(path, {"username": "wu", "password1": "12345678", "password2": "12345678"})
    assert weak.status_code == 200
    assert not User.objects.filter(username="wu").exists()
    page = reverse("admin:accounts_user_change", args=[lin.pk])
    desk.post(page, {"display_name": "林", "language": "en"})
    lin.refresh_from_db()
    assert (lin.display_name, lin.language, lin.is_active) == ("林", "en", False)
    desk.post(
        reverse("admin:accounts_user_password", args=[lin.pk]), {"step": "confirm", "password1": "a", "password2": "b"}
    )
    lin.refresh_from_db()
    assert lin.check_password(secret)
    fresh = "quetzal-pond-3"
    answers = {"step": "confirm", "password1": fresh, "password2": fresh}
    desk.post(reverse("admin:accounts_user_password", args=[lin.pk]), answers)
    lin.refresh_from_db()
    assert lin.check_password(fresh)
    actions = AuditEntry.objects.filter(subject_type="user", subject_id=str(lin.pk)).values_list("action", flat=True)
    assert set(actions) == {"user.created", "user.changed", "user.password_set"}


def test_an_operator_of_the_site_cannot_rise_or_unseat_another(desk: Client, site: User, db: None) -> None:
    root = User.objects.create_superuser("root", password="root-pass-1")
    desk.post(reverse("admin:accounts_user_change", args=[root.pk]), {"display_name": "x"})
    refused = desk.post(
        reverse("admin:accounts_user_password", args=[root.pk]),
        {"step": "confirm", "password1": "quetzal-pond-3", "password2": "quetzal-pond-3"},
    )
    assert refused.status_code == 403
    root.refresh_from_db()
    assert root.check_password("root-pass-1")
    desk.post(
        reverse("admin:accounts_user_add"),
        {
            "username": "mole",
            "password1": "quetzal-pond-3",
            "password2": "quetzal-pond-3",
            "is_staff": "on",
            "is_superuser": "on",
        },
    )
    mole = User.objects.get(username="mole")
    assert not mole.is_staff
    assert not mole.is_superuser
