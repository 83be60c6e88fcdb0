"""What is asked of the array of a text's parts without making rows of it: whether a value is among them, how many there
are, and one by its number.

    asked   'sql' = ANY(string_to_array(x, '><'))          made    x <> '' AND strpos('><' || x || '><', '><sql><') > 0
            array_length(string_to_array(x, ','), 1)               CASE WHEN x <> '' THEN length(x)
                                                                   - length(replace(x, ',', '')) + 1 END
            (string_to_array(x, ','))[2]                           CASE WHEN … >= 2 THEN split_part(x, ',', 2) END

Claim: both are the same for each x. Because: a text is taken apart at each place where the separator stands, none of
which overlaps another where no beginning of it is its end (`_overlaps_nothing`); so a value that has no separator in it
is a part where it stands between two of them, with one put before and one behind the text. An empty text has no parts,
and NULL has no array. Parts are never NULL.
Checked by: tests/test_text_arrays.py (Postgres's own and ours, in both engines), sql_fixtures/rewrite/text_parts.sql.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, slots=True)
class _Array:
    """The text that is taken apart, and what separates its parts."""

    text: exp.Expr
    separator: str


def text_arrays(tree: exp.Query) -> exp.Query:
    """The parsed tree, with conditions and numbers in the place of such arrays."""
    if not any(_asked(call) for call in tree.find_all(exp.StringToArray)):
        return tree
    made = tree.copy()
    for call in list(made.find_all(exp.StringToArray)):
        if (found := _asked(call)) is not None:
            node, value, name = found
            node.replace(_named(node, value, name))
    return made


def _asked(call: exp.StringToArray) -> tuple[exp.Expr, exp.Expr, str] | None:
    """What asks of the array, what it is, and what Postgres calls that; None where it asks anything else."""
    array = _array(call)
    node: exp.Expr = call
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    around = node.parent
    if array is None or around is None:
        return None
    match around:
        case exp.Any() if isinstance(around.parent, exp.EQ) and around.arg_key == "expression":
            value = _is_part(around.parent.this, array)
            return None if value is None else (around.parent, value, "?column?")
        case exp.Anonymous() if _called(around) == "all" and isinstance(around.parent, exp.NEQ):
            value = _is_part(around.parent.this, array)
            return None if value is None else (around.parent, exp.Not(this=value), "?column?")
        case exp.ArraySize() if around.args.get("expression") == exp.Literal.number(1):
            return around, _where_some(array, _number(array)), "array_length"
        case exp.Anonymous() if _called(around) == "cardinality":
            none = exp.If(this=_is(array, exp.EQ), true=exp.Literal.number(0))
            made = _where_some(array, _number(array))
            made.append("ifs", none)
            return around, made, "cardinality"
        case exp.Bracket(expressions=[exp.Literal() as place]) if place.is_int:
            at = exp.Literal.number(int(place.name) + 1)
            there = exp.and_(_is(array, exp.NEQ), exp.GTE(this=_number(array), expression=at))
            part = exp.SplitPart(this=array.text.copy(), delimiter=_text(array.separator), part_index=at.copy())
            return around, exp.Case(ifs=[exp.If(this=there, true=part)]), "string_to_array"
    return None


def _called(call: exp.Anonymous) -> str:
    """The name of a call of one argument, as sqlglot reads ALL(…) too."""
    return str(call.name).lower() if len(call.expressions) == 1 else ""


def _array(call: exp.StringToArray) -> _Array | None:
    """None of constants, of NULL in the place of a part, and where places of the separator could overlap."""
    separator = call.args.get("expression")
    known = separator.name if isinstance(separator, exp.Literal) and separator.is_string else ""
    if not known or call.args.get("null") or not _overlaps_nothing(known):
        return None
    plain = call.this.find(exp.Column) is not None and call.this.find(exp.Query, exp.AggFunc, exp.Window) is None
    return _Array(call.this, known) if plain else None


def _overlaps_nothing(separator: str) -> bool:
    return not any(separator[:many] == separator[-many:] for many in range(1, len(separator)))


def _is_part(value: exp.Expr, array: _Array) -> exp.Expr | None:
    """Whether a value is one of the parts; None of a constant that has the separator in it."""
    separator = _text(array.separator)
    if isinstance(value, exp.Literal):
        if not value.is_string or array.separator in value.name:
            return None
        between: exp.Expr = _text(f"{array.separator}{value.name}{array.separator}")
        return exp.Paren(this=exp.and_(_is(array, exp.NEQ), _stands_in(array, between)))
    if value.find(exp.Query) is not None:
        return None
    between = _joined(separator, value, separator)
    whole = exp.EQ(this=_place(separator, value), expression=exp.Literal.number(0))
    none = exp.If(this=_is(array, exp.EQ), true=exp.false())
    made = _where_some(array, exp.and_(whole, _stands_in(array, between)))
    made.append("ifs", none)
    return made


def _stands_in(array: _Array, between: exp.Expr) -> exp.Expr:
    separator = _text(array.separator)
    around = _joined(separator, array.text, separator)
    return exp.GT(this=_place(between, around), expression=exp.Literal.number(0))


def _place(what: exp.Expr, where: exp.Expr) -> exp.Expr:
    return exp.StrPosition(this=where.copy(), substr=what.copy())


def _joined(*parts: exp.Expr) -> exp.Expr:
    first, *rest = parts
    made = first.copy()
    for part in rest:
        one = part.copy() if isinstance(part, exp.Literal | exp.Column) else exp.Paren(this=part.copy())
        made = exp.DPipe(this=made, expression=one)
    return exp.Paren(this=made)


def _number(array: _Array) -> exp.Expr:
    """How many parts a text has that is not empty."""
    without = exp.Replace(this=array.text.copy(), expression=_text(array.separator), replacement=_text(""))
    made: exp.Expr = exp.Sub(this=exp.Length(this=array.text.copy()), expression=exp.Length(this=without))
    if len(array.separator) > 1:
        many = exp.Literal.number(len(array.separator))
        made = exp.Div(this=exp.Paren(this=made), expression=many, typed=True)
    return exp.Add(this=made, expression=exp.Literal.number(1))


def _where_some(array: _Array, value: exp.Expr) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=_is(array, exp.NEQ), true=value)])


def _is(array: _Array, kind: type[exp.Binary]) -> exp.Expr:
    """How it compares with an empty text."""
    text = array.text.copy()
    return kind(this=text if isinstance(text, exp.Column) else exp.Paren(this=text), expression=_text(""))


def _text(value: str) -> exp.Literal:
    return exp.Literal.string(value)


def _named(node: exp.Expr, value: exp.Expr, name: str) -> exp.Expr:
    """An item of a SELECT keeps the name that it has."""
    is_item = isinstance(node.parent, exp.Select) and node.arg_key == "expressions"
    return exp.alias_(value, name, quoted=True) if is_item else value
