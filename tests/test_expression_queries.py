"""Queries in expressions: where none is said to be, a longer look finds none, in any statement of the fixtures."""

from __future__ import annotations

from collections.abc import Iterator

from sql_cases import by_file, cases
from sqlglot import exp

from dpproxy.errors import DPProxyError
from dpproxy.rewrite.calculus.from_clause import items
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.statement.expression_queries import asks_queries, expression_queries, holds_query, outermost


def test_no_query_is_overlooked() -> None:
    found = {True: 0, False: 0}
    for select in selects():
        asks = asks_queries(select)
        found[asks] += 1
        assert asks == bool(inner(select)), select.sql("postgres")
    assert min(found.values()) > 100


def test_what_holds_a_query_is_made_of_one() -> None:
    for select in selects():
        for item in select.expressions:
            held = item.find(exp.Query) is not None
            assert holds_query(item) == held == any(node.find(exp.Query) for node in outermost(item))


def inner(select: exp.Select) -> list[exp.Expr]:
    try:
        return expression_queries(select, [item.node for item in items(select)])
    except DPProxyError:  # a way to join that is refused
        sources = [select.args["from_"].this, *(join.this for join in select.args["joins"])]
        return expression_queries(select, sources)


def selects() -> Iterator[exp.Select]:
    for path in by_file("rewrite"):
        for case in cases(path) if path.stem != "expressions" else ():
            yield from parse_statement(case.sql).find_all(exp.Select)
