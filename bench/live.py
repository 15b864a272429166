"""How live play does under load: `make bench-live`. PostgreSQL writes durably, Redis carries the doorbells, one worker of
uvicorn serves; all of them and the clients share the machine, so its figures are ratios first.
"""

import os
import sys
from typing import Final

import django

from bench.site import own_database

SEED: Final = 2026


def main() -> None:
    with own_database():
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        django.setup()
        from bench.load import measure  # needs Django

        measure(sys.argv[1:], SEED)


if __name__ == "__main__":
    main()
