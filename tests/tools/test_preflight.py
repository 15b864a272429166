"""What `make run` says on a machine where it cannot run."""

import socket
import subprocess
import sys
from pathlib import Path

PREFLIGHT = Path(__file__).resolve().parents[2] / "tools" / "preflight.py"


def preflight(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, PREFLIGHT, *arguments], capture_output=True, text=True, check=False)


def test_a_free_address_is_fine() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    done = preflight("127.0.0.1", port)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_taken_port_is_one_line_with_the_way_out() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        done = preflight("127.0.0.1", str(port))
    assert done.returncode == 1
    assert done.stderr == f"Port {port} on 127.0.0.1 is taken. Choose another one: make run PORT={port + 1}\n"


def test_what_is_no_port_or_no_address_is_one_line_too() -> None:
    for arguments in (("127.0.0.1", "http"), ("127.0.0.1", "0"), ("127.0.0.1", "65536"), ("192.0.2.1", "8000")):
        done = preflight(*arguments)
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert "make run" in done.stderr
