"""Postgres 13 and later: what raises there and not in DuckDB, and the forms that do not.

Floating point overflows and underflows with an error (`floats`); a letter 0 cannot be; some functions have other types,
and texts cannot pass 1 GB. Numbers of type numeric may be NaN, and have no end: so they are read as `read` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from weakref import WeakKeyDictionary

from sqlglot import exp

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import BIGINT, DOUBLE, Family, SqlType
from dpproxy.engines.postgres.dialect import floats
from dpproxy.engines.postgres.dialect.reach import Reach
from dpproxy.rewrite.expressions.facts.fact import MOST_DIGITS, proved_by_type
from dpproxy.rewrite.expressions.function import CopyingNode, PlainNode, Short, Sized
from dpproxy.rewrite.expressions.table import FORMS
from dpproxy.rewrite.expressions.trees.build import (
    ASKED,
    HELD,
    INITIALS,
    MAY_BE_NAN,
    REACH,
    atom,
    cast,
    chosen,
    held_when_read,
    number,
    presence,
)
from dpproxy.rewrite.expressions.trees.nodes import nodes_of
from dpproxy.rewrite.expressions.trees.steps import Definition, definition_of, named, step

LONGEST = 200_000
_ZEROS = 300
_NAN = exp.Literal.string("NaN")
Rule = Callable[[exp.Expression], exp.Expression]


def total(tree: exp.Expression) -> exp.Expression:
    """The tree as Postgres runs it without an error.

    Claim: if evaluating `tree` raises for no row where floating point has infinities, evaluating the result raises for
    no row in Postgres. Because: by induction from the leaves. A node of `_PLAIN` raises in Postgres where it does in
    DuckDB alone, as its row in the table of functions says; of others, `_RULES` and `floats.RULES` say why their forms
    do not. Another kind of node is a fault.
    Checked by: tests/test_expressions_in_postgres.py, test_generated_expressions_are_total_in_postgres and
    test_every_rule_meets_the_extremes_of_postgres.
    """
    return tree if all(map(_stays, nodes_of(tree))) else _with_reach(tree)[0]


def _stays(node: exp.Expr) -> bool:
    """Whether it is its own form, wherever it stands."""
    marks = node._meta
    return type(node) in _AS_THEY_ARE and (not marks or (INITIALS not in marks and definition_of(node) is None))


def _with_reach(tree: exp.Expression) -> tuple[exp.Expression, Reach]:
    root = exp.Paren(this=tree.copy())
    reaches: dict[int, Reach] = {}
    nodes = list(root.this.dfs())
    kept = []  # what is replaced must stay alive as long as its id is a key
    for node in reversed(nodes):
        parent, key, index = node.parent, node.arg_key, node.index
        new, reach = _formed(node, reaches)
        mark = node.meta_get(REACH)
        reaches[id(new)] = Reach(*mark) if mark and reach.most is None else reach
        kept.append(new)
        if new is not node:
            parent.set(key, new, index)
    reach = reaches[id(root.this)]
    total_: exp.Expression = root.this.pop()
    return total_, reach


def _step(definition: Definition) -> tuple[exp.Expression, Reach]:
    """A step, whose definition is formed once, however often it is read."""
    if definition not in _STEPS:
        made, reach = _with_reach(definition.value)
        _STEPS[definition] = Definition(made), reach
    formed, reach = _STEPS[definition]
    return step(formed), reach


_STEPS: WeakKeyDictionary[Definition, tuple[Definition, Reach]] = WeakKeyDictionary()


def _formed(node: exp.Expression, reaches: Mapping[int, Reach]) -> tuple[exp.Expression, Reach]:
    def reach(child: object) -> Reach:
        return reaches.get(id(child), Reach())

    kind, definition = type(node), definition_of(node)
    if definition is not None:
        return _step(definition)
    if node.meta_get(INITIALS):
        return _initials(node), Reach()
    if kind in floats.RULES:
        return floats.RULES[kind](node, reach)
    if kind in _ARITHMETIC:
        return _ARITHMETIC[kind](node, reach)
    if kind in _RULES:
        return _RULES[kind](node), Reach()
    if kind not in _PLAIN:
        raise TypeError(f"{kind.__name__} has no total form in Postgres")
    return node, Reach()


def _operator(node: exp.Expression, reach: floats.Reaches) -> tuple[exp.Expression, Reach]:
    """+ - * / and their like: what is no floating point stays in the room that was proved for it."""
    held = node.meta_get(HELD)
    if held is None:
        raise TypeError(f"nobody has said what {type(node).__name__} computes")
    return floats.operator(node, reach) if held in floats.NAMES else (node, Reach())


def _whole_quotient(node: exp.Expression, reach: floats.Reaches) -> tuple[exp.Expression, Reach]:
    """a / b of bigints, which Postgres cuts towards zero. sqlglot would write DIV, which is of numerics."""
    return exp.Div(this=node.this, expression=node.expression, typed=True, safe=False), Reach()


def _sized(form: Sized) -> floats.Rule:
    """A function of doubles that raises for none that the rule leaves: NaN is the result of NaN alone."""

    def rule(node: exp.Expression, reach: floats.Reaches) -> tuple[exp.Expression, Reach]:
        sides = [value for value in node.args.values() if isinstance(value, exp.Expression)]
        known = all(reach(side).most is not None for side in sides)
        return node, Reach(form.least, form.most if known else None)

    return rule


_ARITHMETIC: Mapping[type[exp.Expression], floats.Rule] = {
    **{kind: _sized(form) for kind, form in FORMS.items() if isinstance(form, Sized)},
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), _operator),
    exp.IntDiv: _whole_quotient,
}


def _as_bigint(node: exp.Expression) -> exp.Expression:
    """Whole numbers that DuckDB gives as bigint: a field of a moment is numeric, or double before 14; a length int."""
    return cast(node, BIGINT)


def _elapsed(node: exp.Expression) -> exp.Expression:
    """Microseconds between two timestamps: exact from 14 on, on 13 to 53 bits, that is within 285 years.

    What is proved of longer ones is then off by some microseconds, and nothing has so little room to spare.
    """
    apart = exp.Paren(this=exp.Sub(this=atom(node.this), expression=atom(node.expression)))
    seconds = exp.Extract(this=exp.Var(this="EPOCH"), expression=apart)
    return cast(exp.Mul(this=seconds, expression=number(1_000_000)), BIGINT)


def _interval(node: exp.Expression) -> exp.Expression:
    """Microseconds past 32 bits as hours, seconds and the rest: before 15 no field of an interval may have more."""
    count = int(node.this.name)
    if node.args["unit"].name != "MICROSECOND" or abs(count) < 2**31:
        return node
    sign = "-" if count < 0 else ""
    hours, micros = divmod(abs(count), 3_600_000_000)
    fields = (hours, "HOUR"), (micros // 10**6, "SECOND"), (micros % 10**6, "MICROSECOND")
    first, *others = [exp.Interval(this=exp.Literal.string(f"{sign}{n}"), unit=exp.Var(this=u)) for n, u in fields if n]
    made: exp.Expression = first
    for part in others:
        made = exp.Add(this=made, expression=part)
    return exp.Paren(this=made)


def _split(node: exp.Expression) -> exp.Expression:
    """split_part(x, d, -n), which 13 has not: backwards."""
    index = node.args["part_index"]
    if not isinstance(index, exp.Neg):
        return node
    parts = [exp.Reverse(this=part) for part in (node.this, node.args["delimiter"])]
    return exp.Reverse(this=exp.SplitPart(this=parts[0], delimiter=parts[1], part_index=index.this))


def _initials(node: exp.Expression) -> exp.Expression:
    """initcap(x), which is Postgres's own, in place of what makes it letter by letter of lower(x)."""
    while not isinstance(node, exp.Lower):
        node = node.this
    return exp.Initcap(this=node.this)


def _asked(node: exp.Expression) -> exp.Expression:
    """A comparison that the analyst wrote has columns as they are, of which there are indexes and statistics.

    It is Postgres's own, in which NaN is a number above all others.
    """
    if node.meta_get(ASKED):
        for name in ("this", "expression", "low", "high"):
            side = node.args.get(name)
            if isinstance(side, exp.Nullif) and side.meta_get(MAY_BE_NAN):
                node.set(name, side.this)
    return node


def _short(*names: str) -> Rule:
    """A function that copies its texts, or makes them longer: it gets them no longer than LONGEST.

    Because: a text of less than 1 GB may have more in another form, and twenty of them, twenty times as long, must
    stay below 1 GB (`rewrite.calculus.expanded_size`). What only looks at a text, or cuts it, may have any.
    """

    def rule(node: exp.Expression) -> exp.Expression:
        for name in names:
            value = node.args.get(name)
            if isinstance(value, list):
                node.set(name, [_shortened(each) for each in value])
            elif isinstance(value, exp.Expression):
                node.set(name, _shortened(value))
        return node

    return rule


def _shortened(text: exp.Expression) -> exp.Expression:
    """A text whose columns are NULL where they are longer than LONGEST bytes."""
    match text:
        case exp.Column() | exp.Coalesce() | exp.Greatest() | exp.Least() | exp.Max() | exp.Min() | exp.Window():
            # As a whole: what skips NULL would have another text in the place of a long one, that no guard has seen.
            value = named(text)
            length = exp.Anonymous(this="OCTET_LENGTH", expressions=[value.copy()])
            return chosen(exp.LTE(this=length, expression=number(LONGEST)), value)
        case exp.Left() | exp.Right() | exp.Substring() if _is_short(text.args.get("length") or text.expression):
            return text
        case exp.Left() | exp.Right() | exp.Substring() | exp.SplitPart() | exp.Paren() | exp.Nullif():
            text.set("this", _shortened(text.this))
        case exp.Case():
            if _is_guarded(text):
                return text
            for branch in text.args["ifs"]:
                branch.set("true", _shortened(branch.args["true"]))
            if text.args.get("default"):
                text.set("default", _shortened(text.args["default"]))
        case _ if type(text) not in _SHORT and type(text) not in _RULES:
            raise TypeError(f"nobody has said how long {type(text).__name__} is")
    return text


def _is_short(count: object) -> bool:
    """Whether it is a constant number of letters, of up to four bytes each, that all fit."""
    return isinstance(count, exp.Literal) and int(count.name) <= LONGEST // 4


def _is_guarded(case: exp.Case) -> bool:
    test = case.args["ifs"][0].this
    return isinstance(test, exp.LTE) and isinstance(test.this, exp.Anonymous)


def _pattern(node: exp.Expression) -> exp.Expression:
    node.set("this", atom(_shortened(node.this)))
    return node


_RULES: Mapping[type[exp.Expression], Rule] = {
    exp.Extract: _as_bigint,
    exp.Length: _as_bigint,
    exp.StrPosition: _as_bigint,
    exp.DateDiff: _elapsed,
    exp.Interval: _interval,
    exp.SplitPart: _split,
    exp.RegexpLike: _pattern,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In), _asked),
    **{kind: _short(*form.arguments) for kind, form in FORMS.items() if isinstance(form, CopyingNode)},
}
# Constants, and what numbers, dates and letters are written as; a text as a text has no cast here.
_SHORT: frozenset[type[exp.Expression]] = frozenset(
    {exp.Literal, exp.Null, exp.Cast, *(kind for kind, form in FORMS.items() if isinstance(form, Short))}
)
_PLAIN: frozenset[type[exp.Expression]] = frozenset(
    {
        *(exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Var, exp.DataType, exp.DataTypeParam),
        *(exp.Parameter, exp.Placeholder, exp.If, exp.Star, exp.Tuple, exp.Count, exp.Distinct, exp.LogicalAnd),
        *(exp.LogicalOr, exp.Window, exp.WindowSpec, exp.Order, exp.Ordered, exp.RowNumber, exp.Rank, exp.DenseRank),
        *(exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue),
        *(kind for kind, form in FORMS.items() if isinstance(form, PlainNode | Short)),
    }
)
_AS_THEY_ARE = _PLAIN - floats.RULES.keys() - _ARITHMETIC.keys() - _RULES.keys()


def typed(tree: exp.Expression, type_: SqlType) -> exp.Expression:
    """A NULL of its type: by itself it would be text."""
    return cast(tree, type_) if isinstance(tree, exp.Null) else tree


def held(column: TableColumn) -> SqlType:
    """A numeric of no, or of too many, digits is held as a double precision."""
    many = column.type.family is Family.NUMERIC and not 0 < sum(column.type.modifiers[:1]) <= MOST_DIGITS
    return DOUBLE if many else held_when_read(column.type)


def may_be_nan(column: TableColumn) -> bool:
    """Whether a scan may read NaN in a numeric that has digits: where the column is read as it is."""
    return column.type.family is Family.NUMERIC and column.stored is None and held(column) == column.type


def read(column: TableColumn) -> exp.Expression | None:
    """How a scan reads a column, so that what is known of its type holds; None: as it is.

    Claim: no row raises, and a numeric that has digits, which may be NaN, is within them; one without, or with more
    than 38, is a double precision of at most 10**300. What is beyond, and infinity, is clipped. Because: NaN is above
    every number, so that a comparison leaves it out, and a cast gets what lies within its limits alone; and no two
    texts have collations of their own, which cannot be compared.
    Checked by: tests/test_expressions_in_postgres.py.
    """
    plain = exp.column(exp.to_identifier(column.name, quoted=True))
    if column.type.family is Family.NUMERIC:
        return _read_numeric(column, plain)
    if column.type.family in (Family.OPAQUE, Family.INTERVAL):
        return presence(plain)
    if column.stored is not None and column.stored.endswith("with time zone"):
        return exp.AtTimeZone(this=plain, zone=exp.Literal.string("UTC"))  # whatever zone a session has
    if column.stored is None:
        return None
    read_ = cast(plain, column.type)
    collated = column.stored.endswith(" COLLATE")
    return exp.Collate(this=read_, expression=exp.to_identifier("default", quoted=True)) if collated else read_


def _read_numeric(column: TableColumn, plain: exp.Expression) -> exp.Expression | None:
    limits = proved_by_type(column.type)
    if limits is None or held(column) == DOUBLE:
        # A hundred decimals are more than a double of any use has, and none of them underflows.
        return cast(_clipped(plain, exp.Literal.number("1" + "0" * _ZEROS), 100), DOUBLE)
    if column.stored is None:
        return None
    most = exp.Literal.number(f"{Decimal(limits.upper.numerator) / limits.upper.denominator:f}")
    return cast(_clipped(plain, most, sum(column.type.modifiers[1:])), column.type)


def _clipped(plain: exp.Expression, most: exp.Expression, places: int) -> exp.Expression:
    """A numeric between -most and most, rounded; NULL for NaN, which is above all, and NULL."""
    least = exp.Neg(this=most.copy())
    rounded = exp.Round(this=plain.copy(), decimals=number(places))
    branches = [
        (exp.LT(this=plain, expression=least), least.copy()),
        (exp.LTE(this=plain.copy(), expression=most), rounded),
        (exp.LT(this=plain.copy(), expression=_NAN.copy()), most.copy()),
    ]
    return exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches])


def has(kind: type[exp.Expression]) -> bool:
    """Whether such a node has a form here."""
    return kind in floats.RULES or kind in _ARITHMETIC or kind in _RULES or kind in _PLAIN
