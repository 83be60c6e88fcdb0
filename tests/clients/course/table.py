"""The table in docs/clients.md: `python -m tests.clients.course.table` writes it; each tick is in test_course.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .all_clients import CLIENTS
from .client import Client, Part

PAGE = Path(__file__).parents[3] / "docs" / "clients.md"
_BEGINS, _ENDS = "<!-- clients: written by python -m tests.clients.course.table -->\n", "<!-- end of clients -->"
_PARTS = (
    Part.CONNECTS,
    Part.INTROSPECTS,
    Part.ANSWERS,
    Part.PREPARED,
    Part.CURSOR,
    Part.COPY,
    Part.CANCEL,
    Part.ERRORS,
)


def rows(clients: Sequence[Client]) -> list[str]:
    """The lines of the table."""
    head = ["client", *_PARTS, "TLS, SCRAM"]
    lines = [_line(head), _line(["---"] * len(head))]
    return lines + [
        _line([client.name, *(_tick(part in client.parts) for part in _PARTS), _sign(client)]) for client in clients
    ]


def _sign(client: Client) -> str:
    if Part.CONNECTS not in client.parts:
        return "–"
    return "✓" if client.tls else "SCRAM"


def _tick(there: bool) -> str:
    return "✓" if there else "–"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def written(text: str, clients: Sequence[Client]) -> str:
    """The page's text with the table as it is."""
    before, begins, rest = text.partition(_BEGINS)
    _, ends, after = rest.partition(_ENDS)
    return before + begins + "\n" + "\n".join(rows(clients)) + "\n\n" + ends + after


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(), CLIENTS))
