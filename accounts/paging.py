"""Pages of the API: `?limit=&cursor=` in, `{"results": […], "next_cursor": …}` out, newest first. Ids as they are sent."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import Refused

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_ID = 2**63 - 1

Of = TypeVar("Of", bound=Model)
Row = TypeVar("Row")


def id_of(text: str) -> int | None:
    """The id that stands in an address or a form; None where none can be meant."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len(str(MAX_ID)) else None


def ids_of(texts: Iterable[str]) -> list[int]:
    """The ids that stand there, without what can be none."""
    return [found for text in texts if (found := id_of(text)) is not None]


class CursorPages(BasePagination):
    """Rows by falling id. The cursor is opaque to the client and stands for the last row it was given, so rows that are
    added meanwhile neither repeat one nor hide one. Errors (400): `invalid_limit`, `invalid_cursor`."""

    next_cursor: str | None = None

    def paginate_queryset(
        self, queryset: QuerySet[Of, Row] | Sequence[Row], request: Request, view: APIView | None = None
    ) -> list[Row]:
        assert isinstance(queryset, QuerySet), "only rows of the database have ids to go by"
        limit = _limit(request.query_params.get("limit"))
        cursor = request.query_params.get("cursor")
        after = queryset if cursor is None else queryset.filter(pk__lt=_last_id(cursor))
        rows = list(after.order_by("-pk")[: limit + 1])
        last: Any = rows[limit - 1] if len(rows) > limit else None
        self.next_cursor = _cursor(last.pk) if last is not None else None
        return rows[:limit]

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next_cursor": self.next_cursor})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The answer as OpenAPI describes it."""
        properties = {"results": schema, "next_cursor": {"type": ["string", "null"]}}
        return {"type": "object", "required": ["results", "next_cursor"], "properties": properties}

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """The two query parameters as OpenAPI describes them."""
        number = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT}
        return [
            {"name": "limit", "in": "query", "required": False, "schema": number},
            {"name": "cursor", "in": "query", "required": False, "schema": {"type": "string"}},
        ]


def _limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_LIMIT
    if not (text.isascii() and text.isdecimal() and len(text) <= 3 and 1 <= int(text) <= MAX_LIMIT):
        raise Refused("invalid_limit", _("limit 须为 1 到 %(most)d 的整数。") % {"most": MAX_LIMIT}, most=MAX_LIMIT)
    return int(text)


def _cursor(last_id: int) -> str:
    return urlsafe_b64encode(str(last_id).encode()).decode().rstrip("=")


def _last_id(cursor: str) -> int:
    try:
        last_id = int(urlsafe_b64decode(cursor[:40] + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error):
        last_id = -1
    if not 0 < last_id <= MAX_ID or _cursor(last_id) != cursor:
        raise Refused("invalid_cursor", _("cursor 无效，请从第一页重新开始。"))
    return last_id
