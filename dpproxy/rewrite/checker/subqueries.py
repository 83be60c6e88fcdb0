"""EXISTS (…) and (SELECT …) in the expressions of a LEVEL."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.nodes import AGGREGATES
from dpproxy.rewrite.checker.public import BOOLEAN, public_value
from dpproxy.rewrite.checker.relations import ColumnFact
from dpproxy.rewrite.checker.rows import check_ons, check_where, read_rows, scope_of
from dpproxy.rewrite.checker.scope import CheckContext, Scope
from dpproxy.rewrite.checker.syntax import integer, only
from dpproxy.rewrite.checker.tables import is_public
from dpproxy.rewrite.checker.values import over_groups, parts


def read_subquery(node: exp.Expr, scope: Scope, context: CheckContext) -> ColumnFact:
    """What is proved of its value, in an expression that sees `scope`.

    Claim: the value depends on nothing but the row around it, that row's unit, and public rows. Because: every private
    source inside is tied to a source around it that is of the row's unit, or is NULL and so ties nothing; and the value
    is that of a multiset of such rows.
    Checked by: tests/test_checker_relations.py.
    Raises CheckFault where that does not follow from the text.
    """
    require(type(node) is exp.Exists or not node.alias, "a value with a name of its own")
    if type(node) is exp.Subquery and type(node.this) is exp.Subquery:
        # Parentheses in parentheses.
        return read_subquery(node.this, scope, context)
    if is_public(node.this, context.catalog):
        return public_value(node, scope, context)
    select = node.this
    if type(select) is not exp.Select or scope.unit is None:
        raise CheckFault("a subquery over private rows that is not one SELECT")
    only(select, "expressions", "from_", "joins", "where")
    rows = read_rows(select, scope, context)
    require(not rows.full, "a FULL join in a subquery")
    inside = scope_of(rows, scope.reached, scope.unit)
    check_ons(rows, inside, context)
    check_where(rows, inside, (), context)
    require(len(select.expressions) == 1, "a subquery of several columns")
    return _item(node, select.expressions[0], inside, context)


def _item(node: exp.Expr, item: exp.Expr, scope: Scope, context: CheckContext) -> ColumnFact:
    if type(node) is exp.Exists:
        require(integer(item) == 1, "EXISTS of anything but 1")
        return BOOLEAN
    inner = item.this if type(item) is exp.Alias else item
    require(any(type(part) in AGGREGATES for part in parts(inner, *AGGREGATES)), "a value that is no aggregate")
    around = {
        (alias, name)
        for alias, relation in scope.sources.items()
        if alias not in scope.own
        for name in relation.columns
    }
    found = over_groups(inner, scope, context, around)
    return ColumnFact(found.family, held=found.held)
