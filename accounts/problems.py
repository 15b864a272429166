"""Errors of the API: every refusal is an `application/problem+json` object (RFC 9457)."""

import logging
import math
import uuid
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Never

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, set_rollback

from accounts.errors import Refused

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


def problem_handler(error: Exception, context: Mapping[str, Any]) -> Response:
    """The answer to an exception of an API view.

    `code` is stable, `detail` is for the user in the user's language, `errors` names each wrong field by a JSON pointer,
    `data` are the values of a `Refused`. What was not foreseen is logged with its `request_id` and answered as 500
    `server_error`, without a word about its cause.
    """
    set_rollback()
    request: Request = context["request"]
    # An error is JSON also where the view answers in another format.
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), MEDIA_TYPE
    request_id = uuid.uuid4().hex
    known = _known(error)
    if known is None:
        logger.error("request %s, %s %s failed", request_id, request.method, request.path, exc_info=error)
        known = exceptions.APIException(_("服务器出错，请稍后再试。"), "server_error")
    problem: dict[str, Any] = {"type": "about:blank"}
    headers: dict[str, str] = {}
    if isinstance(known, Refused):
        status, code, detail = known.status, known.code, str(known.message)
        if known.data:
            problem["data"] = known.data
    else:
        status, headers = known.status_code, _headers(known)
        if isinstance(known.detail, exceptions.ErrorDetail):
            code, detail = known.detail.code or known.default_code, str(known.detail)
        else:
            code, detail = exceptions.ValidationError.default_code, _("有内容不符合要求，请检查后再试。")
            problem["errors"] = list(_field_errors(known.detail, "#"))
    problem |= {
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": request.path,
        "code": code,
        "request_id": request_id,
    }
    return Response(problem, status, headers=headers, content_type=MEDIA_TYPE)


def _known(error: Exception) -> Refused | exceptions.APIException | None:
    """The error in one of the two forms that may be shown, None for one that may not."""
    match error:
        case Refused() | exceptions.APIException():
            return error
        case Http404():
            return exceptions.NotFound()
        case PermissionDenied():
            return exceptions.PermissionDenied()
        case SuspiciousOperation():
            return exceptions.ParseError()
    return None


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = str(challenge)
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    return headers


def _field_errors(detail: Any, pointer: str) -> Iterator[dict[str, str]]:
    """Each message of DRF's nested detail with the JSON pointer of its field; `#` is the whole body."""
    if isinstance(detail, exceptions.ErrorDetail):
        yield {"pointer": pointer, "code": detail.code or "invalid", "message": str(detail)}
    elif isinstance(detail, dict):
        for name, inner in detail.items():
            step = str(name).replace("~", "~0").replace("/", "~1")
            yield from _field_errors(inner, pointer if name == "non_field_errors" else f"{pointer}/{step}")
    else:
        for index, inner in enumerate(detail):
            # A list of messages is about one field; a list of objects is about the rows of a list.
            leaf = isinstance(inner, exceptions.ErrorDetail)
            yield from _field_errors(inner, pointer if leaf else f"{pointer}/{index}")


class UnknownAddress(APIView):
    """Any address under /api/ that means nothing: a problem like every other, not a page."""

    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> Never:
        raise exceptions.NotFound
