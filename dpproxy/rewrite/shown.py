"""Names and expressions as the analyst wrote them, for labels and messages: our own say what they stand for.

Checked by: tests/test_fixtures.py.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres

from dpproxy.kept_parsers import KeptParsers
from dpproxy.rewrite.expressions.trees.position import note

_POSTGRES = KeptParsers(Postgres())
_WRITTEN = "written"
_COUNT, _ROWS = exp.Count(this=exp.Star(), big_int=True), "COUNT(*)"
_OF_COLUMNS: dict[type[exp.Expr], str] = {
    exp.Count: "COUNT",
    exp.Sum: "SUM",
    exp.Avg: "AVG",
    exp.Min: "MIN",
    exp.Max: "MAX",
}
_NUMBERED = re.compile(r" ~\d+$")


def numbered(alias: str, number: int) -> str:
    """An alias that is taken already, made another by a number that `as_written` takes away again."""
    return f"{alias} ~{number}"


def as_written(alias: str) -> str:
    """The alias that the analyst wrote."""
    return _NUMBERED.sub("", alias)


def stands_for(column: exp.Column, node: exp.Expr) -> exp.Column:
    """`column`, which remembers the expression in whose place it is."""
    note(column, {_WRITTEN: shown(node)})
    return column


def shown(node: exp.Expr) -> str:
    """The text of an expression in Postgres's dialect."""
    plain = _plain(node)
    if plain is not None:
        return plain
    if not any(map(_is_renamed, node.find_all(exp.Column))):
        return _POSTGRES.text(node if isinstance(node, exp.Column) else node.copy())
    return _POSTGRES.text(node.copy().transform(_named, copy=False))


def _plain(node: exp.Expr) -> str | None:
    """The text of a plain column, of an aggregate of one, or of COUNT(*), as nearly all are that are asked for."""
    if type(node) is exp.Column:
        return _name(node)
    if node == _COUNT:
        return _ROWS
    word = _OF_COLUMNS.get(type(node))
    told = [name for name, value in node.args.items() if value and name != "big_int"] if word is not None else []
    name = _name(node.this) if told == ["this"] and type(node.this) is exp.Column else None
    return None if name is None else f"{word}({name})"


def _name(column: exp.Column) -> str | None:
    """What a column stands for, or the text of a plain one whose names are in quotes."""
    written = column.meta_get(_WRITTEN)
    if written is not None:
        return str(written)
    parts = [column.args.get("table"), column.this]
    names = [part.name for part in parts if type(part) is exp.Identifier and part.args.get("quoted")]
    if len(names) != len(column.args) or _NUMBERED.search(column.table) is not None:
        return None
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def _is_renamed(column: exp.Column) -> bool:
    return column.meta_get(_WRITTEN) is not None or _NUMBERED.search(column.table) is not None


def _named(node: exp.Expr) -> exp.Expr:
    if not isinstance(node, exp.Column):
        return node
    written = node.meta_get(_WRITTEN)
    if written is not None:
        return exp.Var(this=written)
    if node.table and _NUMBERED.search(node.table):
        node.set("table", exp.to_identifier(as_written(node.table), quoted=True))
    return node
