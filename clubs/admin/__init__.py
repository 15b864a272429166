"""The admin of clubs, by area. Rooms are in `games.admin`, which has the words of their rules."""

from clubs.admin import joining, members

__all__ = ["joining", "members"]
