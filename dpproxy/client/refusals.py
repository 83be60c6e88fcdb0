"""What comes instead of an answer, in words that a notebook shows as they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg


class StatementError(psycopg.DatabaseError):
    """A statement was refused, or failed. As text it is what psql shows: message, place, detail, hint.

    sqlstate: its code, such as DP002; message, detail, hint: parts of it; position: in the statement, from 1.
    """

    def __init__(self, fault: psycopg.Error) -> None:
        super().__init__(f"{fault.sqlstate}: {str(fault).rstrip()}")
        self.sqlstate = fault.sqlstate
        self.message = fault.diag.message_primary or str(fault)
        self.detail = fault.diag.message_detail
        self.hint = fault.diag.message_hint
        self.position = None if fault.diag.statement_position is None else int(fault.diag.statement_position)

    def _render_traceback_(self) -> list[str]:
        """What IPython and Jupyter show: where it was raised within this package helps nobody."""
        return [
            f"{type(self).__name__} {line}" if not place else line for place, line in enumerate(str(self).split("\n"))
        ]


@contextmanager
def readable() -> Iterator[None]:
    """Makes StatementErrors of the errors that a server tells. A lost connection stays psycopg's own error."""
    try:
        yield
    except StatementError:
        raise
    except psycopg.Error as fault:
        if fault.sqlstate is None:
            raise
        raise StatementError(fault) from None
