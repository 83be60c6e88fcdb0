"""TABLESAMPLE: which units count in a relation, and what a join or a set operation of such makes of it.

A unit is in a sample with all its rows or with none. So it makes no difference where in a query rows of the others are
dropped, as long as none is left: they are dropped once, where rows leave for a release (`releases.bound.rows_of`), and
until then a relation says which units count. What cannot be said so is refused: of an outer join that would keep rows
of units that are not in the sample, or of two samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.errors import DPProxyError, FeatureNotSupported, NotPrivate
from dpproxy.plan.samples import Sample, sample_of
from dpproxy.rewrite.calculus.from_clause import FromItem
from dpproxy.rewrite.calculus.relations import FromRelation, Readable
from dpproxy.rewrite.calculus.ties import private_of
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.shown import as_written

_DIGITS: Final = Context(prec=40, rounding=ROUND_FLOOR)
_CLAUSE: Final = "TABLESAMPLE BERNOULLI (10)"


class InvalidTablesample(DPProxyError, sqlstate="2202H"):
    """A percentage that no sample can have, as Postgres says it."""


def sampled(node: exp.Table, context: PlanningContext) -> Sample | None:
    """The sample that is written after a private table; None where all units count.

    Raises FeatureNotSupported for SYSTEM and REPEATABLE, and InvalidTablesample.
    """
    clause = node.args.get("sample")
    if clause is None:
        return None
    method = clause.args.get("method")
    if method is None or method.name.upper() != "BERNOULLI":
        raise FeatureNotSupported(
            f"TABLESAMPLE {method.name.upper() if method else 'without a method'} is not supported over private tables",
            hint=f"Write {_CLAUSE}: each privacy unit is in the sample by itself, with all its rows or with none.",
            position=position(clause),
        )
    if clause.args.get("seed") is not None:
        raise FeatureNotSupported(
            "REPEATABLE is not supported over private tables: a sample that can be known beforehand protects nobody",
            hint="Leave it out. The same statement again is answered from its stored release, with the same sample.",
            position=position(clause.args["seed"]),
        )
    return _of_percent(clause, context)


def _of_percent(clause: exp.Expr, context: PlanningContext) -> Sample | None:
    written = clause.args.get("percent")
    given = context.constant(written) if isinstance(written, exp.Literal | exp.Parameter) else None
    value = given.this if isinstance(given, exp.Cast) else given
    others = {name for name, each in clause.args.items() if each is not None} - {"method", "percent", "seed"}
    if not isinstance(value, exp.Literal) or others:
        raise FeatureNotSupported(
            "the percentage of a sample is neither a number nor a parameter",
            hint=f"Write the number itself: {_CLAUSE}.",
            position=position(clause),
        )
    try:
        return sample_of(_percent(value.name))
    except (ValueError, ArithmeticError) as fault:
        raise InvalidTablesample(
            "sample percentage must be above 0 and at most 100",
            hint=f"Write {_CLAUSE} for about a tenth of the units.",
            position=position(clause),
        ) from fault


def _percent(text: str) -> Fraction:
    """Rounded down to 40 digits. Raises ValueError or ArithmeticError for what is no such number."""
    percent = _DIGITS.create_decimal(text)
    if not Decimal("1e-18") <= percent <= 100:
        raise ValueError("no percentage")
    return Fraction(percent)


def refuse_sample(node: exp.Expr) -> None:
    """Raises FeatureNotSupported where TABLESAMPLE stands after anything but a private table."""
    if node.args.get("sample") is not None:
        raise FeatureNotSupported(
            "in a statement over private tables TABLESAMPLE is for these alone",
            hint="Keep a sample of the public table in a table of your own, and join that.",
            position=position(node),
        )


def refuse_in_expressions(items: Sequence[FromItem], relations: Sequence[Readable]) -> None:
    """Raises NotPrivate where a subquery in an expression reads a sample: the rest of the row is of everybody."""
    for item, relation in zip(items, relations, strict=True):
        if relation.sample is not None:
            raise NotPrivate(
                "TABLESAMPLE in a subquery of an expression over private rows is not supported",
                hint="Write it after a table in FROM of the query itself: the whole unit is in the sample, or not.",
                position=position(item.node),
            )


def sample_of_join(items: Sequence[FromItem], sources: Sequence[FromRelation]) -> Sample | None:
    """The units that count in a join.

    Claim: without the rows of all others, it is the join of its sources without theirs. Because: rows of a join are
    each of one unit. Where every private source has that sample, there is nothing to show; else one that has it is
    there in every row, so that no row of another unit would be.
    Checked by: tests/test_samples.py.
    Raises NotPrivate for two samples, and for one that would leave other units' rows.
    """
    private = private_of(sources)
    samples = {relation.sample for _, relation in private}
    if len(samples) < 2:
        return next(iter(samples), None)
    given = [source for source, relation in private if relation.sample is not None]
    if len(samples - {None}) > 1:
        raise NotPrivate(
            "samples of two sizes in one join",
            hint="Write the same percentage after each table, or TABLESAMPLE after one of them alone.",
            position=_place(given[-1], items, sources),
        )
    if all(source.nullable for source in given):
        whole = next(source for source, relation in private if relation.sample is None)
        raise NotPrivate(
            f'the outer join would keep rows of "{as_written(whole.alias)}" of units that are not in the sample',
            hint="Write the same TABLESAMPLE after both tables.",
            position=_place(given[0], items, sources),
        )
    return given[0].relation.sample


def _place(source: FromRelation, items: Sequence[FromItem], sources: Sequence[FromRelation]) -> int | None:
    return next((position(item.node) for each, item in zip(sources, items, strict=True) if each is source), None)


def check_one_sample(left: Readable, right: Readable, place: int | None) -> None:
    """Raises NotPrivate where the sides of a set operation have two samples, or one of them none."""
    if left.sample != right.sample:
        raise NotPrivate(
            "a set operation of rows of a sample and of others",
            hint="Write the same TABLESAMPLE on both sides.",
            position=place,
        )
