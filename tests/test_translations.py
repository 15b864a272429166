"""English is complete: every marked word is translated, and no English page shows Chinese but the names people gave."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from uuid import uuid4

import polib
import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from accounts.models import Transfer, User
from clubs.invitations import invitation_create
from clubs.models import Invitation, Membership
from clubs.rooms import room_create
from games import words
from games.desk.urls import urlpatterns as desk
from games.log import forget_folds
from games.models import Report
from games.reports import report_open
from games.rules.ruleset import PRESETS
from games.rules.tiles import TILE_NAMES
from games.selfplay import hand_play_out
from tests.people import PASSWORD, club_of, member_of, room_of, table_of

DOMAINS = ("django", "djangojs")
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%|<[^>]+>")
# Ideographs, their punctuation, full-width forms.
CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]+")

# A term of the game may stand in brackets behind its translation: "Kong refund (退税)".
TERM = re.compile(r" \([\u3400-\u9fff]+\)")

Key = tuple[str, str, str]


def catalogue(domain: str, locale: Path = settings.BASE_DIR / "locale") -> polib.POFile:
    return polib.pofile(str(locale / "en" / "LC_MESSAGES" / f"{domain}.po"))


def keys(entries: polib.POFile) -> set[Key]:
    return {(entry.msgctxt or "", entry.msgid, entry.msgid_plural) for entry in entries if not entry.obsolete}


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_entry_is_translated(domain: str) -> None:
    english = catalogue(domain)
    assert len(english) > 100
    assert [entry.msgid for entry in english if not entry.translated()] == []
    assert [entry.msgid for entry in english if entry.obsolete or entry.fuzzy] == []
    assert [entry.msgid for entry in english if CHINESE.search(without_terms("".join(forms(entry))))] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_translations_have_the_places_of_their_originals(domain: str) -> None:
    for entry in catalogue(domain):
        for form in forms(entry):
            assert sorted(PLACEHOLDER.findall(form)) == sorted(PLACEHOLDER.findall(entry.msgid)), entry.msgid


def without_terms(text: str) -> str:
    return TERM.sub("", text)


def forms(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) or [entry.msgstr]


@pytest.mark.skipif(
    shutil.which("xgettext") is None, reason="gettext is not installed (Debian: apt-get install gettext)"
)
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_catalogues_hold_the_words_of_the_code(domain: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for folder in ("accounts", "clubs", "config", "games", "static", "templates"):
        shutil.copytree(settings.BASE_DIR / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "locale").mkdir()
    collect = [sys.executable, "-m", "django", "makemessages", "--locale", "en", "--no-location", "--domain", domain]
    subprocess.run(collect, cwd=tree, check=True, capture_output=True, text=True, timeout=100)
    found, kept = keys(catalogue(domain, tree / "locale")), keys(catalogue(domain))
    assert found - kept == set(), "`make messages`, then translate"
    assert kept - found == set(), "`make messages`: no longer in the code"


def test_tiles_patterns_and_presets_have_english_words_of_their_own() -> None:
    with override("en"):
        assert words.tile_words("5m") == "5 wan"
        assert len({words.tile_words(tile) for tile in TILE_NAMES}) == len(TILE_NAMES)
        assert len({words.pattern_name(pattern) for pattern in words.PATTERNS}) == len(words.PATTERNS)
        payment = {"rule": "concealed_kong", "payer": 0, "payee": 1, "units": 1}
        assert words.payment_words(payment, ("Ann", "Bo")) == "Ann pays Bo 1 unit (Rain)"
        assert words.payment_words({**payment, "units": 2}, ("Ann", "Bo")) == "Ann pays Bo 2 units (Rain)"


class Shown(HTMLParser):
    """What a page says: its text, and the attributes that are read out or shown."""

    ATTRIBUTES = ("aria-label", "title", "placeholder", "alt", "value", "data-confirm", "data-confirm-words", "content")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.unread: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # A script is not shown; a language names itself in its own words.
        if tag in {"script", "style"} or dict(attrs).get("lang") == "zh-hans" or dict(attrs).get("value") == "zh-hans":
            self.unread = tag
        self.said += [value for name, value in attrs if name in self.ATTRIBUTES and value]

    def handle_endtag(self, tag: str) -> None:
        if tag == self.unread:
            self.unread = None

    def handle_data(self, data: str) -> None:
        if self.unread is None:
            self.said.append(data)


def chinese_in(page: str) -> list[str]:
    """The Chinese that a page shows."""
    return CHINESE.findall(without_terms("\n".join(Shown(page).said)))


@pytest.fixture
def world(db: None) -> dict[str, str]:
    """The addresses of a club whose people and rooms have English names. Reasons stay in the language they were written in."""
    forget_folds()
    with override("en"):
        return club_with_a_hand()


def club_with_a_hand() -> dict[str, str]:
    operator = User.objects.create_superuser("operator", password=PASSWORD)
    club = club_of(operator, name="Jinli", welcome_coins=50_000)
    users = [member_of(club, operator, name) for name in ("anna", "bao", "chen", "deng")]
    rooms = [room_of(club, operator, name=preset, preset=preset) for preset in PRESETS]
    room_create(club=club, name="practice", actor=operator, preset="jj", bots_allowed=True)
    table = table_of(rooms[0], users)
    hand = hand_play_out(table_id=table.pk, users=users)
    report_open(hand_id=hand.pk, reporter=users[0], kind="fault", words="No answer")
    code = invitation_create(club=club, actor=operator, max_uses=3).code
    return {
        "home": reverse("home"),
        "join": reverse("join"),
        "join code": reverse("join_code", args=[code]),
        "lobby": reverse("lobby", args=[club.slug]),
        "table": reverse("table", args=[table.pk]),
        "history": reverse("history"),
        "hand": reverse("hand", args=[hand.pk]),
        "statement": reverse("statement", args=[club.slug]),
        "titles": reverse("titles", args=[club.slug]),
        "statistics": reverse("statistics", args=[club.slug]),
        "no statistics": reverse("statistics", args=[club.slug]) + "?period=dates&until=2020-01-01",
        "leaderboard": reverse("leaderboard", args=[club.slug]),
        "report": reverse("report", args=[hand.pk]),
        "reports": reverse("reports", args=[club.slug]),
        "account": reverse("account"),
        "notices": reverse("notices"),
        "address": reverse("account_email"),
        "closing": reverse("account_close"),
        "password": reverse("account_change_password"),
        "sign out": reverse("account_logout"),
        "no such page": "/no/such/page/",
        "rules": reverse("rules"),
        **{f"preset {preset}": reverse("preset_rules", args=[preset]) for preset in PRESETS},
        **{f"rules of {room.name}": reverse("room_rules", args=[room.pk]) for room in rooms},
    }


def read_out(client: Client, addresses: dict[str, str]) -> dict[str, list[str]]:
    """The Chinese on each page, where there is any."""
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"
    found: dict[str, list[str]] = {}
    for name, address in addresses.items():
        answer = client.get(address, follow=True)
        assert answer.status_code in {200, 404}, name
        assert 'lang="en"' in answer.text, name
        if left := chinese_in(answer.text):
            found[name] = left
    return found


def test_pages_in_english_are_in_english(client: Client, world: dict[str, str]) -> None:
    visitor = {"sign in": reverse("account_login"), "sign up": reverse("account_signup"), "join": world["join"]}
    assert read_out(client, {**visitor, "join code": world["join code"]}) == {}
    client.force_login(User.objects.get(username="anna"))
    assert read_out(client, world) == {}


def test_the_desk_in_english_is_in_english(client: Client, world: dict[str, str]) -> None:
    """But for titles and options of rules, whose names in the log stay as they were written."""
    client.force_login(User.objects.get(username="operator"))
    values = {
        "slug": "jinli",
        "member_id": Membership.objects.get(user__username="anna").pk,
        "invitation_id": Invitation.objects.latest("pk").pk,
        "transfer_id": Transfer.objects.latest("pk").pk,
        "room_id": world["rules of jj"].split("/")[2],
        "table_id": world["table"].split("/")[2],
        "report_id": Report.objects.latest("pk").pk,
    }
    pages = {
        pattern.name: reverse(
            pattern.name, kwargs={"slug": "jinli"} | {each: values[each] for each in pattern.pattern.regex.groupindex}
        )
        for pattern in desk
        if pattern.name and not pattern.name.endswith(("csv", "live", "change", "answer", "check", "switch"))
    }
    states = {
        "coins chosen": f"{pages['desk_coins']}?member={values['member_id']}",
        "reports closed": f"{pages['desk_reports']}?state=closed",
    }
    assert read_out(client, {**pages, **states}) == {}
    order = {"kind": "issue", "amount": "5", "reason": "prize", "key": str(uuid4()), "member": values["member_id"]}
    review = client.post(pages["desk_coins"], {**order, "step": "review"})
    assert chinese_in(review.text) == []


def test_the_admin_in_english_is_in_english(client: Client, world: dict[str, str]) -> None:
    client.force_login(User.objects.get(username="operator"))
    lists = [
        "clubs_club",
        "clubs_membership",
        "clubs_invitation",
        "clubs_joinrequest",
        "clubs_room",
        "clubs_levelchange",
        "games_hand",
        "games_report",
    ]
    lists += ["accounts_transfer", "accounts_account", "accounts_user", "accounts_apitoken", "accounts_auditentry"]
    pages = {name: reverse(f"admin:{name}_changelist") for name in lists}
    forms_of = {f"{name} form": reverse(f"admin:{name}_add") for name in ("clubs_club", "clubs_room", "accounts_user")}
    room, hand = world["rules of jj"].split("/")[2], world["hand"].split("/")[2]
    shown = {
        "room": reverse("admin:clubs_room_change", args=[room]),
        "hand": reverse("admin:games_hand_change", args=[hand]),
    }
    assert read_out(client, {"index": reverse("admin:index"), **pages, **forms_of, **shown}) == {}
