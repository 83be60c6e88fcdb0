"""A copy of a tree is the one that sqlglot makes, and shares no node with it."""

from __future__ import annotations

import sqlglot
from sql_cases import by_file, cases
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dpproxy.rewrite.expressions.trees.copies import copied
from dpproxy.rewrite.expressions.trees.position import noted


def test_copies_are_those_that_sqlglot_makes() -> None:
    looked = 0
    for path in by_file("rewrite"):
        for case in cases(path):
            try:
                tree = sqlglot.parse_one(case.sql, dialect="postgres")
            except SqlglotError:
                continue
            for each in (tree, noted(tree.copy())):
                assert [_told(node) for node in copied(each).walk()] == [_told(node) for node in each.copy().walk()]
                assert {id(node) for node in copied(each).walk()}.isdisjoint(id(node) for node in each.walk())
            looked += 1
    assert looked > 500


def test_a_copy_stands_by_itself_and_has_its_types_and_comments() -> None:
    tree = sqlglot.parse_one("SELECT a /* why */, 1 FROM t", dialect="postgres")
    column = tree.expressions[0]
    column.type = "INT"
    made = copied(column)
    assert made.parent is None and made.arg_key is None
    assert made.type == column.type and made.type is not column.type
    assert made.comments == column.comments and made.comments is not column.comments


def _told(node: exp.Expr) -> tuple[object, ...]:
    around = None if node.parent is None else type(node.parent)
    args = {name: value for name, value in node.args.items() if not isinstance(value, (exp.Expr, list))}
    return type(node), around, node.arg_key, node.index, args, node._meta, node._type, node.comments
