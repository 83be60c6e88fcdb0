"""Keys of an object of JSON: Postgres raises where one is a list, a row or JSON itself, and would after the charge.

Checked by: sql_fixtures/refuse/lists.sql.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.trees.position import position

_OBJECTS = (exp.JSONObjectAgg, exp.JSONBObjectAgg)
_LISTS = (exp.Array, exp.ArrayAgg, exp.JSONArrayAgg, exp.AnonymousAggFunc, exp.Tuple, exp.TableColumn, *_OBJECTS)


def check_object_keys(tree: exp.Query) -> None:
    """Raises FeatureNotSupported where a list, a row or JSON is in a key, or in what a column of that name is made of;
    unless it is cast to a type of single values."""
    for made in tree.find_all(*_OBJECTS):
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
    lists = {each.alias for each in tree.find_all(exp.Alias) if _makes_list(each)}
    rows = {each.alias_or_name for each in tree.find_all(exp.Table, exp.Subquery)}
    for node in key.walk(prune=_is_text):
        whole = type(node) is exp.Column and not node.table and node.name in rows
        if whole or _is_list(node) or (type(node) is exp.Column and node.name in lists):
            return False
    return True


def _is_text(node: exp.Expr) -> bool:
    """Whether it is cast to a type of single values, whatever it was."""
    return type(node) is exp.Cast and not _holds_many(node.to)


def _holds_many(type_: exp.DataType) -> bool:
    return bool(type_.is_type(exp.DType.JSON, exp.DType.JSONB, exp.DType.ARRAY))


def _makes_list(made: exp.Alias) -> bool:
    return not _is_text(made.this) and any(map(_is_list, made.this.walk(prune=_is_text)))


def _is_list(node: exp.Expr) -> bool:
    if type(node) is exp.Anonymous:
        return "json" in str(node.name).lower()
    return type(node) in _LISTS or (type(node) is exp.Cast and _holds_many(node.to))
