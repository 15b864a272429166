"""The conformance files, and what equal means there (RECORD.md, "Conformance")."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILES = Path(__file__).parent / "conformance"


def cases(name: str) -> Iterator[dict[str, Any]]:
    with (FILES / f"{name}.jsonl").open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def comparable(outcome: dict[str, Any]) -> dict[str, Any]:
    """Equal means equal up to messages and to the order of payments."""
    if "payments" in outcome:
        return {**outcome, "payments": sorted(json.dumps(payment) for payment in outcome["payments"])}
    if "error" in outcome:
        return {"error": {"code": outcome["error"]["code"], "at": outcome["error"]["at"]}}
    return outcome
