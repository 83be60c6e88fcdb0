"""Give every unnamed output column the name that Postgres gives it, so that outer queries find it.

As in Postgres's parse_target.c (FigureColname): a column's name, a function's name, the name under a cast or else the
type's, `case`, and so on; `?column?` is nobody's to refer to and becomes a name from position.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.expressions.trees.nodes import nodes_of

_CALLED: dict[type[exp.Expr], str] = {exp.GroupConcat: "string_agg", exp.JSONArrayAgg: "json_agg"}


def label(tree: exp.Query, sql: str) -> exp.Query:
    """A copy of the tree, parsed from `sql`, with an alias on every output column of every SELECT in it."""
    made = tree.copy()
    for select in [node for node in nodes_of(made) if type(node) is exp.Select]:
        _label_select(select, sql)
    return made


def _label_select(select: exp.Select, sql: str) -> None:
    names = [column_name(projection, sql) for projection in select.expressions]
    select.set(
        "expressions",
        [
            projection
            if isinstance(projection, exp.Alias | exp.Star) or projection.is_star
            else _aliased(projection, name if name is not None and names.count(name) == 1 else f"_column_{index}")
            for index, (projection, name) in enumerate(zip(select.expressions, names, strict=True))
        ],
    )


def _aliased(projection: exp.Expr, name: str) -> exp.Expr:
    if isinstance(projection, exp.Column) and not name.startswith("_column_"):
        return projection
    return exp.Alias(this=projection, alias=exp.to_identifier(name, quoted=True))


def column_name(expression: exp.Expr, sql: str) -> str | None:
    """The name that Postgres gives to an output column; None where it would be `?column?`."""
    match expression:
        case exp.Alias():
            return str(expression.alias)
        case exp.Column():
            return str(expression.name)
        case exp.Paren() | exp.Filter() | exp.Window() | exp.WithinGroup() | exp.Bracket():
            return column_name(expression.this, sql)
        case exp.Cast():
            return _called(expression, sql) or column_name(expression.this, sql) or _type_name(expression)
        case exp.Case():
            default = expression.args.get("default")
            return (column_name(default, sql) if isinstance(default, exp.Column) else None) or "case"
        case exp.Subquery():
            return column_name(expression.this.expressions[0], sql) if expression.this.expressions else None
        case exp.AggFunc():
            return _CALLED.get(type(expression)) or written_name(expression, sql)
        case exp.Binary() | exp.Unary() | exp.Between() | exp.In() | exp.Literal() | exp.Null():
            return _called(expression, sql)
        case exp.Anonymous():
            return str(expression.name).lower().removeprefix("dp.")
        case exp.Trim():
            return {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(expression.args.get("position")).upper(), "btrim")
        case exp.Func():
            return written_name(expression, sql)
        case _:
            return "row" if type(expression) is exp.Tuple else None


def _called(expression: exp.Expr, sql: str) -> str | None:
    """The name of power(), mod(), regexp_like() and div(), which the parser reads as operators and casts."""
    called = isinstance(expression, exp.Binary | exp.Cast) and expression.meta_get("start") is not None
    return written_name(expression, sql) if called else None


def written_name(function: exp.Expr, sql: str) -> str:
    """The function's name as it was written, if the parser kept its place, else the parser's own."""
    start, end = function.meta_get("start"), function.meta_get("end")
    written = sql[start : end + 1].strip('"').lower() if start is not None and end is not None else ""
    own = function.sql_name() if isinstance(function, exp.Func) else function.key
    return written if written.isidentifier() else str(own).lower()


def _type_name(cast: exp.Cast) -> str:
    name = cast.to.sql("postgres").split("(")[0].lower()
    return {
        "int": "int4",
        "bigint": "int8",
        "smallint": "int2",
        "decimal": "numeric",
        "double precision": "float8",
    }.get(name, name)
