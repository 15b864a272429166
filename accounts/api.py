"""What the routes of the API share.

Rules of the house: ids are opaque strings, coins are whole numbers, times are RFC 3339 in UTC, an unknown parameter or
field is refused rather than ignored, and every refusal is a problem (application/problem+json) with a stable `code`.
What an object is visible to is decided in `get_queryset` alone: another club's object does not exist (404).
"""

import json
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, ClassVar, Final, cast

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.generics import GenericAPIView
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import Refused
from accounts.models import User

BODY_MAX = 16 * 1024  # bytes of a request's body


# --- Problems and the schema ---------------------------------------------------------------------------------------
class FieldProblem(serializers.Serializer[Any]):
    pointer = serializers.CharField(help_text="JSON pointer of the field or parameter; `#` is the whole body.")
    code = serializers.CharField(help_text="Stable code of the fault.")
    message = serializers.CharField(help_text="The fault in the language of the request.")


class Problem(serializers.Serializer[Any]):
    """RFC 9457. `code` is stable, `detail` and `message` follow Accept-Language."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField()
    code = serializers.CharField()
    request_id = serializers.CharField()
    data = serializers.DictField(required=False, help_text="Values of the refusal, by its code.")  # type: ignore[assignment]
    errors = FieldProblem(many=True, required=False)  # type: ignore[assignment]


class ApiSchema(AutoSchema):
    """Names every operation by its view's `summary`, and adds the problems that it may answer with."""

    def get_summary(self) -> str:
        return str(getattr(self.view, "summary", ""))

    def _is_list_view(self, serializer: Any = None) -> bool:
        return isinstance(self.view, ListView)

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        statuses = {"401": "Not signed in.", "429": "Too many requests; Retry-After says how many seconds to wait."}
        if (
            any(parameter["in"] == "query" for parameter in operation.get("parameters", []))
            or "requestBody" in operation
        ):
            statuses["400"] = "A parameter or field is unknown or wrong."
        if any(parameter["in"] == "path" for parameter in operation.get("parameters", [])):
            statuses["404"] = "There is no such object, or it is another club's."
        statuses |= getattr(self.view, "problems", {})
        problem = self.resolve_serializer(Problem, "response").ref
        for status, description in sorted(statuses.items()):
            operation["responses"][status] = {
                "description": description,
                "content": {"application/problem+json": {"schema": problem}},
            }
        return operation


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A personal token, smc_…; never in a URL."}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.tokens.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        words = "The site's own session; writes need the CSRF token."
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": words}


# --- Views ---------------------------------------------------------------------------------------------------------
class ApiView(GenericAPIView[Any]):
    """Base of every route: signed in, object scope in `get_queryset`, unknown parameters refused.

    A route that forgot its scope shows nothing.
    """

    schema = ApiSchema()
    queryset = User.objects.none()
    lookup_url_kwarg = "id"
    summary = ""
    parameters: ClassVar[tuple[str, ...]] = ()  # query parameters beside filters and pages
    problems: ClassVar[dict[str, str]] = {}  # further statuses of this route, for the schema

    def person(self) -> User:
        """Who asks; the default permission has seen to it that somebody does."""
        return cast(User, self.request.user)

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        with timezone.override(UTC):  # of all times that are read and written
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        known = set(self.parameters)
        if filterset := getattr(self, "filterset_class", None):
            known |= set(filterset.base_filters)
        if self.paginator is not None and isinstance(self, ListView):
            known |= {"limit", "cursor"}
        if unknown := sorted(set(request.query_params) - known):
            raise serializers.ValidationError(
                {
                    name: [serializers.ErrorDetail(str(_("没有这个参数。")), code="unknown_parameter")]
                    for name in unknown
                }
            )


class ListView(ApiView):
    """A list, page by page; without `pagination_class` the whole of it under `results`."""

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        queryset = self.filter_queryset(self.get_queryset())
        page = self.paginate_queryset(queryset)
        if page is None:
            return Response({"results": self.get_serializer(queryset, many=True).data})
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


class DetailView(ApiView):
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(self.get_serializer(self.get_object()).data)


def body_read(stream: Any, most: int) -> bytes:
    """The body of a request; one of more than `most` bytes is refused, and no more of it is read."""
    body: bytes = stream.read(most + 1)
    if len(body) > most:
        raise Refused("body_too_large", _("请求内容太大。"), status=413)
    return body


BODY_PROBLEMS = {
    "413": "The body is larger than 16 KiB (`body_too_large`).",
    "415": "The body is not JSON (`unsupported_media_type`).",
}


class BodyParser(JSONParser):
    """JSON of at most `BODY_MAX` bytes, in UTF-8 as RFC 8259 has it, nested no deeper than Python reads."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        body = body_read(stream, BODY_MAX)
        try:
            value = super().parse(BytesIO(body), media_type, {**(parser_context or {}), "encoding": "utf-8"})
            if b"\\u" in body:  # the only way that half a character can come in
                json.dumps(value, ensure_ascii=False).encode()
        except (RecursionError, UnicodeEncodeError) as error:
            raise ParseError from error
        return value


class OrderView(ApiView):
    """A POST that is an order: a body of JSON, read by the strict `serializer_class`, is carried out."""

    pagination_class = None
    parser_classes = (BodyParser,)
    problems: ClassVar[dict[str, str]] = BODY_PROBLEMS

    def order(self) -> dict[str, Any]:
        """What was ordered, checked."""
        read = self.get_serializer(data=self.request.data)
        read.is_valid(raise_exception=True)
        return dict(read.validated_data)


def one_of(request: Request, name: str, allowed: Collection[str], default: str) -> str:
    """A parameter of a request that is one of some words."""
    value = request.query_params.get(name, default)
    if value not in allowed:
        message = _("%(name)s 只能是 %(allowed)s。") % {"name": name, "allowed": ", ".join(filter(None, allowed))}
        raise serializers.ValidationError({name: [serializers.ErrorDetail(message, code="invalid_choice")]})
    return value


# --- Fields and filters --------------------------------------------------------------------------------------------
class WholeNumber(serializers.IntegerField):
    """A JSON integer; not a string, not 1.0, not true."""

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return super().to_internal_value(data)


class Text(serializers.CharField):
    """A JSON string; a number is not quietly made one."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictSerializer(serializers.Serializer[Any]):
    """Of a request: a field that is not declared is refused."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(str(name) for name in set(data) - set(self.fields))):
            raise serializers.ValidationError(
                {name: [serializers.ErrorDetail(str(_("没有这个字段。")), code="unknown_field")] for name in unknown}
            )
        return super().to_internal_value(data)


class IdFilter(filters.CharFilter):
    field_class = forms.RegexField

    def __init__(self, field_name: str, **kwargs: Any) -> None:
        super().__init__(field_name, regex=r"^[0-9]{1,18}$", **kwargs)


def choice_filter(values: Sequence[str], **kwargs: Any) -> filters.ChoiceFilter:
    """A filter by one of some values, which the schema lists as they are, in no language."""
    made = filters.ChoiceFilter(choices=[(value, value) for value in values], **kwargs)
    return extend_schema_field({"type": "string", "enum": list(values)})(made)


# Whatever the time zone, these moments and the days around them lie between the years 1 and 9999.
_FIRST: Final = datetime(1, 1, 3, tzinfo=UTC)
_LAST: Final = datetime(9999, 12, 29, tzinfo=UTC)


class _MomentField(filters.IsoDateTimeFilter.field_class):
    def clean(self, value: Any) -> Any:
        moment = super().clean(value)
        if moment and not _FIRST <= moment <= _LAST:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return moment and moment.astimezone(UTC)


class MomentFilter(filters.IsoDateTimeFilter):
    """A moment, RFC 3339."""

    field_class = _MomentField


class TimeFilters(filters.FilterSet):
    """`since` and `until` on a list's time: RFC 3339, `since` included, `until` not."""

    since = MomentFilter("created_at", "gte", help_text="RFC 3339; this moment or later.")
    until = MomentFilter("created_at", "lt", help_text="RFC 3339; before this moment.")


# --- People ---------------------------------------------------------------------------------------------------------
class Person(serializers.Serializer[User]):
    id = serializers.CharField(source="pk")
    name = serializers.CharField()
