"""Both readings of a text: the tree that the checker proves, and the tree that the engine's own parser makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
from sqlglot import exp

from dpproxy.engines.postgres.inputs import numbered
from dpproxy.plan.samples import COIN
from second_reading.duckdb import by_duckdb
from second_reading.postgres import by_postgres
from second_reading.proved import proved
from second_reading.tree import Difference, Node, first_difference


@dataclass(frozen=True, slots=True)
class Text:
    """A text for an engine: its dialect, and the names of its parameters in the order of the plan."""

    dialect: str
    sql: str
    inputs: tuple[str, ...] = ()


def by_engine(text: Text, connection: duckdb.DuckDBPyConnection) -> Node:
    """What the engine's own parser reads in the text that is sent to it."""
    if text.dialect == "duckdb":
        return by_duckdb(connection, text.sql)
    return by_postgres(*_sent(text.sql, text.inputs))


def _sent(sql: str, inputs: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The text with the numbers that Postgres is sent, and the name of each."""
    arrays, secrets = (name for name in inputs if name != COIN), (name for name in inputs if name == COIN)
    return numbered(sql, dict.fromkeys(arrays, ()), dict.fromkeys(secrets, ""))[0], inputs


def difference(tree: exp.Expr, text: Text, connection: duckdb.DuckDBPyConnection) -> Difference | None:
    """Where the tree is not what the engine reads in the text; None where it is."""
    return first_difference(proved(tree, text.dialect), by_engine(text, connection))
