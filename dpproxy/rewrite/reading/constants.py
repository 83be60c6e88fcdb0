"""VALUES, generate_series() and unnest() of constants, as tables of a schema of their own while the passes run.

They are public. Where only the front reads them they come back as they were written (`swap`); the engine reads their
rows from a list of constants (`constant_rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.trees.position import note, position
from dpproxy.rewrite.shown import shown

# The schema under which the tree reads them; the table's name is the place in the list.
CONSTANTS = "dpproxy constants"
_FUNCTIONS = (exp.Unnest, exp.ExplodingGenerateSeries)
# Before VALUES the parser takes them for functions.
_QUANTIFIERS: dict[str, type[exp.Expression]] = {"all": exp.All, "any": exp.Any, "some": exp.Any}
_NAMES: dict[type[exp.Expr], str] = {exp.Values: "VALUES", exp.Unnest: "unnest()"}


@dataclass(frozen=True, slots=True)
class ConstantRelation:
    """A Values, Unnest or ExplodingGenerateSeries node without alias, and the names of its columns."""

    node: exp.Expr
    columns: tuple[str, ...]


def set_apart(tree: exp.Query) -> tuple[exp.Query, tuple[ConstantRelation, ...]]:
    """The tree with tables of schema CONSTANTS for all relations of constants, and what these are, in order.

    Raises FeatureNotSupported for one that is not of constants and parameters alone.
    """
    sources = list(tree.find_all(exp.Table, exp.Values, *_FUNCTIONS))
    if any(type(each) is exp.Table and each.db == CONSTANTS for each in sources):
        raise FeatureNotSupported("this schema cannot be combined with private tables", hint="Write its name in full.")
    if all(type(each) is exp.Table for each in sources):
        return tree, ()
    made = tree.copy()
    for node in list(made.find_all(exp.Values)):
        _into_from(node)
    found: list[ConstantRelation] = []
    for each in list(made.find_all(exp.Values, *_FUNCTIONS)):
        _check(each)
        _holder(each).replace(_table(each, found))
    return made, tuple(found)


def _into_from(node: exp.Values) -> None:
    """VALUES as a query becomes a SELECT from it; IN of a single column of it is IN of a list."""
    around = node.parent
    if isinstance(around, exp.From | exp.Join | exp.Lateral):
        return
    if isinstance(around, exp.In):
        rows = [row.expressions for row in node.expressions if isinstance(row, exp.Tuple)]
        if all(len(row) == 1 for row in rows):
            around.set("expressions", [item for row in rows for item in row])
            return
        around.set("expressions", None)
        around.set("query", exp.Subquery(this=_selected(node)))
        return
    if isinstance(around, exp.Subquery) and isinstance(around.parent, exp.From | exp.Join):
        return
    selected = _selected(node.copy())
    if isinstance(around, exp.Anonymous) and str(around.name).lower() in _QUANTIFIERS:
        around.replace(_QUANTIFIERS[str(around.name).lower()](this=selected))
    else:
        node.replace(selected)


def _selected(node: exp.Values) -> exp.Select:
    node.set("alias", exp.TableAlias(this=exp.to_identifier("_values")))
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=node))


def _of_columns(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of a list of columns: of a series there is one of constants, and a condition."""
    message = f"{_called(node)} of columns or subqueries cannot be combined with private tables"
    series = node.find(exp.ExplodingGenerateSeries)
    if series is None:
        hint = (
            "Write LATERAL (VALUES (p.a), (p.b)) AS x(v) behind the columns' table; GREATEST(a, b), CASE; or constants."
        )
        return FeatureNotSupported(message, hint=hint, position=position(node))
    ends = shown(series.args["start"]), shown(series.args["end"])
    return FeatureNotSupported(
        message,
        hint="Write constants in it, as far as it may go, and its ends as a condition: "
        f"FROM …, {_longest(series)} AS g WHERE g BETWEEN {ends[0]} AND {ends[1]}.",
        position=position(node),
    )


def _longest(series: exp.Expr) -> str:
    """A series of constants in the place of one of columns: with its own start and step where these are constants."""
    start, step = series.args["start"], series.args.get("step")
    is_dated = isinstance(step, exp.Interval | exp.Cast) or (isinstance(step, exp.Literal) and step.is_string)
    first = None if start.find(exp.Column) is not None else start
    last = str(int(first.name) + 999) if isinstance(first, exp.Literal) and first.is_int else "1000"
    ends = (shown(first or exp.Literal.number(1)), last)
    if is_dated:
        ends = ("'2024-01-01'::date" if first is None else shown(first), "'2024-12-31'")
    parts = [*ends, *([] if step is None or step.find(exp.Column) is not None else [shown(step)])]
    return f"generate_series({', '.join(parts)})"


def _check(node: exp.Expr) -> None:
    if node.find(exp.Column, exp.Query, exp.AggFunc, exp.Window) is not None:
        raise _of_columns(node)
    if node.args.get("offset"):
        raise FeatureNotSupported(
            "WITH ORDINALITY is not supported in a statement over private tables",
            hint="Write the numbers in VALUES: (VALUES ('a', 1), ('b', 2)) AS t(x, n).",
            position=position(node),
        )


def _holder(node: exp.Expr) -> exp.Expr:
    """The item of FROM or JOIN that is nothing but `node`."""
    inside = node.parent
    if isinstance(inside, exp.Lateral | exp.Table) and inside.this is node:
        extra = [name for name, value in inside.args.items() if value and name not in ("this", "alias", "joins")]
        holder: exp.Expr = inside
    else:
        extra, holder = [], node
    if extra or not isinstance(holder.parent, exp.From | exp.Join | exp.Subquery):
        raise FeatureNotSupported(
            f"{_called(node)} is not supported here in a statement over private tables",
            hint="Put it into FROM by itself: FROM generate_series(1, 10) AS g.",
            position=position(node),
        )
    return holder


def _called(node: exp.Expr) -> str:
    return _NAMES.get(type(node), "generate_series()")


def _table(node: exp.Expr, found: list[ConstantRelation]) -> exp.Table:
    """The table in its place, with the names of its columns in the alias; `found` gets what it stands for."""
    holder = _holder(node)
    alias = holder.args.get("alias")
    written = [str(column.name) for column in (alias.columns if alias is not None else [])]
    function = _called(node).removesuffix("()")
    name = holder.alias or ("_values" if isinstance(node, exp.Values) else function)
    columns = _columns(node, written, name if holder.alias else function)
    bare = node.copy()
    for argument in ("alias", "joins"):
        bare.set(argument, None)
    place = exp.to_identifier(str(len(found)), quoted=True)
    at = position(node)
    if at is not None:
        note(place, {"start": at - 1, "end": at - 1})
    found.append(ConstantRelation(bare, columns))
    return exp.Table(
        this=place,
        db=exp.to_identifier(CONSTANTS, quoted=True),
        alias=exp.TableAlias(
            this=exp.to_identifier(name, quoted=True), columns=[exp.to_identifier(c, quoted=True) for c in columns]
        ),
        joins=holder.args.get("joins"),
    )


def _columns(node: exp.Expr, written: Sequence[str], name: str) -> tuple[str, ...]:
    """The names as Postgres gives them: those of the alias, then column2, …; a function's column is named as it is."""
    match node:
        case exp.Values():
            width = max((len(row.expressions) for row in node.expressions if isinstance(row, exp.Tuple)), default=0)
            own = [f"column{i}" for i in range(1, width + 1)]
        case exp.Unnest() if len(node.expressions) > 1:
            own = ["unnest"] * len(node.expressions)
        case _:
            own = [name]
    columns = (*written, *own[len(written) :])
    if len(set(columns)) != len(columns) or len(columns) != len(own):
        raise FeatureNotSupported(
            f"the columns of {_called(node)} need names that differ",
            hint="Name each: unnest(…, …) AS t(a, b).",
            position=position(node),
        )
    return columns


def written(constants: ConstantRelation, alias: str) -> exp.Expr:
    """What was written, for the front, with all columns named."""
    named = exp.TableAlias(
        this=exp.to_identifier(alias, quoted=True),
        columns=[exp.to_identifier(name, quoted=True) for name in constants.columns],
    )
    node = constants.node.copy()
    if isinstance(node, exp.ExplodingGenerateSeries):
        return exp.Table(this=node, alias=named)
    node.set("alias", named)
    return node
