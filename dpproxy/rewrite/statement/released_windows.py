"""Windows over rows of several units: what each says of a whole partition is released, and looked up by its rows.

    avg(cost) OVER (PARTITION BY dept)           (SELECT dept, avg(cost) FROM … GROUP BY dept), joined on dept
    ntile(4) OVER (PARTITION BY sex ORDER BY x)  three quantiles of x by sex, and where x lies among them

The rows of a partition that was not released have NULL.

Checked by: tests/test_executed.py, tests/test_neighbours.py and tests/test_fixtures.py (rewrite/released_windows.sql).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import DATE, TIMESTAMP, Family
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.calculus.windowed import MOST_BUCKETS, windows
from dpproxy.rewrite.expressions.facts.fact import Fact
from dpproxy.rewrite.expressions.trees.build import cast
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.shown import stands_for

NOTE: Final = "a window over rows of several {}s is a release, of one row for each partition: NULL where there is none"
MOST_NESTED: Final = 13
"""Each trebles what is read within it: so many are three within each other."""
_AGGREGATES: Final = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr, exp.Filter)
_STATISTICS: Final = (exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop, exp.WithinGroup)
_INSTEAD_OF_NULL: Final[Mapping[Family, exp.Expr]] = {
    Family.INTEGER: exp.Literal.number(0),
    Family.TEXT: exp.Literal.string(""),
    Family.BOOLEAN: exp.false(),
    Family.DATE: cast(exp.Literal.string("2000-01-01"), DATE),
    Family.TIMESTAMP: cast(exp.Literal.string("2000-01-01"), TIMESTAMP),
}
_FactOf = Callable[[exp.Expr], Fact]
_CLAUSES: Final = frozenset({"with_", "expressions", "from_", "joins", "where", "order"})


def is_released(window: exp.Window) -> bool:
    """Whether it says one thing of a whole partition, or where a row lies among the quantiles of one number."""
    order = window.args.get("order")
    ordered = order.expressions if order is not None else []
    if window.args.get("spec") is not None or any(exp.Literal is type(each.this) for each in ordered):
        return False
    if isinstance(window.this, exp.Ntile):
        return len(ordered) == 1 and _buckets(window) > 0
    return not ordered and isinstance(window.this, (*_AGGREGATES, *_STATISTICS))


def _buckets(window: exp.Window) -> int:
    """How many an NTILE makes; 0 where that is no small number that is written out."""
    number = window.this.this
    return (
        int(number.name)
        if isinstance(number, exp.Literal) and number.is_int and int(number.name) <= MOST_BUCKETS
        else 0
    )


@dataclass(frozen=True, slots=True)
class SelectAsWritten:
    """A SELECT as it was written, without its WITH, and how many releases there were before it."""

    select: exp.Select
    drafts: int


def as_written(select: exp.Select, drafts: int) -> SelectAsWritten | None:
    """The SELECT as it is before it is read, where a release of the same rows may be asked for: it has windows, and no
    clause that such a release has not (LIMIT, DISTINCT, a lateral query)."""
    clauses = {name for name, value in select.args.items() if value}
    if not clauses <= _CLAUSES or not windows(select) or select.find(exp.Lateral) is not None:
        return None
    made = select.copy()
    made.set("with_", None)  # its names are known
    return SelectAsWritten(made, drafts)


def nested_windows(window: exp.Window) -> FeatureNotSupported:
    """The refusal of more of them within each other than are worth their planning."""
    return FeatureNotSupported(
        "more windows over rows of several units than are read within each other",
        hint="Put the inner ones into queries of WITH, each of which is read once.",
        position=position(window),
    )


def released_windows(select: exp.Select, several: Sequence[exp.Window], fact: _FactOf) -> exp.Select:
    """The SELECT, joined with a release for each way to part its rows; `several`: its windows over several units.

    fact: what is known of an expression over its rows.
    Claim: what stands for a window is a released number. Because: it is a column of a query that aggregates the same
    rows by what parts them, which is a release point, or refused. Checked by: tests/test_fixtures.py.
    """
    made = select.copy()
    joins = list(made.args.get("joins") or [])
    places: dict[exp.Expr, exp.Expr] = {}
    for number, (parts, alike) in enumerate(_by_partition(several).items()):
        alias = f"dpproxy partition {number}"
        known = [fact(part) for part in parts]
        every = all(each.domain is not None and not each.nullable for each in known)
        release, columns = _release(select, parts, alike, alias, every)
        places |= columns
        joins.append(_join(release, parts, known, alias))
    made.set("expressions", [item.transform(lambda node: _placed(node, places)) for item in made.expressions])
    made.set("joins", joins)
    unique = unique_aliases(made)
    assert isinstance(unique, exp.Select)
    return unique


def _by_partition(several: Sequence[exp.Window]) -> Mapping[tuple[exp.Expr, ...], list[exp.Window]]:
    found: dict[tuple[exp.Expr, ...], list[exp.Window]] = {}
    for window in dict.fromkeys(several):
        found.setdefault(tuple(dict.fromkeys(window.args.get("partition_by") or [])), []).append(window)
    return found


def _placed(node: exp.Expr, places: Mapping[exp.Expr, exp.Expr]) -> exp.Expr:
    found = places.get(node)
    return node if found is None else found.copy()


def _release(
    select: exp.Select, parts: Sequence[exp.Expr], alike: Sequence[exp.Window], alias: str, every: bool
) -> tuple[exp.Select, dict[exp.Expr, exp.Expr]]:
    """The release of the same rows by what parts them, and what stands for each window. every: whether it has a row
    for each partition that there can be."""
    items = [_named(part.copy(), f"k{i}") for i, part in enumerate(parts)]
    places: dict[exp.Expr, exp.Expr] = {}
    for window in alike:
        asked = list(_asked(window))
        names = [f"a{len(items) + i}" for i in range(len(asked))]
        items += map(_named, asked, names)
        columns = [exp.column(name, table=alias, quoted=True) for name in names]
        places[window.copy()] = (
            _bucket(window, columns, every) if isinstance(window.this, exp.Ntile) else stands_for(columns[0], window)
        )
    clauses = {name: select.args[name] for name in ("from_", "joins", "where") if select.args.get(name)}
    copied = {
        name: [each.copy() for each in value] if isinstance(value, list) else value.copy()
        for name, value in clauses.items()
    }
    group = exp.Group(expressions=[part.copy() for part in parts]) if parts else None
    return exp.Select(expressions=items, group=group, **copied), places


def _named(node: exp.Expr, name: str) -> exp.Alias:
    return exp.Alias(this=node, alias=exp.to_identifier(name, quoted=True))


def _join(release: exp.Select, parts: Sequence[exp.Expr], known: Sequence[Fact], alias: str) -> exp.Join:
    source = exp.Subquery(this=release, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    if not parts:
        return exp.Join(this=source, kind="CROSS")
    keys = [exp.column(f"k{i}", table=alias, quoted=True) for i in range(len(parts))]
    pairs = [_alike(part, key, each) for part, key, each in zip(parts, keys, known, strict=True)]
    return exp.Join(this=source, side="LEFT", on=exp.and_(*pairs, copy=False))


def _alike(part: exp.Expr, key: exp.Expr, known: Fact) -> exp.Expr:
    """The condition that a row is in a partition. Where it may be NULL, and a constant can stand for that, two
    equalities say so: Postgres has a hash table for these, and none for IS NOT DISTINCT FROM."""
    if not known.nullable:
        return exp.EQ(this=part.copy(), expression=key)
    instead = _INSTEAD_OF_NULL.get(known.type.family)
    if instead is None:
        return exp.NullSafeEQ(this=part.copy(), expression=key)
    given = [exp.Coalesce(this=each.copy(), expressions=[instead.copy()]) for each in (part, key)]
    absent = [exp.paren(exp.Is(this=each.copy(), expression=exp.Null())) for each in (part, key)]
    equal = [exp.EQ(this=one, expression=other) for one, other in (given, absent)]
    return exp.and_(*equal, copy=False)


def _asked(window: exp.Window) -> Iterator[exp.Expr]:
    """What is released of a partition: the aggregate itself, or the quantiles between an NTILE's buckets."""
    if not isinstance(window.this, exp.Ntile):
        yield window.this.copy()
        return
    (ordered,) = window.args["order"].expressions
    number = _buckets(window)
    for i in range(1, number):
        share = exp.PercentileDisc(this=exp.Literal.number(f"{i / number:.6g}"))
        yield exp.WithinGroup(this=share, expression=exp.Order(expressions=[exp.Ordered(this=ordered.this.copy())]))


def _bucket(window: exp.Window, quantiles: Sequence[exp.Expr], every: bool) -> exp.Expr:
    """Where the row's value lies among the quantiles, which rise, counted from the side that the order begins with.

    Rows without a value are in the first bucket or the last, as the order says, beside the values there.
    """
    (ordered,) = window.args["order"].expressions
    value, number = ordered.this, _buckets(window)
    falling, first = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))
    compare = exp.GT if falling else exp.LTE
    bounds = reversed(quantiles) if falling else quantiles
    absent = quantiles[: 0 if every else 1]
    ifs = [_if(exp.Is(this=each.copy(), expression=exp.Null()), exp.Null()) for each in absent]
    ifs += [_if(exp.Is(this=value.copy(), expression=exp.Null()), _number(1))] if first else []
    ifs += [_if(compare(this=value.copy(), expression=each.copy()), _number(i)) for i, each in enumerate(bounds, 1)]
    return exp.Case(ifs=ifs, default=_number(number))


def _if(condition: exp.Expr, result: exp.Expr) -> exp.If:
    return exp.If(this=condition, true=result)


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)
