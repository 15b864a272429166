"""Compile the translations (.po) to what gettext reads (.mo). In pure Python: a fresh machine has no msgfmt."""

import os
from pathlib import Path

import polib

LOCALE = Path(__file__).resolve().parent.parent / "locale"


def compile_messages() -> None:
    """Compile every catalogue that changed since it was last compiled."""
    for source in LOCALE.glob("*/LC_MESSAGES/*.po"):
        compiled = source.with_suffix(".mo")
        if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
            # Written aside and moved: a run at the same time never reads half a file.
            half = compiled.with_suffix(f".{os.getpid()}")
            polib.pofile(str(source)).save_as_mofile(str(half))
            half.replace(compiled)


if __name__ == "__main__":
    compile_messages()
