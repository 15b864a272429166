"""The admin of rooms, hands, reports and sums by day, and its first page."""

from games.admin import days, hands, reports, rooms

__all__ = ["days", "hands", "reports", "rooms"]
