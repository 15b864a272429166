"""`make run`: bring the database up to date, create the demo club once, serve.

python -m tools.serve HOST PORT
"""

import os
import socket
import sys

import django
import uvicorn
from django.conf import settings
from django.core.management import call_command

from tools.compile_messages import compile_messages

ANY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104


def serve(host: str, port: int) -> None:
    """Serve the site on one process until it is interrupted."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    compile_messages()
    django.setup()
    if host not in settings.ALLOWED_HOSTS and "ALLOWED_HOSTS" not in os.environ:
        # Whoever names another address wants to be reached there, under whatever name this machine has.
        settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", interactive=False, verbosity=0)
    call_command("demo")
    print(*(f"\n  → {address}" for address in addresses(host, port)), "\n", flush=True)
    uvicorn.run(
        "config.asgi:application",
        host=host,
        port=port,
        lifespan="on",
        log_level="warning",
        ws_max_size=4096,
        ws_per_message_deflate=False,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        timeout_graceful_shutdown=5,
    )


def addresses(host: str, port: int) -> list[str]:
    """Where a browser finds the site: this machine's own name for itself, and for `any address` its network one too."""
    names = ["127.0.0.1"] if host in ANY_ADDRESS else [host]
    if host in ANY_ADDRESS:
        # Nothing is sent: the system only says which of its addresses leads out.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
            try:
                route.connect(("192.0.2.1", 9))
                names.append(route.getsockname()[0])
            except OSError:
                pass
    return [f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/" for name in names]


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
