"""Mutants of bounded SQL: every place of a tree where one part can be taken away, loosened, swapped or added.

A mutant is a kind, a place and a change: made one by one, so that thousands can be drawn from without being built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from sqlglot import exp, parse_one

from dpproxy.catalog.policy import Catalog

Change = Callable[[exp.Expr], None]


@dataclass(frozen=True)
class Site:
    """A change of the node that is the `at`-th of the tree; `kind` names what is done."""

    kind: str
    at: int
    change: Change


@dataclass(frozen=True)
class Grown:
    """A tree, and what can be done to it."""

    tree: exp.Expr
    sites: tuple[Site, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its sites, each once."""
        return tuple(dict.fromkeys(site.kind for site in self.sites))

    def mutant(self, site: Site, dialect: str) -> str:
        """The text after the change."""
        held = exp.Subquery(this=self.tree.copy())
        for index, node in enumerate(held.this.walk()):
            if index == site.at:
                site.change(node)
                break
        return held.this.sql(dialect)


def grown(sql: str, dialect: str, catalog: Catalog) -> Grown:
    """All that can be done to a bounded SQL."""
    tree = parse_one(sql, read=dialect)
    words = _Words.of(tree, catalog)
    return Grown(tree, tuple(_sites(tree, words)))


@dataclass(frozen=True)
class _Words:
    """What can be put in: columns and tables by name."""

    columns: tuple[exp.Expr, ...]
    tables: tuple[str, ...]
    hidden: tuple[str, ...]
    private: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, tree: exp.Expr, catalog: Catalog) -> _Words:
        columns = {node.sql(): node for node in tree.find_all(exp.Column)}
        tables = list(catalog.tables.values())
        private = [(table.relation, table.columns[-1].name) for table in tables if not table.public]
        hidden = [column.name for table in tables for column in table.columns if column.hidden]
        return cls(
            tuple(columns.values()),
            tuple(table.relation for table in tables),
            (*dict.fromkeys(hidden), "rowid", "ctid", "tableoid", "xmin"),
            tuple(private),
        )


def _sites(tree: exp.Expr, words: _Words) -> Iterator[Site]:
    for at, node in enumerate(tree.walk()):
        for kind, change in (*_RULES.get(type(node), _no_rule)(node, words), *_of_any(node, words)):
            yield Site(kind, at, change)


Found = Iterator[tuple[str, Change]]


def _no_rule(node: exp.Expr, words: _Words) -> Found:
    yield from ()


def put(made: Callable[[exp.Expr], exp.Expr]) -> Change:
    """Replace a node by what is made of it."""

    def change(node: exp.Expr) -> None:
        node.replace(made(node))

    return change


def argument(name: str) -> Change:
    """Replace a node by a part of it."""
    return put(lambda node: node.args[name].copy())


def as_sql(text: str) -> Change:
    """Replace a node by a text."""
    return put(lambda node: parse_one(text, read="duckdb"))


def _of_any(node: exp.Expr, words: _Words) -> Found:
    """Where a value stands there can be a subquery over everybody, or what changes by itself or reads files."""
    if not isinstance(node, exp.Column | exp.Literal) or isinstance(node.parent, _NO_VALUES):
        return
    for table, column in words.private:
        yield "a subquery over everybody", as_sql(f'(SELECT MAX(z."{column}") FROM "{table}" AS z)')
        yield "a subquery over everybody", as_sql(f'(SELECT COUNT(*) FROM "{table}" AS z)')
    for text in _CALLS:
        yield "a volatile function", as_sql(text)


_NO_VALUES = (exp.Interval, exp.DataTypeParam, exp.Limit, exp.Offset, exp.Window, exp.Group)
_CALLS = (
    "RANDOM()", "NOW()", "UUID()", "NEXTVAL('s')", "READ_TEXT('/etc/passwd')", "PG_SLEEP(1)", "CURRENT_USER",
    "GETENV('HOME')", "PG_READ_FILE('x')", "TXID_CURRENT()", "CURRENT_SETTING('x')", "ERROR('x')", "VERSION()",
    "(SELECT z FROM z)", "GETVARIABLE('x')", "QUERY_TO_XML('x', TRUE, TRUE, '')", "LO_GET(1)", "SETSEED(0.1)",
)  # fmt: skip


def _column(node: exp.Expr, words: _Words) -> Found:
    unit = _is_unit(node)
    for other in words.columns:
        if other != node:
            kind = "the unit changed" if unit else "a column swapped"
            yield kind, put(lambda _, other=other: other.copy())
    for name in words.hidden:
        yield "a hidden column", partial(_named, name=name)
    if node.args.get("table"):
        yield "a whole row", put(lambda node: exp.column(node.args["table"].copy()))
        yield "a star", put(lambda node: exp.Column(this=exp.Star(), table=node.args["table"].copy()))


def _named(node: exp.Expr, name: str) -> None:
    node.set("this", exp.to_identifier(name, quoted=True))


def _is_unit(node: exp.Expr) -> bool:
    """Whether the column stands where a unit's key does: as `u`, in a window or a group first, or in an equality."""
    parent = node.parent
    if isinstance(parent, exp.Alias):
        return parent.alias == "u"
    first = isinstance(parent, exp.Window | exp.Group) and node.index == 0
    return first or node.name == "u" or isinstance(parent, exp.EQ | exp.Is)


def _clip(node: exp.Expr, words: _Words) -> Found:
    yield "a clip removed", argument("this")
    if isinstance(node.this, exp.Greatest | exp.Least):
        yield "a clip removed", put(lambda node: node.this.this.copy())
        yield "a function swapped", partial(_as, kind=exp.Least if isinstance(node, exp.Greatest) else exp.Greatest)


def _as(node: exp.Expr, kind: type[exp.Expr]) -> None:
    node.replace(kind(**{name: _copied(value) for name, value in node.args.items()}))


def _copied(value: object) -> object:
    if isinstance(value, list):
        return [_copied(each) for each in value]
    return value.copy() if isinstance(value, exp.Expr) else value


def _case(node: exp.Expr, words: _Words) -> Found:
    for index, branch in enumerate(node.args["ifs"]):
        yield "a clip removed", put(lambda node, index=index: node.args["ifs"][index].args["true"].copy())
        if len(node.args["ifs"]) > 1:
            yield "a clip removed", lambda node, index=index: node.args["ifs"].pop(index)
        if isinstance(branch.this, exp.Binary):
            yield "a clip removed", lambda node, index=index: node.args["ifs"][index].set("this", exp.true())
            yield "a clip removed", put(lambda node, index=index: node.args["ifs"][index].this.this.copy())
    if node.args.get("default"):
        yield "a clip removed", argument("default")
        yield "a clip removed", lambda node: node.set("default", None)


def _guard(node: exp.Expr, words: _Words) -> Found:
    """NULLIF, TRY_CAST and CAST."""
    yield "a guard removed", argument("this")


def _cast(node: exp.Expr, words: _Words) -> Found:
    yield "a guard removed", argument("this")
    for name in ("SMALLINT", "INT", "BIGINT", "DOUBLE", "TEXT", "DATE", "BOOLEAN", "DECIMAL(5, 2)", "TIMESTAMP"):
        other = exp.DataType.build(name)
        if other != node.args["to"]:
            yield "a type changed", lambda node, other=other: node.set("to", other.copy())


def _literal(node: exp.Expr, words: _Words) -> Found:
    if node.args.get("is_string"):
        for text in ("", "x", "%", "(", "NaN", "9e999"):
            yield "a text changed", put(lambda _, text=text: exp.Literal.string(text))
        return
    if not node.name.isdecimal():
        return
    kind = "a limit loosened" if _is_limit(node) else "a bound loosened"
    for step in (1, -1, 10**6):
        number = int(node.name) + step
        if number >= 0:
            yield kind, put(lambda _, number=number: exp.Literal.number(number))
    yield kind, put(lambda node: exp.Paren(this=exp.Neg(this=node.copy())))


def _is_limit(node: exp.Expr) -> bool:
    parent = node.parent
    return isinstance(parent, exp.Limit | exp.Offset) or (
        isinstance(parent, exp.LTE) and isinstance(parent.this, exp.Column) and parent.this.name in "rg"
    )


_SWAPPED: dict[type[exp.Expr], tuple[type[exp.Expr], ...]] = {
    exp.Sum: (exp.Max, exp.Avg, exp.Count, exp.Variance, exp.ArrayAgg),
    exp.Max: (exp.Sum, exp.Avg, exp.Min, exp.ArrayAgg),
    exp.Count: (exp.Sum, exp.Max),
    exp.RowNumber: (exp.Rank, exp.DenseRank, exp.CumeDist, exp.PercentRank),
    exp.DenseRank: (exp.RowNumber, exp.Rank),
    exp.Rank: (exp.RowNumber, exp.DenseRank),
    exp.MD5: (exp.Lower, exp.Reverse, exp.SHA, exp.Length),
    exp.Lower: (exp.Upper, exp.Initcap, exp.Length, exp.Hex),
    exp.Upper: (exp.Lower, exp.MD5, exp.Ascii),
    **dict.fromkeys((exp.Abs, exp.Floor, exp.Ceil, exp.Sign), (exp.Ln, exp.Sqrt, exp.Exp, exp.Neg, exp.Length)),
    **dict.fromkeys((exp.Ln, exp.Sqrt, exp.Exp, exp.Cbrt), (exp.Abs, exp.Ln, exp.Sqrt, exp.Exp, exp.Cbrt)),
    **dict.fromkeys((exp.Add, exp.Sub), (exp.Mul, exp.Div, exp.Mod, exp.IntDiv, exp.Pow, exp.DPipe)),
    **dict.fromkeys((exp.Mul, exp.Div), (exp.Add, exp.Sub, exp.IntDiv, exp.Mod, exp.Pow)),
    **dict.fromkeys((exp.Mod, exp.IntDiv), (exp.Add, exp.Mul, exp.Div)),
    **dict.fromkeys((exp.EQ, exp.NEQ), (exp.LT, exp.GTE, exp.NullSafeEQ, exp.Like, exp.RegexpLike)),
    **dict.fromkeys((exp.LT, exp.LTE, exp.GT, exp.GTE), (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)),
    **dict.fromkeys((exp.And, exp.Or), (exp.Or, exp.And)),
    **dict.fromkeys((exp.Like, exp.ILike), (exp.RegexpLike, exp.EQ)),
    exp.DPipe: (exp.Add, exp.EQ),
    exp.Coalesce: (exp.Greatest, exp.Least),
    exp.Nullif: (exp.Add, exp.Div),
    exp.Left: (exp.Right, exp.Repeat),
    exp.Right: (exp.Left,),
    exp.Exists: (exp.Not,),
}


def _swapped(node: exp.Expr, words: _Words) -> Found:
    for kind in _SWAPPED[type(node)]:
        if kind is not type(node):
            yield "a function swapped", partial(_kept_as, kind=kind)
    if isinstance(node, exp.EQ | exp.And | exp.Or | exp.LT | exp.LTE | exp.GT | exp.GTE):
        yield "a condition changed", put(lambda node: exp.true())
        yield "a condition changed", put(lambda node: exp.Not(this=exp.Paren(this=node.copy())))
        yield "a condition changed", put(lambda node: exp.Paren(this=exp.Or(this=node.copy(), expression=exp.true())))
    if isinstance(node, exp.And):
        yield "a condition dropped", argument("this")
        yield "a condition dropped", argument("expression")


def _kept_as(node: exp.Expr, kind: type[exp.Expr]) -> None:
    """Another function of the same operands."""
    names = [name for name in ("this", "expression", "expressions") if node.args.get(name) and name in kind.arg_types]
    node.replace(kind(**{name: _copied(node.args[name]) for name in names}))


def _counted(node: exp.Expr, words: _Words) -> Found:
    yield from _swapped(node, words)
    if isinstance(node.this, exp.Distinct):
        yield "a function swapped", lambda node: node.set("this", node.this.expressions[0].copy())
    for column in words.columns:
        yield "a key added", put(lambda _, column=column: exp.Count(this=exp.Distinct(expressions=[column.copy()])))


def _listed(node: exp.Expr, words: _Words) -> Found:
    """GROUP BY and ORDER BY."""
    yield "a key dropped", lambda node: node.pop()
    for index in range(len(node.expressions)):
        yield "a key dropped", lambda node, index=index: node.expressions.pop(index)
        yield "a key swapped", lambda node, index=index: node.expressions.insert(0, node.expressions.pop(index))
    for column in words.columns:
        made = exp.Ordered(this=column.copy()) if isinstance(node, exp.Order) else column
        yield "a key added", lambda node, made=made: node.append("expressions", made.copy())


def _window(node: exp.Expr, words: _Words) -> Found:
    for index in range(len(node.args.get("partition_by") or [])):
        yield "a key dropped", lambda node, index=index: node.args["partition_by"].pop(index)
    for column in words.columns:
        yield "a key added", lambda node, column=column: node.append("partition_by", column.copy())
    if node.args.get("order"):
        yield "a key dropped", lambda node: node.set("order", None)
    if node.args.get("spec"):
        yield "a clip removed", lambda node: node.set("spec", None)
    if not isinstance(node.this, exp.RowNumber):
        yield "a function swapped", lambda node: node.set("this", exp.RowNumber())


def _where(node: exp.Expr, words: _Words) -> Found:
    if isinstance(node.parent, exp.Select) and [type(item) for item in node.parent.expressions] == [exp.Star]:
        yield "a filter on keys dropped", lambda node: node.pop()
    yield "a condition dropped", lambda node: node.pop()
    yield "a condition changed", lambda node: node.set("this", exp.Not(this=exp.Paren(this=node.this.copy())))


def _join(node: exp.Expr, words: _Words) -> Found:
    for side in ("LEFT", "RIGHT", "FULL"):
        yield "a join changed", lambda node, side=side: node.set("side", side)
    for kind in ("CROSS", "SEMI", "ANTI"):
        yield "a join changed", lambda node, kind=kind: node.set("kind", kind)
    yield "a join changed", lambda node: node.set("side", None)
    yield "a join changed", lambda node: node.set("method", "NATURAL")
    yield "a join changed", lambda node: node.set("on", None)
    yield "a join changed", lambda node: node.set("on", exp.true())
    yield "a join changed", lambda node: node.pop()


def _table(node: exp.Expr, words: _Words) -> Found:
    for name in words.tables:
        if name != node.name:
            yield "a source replaced", partial(_named, name=name)
    for name in ("pg_authid", "duckdb_settings", "/etc/passwd", "x.csv", "sqlite_master"):
        yield "a source replaced", partial(_named, name=name)
    for schema in ("pg_catalog", "information_schema", "temp", "other"):
        yield "another schema", lambda node, schema=schema: node.set("db", exp.to_identifier(schema, quoted=True))
    yield "another schema", lambda node: node.set("catalog", exp.to_identifier("other", quoted=True))
    yield "a source replaced", lambda node: node.set("this", parse_one("RANGE(5)", read="duckdb"))
    yield "a source replaced", lambda node: node.set("this", parse_one("READ_CSV('x')", read="duckdb"))
    yield "a source replaced", lambda node: node.set("sample", exp.TableSample(percent=exp.Literal.number(10)))
    yield "a source replaced", lambda node: node.set("only", True)


def _select(node: exp.Expr, words: _Words) -> Found:
    yield "a clause added", lambda node: node.set("distinct", exp.Distinct())
    yield "a clause added", lambda node: node.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    yield "a clause added", lambda node: node.set("offset", exp.Offset(expression=exp.Literal.number(1)))
    yield "a clause added", lambda node: node.set("having", exp.Having(this=parse_one("COUNT(*) > 1")))
    yield "a clause added", lambda node: node.set("qualify", exp.Qualify(this=parse_one("ROW_NUMBER() OVER () < 3")))
    yield "a clause added", lambda node: node.set("group", exp.Group(all=True))
    yield "a clause added", lambda node: node.set("where", exp.Where(this=exp.true()))
    yield "a clause added", _with
    for column in words.columns:
        made = exp.Order(expressions=[exp.Ordered(this=column.copy())])
        yield "a clause added", lambda node, made=made: node.set("order", made.copy())
        yield "a column added", lambda node, column=column: node.append("expressions", column.copy())
    yield "a column added", lambda node: node.append("expressions", exp.Star())
    yield "a column added", lambda node: node.append("expressions", parse_one("1 AS x"))
    for index in range(len(node.expressions)):
        yield "a column dropped", lambda node, index=index: node.expressions.pop(index)
        yield "a column swapped", lambda node, index=index: node.expressions.insert(0, node.expressions.pop(index))
    yield "rows added", put(lambda node: exp.Union(this=node.copy(), expression=node.copy(), distinct=False))
    yield "rows added", put(lambda node: exp.Except(this=node.copy(), expression=node.copy(), distinct=False))
    for index in range(1 + len(node.args.get("joins") or [])):
        yield "rows added", partial(_again, index=index)
    yield "a source replaced", partial(_beside, words=words)


def _with(node: exp.Expr) -> None:
    if isinstance(node, exp.Select):
        node.set("with_", parse_one("WITH people AS (SELECT 1 AS person_id) SELECT 1").args["with_"])


def _again(node: exp.Expr, index: int) -> None:
    """A source once more, on no condition."""
    sources = (
        [node.args["from_"].this, *(join.this for join in node.args.get("joins") or [])]
        if node.args.get("from_")
        else []
    )
    if index < len(sources) and sources[index].args.get("alias"):
        other = sources[index].copy()
        other.set("alias", exp.TableAlias(this=exp.to_identifier("s9")))
        node.append("joins", exp.Join(this=other, kind="CROSS"))


def _beside(node: exp.Expr, words: _Words) -> None:
    """A private table beside the sources."""
    other = exp.Table(
        this=exp.to_identifier(words.private[0][0], quoted=True), alias=exp.TableAlias(this=exp.to_identifier("s9"))
    )
    node.append("joins", exp.Join(this=other, kind="CROSS"))


def _set(node: exp.Expr, words: _Words) -> Found:
    for kind in (exp.Union, exp.Intersect, exp.Except):
        if kind is not type(node):
            yield "a set operation swapped", partial(_as, kind=kind)
    yield "a set operation swapped", lambda node: node.set("distinct", not node.args.get("distinct"))
    yield "a set operation swapped", argument("this")
    yield "a set operation swapped", argument("expression")


def _is(node: exp.Expr, words: _Words) -> Found:
    yield "a condition changed", put(lambda node: exp.true())
    yield "a condition changed", put(lambda node: exp.Not(this=exp.Paren(this=node.copy())))


def _in(node: exp.Expr, words: _Words) -> Found:
    yield "a key added", lambda node: node.append("expressions", exp.Literal.string("other"))
    yield "a key added", lambda node: node.append("expressions", exp.Literal.number(77))
    for index in range(len(node.expressions)):
        yield "a key dropped", lambda node, index=index: node.expressions.pop(index)
    yield "a condition changed", put(lambda node: exp.true())


def _alias(node: exp.Expr, words: _Words) -> Found:
    for name in ("u", "U", "k0", "m0", "r", "v", "c0"):
        yield "a name changed", lambda node, name=name: node.set("alias", exp.to_identifier(name))


def _called(node: exp.Expr, words: _Words) -> Found:
    for text in ("QUERY_TO_XML", "READ_TEXT", "PG_SLEEP", "CHR"):
        yield "a function swapped", lambda node, text=text: node.set("this", text)
    if node.expressions:
        yield "a clip removed", put(lambda node: node.expressions[0].copy())


def _nested(node: exp.Expr, words: _Words) -> Found:
    if isinstance(node, exp.Exists):
        yield "a condition changed", put(lambda node: exp.Not(this=node.copy()))
        yield "a condition changed", put(lambda node: exp.true())


Rule = Callable[[exp.Expr, _Words], Found]
_RULES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys(_SWAPPED, _swapped),
    exp.Column: _column,
    **dict.fromkeys((exp.Least, exp.Greatest), _clip),
    exp.Case: _case,
    **dict.fromkeys((exp.Nullif, exp.TryCast, exp.Coalesce), _guard),
    exp.Cast: _cast,
    exp.Literal: _literal,
    exp.Count: _counted,
    **dict.fromkeys((exp.Group, exp.Order), _listed),
    exp.Window: _window,
    exp.Where: _where,
    exp.Join: _join,
    exp.Table: _table,
    exp.Select: _select,
    **dict.fromkeys((exp.Union, exp.Intersect, exp.Except), _set),
    exp.Is: _is,
    exp.In: _in,
    exp.Alias: _alias,
    exp.Anonymous: _called,
    exp.Exists: _nested,
}

KINDS: Sequence[str] = (
    "a clip removed", "a bound loosened", "a limit loosened", "a key dropped", "a key added", "a key swapped",
    "a function swapped", "the unit changed", "a column swapped", "a condition dropped", "a condition changed",
    "a join changed", "a source replaced", "another schema", "a clause added", "a column added", "a column dropped",
    "rows added", "a set operation swapped", "a subquery over everybody", "a hidden column", "a whole row", "a star",
    "a volatile function", "a guard removed", "a type changed", "a text changed", "a name changed",
    "a filter on keys dropped",
)  # fmt: skip
