"""The browser's modules that need no page have tests of their own; Node runs them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.skipif(
    shutil.which("node") is None and os.environ.get("CI") != "true",
    reason="needs Node (Debian: apt-get install nodejs)",
)
def test_the_modules_of_the_browser() -> None:
    done = subprocess.run(["node", "--test", *HERE.glob("*.test.mjs")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
