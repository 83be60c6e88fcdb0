"""A SELECT that reads its groups from one query of WITH, and what is aggregated of their rows from others.

Checked by: tests/test_strangers_apart.py, tests/test_keys_chosen.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.rewrite.calculus.aggregates_of import substitute
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.plain_joins import grouped

_KEY: Final = "dpproxy key"
_VALUE: Final = "dpproxy value"
_WHOLE: Final = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "DOW", "ISODOW", "DOY"})


@dataclass(frozen=True, slots=True)
class ToldGroups:
    """A query of WITH with the keys of groups, and values that stand for aggregates."""

    name: str
    query: exp.Select
    values: tuple[exp.Expr, ...]


def read_apart(
    written: exp.Select, known: ToldGroups, met: Sequence[ToldGroups], by_known: Sequence[bool]
) -> exp.Select:
    """The SELECT that reads `known` for its groups, and `met` by these. by_known: whether a key is never NULL there."""
    select = written.copy()
    _keep_names(select)
    replaced = {key: _column(f"{_KEY} {at}", known.name) for at, key in enumerate(grouped(written))}
    for told in (known, *met):
        replaced |= {node: _column(f"{_VALUE} {at}", told.name) for at, node in enumerate(told.values)}
    substitute(select, {node: stands_for(column, node) for node, column in replaced.items()})
    having, with_ = select.args.get("having"), select.args.get("with_")
    for clause in ("group", "having", "where"):
        select.set(clause, None)
    select.set("from_", exp.From(this=read_as(known.name, known.name)))
    select.set("joins", [_joined(known.name, told.name, by_known) for told in met])
    if having is not None:
        select.set("where", exp.Where(this=having.this))
    ctes = [_cte(told.name, told.query) for told in (known, *met)]
    select.set("with_", exp.With(expressions=[*([] if with_ is None else with_.expressions), *ctes]))
    return select


def with_whole_keys(select: exp.Select) -> exp.Select:
    """The same SELECT, in which years, months and the like that it groups by are whole numbers.

    They are numbers with decimal places for Postgres, which engines hold as doubles where they are told again: of these
    nobody knows that no two keys become the same one, and each row would be counted as if it met all of them.
    """
    keys = [key for key in grouped(select) if isinstance(key, exp.Extract) and key.name.upper() in _WHOLE]
    if not keys:
        return select
    made = select.copy()
    whole: dict[exp.Expr, exp.Expr] = {key: exp.cast(key.copy(), "int") for key in keys}
    substitute(made, {key: exp.cast(each.copy(), "decimal") for key, each in whole.items()})
    made.args["group"].set("expressions", [whole.get(key, key).copy() for key in grouped(select)])
    return made


def aggregated(
    select: exp.Select, joins: list[exp.Join], keys: Sequence[exp.Expr], values: Sequence[exp.Expr]
) -> exp.Select:
    """Values of the rows of a SELECT, which are joined so, by keys."""
    return exp.Select(
        expressions=_items(keys, values),
        from_=select.args["from_"].copy(),
        joins=joins,
        where=None if select.args.get("where") is None else select.args["where"].copy(),
        group=exp.Group(expressions=[key.copy() for key in keys]) if keys else None,
    )


def by_known_keys(
    select: exp.Select,
    joins: list[exp.Join],
    by_known: Sequence[bool],
    known: exp.Table,
    values: Sequence[exp.Expr],
) -> exp.Select:
    """Values of the rows of a SELECT by the keys of `known`, where these are never NULL, and else by their own."""
    keys = list(zip(grouped(select), by_known, strict=True))
    told = [_column(f"{_KEY} {at}", known.alias) if each else key for at, (key, each) in enumerate(keys)]
    if any(by_known):
        on = [exp.EQ(this=one, expression=key.copy()) for one, (key, each) in zip(told, keys, strict=True) if each]
        joins = [*joins, exp.Join(this=known, on=exp.and_(*on))]
    return aggregated(select, joins, told, values)


def of_keys(from_: exp.From, joins: list[exp.Join], where: Sequence[exp.Expr], keys: Sequence[exp.Expr]) -> exp.Select:
    """The keys of some rows, each once."""
    return exp.Select(
        expressions=_items(keys, ()),
        from_=from_,
        joins=joins,
        where=exp.Where(this=exp.and_(*where)) if where else None,
        group=exp.Group(expressions=[key.copy() for key in keys]),
    )


def _items(keys: Sequence[exp.Expr], values: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [
        *(exp.alias_(key.copy(), f"{_KEY} {at}", quoted=True) for at, key in enumerate(keys)),
        *(exp.alias_(value.copy(), f"{_VALUE} {at}", quoted=True) for at, value in enumerate(values)),
    ]


def read_as(name: str, alias: str) -> exp.Table:
    """A query of WITH in FROM."""
    return exp.Table(
        this=exp.to_identifier(name, quoted=True),
        alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)),
    )


def become(select: exp.Select, made: exp.Select) -> None:
    """Let the one have all clauses of the other, and no more."""
    for clause in {*select.args, *made.args}:
        select.set(clause, made.args.get(clause))


def _keep_names(select: exp.Select) -> None:
    for item in list(select.expressions):
        if isinstance(item, exp.Column):
            item.replace(exp.alias_(item.copy(), item.name, quoted=True))


def _cte(name: str, query: exp.Select) -> exp.CTE:
    return exp.CTE(this=query, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))


def _joined(known: str, met: str, by_known: Sequence[bool]) -> exp.Join:
    """LEFT JOIN by the keys, of which those that may be NULL are alike, too, where both are."""
    source = read_as(met, met)
    if not by_known:
        return exp.Join(this=source, kind="CROSS")
    pairs = [(_column(f"{_KEY} {at}", known), _column(f"{_KEY} {at}", met)) for at in range(len(by_known))]
    on = [
        exp.EQ(this=one, expression=other) if each else exp.NullSafeEQ(this=one, expression=other)
        for (one, other), each in zip(pairs, by_known, strict=True)
    ]
    return exp.Join(this=source, side="LEFT", on=exp.and_(*on))


def _column(name: str, table: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))
