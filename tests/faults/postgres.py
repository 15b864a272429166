"""PostgreSQL as the fault tests need it: reached through a proxy, or one of their own that may be killed."""

import asyncio
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from django.db import connections

from tests.faults.proxy import Upstream
from tests.servers import database_url
from tools.services import Cluster


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


class OwnPostgres:
    """A PostgreSQL of a test's own, which writes to disk as a club's would, with a copy of the run's database in it."""

    def __init__(self, folder: Path, max_connections: int) -> None:
        options = {"listen_addresses": "", "max_connections": str(max_connections)}
        self.cluster = Cluster(folder, options)
        self.url = self.cluster.url
        self._server = self.cluster.start()
        dump = subprocess.Popen([self.cluster.binaries / "pg_dump", database_url()], stdout=subprocess.PIPE)
        command: list[str | Path] = [self.cluster.binaries / "psql", "--quiet", "--output=/dev/null", self.url]
        subprocess.run(command, stdin=dump.stdout, check=True)
        assert dump.wait(30) == 0

    def kill(self) -> None:
        """End the postmaster as `kill -9` does; its sessions end by themselves."""
        self._server.kill()
        self._server.wait(10)

    def start(self) -> None:
        """Start it again, as soon as the sessions of the last one are gone."""
        began = time.monotonic()
        while True:
            try:
                self._server = self.cluster.start()
                return
            except SystemExit:
                assert time.monotonic() - began < 20, "PostgreSQL does not start again"
                time.sleep(0.1)

    def stop(self) -> None:
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait(20)

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let the test itself use this database, too."""
        connection = connections["default"]
        there = urlsplit(self.url)
        before = dict(connection.settings_dict)
        options = {**before["OPTIONS"], "host": parse_qs(there.query)["host"][0]}
        _forget_connections()
        connection.settings_dict.update(NAME=there.path[1:], HOST="", USER="postgres", PASSWORD="", OPTIONS=options)
        try:
            yield
        finally:
            _forget_connections()
            connection.settings_dict.update(before)


def _forget_connections() -> None:
    connections["default"].close()
    connections["default"].close_pool()  # type: ignore[attr-defined]
