"""The site as a process of its own, for tests that must kill it."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent
START_LIMIT = 30.0  # seconds


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def database_url() -> str:
    """The address of the database that this test uses, for another process."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(settings.DATABASE_URL)._replace(path=f"/{name}").geturl()


class ServerProcess:
    """uvicorn with the real application on `url`. The port stays the same over `kill` and `start`."""

    def __init__(self, database: str, log: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        self._environment = {**os.environ, "DATABASE_URL": database, "PYTHONUNBUFFERED": "1"}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process and wait until it answers."""
        command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--lifespan=on", "--log-level=warning"]
        command += [f"--port={self.port}", "--ws-max-size=4096", "--timeout-graceful-shutdown=5"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)
        direct = build_opener(ProxyHandler({}))
        deadline = time.monotonic() + START_LIMIT
        while True:
            try:
                direct.open(f"{self.url}/jsi18n/", timeout=START_LIMIT).close()
                return
            except (URLError, ConnectionError):
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"The server did not start:\n{self.log.read_text()}") from None
                time.sleep(0.05)

    def kill(self) -> None:
        """End the process at once, as `kill -9` does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask the process to shut down, and wait until it has."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(START_LIMIT)
            self._process = None
