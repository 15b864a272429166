"""How live play does under load: `make bench-live`, or `python -m bench.live durable quiet evening workers layers`.

PostgreSQL writes durably, Redis carries the doorbells, one worker of uvicorn serves. All of them share the machine with the
clients, so what counts are the ratios to what is measured beside them. Sections (bench/load.py):

- durable: actions acknowledged after their commit, against a bare loop of `create()` on the same table.
- quiet: how soon the other three see a discard, against a bare Channels consumer that sends back a frame of that size.
- evening: many tables at a human pace, and people who look at the lobby.
- workers: as many tables over two workers.
- layers: the channel layers that Redis could carry the doorbells with.
"""

import os
import signal
import sys
from typing import Final

import django

from bench.site import own_database

SEED: Final = 2026


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that server and database go, too
    with own_database():
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        django.setup()
        from bench.load import measure  # only now, since its models need Django

        measure(sys.argv[1:], SEED)


if __name__ == "__main__":
    main()
