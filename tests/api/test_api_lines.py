"""`POST /api/v1/score/` and `/judge/`: what the commands say, for everybody, and no more than is bearable."""

import json
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient
from rest_framework.throttling import AnonRateThrottle

from accounts.models import User
from accounts.tokens import token_create
from games.lines import ANSWERS, answer_line
from games.lines_api import LINE_MAX
from tests.games.rules.cases import cases

LINE = {"ruleset": "chengdu", "concealed": "1199p222888s", "melds": [{"kind": "pung", "tile": "5p"}], "win_tile": "1p"}
WAITING = {name: value for name, value in LINE.items() if name != "win_tile"}
#: Every so many lines of a conformance file are sent: all would take minutes.
SAMPLE = 31


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnonRateThrottle, "THROTTLE_RATES", {"anon": None, "user": None})


def post(route: str, body: Any, **more: Any) -> Any:
    """Send a value, or bytes as they are, signed in as nobody."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return APIClient().post(f"/api/v1/{route}", data, content_type="application/json", **more)


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    body: dict[str, Any] = response.json()
    assert (response.status_code, body["code"], response["Content-Type"]) == (status, code, "application/problem+json")
    return body


def test_a_win_and_waits_without_an_account_and_without_the_database(
    unhurried: None, db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        win, waits = post("score/", LINE), post("score/", WAITING)
    assert (win.status_code, waits.status_code) == (200, 200)
    assert win.json() == {
        "win": True,
        "base": "duiduihu",
        "gen": 0,
        "fan": 1,
        "uncapped_fan": 1,
        "multiplier": 2,
        "units": 2,
        "jipin": False,
    }
    assert [wait["tile"] for wait in waits.json()["waits"]] == ["1p", "9p"]


@pytest.mark.parametrize("name", ["hands", "waits", "records", "illegal"])
def test_the_answer_is_the_command_s(unhurried: None, name: str) -> None:
    """A sample of the conformance files, and all that cannot be judged."""
    chosen = list(cases(name))[:: 1 if name == "illegal" else SAMPLE]
    for case in chosen:
        command, route = ("score", "score/") if "concealed" in case["in"] else ("judge", "judge/")
        written = json.loads(answer_line(ANSWERS[command], json.dumps(case["in"]).encode()))
        response = post(route, case["in"])
        if "error" not in written:
            assert (response.status_code, response.json()) == (200, written)
            continue
        error = written["error"]
        body = problem(response, 400 if error["code"] == "bad_format" else 422, error["code"])
        assert (body["detail"], body["data"]) == (error["message"], {"at": error["at"]})
        assert body["code"] == case["out"]["error"]["code"]


def test_the_sample_has_every_code() -> None:
    codes = {case["out"]["error"]["code"] for case in cases("illegal")}
    assert codes == {
        "bad_format",
        "bad_wall",
        "unknown_ruleset",
        "bad_void",
        "illegal_action",
        "incomplete",
        "trailing_actions",
    }


@pytest.mark.parametrize("route", ["score/", "judge/"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{} {}",
        b"\xff",
        b'{"ruleset": NaN}',
        b'{"ruleset": "chengdu", "ruleset": "chengdu"}',
        b'{"id": "\\ud800"}',
        b"9" * 5000,
        b"[" * 60_000,
    ],
)
def test_what_is_no_line(unhurried: None, route: str, body: bytes) -> None:
    assert problem(post(route, body), 400, "bad_format")["data"] == {"at": None}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"fan_orign": 3}, ["fan_orign", "3", "fan_origin", "jipin_fan"]),
        ({"self_draw_bonus": "fans"}, ["self_draw_bonus", "'fans'", "none, base, fan"]),
        ({"cap_fan": 21}, ["cap_fan", "21", "null or a whole number from 0 to 20"]),
        ({"kong_fan": {"exposed": 1}}, ["kong_fan", "'exposed': 1", "all of exposed, added, concealed"]),
        ({"patterns": {"pinghuu": 1}}, ["patterns", "pinghuu", "duiduihu, pinghu"]),
    ],
)
@pytest.mark.parametrize("route", ["score/", "judge/"])
def test_a_misspelled_option_is_named_with_its_value_and_what_is_allowed(
    unhurried: None, route: str, options: dict[str, Any], named: list[str]
) -> None:
    record = {"format": "sichuan-mahjong-hand", "version": 1}
    response = post(route, {**record, **LINE, "ruleset": {"preset": "chengdu", "options": options}})
    detail = problem(response, 422, "unknown_ruleset")["detail"]
    assert [name for name in named if name not in detail] == []


def test_an_explained_win_is_the_plain_one_with_its_reasons(unhurried: None) -> None:
    line = {
        "ruleset": {"preset": "chengdu", "options": {"exposed_kong_flower": "discarder", "self_draw_bonus": "base"}},
        "concealed": "1199p888s",
        "melds": [{"kind": "concealed_kong", "tile": "5p"}, {"kind": "exposed_kong", "tile": "2s"}],
        "win_tile": "1p",
        "self_draw": True,
        "flags": ["kong_flower"],
    }
    explained = post("score/?explain=true", line).json()
    assert post("score/?explain=false", line).json().items() <= explained.items()
    assert [item["name"] for item in explained["items"]] == [
        "duiduihu",
        "concealed_kong",
        "exposed_kong",
        "kong_flower",
    ]
    paid = [(payment["kind"], payment["payer"], payment["units"]) for payment in explained["payments"]]
    assert paid[0] == ("win", "feeder", explained["multiplier"]), "no bonus where the feeder alone pays"
    assert {(kind, payer) for kind, payer, _units in paid[1:]} >= {("kong", "each"), ("kong", "feeder")}


@pytest.mark.parametrize(
    ("changes", "payer"),
    [
        ({}, "discarder"),
        ({"self_draw": True}, "each"),
        ({"flags": ["robbed_kong"]}, "robbed"),
        ({"flags": ["kong_shot"]}, "discarder"),
    ],
)
def test_who_pays(unhurried: None, changes: dict[str, Any], payer: str) -> None:
    payments = post("score/?explain=true", {**LINE, "ruleset": "qq_xuezhan", **changes}).json()["payments"]
    assert (payments[0]["kind"], payments[0]["payer"]) == ("win", payer)
    transferred = [payment["units"] for payment in payments if payment["kind"] == "kong_transfer"]
    assert transferred == ([None] if changes == {"flags": ["kong_shot"]} else [])


def test_waits_and_a_hand_that_does_not_win_explain_nothing(unhurried: None) -> None:
    for line in (WAITING, {**LINE, "win_tile": "2p"}):
        assert post("score/?explain=true", line).json() == post("score/", line).json()


def test_wrong_parameters(unhurried: None) -> None:
    assert problem(post("score/?explain=yes", LINE), 400, "invalid")["errors"][0]["code"] == "invalid_choice"
    assert problem(post("judge/?explain=true", LINE), 400, "invalid")["errors"][0]["code"] == "unknown_parameter"


@pytest.mark.parametrize("route", ["score/", "judge/"])
def test_other_methods_media_types_and_tokens(unhurried: None, route: str, db: None) -> None:
    problem(APIClient().get(f"/api/v1/{route}"), 405, "method_not_allowed")
    problem(APIClient().post(f"/api/v1/{route}", LINE, format="multipart"), 415, "unsupported_media_type")
    problem(post(route, LINE, headers={"Authorization": "Bearer smc_wrong"}), 401, "authentication_failed")
    _token, text = token_create(user=User.objects.create_user("anna"), name="bot")
    assert post("score/", LINE, headers={"Authorization": f"Bearer {text}"}).status_code == 200


def test_a_session_needs_no_csrf_token(unhurried: None, db: None) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("anna"))
    assert client.post("/api/v1/score/", LINE).status_code == 200


@pytest.mark.parametrize("route", ["score/", "judge/"])
def test_a_body_has_a_limit(unhurried: None, route: str) -> None:
    padding = "x" * (LINE_MAX - len(json.dumps({**LINE, "id": ""})))
    assert post("score/", {**LINE, "id": padding}).status_code == 200
    problem(post(route, {**LINE, "id": padding + "x"}), 413, "body_too_large")


def test_an_address_is_throttled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnonRateThrottle, "THROTTLE_RATES", {"anon": "3/min", "user": None})
    cache.clear()
    assert [post("score/", LINE).status_code for _ in range(3)] == [200] * 3
    refused = post("judge/", LINE)
    assert int(refused["Retry-After"]) in range(1, 61)
    problem(refused, 429, "throttled")
    assert post("score/", LINE, REMOTE_ADDR="192.0.2.7").status_code == 200
    cache.clear()
