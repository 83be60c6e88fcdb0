"""A whole tree in Spark's words: sums that have room, casts that round, arrays of what was released as one text each.

Checked by: tests/spark/test_spark_values.py, tests/spark/test_spark_checker.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot import exp
from sqlglot.dialects.spark import Spark

from dpproxy.catalog.types import DOUBLE, TIMESTAMP
from dpproxy.engines.spark.dialect.correlation import check_correlation
from dpproxy.engines.spark.dialect.flat_scalars import flatten_scalars
from dpproxy.engines.spark.dialect.forms import (
    DAYS_OF_A_WEEK,
    OF_EXPRESSIONS,
    OWN,
    RANKS,
    TYPE,
    VALUES,
    WHOLE,
    WINDOWS,
    is_apart,
    is_constant,
    is_place,
    is_read,
    is_read_without_spaces,
    is_whole,
)
from dpproxy.engines.spark.dialect.numbers_in_texts import spaceless
from dpproxy.engines.spark.dialect.refusals import bare, refused
from dpproxy.engines.spark.dialect.regexes import without_matcher
from dpproxy.engines.spark.dialect.replacing import replaced
from dpproxy.engines.spark.dialect.text_forms import CHOSEN, CUT, left_out
from dpproxy.rewrite.expressions.trees.build import HELD, IS_WHOLE, atom, cast, chosen, number

LONGEST: Final = 200_000
_WILD: Final = "%_"
_MONDAY: Final = exp.Literal.string("0001-01-01")
_COUNTED: Final = ("1700-01-01 00:00:00", "2261-12-31 23:59:59.999999")
_WRITER: Final = Spark()
_TYPES: Final = WHOLE | {
    *(TYPE.DECIMAL, TYPE.DOUBLE, TYPE.TEXT, TYPE.BOOLEAN, TYPE.DATE, TYPE.TIMESTAMPNTZ, TYPE.ARRAY),
}
_AROUND: Final[frozenset[type[exp.Expr]]] = frozenset(
    {
        *(exp.Select, exp.From, exp.Where, exp.Join, exp.Table, exp.TableAlias, exp.Alias, exp.Subquery, exp.Group),
        *(exp.GroupingSets, exp.Distinct, exp.Exists, exp.Limit, exp.Explode, exp.Parameter, exp.SHA2, exp.Values),
        *(exp.Union, exp.Intersect, exp.Except, exp.Chr, exp.Having, exp.Anonymous),
    }
)
"""What dpproxy itself writes around expressions: steps, limits, norms, and rows of what was released."""


def written(tree: exp.Expr) -> str:
    """The text. Raises FeatureNotSupported for a node or a type that has no form."""
    flatten_scalars(tree)
    check_correlation(tree)
    for kind in list(tree.find_all(exp.DataType)):
        if kind.this is TYPE.TIMESTAMP:
            kind.set("this", TYPE.TIMESTAMPNTZ)  # whose values are no moments, whatever zone a session has
    for node in tree.walk():
        if type(node) not in VALUES and type(node) not in _AROUND and type(node) not in WINDOWS:
            raise refused(type(node).__name__)
        if type(node) is exp.Anonymous and node.name != "XXHASH64":
            raise refused(node.name)
        if type(node) is exp.DataType and node.this not in _TYPES:
            raise refused(str(node.this.name))
    _as_spark_has_them(tree)
    _arrays(tree)
    return _WRITER.generate(tree, copy=False)


def _as_spark_has_them(tree: exp.Expr) -> None:
    """What is another thing in Spark than in DuckDB, in the form that is the same."""
    for kinds, form in _FORMS:
        for node in list(tree.find_all(*kinds)):
            form(node)


def _below_nan(test: exp.Expr) -> None:
    """Less than NaN of a numeric, of which there is none: any number is. Beside a double, Sail would make that a
    numeric."""
    nan = test.expression
    is_number = isinstance(nan, exp.Cast) and nan.args["to"].this is TYPE.DECIMAL
    if is_number and isinstance(nan.this, exp.Literal) and nan.this.name == "NaN":
        test.replace(exp.Not(this=exp.Is(this=test.this, expression=exp.Null())))


def _round_before(node: exp.Expr) -> None:
    """A cast of a number with places to a whole one would cut them off: it is rounded before. Of what has none it is
    not, which would take as long as the rest of a row's clip."""
    to, inner, held = node.args["to"], node.this, node.meta_get(HELD)
    if to.this not in WHOLE or is_constant(inner) or inner.meta_get(IS_WHOLE):
        return
    if held in ("numeric", DOUBLE.name):
        node.set("this", exp.Round(this=inner))
    elif held is None and not isinstance(inner, (*OWN, exp.Column)) and not is_whole(inner):
        raise refused("CAST of such a value")


def _days(node: exp.Expr) -> None:
    """The days between two dates, which are an interval by themselves."""
    if is_apart(node):
        node.replace(exp.DateDiff(this=node.this, expression=node.expression))


def _micros(node: exp.Expr) -> None:
    """The microseconds between two timestamps, each since 1970 in UTC, which every session has: DATEDIFF of such a unit
    is none in Sail."""
    sides = []
    for side in (node.this, node.expression):
        moment = exp.Cast(this=side, to=exp.DataType(this=TYPE.TIMESTAMPTZ))
        sides.append(exp.UnixMicros(this=moment))
    node.replace(exp.Paren(this=exp.Sub(this=sides[0], expression=sides[1])))


def _day_of_week(node: exp.Expr) -> None:
    """The days since the first of January of the year 1, a Monday, which 7 goes into; Sundays are 0, or 7."""
    name = node.name.upper()
    if name not in DAYS_OF_A_WEEK:
        return
    day, monday = (exp.Cast(this=each, to=exp.DataType(this=TYPE.DATE)) for each in (node.expression, _MONDAY.copy()))
    count: exp.Expression = exp.DateDiff(this=day, expression=monday)
    if name == "DOW":
        count = exp.Paren(this=exp.Add(this=count, expression=number(1)))
    rest: exp.Expression = exp.Mod(this=count, expression=number(7))
    if name == "ISODOW":
        rest = exp.Add(this=rest, expression=number(1))
    node.replace(exp.Cast(this=rest, to=exp.DataType(this=TYPE.BIGINT)))


def _joined(node: exp.Expr) -> None:
    """Texts side by side, each no longer than LONGEST; CONCAT takes what is NULL for none, and is written with ||."""
    if isinstance(node, exp.ConcatWs):
        node.set("expressions", [_shortened(each) for each in node.expressions])
        return
    if isinstance(node, exp.DPipe):
        if node.meta_get(OF_EXPRESSIONS):
            for name in ("this", "expression"):
                node.set(name, _shortened(node.args[name]))
        return
    made: exp.Expression | None = None
    for each in node.expressions:
        side = exp.Coalesce(this=_shortened(each), expressions=[exp.Literal.string("")])
        made = side if made is None else exp.DPipe(this=made, expression=side)
    assert made is not None
    node.replace(exp.Paren(this=made))


def _read(node: exp.Expr) -> None:
    """What is a number or a day by its letters is one: that it is tried tells whoever cannot see that."""
    if is_read(node):
        if is_read_without_spaces(node):
            (choice,) = node.this.args["ifs"]
            choice.set("true", spaceless(choice.args["true"]))
        node.replace(exp.TryCast(this=node.this, to=node.args["to"], safe=True))


def _matched(node: exp.Expr) -> None:
    node.replace(without_matcher(node.this, node.expression.name))


def _put_in_place(node: exp.Expr) -> None:
    node.replace(replaced(node))


def _escaped(node: exp.Expr) -> None:
    """With a backslash before what needs it, and no other letter."""
    test, letters, made = node.this, iter(node.this.expression.name), ""
    for letter in letters:
        escaped = letter == node.expression.name
        letter = next(letters, "") if escaped else letter
        made += f"\\{letter}" if letter == "\\" or (escaped and letter in _WILD) else letter
    test.set("expression", exp.Literal.string(made))
    node.replace(test)


def _but_some(node: exp.Expr) -> None:
    """All letters but some at the other end."""
    count = left_out(node)
    if count is None:
        return
    if isinstance(node, exp.Right):
        node.replace(exp.Substring(this=node.this, start=number(count + 1)))
        return
    rest = exp.Sub(this=exp.Length(this=atom(node.this.copy())), expression=number(count))
    least = exp.Greatest(this=rest, expressions=[number(0)])
    node.set("expression", exp.Cast(this=least, to=exp.DataType(this=TYPE.INT)))


def _replaced(node: exp.Expr) -> None:
    node.set("this", _shortened(node.this))


def _shortened(text: exp.Expression) -> exp.Expression:
    """A text that may be of any length, NULL where it has more than LONGEST bytes."""
    if not isinstance(bare(text), (*CUT, *CHOSEN)):
        return text
    length = exp.Anonymous(this="OCTET_LENGTH", expressions=[atom(text.copy())])
    return chosen(exp.LTE(this=length, expression=number(LONGEST)), text.copy())


def _ordered(node: exp.Expr) -> None:
    """A rank or a place has an order in Spark. Where there is none, by what all rows of the window have in common."""
    if not isinstance(node.this, RANKS) or node.args.get("order") is not None:
        return
    if not node.args.get("partition_by"):
        raise refused("rank of all rows in no order")
    by = exp.Ordered(this=node.args["partition_by"][0].copy(), nulls_first=False)
    node.set("order", exp.Order(expressions=[by]))


def _place(node: exp.Expr) -> None:
    if is_place(node):
        _as_wide(node)


def _place_in_text(node: exp.Expr) -> None:
    if node.meta_get(OF_EXPRESSIONS):
        _as_wide(node)


def _as_wide(node: exp.Expr) -> None:
    """A field of a moment and a length are INT in Spark, and computed with as that."""
    if not isinstance(node.parent, exp.Cast):
        _around(node, exp.DataType(this=TYPE.BIGINT))


def _as_double(node: exp.Expr) -> None:
    """FLOOR and CEIL of a double are BIGINT."""
    if node.meta_get(HELD) == DOUBLE.name:
        _around(node, exp.DataType(this=TYPE.DOUBLE))


def _roomy(node: exp.Expr) -> None:
    """In a type with room: of a numeric with the places that the cast around its limits has (`calculus.per_unit`); of
    what is added up in floating point as it stands (`releases.in_doubles`)."""
    if node.meta_get(HELD) == DOUBLE.name:
        return
    held = node.find_ancestor(exp.Cast) if node.meta_get(HELD) == "numeric" else None
    places = 0 if held is None else int(held.args["to"].expressions[1].name)
    node.set("this", exp.Cast(this=node.this, to=widest(places)))


def _around(node: exp.Expr, type_: exp.DataType) -> None:
    made = exp.Cast(this=None, to=type_)
    node.replace(made)
    made.set("this", node)


def _truncate(node: exp.Expr) -> None:
    """Of a moment that nanoseconds hold, in which Sail counts them; NULL of others. Spark makes a moment of it."""
    first, last = (cast(exp.Literal.string(each), TIMESTAMP) for each in _COUNTED)
    for end in (first, last):
        end.args["to"].set("this", TYPE.TIMESTAMPNTZ)
    among = exp.Between(this=atom(node.this.copy()), low=first, high=last)
    node.set("this", chosen(among, node.this.copy()))
    _around(node, exp.DataType(this=TYPE.TIMESTAMPNTZ))


def _from_zero(node: exp.Expr) -> None:
    """-0.0 is no 0 to Sail's NULLIF, which then divides by it, and raises: with 0 added, it is one."""
    if isinstance(node.expression, exp.Nullif):
        nullif = node.expression
        zero = cast(exp.Literal.string("0.0"), DOUBLE)
        nullif.set("this", exp.Add(this=exp.Paren(this=nullif.this), expression=zero))


def _to_base_ten(node: exp.Expr) -> None:
    """LOG is another one there."""
    node.replace(exp.Anonymous(this="LOG10", expressions=[node.this]))


def _shorten(node: exp.Expr) -> None:
    """Letters may grow threefold, and a text of Spark's has two gigabytes at most."""
    if isinstance(node.this, CUT):
        node.set("this", _shortened(node.this))


_FORMS: Final[tuple[tuple[tuple[type[exp.Expr], ...], Callable[[exp.Expr], None]], ...]] = (
    ((exp.Cast,), _read),
    ((exp.RegexpLike,), _matched),
    ((exp.RegexpReplace,), _put_in_place),
    ((exp.Escape,), _escaped),
    ((exp.LT,), _below_nan),
    ((exp.Cast,), _round_before),
    ((exp.DateDiff,), _micros),
    ((exp.Sub,), _days),
    ((exp.Extract,), _day_of_week),
    ((exp.Left, exp.Right), _but_some),
    ((exp.Extract, exp.Length), _as_wide),
    ((exp.Window,), _ordered),
    ((exp.Window,), _place),
    ((exp.StrPosition,), _place_in_text),
    ((exp.Floor, exp.Ceil), _as_double),
    ((exp.TimestampTrunc,), _truncate),
    ((exp.Div,), _from_zero),
    ((exp.Log,), _to_base_ten),
    ((exp.DPipe, exp.Concat, exp.ConcatWs), _joined),
    ((exp.Replace, exp.Repeat), _replaced),
    ((exp.Upper, exp.Lower), _shorten),
    ((exp.Sum,), _roomy),
)
"""In this order: a cast that a form makes needs none, and a length that is made is written wide."""


def _arrays(tree: exp.Expr) -> None:
    """An array is given as one text of JSON, whose elements are texts; those side by side are zipped."""
    for parameter in list(tree.find_all(exp.Parameter)):
        placeholder = exp.Placeholder(this=parameter.name)
        is_array = parameter.find_ancestor(exp.Explode) is not None
        as_texts = exp.FromJson(this=placeholder, expression=exp.Literal.string("ARRAY<STRING>"))
        parameter.replace(as_texts if is_array else placeholder)
    for select in list(tree.find_all(exp.Select)):
        items = select.expressions
        if len(items) > 1 and any(type(each.unalias()) is exp.Explode for each in items):
            zipped = exp.Inline(this=exp.ArraysZip(expressions=[each.unalias().this for each in items]))
            select.set("expressions", [exp.Aliases(this=zipped, expressions=[each.args["alias"] for each in items])])


def widest(places: int = 0) -> exp.DataType:
    """The type in which numbers are added up: of BIGINT, a sum would pass its type, and raise."""
    digits = [exp.DataTypeParam(this=exp.Literal.number(each)) for each in (38, places)]
    return exp.DataType(this=TYPE.DECIMAL, expressions=digits)
