"""Databases of one file, and policies over them that declare nothing but whose rows they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worlds import recorded

_POLICY = """\
[server]
port = 0
database = "bench"

[front]
url = "embedded:{directory}/front"

[engine]
url = "duckdb:///{database}"
statement_timeout = "1h"

[privacy]
stored_bytes = 0

[units.{unit}]
table = "{table}"
key = "{key}"

{tables}
[analysts.erna]
trust = true
epsilon = 1e6
delta = 0.1
"""


@dataclass(frozen=True, slots=True)
class Private:
    """A table: its columns with their types, what is unique, and the way to the unit's table, which has none. public:
    columns whose values are known."""

    columns: Mapping[str, str]
    unique: Sequence[str]
    link: tuple[str, str] | None = None
    public: Mapping[str, Sequence[str]] | None = None


def write_policy(database: Path, key: tuple[str, str], tables: Mapping[str, Private]) -> Path:
    """The policy over a DuckDB file, whose keys are verified; `key`: the unit's table and column."""
    path = database.with_name(f"{key[0]}.toml")
    path.write_text(
        _POLICY.format(
            directory=database.parent,
            database=database,
            unit=key[0],
            table=key[0],
            key=key[1],
            tables="\n".join(_table(key[0], name, each) for name, each in tables.items()),
        )
    )
    return recorded(path)


def _table(unit: str, name: str, table: Private) -> str:
    lines = [f"[tables.{name}]", f'unit = "{unit}"', f"primary_key = {_texts(table.unique)}"]
    if table.link is not None:
        lines.append(f'link = {{ {table.link[0]} = "{table.link[1]}" }}')
    lines.append(f"[tables.{name}.columns]")
    for column, kind in table.columns.items():
        known = (table.public or {}).get(column)
        lines.append(f'{column} = {{ type = "{kind}"{"" if known is None else f", values = {_texts(known)}"} }}')
    return "\n".join([*lines, ""])


def _texts(values: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"
