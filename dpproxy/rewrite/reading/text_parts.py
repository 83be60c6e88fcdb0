"""Rows that are the parts of a text: unnest(string_to_array(x, ',')) and its like, in FROM or in the SELECT list.

    asked   SELECT tag FROM posts p, unnest(string_to_array(p.tags, ',')) AS tag
    made    SELECT tag FROM posts p, LATERAL (
              SELECT split_part(p.tags, ',', "dpproxy part") AS tag FROM generate_series(1, 32) AS n("dpproxy part")
              WHERE "dpproxy part" <= length(p.tags) - length(replace(p.tags, ',', '')) + 1 AND p.tags <> '') AS tag

Claim: both have the same rows, but for parts behind the first MOST_PARTS, which are left out; EXPLAIN says so. Because:
a text has one part more than separators, and NULL has none, nor has an empty text, but for the one that a pattern
leaves whole; `split_part` gives each by its number.
Checked by: sql_fixtures/rewrite/text_parts.sql, tests/test_text_parts.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

MOST_PARTS: Final = 32
PART: Final = "dpproxy part"
"""The column of the parts' numbers, by which these are known again."""
_ROWS: Final = "dpproxy parts"
_BY_PATTERN: Final = "regexp_split_to_table"
_TO_TABLE: Final = ("string_to_table", _BY_PATTERN)
_EMPTY: Final = exp.Literal.string("")
_PLAIN: Final = re.compile(r"[^\\^$.|?*+()\[\]{}]+")
_KINDS: Final = (exp.StringToArray, exp.Anonymous)
_LISTED: Final = frozenset({"expressions", "from_", "joins", "where", "with_", "distinct", "kind", "hint"})


@dataclass(frozen=True, slots=True)
class _Parts:
    """The text that is taken apart, what separates its parts, and what Postgres calls such rows."""

    text: exp.Expr
    separator: str
    name: str


def rows_of_text_parts(tree: exp.Query) -> exp.Query:
    """The parsed tree, with such queries in the place of such calls."""
    if not any(_parts(call) for call in _calls(tree)):
        return tree
    made = tree.copy()
    for call in list(_calls(made)):
        if (parts := _parts(call)) is not None:
            _put(call, parts)
    return made


def _calls(tree: exp.Expr) -> Iterator[exp.Expr]:
    """What may make rows of a text: the outermost node of the call."""
    for node in tree.find_all(*_KINDS):
        around = node.parent
        if isinstance(node, exp.Anonymous):
            yield node
        elif isinstance(around, exp.Unnest | exp.Explode) and _is_numbered_by_name(around):
            yield around


def _is_numbered_by_name(call: exp.Expr) -> bool:
    """Whether WITH ORDINALITY, if it is there, has its name and that of the parts: AS t(part, n)."""
    alias = _holder(call).args.get("alias")
    named = isinstance(alias, exp.TableAlias) and len(alias.columns) == 1
    number = call.args.get("offset")
    return not number or (named and isinstance(number, exp.Identifier))


def _parts(call: exp.Expr) -> _Parts | None:
    """None for any other call, for parts of constants, and for a separator that is none as it is written."""
    match call:
        case (
            exp.Unnest(expressions=[exp.StringToArray(this=text, expression=separator) as array])
            | exp.Explode(this=exp.StringToArray(this=text, expression=separator) as array)
        ) if not array.args.get("null"):
            name = "unnest"
        case exp.Anonymous(expressions=[text, separator]) if str(call.name).lower() in _TO_TABLE:
            name = str(call.name).lower()
        case _:
            return None
    known = separator.name if isinstance(separator, exp.Literal) and separator.is_string else ""
    if not known or (name == _BY_PATTERN and _PLAIN.fullmatch(known) is None):
        return None
    return _Parts(text, known, name) if text.find(exp.Column) is not None else None


def _put(call: exp.Expr, parts: _Parts) -> None:
    holder = _holder(call)
    if isinstance(holder.parent, exp.Join):
        _put_into_from(holder, parts, call.args.get("offset"))
    elif isinstance(call, exp.Explode | exp.Anonymous):
        _put_into_list(call, parts)


def _holder(call: exp.Expr) -> exp.Expr:
    """What stands in FROM."""
    return call.parent if isinstance(call.parent, exp.Lateral | exp.Table) else call


def _put_into_from(holder: exp.Expr, parts: _Parts, number: object) -> None:
    alias = holder.args.get("alias")
    named = alias.this if isinstance(alias, exp.TableAlias) and alias.this else exp.to_identifier(parts.name)
    column = alias.columns[0] if isinstance(alias, exp.TableAlias) and len(alias.columns) == 1 else named
    made = _lateral(parts, named.copy(), column.copy())
    if isinstance(number, exp.Identifier):
        place = exp.cast(exp.column(PART, quoted=True), "bigint")
        made.this.this.append("expressions", exp.Alias(this=place, alias=number.copy()))
    holder.replace(made)


def _put_into_list(call: exp.Expr, parts: _Parts) -> None:
    """A call in the SELECT list, also within functions, is made of each row of FROM, before these are grouped by it."""
    select = call.find_ancestor(exp.Select)
    item = None if select is None else _item(call, select)
    if select is None or item is None:
        return
    if not select.args.get("from_"):
        _put_alone(call, item, select, parts)
    elif _is_made_first(item, select):
        rows, column = exp.to_identifier(_ROWS, quoted=True), exp.to_identifier(parts.name)
        made = exp.Column(this=column.copy(), table=rows.copy())
        for same in [each for each in select.find_all(type(call)) if each == call and each is not call]:
            same.replace(made.copy())
        call.replace(exp.Alias(this=made, alias=column.copy()) if call is item else made)
        select.append("joins", exp.Join(this=_lateral(parts, rows, column), kind="CROSS"))


def _item(call: exp.Expr, select: exp.Select) -> exp.Expr | None:
    """The item of the SELECT that a call is in, if that makes no other rows."""
    node = call
    while node.parent is not None and node.parent is not select:
        node = node.parent
    others = [each for each in _calls(node) if each != call and _parts(each) is not None]
    others += [each for each in node.find_all(exp.Explode) if each != call]
    return node if node.arg_key == "expressions" and not others else None


def _put_alone(call: exp.Expr, item: exp.Expr, select: exp.Select, parts: _Parts) -> None:
    """LATERAL (SELECT unnest(…) AS part): the rows of that SELECT, which has no others."""
    alone = len(select.expressions) == 1 and not any(
        value for name, value in select.args.items() if name != "expressions"
    )
    if not alone or not isinstance(item, exp.Alias) or not isinstance(select.parent, exp.Subquery):
        return
    if not isinstance(select.parent.parent, exp.Lateral):
        return
    made = _lateral(parts, exp.to_identifier(_ROWS), exp.to_identifier(parts.name)).this.this
    call.replace(made.expressions[0].this.copy())
    select.set("from_", made.args["from_"].copy())
    select.set("where", made.args["where"].copy())


def _is_made_first(item: exp.Expr, select: exp.Select) -> bool:
    """Whether rows are grouped by it, or neither grouped nor ordered, and no other item makes rows."""
    others = [each for each in select.expressions if each is not item]
    if any(_parts(call) is not None for each in others for call in _calls(each)) or any(
        each.find(exp.Explode) is not None for each in others
    ):
        return False
    group = select.args.get("group")
    if group is None:
        plain = all(name in _LISTED for name, value in select.args.items() if value)
        distinct = select.args.get("distinct")
        once = distinct is None or not distinct.args.get("on")
        return plain and once and not any(each.find(exp.AggFunc, exp.Window) for each in others)
    place = str(select.expressions.index(item) + 1)
    keys = [each for each in group.expressions if isinstance(each, exp.Expr)]
    by = {item.unalias(), exp.Literal.number(place), exp.column(exp.to_identifier(item.alias or ""))}
    return any(key in by for key in keys)


def _lateral(parts: _Parts, alias: exp.Identifier, column: exp.Identifier) -> exp.Lateral:
    number = exp.column(PART, quoted=True)
    separator = exp.Literal.string(parts.separator)
    part = exp.SplitPart(this=parts.text.copy(), delimiter=separator, part_index=number.copy())
    numbers = exp.ExplodingGenerateSeries(start=exp.Literal.number(1), end=exp.Literal.number(MOST_PARTS))
    named = exp.TableAlias(this=exp.to_identifier(_ROWS, quoted=True), columns=[exp.to_identifier(PART, quoted=True)])
    source = exp.Table(this=numbers, alias=named)
    there: exp.Expr = exp.LTE(this=number, expression=_count(parts))
    if parts.name != _BY_PATTERN:
        there = exp.And(this=there, expression=exp.NEQ(this=parts.text.copy(), expression=_EMPTY.copy()))
    query = exp.Select(
        expressions=[exp.Alias(this=part, alias=column)], from_=exp.From(this=source), where=exp.Where(this=there)
    )
    return exp.Lateral(this=exp.Subquery(this=query), alias=exp.TableAlias(this=alias))


def _count(parts: _Parts) -> exp.Expr:
    """How many parts a text has that is not empty."""
    without = exp.Replace(
        this=parts.text.copy(), expression=exp.Literal.string(parts.separator), replacement=_EMPTY.copy()
    )
    letters = exp.Sub(this=exp.Length(this=parts.text.copy()), expression=exp.Length(this=without))
    apart: exp.Expr = letters
    if len(parts.separator) > 1:
        apart = exp.Div(this=exp.Paren(this=letters), expression=exp.Literal.number(len(parts.separator)))
    return exp.Add(this=apart, expression=exp.Literal.number(1))
