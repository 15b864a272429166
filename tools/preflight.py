"""Can this machine do what is asked? Says so in one line before anything is installed; an old Python 3 can read it too.

python3 tools/preflight.py             Python is new enough and can make an environment
python3 tools/preflight.py HOST PORT   and the address to serve on is free
"""

import errno
import importlib.util
import socket
import sys

NEEDED = (3, 11)


def python_fault() -> str:
    """What is wrong with this Python, or nothing."""
    if sys.version_info[:2] < NEEDED:
        have = ".".join(map(str, sys.version_info[:2]))
        return f"Python 3.11 or newer is needed, python3 is {have}. Name another one: make PYTHON=python3.12 run"
    if importlib.util.find_spec("ensurepip") is None:
        return "Python cannot make an environment here. On Debian or Ubuntu: apt-get install python3-venv"
    return ""


def address_fault(host: str, port: str) -> str:
    """Why the site cannot be served on this address, or nothing."""
    if not port.isdigit() or not 0 < int(port) < 65536:
        return f"PORT={port} is not a port. Give a number from 1 to 65535: make run PORT=8001"
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
    except OSError:
        return f"HOST={host} is not an address of this machine. Give one that is: make run HOST=127.0.0.1"
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return f"Port {port} on {host} is taken. Choose another one: make run PORT={int(port) % 65535 + 1}"
            if error.errno == errno.EACCES:
                return f"Port {port} is for administrators. Choose one from 1024: make run PORT=8000"
            return f"HOST={host} cannot be used ({error.strerror}). Give one that can: make run HOST=127.0.0.1"
    return ""


if __name__ == "__main__":
    fault = python_fault() or (address_fault(*sys.argv[1:]) if sys.argv[1:] else "")
    if fault:
        sys.exit(fault)
