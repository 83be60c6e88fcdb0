"""What sqlglot asks of the tables of a statement while it binds names: their columns.

Checked by: tests/test_fixtures.py (rewrite/resolve.sql).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.postgres import Postgres
from sqlglot.schema import Schema

_POSTGRES = Postgres()
Columns = Mapping[tuple[str, str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class KnownColumns(Schema):
    """The names of columns by schema and table, which are folded already. Types are nothing to names: none is known."""

    columns: Columns

    @property
    def dialect(self) -> Dialect:
        """Postgres's."""
        return _POSTGRES

    @property
    def supported_table_args(self) -> tuple[str, ...]:
        """A table is known by its schema and name."""
        return ("this", "db")

    @property
    def empty(self) -> bool:
        """Whether it has no table."""
        return not self.columns

    def column_names(self, table: exp.Table | str, *asked: object, **how: object) -> Sequence[str]:
        """Those of a table; none of one that is not here."""
        assert isinstance(table, exp.Table), "names are bound of a tree"
        return self.columns.get((table.db, table.name), ())

    def get_column_type(self, *asked: object, **how: object) -> exp.DataType:
        """Unknown."""
        return exp.DataType(this=exp.DataType.Type.UNKNOWN)

    def add_table(self, *asked: object, **how: object) -> None:
        """Nobody adds one while names are bound."""
        raise AssertionError("names are bound of tables that are known")
