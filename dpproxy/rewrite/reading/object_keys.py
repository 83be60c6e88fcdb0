"""Keys of an object of JSON: Postgres raises where one is a list, a row or JSON itself, and would after the charge.

Checked by: sql_fixtures/refuse/lists.sql.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.trees.position import position

OBJECTS = (exp.JSONObjectAgg, exp.JSONBObjectAgg)
_LISTS = (exp.Array, exp.ArrayAgg, exp.JSONArrayAgg, exp.AnonymousAggFunc, exp.Tuple, exp.TableColumn, *OBJECTS)


def check_object_keys(tree: exp.Query) -> None:
    """Raises FeatureNotSupported where a list, a row or JSON is in a key, or in what a column of that name is made of;
    unless it is cast to a type of single values."""
    for made in tree.find_all(*OBJECTS):
        key = _key(made)
        if not _is_single(key, tree):
            raise FeatureNotSupported(
                "an object of JSON has a key for each text or number, and this may be a list, a row or JSON",
                hint="Take a column that is none of these, or cast the key: json_object_agg((…)::text, n).",
                position=position(key) or position(made),
            )


def _key(made: exp.Expr) -> exp.Expr:
    """As the parser has it: the first of two arguments, or of a pair."""
    first = made.expressions[0] if made.expressions else made.this
    inner = first.expressions[0] if isinstance(first, exp.Distinct) else first
    assert isinstance(inner, exp.Expr)
    return inner


def _is_single(key: exp.Expr, tree: exp.Query) -> bool:
    lists, rows = _lists(tree, key), {each.alias_or_name for each in tree.find_all(exp.Table, exp.Subquery)}
    for node in key.walk(prune=_is_text):
        whole = type(node) is exp.Column and not node.table and node.name in rows
        if whole or _reads_list(node, lists):
            return False
    return True


def _lists(tree: exp.Query, key: exp.Expr) -> frozenset[str]:
    """Names of columns that are made of a list, of one that is named so, or that may be: by FROM … AS t(x, y), or by
    the function's name. What the key itself stands in is none that it reads."""
    around = set(map(id, _around(key)))
    unnamed = [
        item.sql("postgres").partition("(")[0].lower()
        for select in tree.find_all(exp.Select)
        for item in select.expressions
        if id(item) not in around and not isinstance(item, exp.Alias | exp.Column) and _makes_list(item, frozenset())
    ]
    aliases = [each for each in tree.find_all(exp.Alias) if id(each) not in around]
    found = frozenset(unnamed)
    while more := {each.alias for each in aliases if _makes_list(each.this, found)} - found:
        found |= more
    if not found:
        return found
    return found.union(*(each.alias_column_names for each in tree.find_all(exp.Subquery, exp.Table, exp.CTE)))


def _around(node: exp.Expr) -> Iterator[exp.Expr]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _makes_list(value: exp.Expr, lists: frozenset[str]) -> bool:
    return any(_reads_list(node, lists) for node in value.walk(prune=_is_text))


def _reads_list(node: exp.Expr, lists: frozenset[str]) -> bool:
    return _is_list(node) or (type(node) is exp.Column and node.name in lists)


def _is_text(node: exp.Expr) -> bool:
    """Whether it is cast to a type of single values, whatever it was."""
    return type(node) is exp.Cast and not _holds_many(node.to)


def _holds_many(type_: exp.DataType) -> bool:
    return bool(type_.is_type(exp.DType.JSON, exp.DType.JSONB, exp.DType.ARRAY))


def _is_list(node: exp.Expr) -> bool:
    if type(node) is exp.Anonymous:
        return "json" in str(node.name).lower()
    return type(node) in _LISTS or (type(node) is exp.Cast and _holds_many(node.to))
