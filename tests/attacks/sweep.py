"""Expressions over hostile columns for each rule of the allow-list, made from the list itself.

A function that is added to the table of `rewrite/expressions` is called by each of its names with columns and constants
of all types, so that it is attacked without a line here; an operator needs a form in `OPERATORS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Final

import sqlglot
from expression_world import parse
from sqlglot import exp

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import parse_type
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.expressions import Scope, Typed, column_fact, total
from dpproxy.rewrite.expressions.table import NAMED, RULES

TYPES: Final = {
    "i": "integer",
    "b": "bigint",
    "n": "numeric(18,6)",
    "d": "double precision",
    "t": "text",
    "day": "date",
    "ts": "timestamp",
    "flag": "boolean",
}
COLUMNS: Final = tuple(TYPES)
_CONSTANTS: Final = ("2", "-1", "'a'", "NULL", "INTERVAL '1 month'")
_PRIME: Final = 7919
_THIRD: Final = ("i", "t", "2", "'a'")
_COLUMNS_OF_ODDS: Final = [TableColumn(name, parse_type(kind), nullable=True) for name, kind in TYPES.items()]
SCOPE: Final[Scope] = {
    ("t", each.name): Typed(exp.column(each.name, "t", quoted=True), column_fact(each, True))
    for each in _COLUMNS_OF_ODDS
}

# What is not called by a name. {a}, {b}: columns.
OPERATORS: Final = (
    *("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / {b}", "{a} % {b}", "-{a}", "({a})", "{a} || {b}", "NOT {a}"),
    *("{a} = {b}", "{a} <> {b}", "{a} < {b}", "{a} <= {b}", "{a} > {b}", "{a} >= {b}", "{a} AND {b}", "{a} OR {b}"),
    *("{a} IS DISTINCT FROM {b}", "{a} IS NOT DISTINCT FROM {b}", "{a} IS NULL", "{a} BETWEEN {b} AND {a}"),
    *("{a} IN ({b}, NULL)", "CASE WHEN {a} = {b} THEN {a} END", "CASE {a} WHEN {b} THEN {b} ELSE {a} END"),
    *("{a} + INTERVAL '1 month' * {b}", "{a} + make_interval(days => {b})", "{a} - {b} > INTERVAL '1 day'"),
    *("{a} LIKE 'a%'", "{a} ILIKE 'A_'", "{a} LIKE 'x!%' ESCAPE '!'", "{a} ~ '^a+$'", "{a} ~* 'A|b'"),
    *("{a} SIMILAR TO '(a|b)%'", "trim(both 'a' from {a})", "{a} > current_date", "{a} < localtimestamp"),
    *("to_char({a}, 'YYYY-MM-DD')", "to_date({a}, 'DD.MM.YYYY')", "to_timestamp('2020-02-03', 'YYYY-MM-DD') < {a}"),
    *("width_bucket({a}, 0, 10, 5)", "width_bucket({a}, ARRAY[1, 2])", "substring({a} from {b} for {b})", "pi() * {a}"),
    *("split_part({a}, '-', 2)", "repeat({a}, 20)", "lpad({a}, 1000, 'é')", "translate({a}, 'ab', 'x')", "TRUE = {a}"),
    *("regexp_replace({a}, '[^a-z]', '', 'g')", "log(2, {a})", "power({a}, 2)", "power({a}, -0.5)", "{a} = 'a'"),
    *("{a} = ANY ('{{1,2}}')", "{a} > TIMESTAMP '2020-01-01'", "{a} <= DATE '0001-01-01'", "replace({a}, 'a', {b})"),
    *("round({a}, 2)", "trunc({a}, -3)", "now() > {a}", "{a} IS TRUE"),
    "initcap(CASE WHEN {a} = {b} THEN 'x y' ELSE 'b' END)",
    *(f"CAST({{a}} AS {kind})" for kind in ("smallint", "int", "bigint", "numeric(5, 2)", "numeric(38, 10)", "real")),
    *(f"CAST({{a}} AS {kind})" for kind in ("float8", "text", "varchar(2)", "boolean", "date", "timestamp")),
    *(f"CAST(CAST({{a}} AS text) AS {kind})" for kind in ("int", "numeric(9, 2)", "float8", "date", "timestamp")),
    *(f"extract({field} FROM {{a}})" for field in ("year", "week", "isoyear", "epoch", "julian", "microseconds")),
    *(f"date_trunc('{unit}', {{a}})" for unit in ("year", "week", "second")),
    "date_bin('1 hour', {a}, TIMESTAMP '2020-01-01')",
)


def names() -> list[str]:
    """Of all functions that the list has a rule for, as they are called."""
    kinds = [kind for kind in RULES if issubclass(kind, exp.Func)]
    return sorted({name.lower() for kind in kinds for name in kind.sql_names()} | set(NAMED))


def calls(name: str) -> Iterator[str]:
    """A function with one, two and three arguments, one of which is a column."""
    every = (*COLUMNS, *_CONSTANTS)
    for arguments in (*product(COLUMNS), *product(every, every), *product(COLUMNS, _THIRD, _THIRD)):
        if not set(arguments).isdisjoint(COLUMNS):
            yield f"{name}({', '.join(arguments)})"


def operations(form: str) -> Iterator[str]:
    """An operator over all pairs of columns, or over each."""
    pairs = product(COLUMNS, COLUMNS) if "{b}" in form else zip(COLUMNS, COLUMNS, strict=True)
    return (form.format(a=a, b=b) for a, b in pairs)


def called(functions: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Functions by their names and the types of their arguments, with a column of each type."""
    columns = {kind.partition("(")[0]: name for name, kind in TYPES.items()} | {"timestamp without time zone": "ts"}
    for name, kinds in functions:
        if kinds and all(kind in columns for kind in kinds):
            yield f"{name}({', '.join(columns[kind] for kind in kinds)})"


def admitted(text: str) -> set[type[exp.Expression]]:
    """The kinds of nodes that an expression has, if the list lets it pass; else none of them.

    Texts that Postgres would not type may make rules stumble: here they are as good as refused.
    """
    try:
        tree = parse(text)
        total(tree, SCOPE)
    except (DPProxyError, sqlglot.errors.SqlglotError, LookupError, TypeError, ValueError, AttributeError):
        return set()
    return {type(node) for node in tree.walk()}


def shuffled(texts: Sequence[str]) -> Iterator[str]:
    """The same texts from all over the list, in an order that is always the same."""
    return (texts[at * _PRIME % len(texts)] for at in range(len(texts)))


def packs(expressions: Sequence[str], size: int) -> Iterator[list[str]]:
    """The expressions, so many at a time."""
    left = iter(expressions)
    while pack := list(islice(left, size)):
        yield pack


def _listed(form: str, pack: Sequence[str]) -> str:
    return ", ".join(form.format(e=each, n=at) for at, each in enumerate(pack))


# Many expressions in one statement, in each place where many may stand. {0}: a list; {1}: columns c0, c1 … of it.
_TOGETHER: Final[Mapping[str, tuple[str, str]]] = {
    "measures": ("count({e})", "SELECT {0} FROM odds"),
    "FILTER": ("count(*) FILTER (WHERE ({e}) IS NOT NULL)", "SELECT {0} FROM odds"),
    "CASE": ("sum(CASE WHEN ({e}) IS NULL THEN 1 ELSE 0 END)", "SELECT {0} FROM odds"),
    "subquery": ("{e} AS c{n}", "SELECT {1} FROM (SELECT {0} FROM odds) AS q"),
    "DISTINCT": ("{e} AS c{n}", "SELECT {1} FROM (SELECT DISTINCT person_id, {0} FROM odds) AS q"),
    "per unit": (
        "max(length(CAST({e} AS text))) AS c{n}",
        "SELECT {1} FROM (SELECT {0} FROM odds GROUP BY person_id) AS q",
    ),
    "window": (
        "row_number() OVER (PARTITION BY person_id ORDER BY {e}) AS c{n}",
        "SELECT {1} FROM (SELECT {0} FROM odds) AS q",
    ),
}
PLACES: Final = tuple(_TOGETHER)


def together(place: str, pack: Sequence[str]) -> str:
    """One statement over a pack."""
    form, around = _TOGETHER[place]
    return around.format(_listed(form, pack), ", ".join(f"count(c{at})" for at in range(len(pack))))
