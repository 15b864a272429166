"""PostgreSQL as the fault tests need it: reached through a proxy, or one of their own that may be killed."""

import asyncio
from urllib.parse import parse_qs, urlsplit

from tests.faults.proxy import Upstream


def upstream_of(url: str) -> Upstream:
    """How to reach the server of a DATABASE_URL, over TCP or on its Unix socket."""
    parts = urlsplit(url)
    port = parts.port or 5432
    folder = parse_qs(parts.query).get("host", [""])[0]
    if folder:
        return lambda: asyncio.open_unix_connection(f"{folder}/.s.PGSQL.{port}")
    return lambda: asyncio.open_connection(parts.hostname, port)


def through(port: int, url: str) -> str:
    """The DATABASE_URL of the same database by way of a proxy on this machine."""
    parts = urlsplit(url)
    who = parts.netloc.rpartition("@")[0]
    query = "sslmode=disable&application_name=proxied"
    return parts._replace(netloc=f"{who}@127.0.0.1:{port}", query=query).geturl()
