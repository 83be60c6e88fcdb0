"""A tree's nodes are those of sqlglot's own walk, in its order."""

from __future__ import annotations

import sqlglot
from sql_cases import by_file, cases
from sqlglot.errors import SqlglotError

from dpproxy.rewrite.expressions.trees.nodes import nodes_of


def test_nodes_are_those_of_a_walk() -> None:
    looked = 0
    for path in by_file("rewrite"):
        for case in cases(path):
            try:
                tree = sqlglot.parse_one(case.sql, dialect="postgres")
            except SqlglotError:
                continue
            assert [id(node) for node in nodes_of(tree)] == [id(node) for node in tree.walk()], case.title
            looked += 1
    assert looked > 500
