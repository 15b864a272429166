"""What all tests share: a database and cache of the run's own, real servers, a browser.

Plain `pytest` runs on SQLite with the in-memory layer; with DATABASE_URL and REDIS_URL it runs on those servers, in a
database and under a key prefix of its own. docs/development.md describes the marks.
"""

import asyncio
import os
import shutil
import socket
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core.cache import cache
from django.db import connection
from django.utils import translation
from pytest_django import DjangoDbBlocker
from redis import Redis

from tests.database import flush_with_guards_off
from tests.servers import ServerProcess, database_url

RUN = uuid.uuid4().hex[:12]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run its own place on shared servers."""
    # A test may think for longer inside its transaction than a server.
    settings.DATABASES["default"].get("OPTIONS", {}).pop("options", None)
    # The cheapest Argon2 there is: the hashes are real and any server verifies them.
    Argon2PasswordHasher.time_cost, Argon2PasswordHasher.memory_cost, Argon2PasswordHasher.parallelism = 1, 8, 1
    if settings.REDIS_URL:
        shared: tuple[Any, Any] = settings.CACHES["default"], settings.CHANNEL_LAYERS["default"]["CONFIG"]
        os.environ["REDIS_PREFIX"] = shared[0]["KEY_PREFIX"] = shared[1]["prefix"] = f"test-{RUN}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = {
        "postgres": settings.DATABASES["default"]["ENGINE"].endswith("sqlite3") and "needs PostgreSQL (DATABASE_URL)",
        "redis": not settings.REDIS_URL and "needs Redis (REDIS_URL)",
    }
    for item in items:
        for mark, reason in missing.items():
            if reason and item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A database of the run's own name: runs at the same time do not meet, and nobody's data is touched."""
    sqlite = connection.vendor == "sqlite"
    name = str(tmp_path_factory.mktemp("database") / "test.sqlite3") if sqlite else f"test_{RUN}"
    settings.DATABASES["default"]["TEST"]["NAME"] = name


@pytest.fixture(scope="session", autouse=True)
def append_only_tables_can_be_emptied() -> Iterator[None]:
    """Between tests, by Django's flush. Nobody else gets past the guards."""
    with flush_with_guards_off():
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """At the end, end the sessions of servers that were killed or are still shutting down, so that the database goes."""
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(autouse=True)
def own_cache() -> Iterator[None]:
    """Every test starts with an empty cache, so that no rate limit is used up by the test before."""
    yield
    if not settings.REDIS_URL:
        cache.clear()
        return
    with Redis.from_url(settings.REDIS_URL) as server:  # `clear` would empty the whole server
        for key in server.scan_iter(f"test-{RUN}:*"):
            server.delete(key)


@pytest.fixture(autouse=True)
def own_language() -> None:
    """Every test starts in the site's first language, whatever the last page of the test before was in."""
    translation.deactivate()


@pytest.fixture
def live_asgi(transactional_db: None) -> Iterator[str]:
    """The address of the real application (pages, sockets, timekeeper) in a thread, on the test's database."""
    from config.asgi import application

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        options: dict[str, Any] = {
            "lifespan": "on",
            "log_level": "warning",
            "timeout_graceful_shutdown": 1,
            "ws_max_size": 4096,
        }
        server = uvicorn.Server(uvicorn.Config(application, **options))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            thread.join(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the server did not stop"


@pytest.fixture
def server_process(transactional_db: None, tmp_path: Path) -> Iterator[ServerProcess]:
    """The application as a process that a test may kill and start again, on the test's database. Already started."""
    server = ServerProcess(database_url(), tmp_path / "server.log")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The machine's own Chromium (or the one CHROMIUM names). Without one, browser tests are skipped, but fail in CI."""
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        no_browser = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        no_browser("Chromium is not installed (Debian: apt-get install chromium fonts-noto-cjk), so no browser tests")
    quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    args = ["--no-sandbox", "--disable-gpu", "--disable-quic", *quiet]
    return {**browser_type_launch_args, "executable_path": chromium, "args": args}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """A browser in the site's first language and time zone."""
    return {**browser_context_args, "locale": "zh-CN", "timezone_id": "Asia/Shanghai"}
