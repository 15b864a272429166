"""What the import contracts of pyproject.toml cannot say; `make lint` checks those."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Run without site-packages (-S): an import of anything that has to be installed fails.
IMPORT_ALL = """
import sys
sys.path.insert(0, {root!r})
import importlib, pkgutil
import games.rules
for module in pkgutil.walk_packages(games.rules.__path__, "games.rules."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(*(name for name in sys.modules if name.split(".")[0] == "games"))
"""


def test_the_rules_core_needs_the_standard_library_alone() -> None:
    command = [sys.executable, "-I", "-S", "-c", IMPORT_ALL.format(root=str(ROOT))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "games.rules" in loaded
    assert [name for name in loaded if name != "games" and not name.startswith("games.rules")] == []
