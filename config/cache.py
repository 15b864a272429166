"""Django's Redis cache, that counts in this process while Redis is away.

What is kept there are limits to tries: signing in, codes, API calls. Without Redis each process counts by itself, so that
nobody meets an error, and nobody may try without end.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, Final

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as AwayError
from redis.exceptions import TimeoutError as SilentError

logger = logging.getLogger(__name__)

AGAIN_SECONDS: Final = 3.0  # in which a Redis that is away is not asked again
_LOCAL: Final = "while Redis is away"  # the name of what a process counts by itself

_away_until: float | None = None  # by this process's clock; None: Redis is there


def _or_local(method: Callable[..., Any], local: Callable[..., Any]) -> Callable[..., Any]:
    """A method of the Redis cache, and the one that stands in for it."""

    def either(self: "RedisOrLocalCache", *args: Any, **kwargs: Any) -> Any:
        global _away_until
        if _away_until is None or time.monotonic() >= _away_until:
            try:
                answer = method(self, *args, **kwargs)
            except (AwayError, SilentError) as error:
                if _away_until is None:
                    logger.warning("Redis is away: limits to tries are counted in each process. %s", error)
                _away_until = time.monotonic() + AGAIN_SECONDS
            else:
                _away_until = None
                return answer
        return local(self.local, *args, **kwargs)

    return either


class RedisOrLocalCache(RedisCache):
    """The cache of `settings.CACHES`."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.local = LocMemCache(_LOCAL, {**params, "OPTIONS": {}})

    add = _or_local(RedisCache.add, LocMemCache.add)
    get = _or_local(RedisCache.get, LocMemCache.get)
    set = _or_local(RedisCache.set, LocMemCache.set)
    incr = _or_local(RedisCache.incr, LocMemCache.incr)
    delete = _or_local(RedisCache.delete, LocMemCache.delete)
    touch = _or_local(RedisCache.touch, LocMemCache.touch)
    has_key = _or_local(RedisCache.has_key, LocMemCache.has_key)
