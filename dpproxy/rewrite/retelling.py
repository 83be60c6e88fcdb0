"""A statement read as a filter over the groups of an earlier one, whose release may be stored.

    earlier   SELECT city, count(*) FROM people GROUP BY city
    asked     SELECT count(*) FROM people WHERE city = 'Delft'
    retold    SELECT a0 FROM (SELECT city AS k0, count(*) AS a0 FROM people GROUP BY city) AS t WHERE k0 = 'Delft'

Each number of the answer is one number of the earlier release: nothing is added up, as noise would be. So both have the
same rows but for the filters; keys that are asked for are among the earlier ones, the rest of which are held to one
value; and aggregates are among the earlier ones.

Claim: whatever this makes of two texts, it loses nothing to answer it. Because: it is a statement like any other, and
one that is answered from stored releases alone. That it means what was asked is another claim.
Checked by: tests/test_retelling.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from dpproxy.errors import DPProxyError
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates, read_from, substitute
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.question import Parameter, Question
from dpproxy.rewrite.reading.dialect import AsWritten
from dpproxy.rewrite.reading.parse import parse_statement

_ALIAS: Final = "dpproxy_again"
_CLAUSES: Final = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset")
_ORDERED: Final = ("smallint", "integer", "bigint", "numeric", "real", "double precision", "date", "timestamp")
_SELECT: Final = re.compile(r"\bselect\b", re.IGNORECASE)
_COMPARED: Final = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_TURNED: Final[Mapping[type[exp.Expr], type[exp.Binary]]] = {
    exp.EQ: exp.EQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}


@dataclass(frozen=True, slots=True)
class Retelling:
    """The question that is put in the place of what was asked, and which of the earlier texts it reads.

    wanted: the values, as text, that keys of the earlier release are asked for, by their places. A row of each
    combination has to be there: of what was not released nothing is told, and it is paid for.
    """

    question: Question
    earlier: str
    wanted: Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class _Grouped:
    """A SELECT of which all is understood: its keys, and the conditions of WHERE one by one."""

    select: exp.Select
    keys: tuple[exp.Expr, ...]
    conditions: tuple[exp.Expr, ...]


@dataclass(frozen=True, slots=True)
class _Filter:
    """A condition on one key alone. values: those that the key may have, as text; None for a range."""

    key: exp.Expr
    condition: exp.Expr
    values: frozenset[str] | None


def may_filter(question: Question, tree: exp.Query) -> bool:
    """Whether some condition of the statement, here as a tree, could be a filter on a key of an earlier one."""
    if question.settings.fresh or question.own or "where" not in question.sql.lower():
        return False
    if len(_SELECT.findall(question.sql)) > 1:
        # More than one query; or the word is in a literal, and then nothing is looked for.
        return False
    asked = _grouped(tree, ())
    return asked is not None and any(_filter(each, question.parameters) for each in asked.conditions)


def retellings(question: Question, earlier: Iterable[str], columns: Collection[str]) -> Iterator[Retelling]:
    """The question as a filter over the groups of each of some earlier statements, where it is one.

    columns: the names of all columns that the analyst's tables have.
    """
    asked = _understood(question.sql, columns)
    if asked is not None:
        found = (_retold(question, asked, each, columns) for each in earlier)
        yield from (each for each in found if each is not None)


def _retold(question: Question, asked: _Grouped, earlier: str, columns: Collection[str]) -> Retelling | None:
    before = _understood(earlier, columns)
    if before is None or not before.keys or not _same_rows(asked, before):
        return None
    rest = [each for each in asked.conditions if each not in before.conditions]
    filters = [each for each in (_filter(each, question.parameters) for each in rest) if each is not None]
    values = {before.keys.index(f.key): f.values for f in filters if f.key in before.keys and f.values is not None}
    if len(filters) < len(rest) or not _is_told(asked, before, filters):
        return None
    sql = _written(asked, before, filters, question)
    return None if sql is None else Retelling(replace(question, sql=sql), earlier, values)


def _same_rows(asked: _Grouped, before: _Grouped) -> bool:
    """Whether both read the same rows, but for conditions that `asked` has more of."""
    clauses = ((one.args.get(name) for name in ("from_", "joins")) for one in (asked.select, before.select))
    ours, theirs = (tuple(str(each) for each in clause) for clause in clauses)
    more = len(asked.conditions) > len(before.conditions)
    return ours == theirs and more and all(each in asked.conditions for each in before.conditions)


def _is_told(asked: _Grouped, before: _Grouped, filters: Sequence[_Filter]) -> bool:
    """Whether each group that is asked for is one group of the earlier statement."""
    keys = [each.key for each in filters]
    pinned = [each.key for each in filters if each.values is not None and len(each.values) == 1]
    held = [each for each in keys if keys.count(each) == 1 and each in before.keys]
    rest = [key for key in before.keys if key not in asked.keys]
    return len(held) == len(keys) and all(k in before.keys for k in asked.keys) and all(k in pinned for k in rest)


def _understood(sql: str, columns: Collection[str]) -> _Grouped | None:
    try:
        return _grouped(parse_statement(sql), columns)
    except DPProxyError:
        return None


def _grouped(written: exp.Query, columns: Collection[str]) -> _Grouped | None:
    """None for what is not one plain SELECT from tables."""
    tree = written.copy()
    if not isinstance(tree, exp.Select) or any(value and name not in _CLAUSES for name, value in tree.args.items()):
        return None
    if sum(1 for _ in tree.find_all(exp.Query)) > 1 or any(each.is_star for each in tree.expressions):
        return None
    _without_qualifiers(tree)
    keys, where = _keys(tree, columns), tree.args.get("where")
    conditions = () if where is None else conjuncts(where.this)
    return None if keys is None else _Grouped(tree, keys, conditions)


def _without_qualifiers(tree: exp.Select) -> None:
    """Of a single table all columns are its own, whatever it is called."""
    source = tree.args.get("from_")
    if source is None or tree.args.get("joins") or not isinstance(source.this, exp.Table):
        return
    if source.this.args.get("joins") or source.this.alias_column_names:
        return
    source.this.set("alias", None)
    for column in tree.find_all(exp.Column):
        column.set("table", None)
        column.set("db", None)


def _keys(tree: exp.Select, columns: Collection[str]) -> tuple[exp.Expr, ...] | None:
    """What is grouped by, each once; None for grouping sets, and where a name could be a column's or an item's."""
    group = tree.args.get("group")
    if group is None:
        return ()
    if any(value and name != "expressions" for name, value in group.args.items()):
        return None
    items = {each.alias: each.unalias() for each in tree.expressions if each.alias}
    found: list[exp.Expr] = []
    for key in group.expressions:
        if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.name) <= len(tree.expressions):
            found.append(tree.expressions[int(key.name) - 1].unalias())
        elif isinstance(key, exp.Column) and not key.table and items.get(key.name, key) != key:
            if key.name in columns:
                return None
            found.append(items[key.name])
        elif isinstance(key, exp.Literal | exp.Tuple | exp.GroupingSets | exp.Rollup | exp.Cube):
            return None
        else:
            found.append(key)
    return tuple(dict.fromkeys(each.copy() for each in found))


def _filter(condition: exp.Expr, parameters: Sequence[Parameter]) -> _Filter | None:
    """The condition as one on a key; None where it is another. A column by itself is true."""
    match condition:
        case exp.Column():
            return _Filter(condition, condition, frozenset({"t"}))
        case exp.Not(this=exp.Column() as column):
            return _Filter(column, condition, frozenset({"f"}))
        case exp.In(this=key) if set(_given(condition)) == {"this", "expressions"}:
            return _of_values(key, condition, condition.expressions, parameters)
        case exp.Between(this=key) if set(_given(condition)) == {"this", "low", "high"}:
            return _range(key, condition, [condition.args["low"], condition.args["high"]], parameters)
        case exp.Binary() if isinstance(condition, _COMPARED):
            return _comparison(condition, parameters)
        case _:
            return None


def _given(node: exp.Expr) -> list[str]:
    return [name for name, value in node.args.items() if value is not None and value is not False]


def _comparison(condition: exp.Binary, parameters: Sequence[Parameter]) -> _Filter | None:
    key, constant = condition.this, condition.expression
    if _constant(key, parameters) is not None:
        key, constant = constant, key
        condition = _TURNED[type(condition)](this=key.copy(), expression=constant.copy())
    if isinstance(condition, exp.EQ):
        return _of_values(key, condition, [constant], parameters)
    return _range(key, condition, [constant], parameters)


def _of_values(
    key: exp.Expr, condition: exp.Expr, constants: Sequence[exp.Expr], parameters: Sequence[Parameter]
) -> _Filter | None:
    values = [_constant(each, parameters) for each in constants]
    known = frozenset(each for each in values if each is not None)
    return _Filter(key, condition, known) if known and None not in values else None


def _range(
    key: exp.Expr, condition: exp.Expr, ends: Sequence[exp.Expr], parameters: Sequence[Parameter]
) -> _Filter | None:
    """Of what is no text: texts have an order of their own in each database."""
    known = all(_constant(each, parameters) is not None for each in ends)
    texts = any(_may_be_text(each, parameters) for each in ends)
    return _Filter(key, condition, None) if known and not texts else None


def _may_be_text(node: exp.Expr, parameters: Sequence[Parameter]) -> bool:
    match node:
        case exp.Cast():
            return bool(node.to.is_type(*exp.DataType.TEXT_TYPES))
        case exp.Parameter():
            return parameters[int(node.name) - 1].type not in _ORDERED
        case _:
            return bool(isinstance(node, exp.Literal) and node.is_string)


def _constant(node: exp.Expr, parameters: Sequence[Parameter]) -> str | None:
    """A constant as text, as a key of that value is written; None where it is no constant, or NULL."""
    match node:
        case exp.Literal():
            return str(node.name)
        case exp.Boolean():
            return "t" if node.this else "f"
        case exp.Neg(this=exp.Literal(is_string=False) as number):
            return f"-{number.name}"
        case exp.Cast(this=exp.Literal() as literal):
            return str(literal.name)
        case exp.Parameter(this=exp.Literal() as number) if number.is_int and 0 < int(number.name) <= len(parameters):
            return _value(parameters[int(number.name) - 1])
        case _:
            return None


def _value(parameter: Parameter) -> str | None:
    """Booleans are cast to text as words."""
    whole = {"true": "t", "false": "f"} if parameter.type == "boolean" else {}
    return parameter.text if parameter.text is None else whole.get(parameter.text, parameter.text)


def _written(asked: _Grouped, before: _Grouped, filters: Sequence[_Filter], question: Question) -> str | None:
    """The text that reads the earlier groups; None where it would read anything else."""
    found = list(dict.fromkeys(node.copy() for part in above(before.select) for node in aggregates(part)))
    named = [*((f"k{i}", key) for i, key in enumerate(before.keys)), *((f"a{i}", a) for i, a in enumerate(found))]
    replaced = {node.copy(): exp.column(name, table=_ALIAS) for name, node in named}
    select = asked.select.copy()
    if len(question.columns) != len(select.expressions) or _is_ordered_by_namesake(select, replaced):
        return None
    items = zip(select.expressions, question.columns, strict=True)
    select.set("expressions", [exp.alias_(item.unalias(), column.name, quoted=True) for item, column in items])
    substitute(select, replaced)
    read_from(select, _inside(before, named))
    if any(aggregates(part) for part in above(select)) or _reads_more(select):
        return None
    kept = [each.condition.copy().transform(lambda node: replaced.get(node, node)) for each in filters]
    return AsWritten().generate(select.where(*kept, copy=False, dialect=AsWritten))


def _inside(before: _Grouped, named: Sequence[tuple[str, exp.Expr]]) -> exp.Subquery:
    """The earlier statement's groups with all that it made of them, and nothing behind them."""
    items: list[exp.Expr] = [exp.alias_(node.copy(), name) for name, node in named]
    clauses = {name: value.copy() for name in ("from_", "where") if (value := before.select.args.get(name))}
    joins = [each.copy() for each in before.select.args.get("joins") or []]
    group = exp.Group(expressions=[key.copy() for key in before.keys])
    inner = exp.Select(expressions=items, **clauses, joins=joins, group=group)
    return exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(_ALIAS)))


def _is_ordered_by_namesake(select: exp.Select, replaced: Mapping[exp.Expr, exp.Expr]) -> bool:
    """Whether ORDER BY names an item that is called as a key, and is another."""
    items = {each.alias: each.unalias() for each in select.expressions if each.alias}
    ordered = select.args.get("order")
    named = [each.this for each in (ordered.expressions if ordered else []) if isinstance(each.this, exp.Column)]
    return any(each in replaced and items.get(each.name, each) != each for each in named)


def _reads_more(select: exp.Select) -> bool:
    """Whether a column is left that is none of the groups', nor an item's name in ORDER BY."""
    names = {each.alias for each in select.expressions}
    ordered = select.args.get("order")
    by_name = [each.this for each in (ordered.expressions if ordered else [])]
    parts = [*select.expressions, *(select.args[name] for name in ("where", "order") if select.args.get(name))]
    left = [column for part in parts for column in part.find_all(exp.Column) if column.table != _ALIAS]
    return any(column.table or column.name not in names or not any(column is b for b in by_name) for column in left)
