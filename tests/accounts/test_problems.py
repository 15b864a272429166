"""Every kind of error that an API view can end in, as the client gets it."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from django.test import Client
from django.utils.translation import override
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from accounts.errors import Refused


def answer(failure: Exception, language: str = "en") -> tuple[Response, dict[str, Any]]:
    """What a view that fails so answers."""

    class Failing(APIView):
        permission_classes = ()
        authentication_classes = ()
        throttle_classes = ()

        def get(self, request: Request) -> Response:
            raise failure

    with override(language):
        response = Failing.as_view()(APIRequestFactory().get("/api/v1/hands/"))
        response.render()
    assert response["Content-Type"] == "application/problem+json"
    return response, json.loads(response.content)


def test_a_refusal_keeps_its_code_status_words_and_values() -> None:
    response, problem = answer(Refused("insufficient_coins", "金币不足", status=409, missing=300))
    assert response.status_code == 409
    assert len(problem.pop("request_id")) == 32
    assert problem == {
        "type": "about:blank",
        "title": "Conflict",
        "status": 409,
        "detail": "金币不足",
        "instance": "/api/v1/hands/",
        "code": "insufficient_coins",
        "data": {"missing": 300},
    }


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (Http404(), 404, "not_found"),
        (exceptions.NotFound(), 404, "not_found"),
        (PermissionDenied(), 403, "permission_denied"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (exceptions.ParseError(), 400, "parse_error"),
        (SuspiciousOperation("details"), 400, "parse_error"),
        (exceptions.UnsupportedMediaType("text/csv"), 415, "unsupported_media_type"),
        (exceptions.Throttled(wait=6.2), 429, "throttled"),
    ],
)
def test_the_errors_of_django_and_its_api_have_codes(failure: Exception, status: int, code: str) -> None:
    response, problem = answer(failure)
    assert (response.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert "errors" not in problem


def test_throttling_says_when_to_come_back() -> None:
    assert answer(exceptions.Throttled(wait=6.2))[0]["Retry-After"] == "7"


def test_wrong_fields_are_named_by_pointers() -> None:
    class Line(serializers.Serializer[Any]):
        amount = serializers.IntegerField(min_value=1)

    class Form(serializers.Serializer[Any]):
        name = serializers.CharField(max_length=3)
        lines = Line(many=True)

        def validate_name(self, name: str) -> str:
            raise serializers.ValidationError(["one", "two"], code="odd")

    form = Form(data={"name": "abc", "lines": [{"amount": 1}, {"amount": "x"}]})
    form.is_valid()
    _response, problem = answer(
        exceptions.ValidationError({**form.errors, "non_field_errors": ["whole"], "a/b~": ["odd"]})
    )
    assert problem["code"] == "invalid"
    assert [(error["pointer"], error["code"]) for error in problem["errors"]] == [
        ("#/name", "odd"),
        ("#/name", "odd"),
        ("#/lines/1/amount", "invalid"),
        ("#", "invalid"),
        ("#/a~1b~0", "invalid"),
    ]
    assert problem["errors"][0]["message"] == "one"


def test_the_unforeseen_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        response, problem = answer(RuntimeError("the seed shows"))
    assert response.status_code == 500
    assert problem["code"] == "server_error"
    assert "seed" not in response.content.decode()
    assert problem["request_id"] in caplog.text
    assert "the seed shows" in caplog.text


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
def test_an_unknown_address_of_the_api_is_a_problem_too(client: Client, method: str) -> None:
    call: Callable[[str], Any] = getattr(client, method)
    response = call("/api/v1/nowhere/")
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == "not_found"
