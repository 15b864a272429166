"""A site of a benchmark's own: a fresh database, members with sessions, tables with four people, a server process."""

import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

import psycopg
from psycopg import sql

ROOT: Final = Path(__file__).resolve().parent.parent
START_LIMIT: Final = 60.0  # seconds
TICKS: Final = os.sysconf("SC_CLK_TCK")


@contextmanager
def own_database() -> Iterator[None]:
    """A database and a Redis prefix of our own on the servers that DATABASE_URL and REDIS_URL name, for this process and
    those that it starts. Django must not be loaded yet."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres") or not os.environ.get("REDIS_URL"):
        sys.exit("needs PostgreSQL and Redis: make bench-live")
    name = f"bench_{uuid.uuid4().hex[:12]}"
    _execute(server, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    os.environ |= {"DATABASE_URL": urlsplit(server)._replace(path=f"/{name}").geturl(), "REDIS_PREFIX": name}
    try:
        yield
    finally:
        _execute(server, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def own_file() -> Iterator[None]:
    """The same on SQLite, in a file that goes."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATABASE_URL": f"sqlite:///{Path(folder) / 'bench.sqlite3'}", "REDIS_URL": ""}
        yield


def _execute(server: str, statement: sql.Composed) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(statement)


class Server:
    """One worker of uvicorn with the site and the echo (bench/echo.py)."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "uvicorn", "bench.echo:application", "--lifespan=on", "--log-level=warning"]
        command += [f"--port={port}", "--ws-max-size=65536", "--ws-per-message-deflate=false"]
        self._process = subprocess.Popen(command, cwd=ROOT)
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_LIMIT
        while True:
            try:
                build_opener(ProxyHandler({})).open(f"{self.url}/jsi18n/", timeout=START_LIMIT).close()
                return
            except (URLError, ConnectionError):
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("the server did not start") from None
                time.sleep(0.05)

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def memory(self) -> int:
        """Bytes that the process holds."""
        pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def seconds(self) -> float:
        """Processor seconds that the process has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
