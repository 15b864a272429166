"""A second judge of hands, written from docs/rules/RULES.md and RECORD.md alone, to be compared with games.rules.

It shares no code with the program and has no tables: tiles are texts, hands are lists, every question is answered by trying
everything. Where the two differ, the text decides. Numbers in docstrings are the sections of RULES.md.
"""

from .judge import judge
from .scoring import score_line

__all__ = ["judge", "score_line"]
