"""How a moment is written for programs: RFC 3339 in UTC, in the API and on the socket alike."""

from datetime import UTC, datetime


def moment_text(moment: datetime) -> str:
    """2026-11-30T09:12:00.250000Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
