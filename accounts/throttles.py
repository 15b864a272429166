"""How many requests of the API one person, or one address, may make. Exact, also where many come at the same moment.

The framework's own throttles read a list, add to it and write it back: of requests that do that at once, in several server
processes, all pass.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from rest_framework import throttling

if TYPE_CHECKING:  # the framework's views read their settings, which name these classes, first
    from rest_framework.request import Request
    from rest_framework.views import APIView


class _Counted(throttling.SimpleRateThrottle):
    """Counts the requests of a period that begins with the first of them."""

    num_requests: int
    duration: int  # seconds

    def allow_request(self, request: "Request", view: "APIView") -> bool:
        key = self.rate and self.get_cache_key(request, view)
        if key is None:
            return True
        while True:
            self.cache.add(key, 0, self.duration)
            with suppress(ValueError):  # the period ended at this moment
                return bool(self.cache.incr(key) <= self.num_requests)

    def wait(self) -> float:
        """Seconds after which the period is over, at the latest."""
        return float(self.duration)


class UserThrottle(_Counted, throttling.UserRateThrottle):
    pass


class AddressThrottle(_Counted, throttling.AnonRateThrottle):
    pass
