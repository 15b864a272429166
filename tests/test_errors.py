"""docs/errors.md names every code that the source refuses with, and no other; the other documents name none beside it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from games.rules.errors import ErrorCode

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
INTERNAL = {"signed_out"}  # closes a socket, no frame says so


def _raised() -> Iterator[tuple[str, int]]:
    """Code and status of every `Refused(…)` in the source."""
    names = {"SIGNED_OUT": "signed_out"}
    for package in ("accounts", "clubs", "games"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused"):
                    continue
                first = node.args[0]
                if isinstance(first, ast.Subscript):  # the rules' own code, passed on
                    continue
                code = first.value if isinstance(first, ast.Constant) else names[first.id]  # type: ignore[attr-defined]
                status = next((word.value.value for word in node.keywords if word.arg == "status"), 400)  # type: ignore[attr-defined]
                assert isinstance(code, str) and isinstance(status, int)
                yield code, status


def _table(heading: str) -> dict[str, str]:
    """Code and status of each row of a table of docs/errors.md."""
    text = (DOCS / "errors.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?`) \| ([^|]+) \|", text, re.M)
    return {code: status for codes, status in rows for code in re.findall(r"`(\w+)`", codes)}


def test_every_code_that_is_raised_is_in_the_table_and_no_other() -> None:
    raised: dict[str, set[str]] = {}
    for code, status in _raised():
        raised.setdefault(code, set()).add(str(status))
    for code in INTERNAL:
        del raised[code]
    table = _table("Refusals of the site")
    assert raised.keys() == table.keys()
    for code, statuses in raised.items():
        assert statuses == set(re.findall(r"\d{3}", table[code])), code


def test_every_code_of_the_rules_is_in_the_table_and_no_other() -> None:
    assert _table("Hands that cannot be judged").keys() == {code.value for code in ErrorCode}


def test_the_other_documents_name_no_other_codes() -> None:
    headings = ("Refusals of the site", "Hands that cannot be judged", "What the API answers besides")
    known = {code for heading in headings for code in _table(heading)}
    protocol = (DOCS / "protocol.md").read_text().split("## Errors\n")[1].split("\n## ")[0]
    said = "".join(re.findall(r"^\| (`[^|]+)\|", protocol, re.M))
    api = (DOCS / "api.md").read_text().split("| Status | `code` |")[1].split("\n\n")[0].replace("(with `errors`)", "")
    for text in (said, "".join(re.findall(r"^\| \d+ \| ([^;|]+)", api, re.M))):
        codes = set(re.findall(r"`(\w+)`", text))
        assert codes
        assert codes <= known, codes - known
