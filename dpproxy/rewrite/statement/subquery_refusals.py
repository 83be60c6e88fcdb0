"""The refusals of subqueries in the expressions of a SELECT that the engine runs.

Checked by: sql_fixtures/refuse/subqueries.sql.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.rewrite.calculus.joins import Filtered, one_unit, tie
from dpproxy.rewrite.calculus.relations import Enclosing
from dpproxy.rewrite.calculus.ties import private_of
from dpproxy.rewrite.expressions.trees.position import at_first_column, start
from dpproxy.rewrite.shown import as_written


def untied(select: exp.Select, rows: Filtered, inside: Enclosing, catalog: Catalog) -> NotPrivate:
    """The refusal of a subquery whose rows may be of another unit than the row that asks."""
    inner = private_of(rows.made.sources)[0][0]
    outer = [source for source, _ in private_of(inside.sources)]
    one_unit([*outer, *(source for source, _ in private_of(rows.made.sources))], rows.made)
    if not outer:
        return NotPrivate(
            f'the answer would show without noise whether "{inner.alias}" has a row',
            hint=f'Count the rows of "{inner.alias}" for each public key instead: GROUP BY it.',
            position=start(select),
        )
    condition = tying(rows, inside, catalog) or "an equality along the policy's links"
    return NotPrivate(
        f"this subquery reads rows of other {inner.relation.unit}s than the row that asks",
        hint=f"Tie it to the unit: AND {condition}.",
        position=start(select),
    )


def tying(rows: Filtered, inside: Enclosing, catalog: Catalog) -> str | None:
    """A condition that ties rows of a subquery to the unit that asks; None where no columns of theirs do."""
    inner, outer = private_of(rows.made.sources), private_of(inside.sources)
    conditions = (tie(one, other, catalog) for one, _ in inner for other, _ in outer)
    return next((each for each in conditions if each is not None), None)


def instead(rows: Filtered, inside: Enclosing, catalog: Catalog) -> str | None:
    """The same, where an analyst can write it: for names of theirs that are not alike."""
    names = [as_written(each.alias) for of in (rows.made, inside) for each, _ in private_of(of.sources)]
    own = len(set(names)) == len(names) and not any(name.startswith("dpproxy ") for name in names)
    return tying(rows, inside, catalog) if own else None


def first_row(query: exp.Expr) -> FeatureNotSupported:
    """The refusal of the first of several rows, correlated."""
    return FeatureNotSupported(
        "LIMIT in a correlated scalar subquery is not supported for private rows",
        hint="Join the first row: LATERAL (SELECT x FROM t WHERE t.key = p.key ORDER BY y LIMIT 1) AS first.",
        position=at_first_column(query),
    )


def several(query: exp.Expr) -> NotPrivate:
    """The refusal of a scalar subquery that may have several rows."""
    return NotPrivate(
        "a scalar subquery here must be proved to have one row",
        hint="Aggregate in it: MAX(x), MIN(x), COUNT(*), SUM(x) or AVG(x). Of public or released rows: LIMIT 1.",
        position=at_first_column(query),
    )


def correlated(query: exp.Expr) -> FeatureNotSupported:
    """The refusal of a correlated subquery that is more than a join with conditions."""
    return FeatureNotSupported(
        "a correlated subquery over private rows with WITH, GROUP BY, DISTINCT, LIMIT or a set operation is not"
        " supported",
        hint="Write it as a derived table grouped by the unit's key, and join it ON the key.",
        position=at_first_column(query),
    )


def by_counts(query: exp.Select) -> FeatureNotSupported:
    """The refusal of private rows that ask for values of which all are known, and noisy counts tell which are there."""
    return FeatureNotSupported(
        "which declared values there are is told by noisy counts, which cannot be read together with private rows",
        hint="Tie it to the unit, or say how many must have it: IN (SELECT x FROM t GROUP BY x HAVING COUNT(*) > 100).",
        position=start(query),
    )


def returned(query: exp.Expr) -> NotPrivate:
    """The refusal of private rows themselves in a query over public or released ones."""
    return NotPrivate(
        "this subquery would hand rows of private tables to a query over public or released ones",
        hint="Aggregate them in the subquery: COUNT(*), SUM(x) or AVG(x).",
        position=start(query),
    )
