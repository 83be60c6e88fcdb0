"""What all steps of a private statement work with."""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.session.desk import Desk
from dpproxy.session.line import Line
from dpproxy.session.memory import Memory


@dataclass(frozen=True, slots=True)
class Session:
    """One client's session: its line to the front, what it remembers, and the desk that answers."""

    line: Line
    memory: Memory
    desk: Desk
