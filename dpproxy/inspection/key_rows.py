"""Is what a policy claims to be unique and not null so, on the rows that are there now?"""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.engines import Engine, EngineTable, Ticket, in_turn
from dpproxy.inspection.asked import asked
from dpproxy.keys import Key
from dpproxy.rewrite.calculus.scans import quoted


@dataclass(frozen=True, slots=True)
class KeySeen:
    """A key as its rows are. missing: rows in which some of it is NULL. repeated: keys that more than one row has.
    held: whether its rows stay as they are for as long as the engine's file is the same."""

    table: str
    columns: tuple[str, ...]
    missing: int
    repeated: int
    held: bool = True

    @property
    def key(self) -> Key:
        """The table and the columns."""
        return self.table, self.columns

    @property
    def holds(self) -> bool:
        """Whether it is unique and not null."""
        return not self.missing and not self.repeated


async def see_key(engine: Engine, key: Key, found: EngineTable) -> KeySeen:
    """Look at all rows of the key's table, `found` in the engine. Raises EngineFailure, EngineUnavailable."""
    table, columns = key
    (rows,) = await engine.run(
        in_turn(asked(_text(found.place or tuple(table.split(".", 1)), columns), engine)), Ticket()
    )
    missing, repeated = (int(str(value)) for value in rows.rows[0])
    return KeySeen(table, columns, missing, repeated, found.held)


def _text(place: tuple[str, ...], columns: tuple[str, ...]) -> str:
    names = [quoted(column) for column in columns]
    missing = " OR ".join(f"{name} IS NULL" for name in names)
    return (
        "SELECT CAST(COALESCE(SUM(CASE WHEN missing THEN n ELSE 0 END), 0) AS BIGINT),"
        " CAST(COALESCE(SUM(CASE WHEN NOT missing AND n > 1 THEN 1 ELSE 0 END), 0) AS BIGINT)"
        f" FROM (SELECT {missing} AS missing, COUNT(*) AS n FROM {'.'.join(map(quoted, place))}"
        f" GROUP BY {', '.join(names)}) AS k"
    )
