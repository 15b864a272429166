"""Tables and seats, hands and their log, figures of them, and reports."""

from games.models.figures import DayFigures, SeatFigures
from games.models.hands import Action, Hand, HandSeat, Heartbeat, Payment, Win
from games.models.reports import Report
from games.models.tables import Seat, Table, Waiting

__all__ = [
    "Action",
    "DayFigures",
    "Hand",
    "HandSeat",
    "Heartbeat",
    "Payment",
    "Report",
    "Seat",
    "SeatFigures",
    "Table",
    "Waiting",
    "Win",
]
