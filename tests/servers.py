"""The site as a process of its own, for tests that must kill it."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent
START_LIMIT = 60.0  # seconds
PORTS = range(20_000, 32_000)  # below net.ipv4.ip_local_port_range


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on, and that the system gives to no client: one of them could get it while the
    server is down, be it on the way to that very port."""
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def database_url() -> str:
    """The address of the database that this test uses, for another process."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(settings.DATABASE_URL)._replace(path=f"/{name}").geturl()


class ServerProcess:
    """uvicorn with the real application on `url`. The port stays the same over `kill` and `start`."""

    def __init__(self, database: str, log: Path, **environment: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        self._environment = {**os.environ, "DATABASE_URL": database, "PYTHONUNBUFFERED": "1", **environment}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, fault: str = "") -> None:
        """Start the process, with a fault of `tests.faults.faulty` in it, and wait until it answers (or has been killed)."""
        application = "tests.faults.faulty:application" if fault else "config.asgi:application"
        command = [sys.executable, "-m", "uvicorn", application, "--lifespan=on", "--log-level=warning"]
        command += [f"--port={self.port}", "--ws-max-size=4096", "--ws-per-message-deflate=false"]
        command += ["--timeout-graceful-shutdown=5"]
        environment = {**self._environment, "FAULT": fault}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        direct = build_opener(ProxyHandler({}))
        deadline = time.monotonic() + START_LIMIT
        while True:
            try:
                direct.open(f"{self.url}/jsi18n/", timeout=START_LIMIT).close()
                return
            except (URLError, ConnectionError, HTTPException):
                if fault and self.is_killed:
                    return
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"The server did not start:\n{self.log.read_text()}") from None
                time.sleep(0.05)

    @property
    def is_killed(self) -> bool:
        return self._process is not None and self._process.poll() == -signal.SIGKILL

    @property
    def is_stopped(self) -> bool:
        """Whether the process stands still (SIGSTOP)."""
        assert self._process is not None
        return Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"

    @property
    def memory(self) -> int:
        """The bytes of memory that the process has now."""
        assert self._process is not None
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return 1024 * int(status.partition("VmRSS:")[2].split()[0])

    @property
    def sockets(self) -> int:
        """How many sockets the process has open."""
        assert self._process is not None
        links = [os.readlink(file) for file in Path(f"/proc/{self._process.pid}/fd").iterdir()]
        return sum(link.startswith("socket:") for link in links)

    @property
    def seconds_used(self) -> float:
        """The seconds of processor time that the process has used."""
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def tell(self, what: signal.Signals) -> None:
        """Send the process a signal that it lives through."""
        assert self._process is not None
        self._process.send_signal(what)

    def kill(self) -> None:
        """End the process at once, as `kill -9` does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask the process to shut down, and wait until it has."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.send_signal(signal.SIGCONT)
            self._process.wait(START_LIMIT)
            self._process = None
