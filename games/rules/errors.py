"""Why a scoring line or a record cannot be judged (RECORD.md, "Hand record")."""

from enum import StrEnum
from typing import Any


class ErrorCode(StrEnum):
    BAD_FORMAT = "bad_format"
    BAD_WALL = "bad_wall"
    UNKNOWN_RULESET = "unknown_ruleset"
    BAD_VOID = "bad_void"
    ILLEGAL_ACTION = "illegal_action"
    INCOMPLETE = "incomplete"
    TRAILING_ACTIONS = "trailing_actions"


class Refusal(Exception):
    """Something that cannot be judged; `at` is the index of the action at fault, where one is."""

    def __init__(self, code: ErrorCode, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at

    def as_json(self) -> dict[str, Any]:
        return {"error": {"code": self.code.value, "at": self.at, "message": self.message}}
