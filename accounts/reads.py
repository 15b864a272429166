"""Pages that are only read are read again where the database's line was cut under them."""

from collections.abc import Callable
from typing import Final, TypeVar

from django.db import InterfaceError, OperationalError, connections
from django.http import HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse

_READS: Final = ("GET", "HEAD")
_ENDED: Final = (OperationalError, InterfaceError)

Result = TypeVar("Result")


def read_again(read: Callable[[], Result]) -> Result:
    """What `read` comes to, asked a second time on a new connection where the database ended the first one."""
    try:
        return read()
    except _ENDED:
        connections.close_all()
        return read()


class ReadAgain:
    """Answers a request that changes nothing a second time, on a new connection, after the database ended the first one: a
    restart of PostgreSQL meets pages half-way through. What was sent to be done is not done again.

    Django shows it what goes wrong in views alone: other middleware reads by `read_again`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if request.method not in _READS or not isinstance(error, _ENDED):
            return None
        connections.close_all()
        match = request.resolver_match
        assert match is not None, "a view has failed"
        answer: HttpResponse = match.func(request, *match.args, **match.kwargs)
        return answer.render() if isinstance(answer, SimpleTemplateResponse) else answer
