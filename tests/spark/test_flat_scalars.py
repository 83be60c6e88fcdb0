"""Scalar subqueries in the one form that Sail plans: what is made flat, and what is left to be refused."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from dpproxy.engines.spark.dialect.correlation import check_correlation
from dpproxy.engines.spark.dialect.flat_scalars import flatten_scalars
from dpproxy.errors import FeatureNotSupported


def flat(query: str) -> str:
    """The subquery, after it was made flat."""
    tree = parse_one(f"SELECT 1 FROM o AS s0 WHERE s0.x > ({query})", read="spark")
    flatten_scalars(tree)
    subquery = next(each for each in tree.find_all(exp.Subquery) if isinstance(each.parent, exp.GT))
    return str(subquery.this.sql("spark"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "SELECT t.c0 FROM (SELECT q.v0 AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT r.o0 AS a0 FROM p AS r "
            "WHERE r.k0 = s0.k) AS r) AS q) AS t",
            "SELECT MAX(r.o0) FROM p AS r WHERE r.k0 = s0.k",
        ),
        (
            "SELECT t.c0 FROM (SELECT r.b + 1 AS c0 FROM p AS r WHERE r.k = s0.k) AS t",
            "SELECT MAX((r.b + 1)) FROM p AS r WHERE r.k = s0.k",
        ),
        (
            "SELECT COALESCE(q.v0, 0) AS c0 FROM (SELECT MAX(r.o0) AS v0 FROM p AS r WHERE r.k = s0.k) AS q "
            "WHERE q.v0 > 2",
            "SELECT CASE WHEN MAX(r.o0) > 2 THEN COALESCE(MAX(r.o0), 0) END FROM p AS r WHERE r.k = s0.k",
        ),
        (
            "SELECT MAX(t.c0) FROM (SELECT r.b AS c0, r.d AS c1 FROM p AS r WHERE r.k = s0.k) AS t WHERE t.c1 < 3",
            "SELECT MAX(r.b) FROM p AS r WHERE r.d < 3 AND r.k = s0.k",
        ),
        (
            "SELECT t.c0 FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k ORDER BY r.b NULLS LAST LIMIT 1) AS t",
            "SELECT MIN(r.b) FROM p AS r WHERE r.k = s0.k",
        ),
        (
            "SELECT t.c0 FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k"
            " ORDER BY r.b DESC NULLS FIRST, r.b LIMIT 1) AS t",
            "SELECT CASE WHEN COUNT(*) = COUNT(r.b) THEN MAX(r.b) END FROM p AS r WHERE r.k = s0.k",
        ),
    ],
)
def test_a_flat_form(query: str, expected: str) -> None:
    assert flat(query) == expected


def test_what_is_computed_of_both_is_around_it() -> None:
    tree = parse_one(
        "SELECT 1 FROM o AS s0 WHERE s0.x > (SELECT t.v - s0.y FROM (SELECT MAX(r.b) AS v FROM p AS r WHERE r.k = s0.k)"
        " AS t)",
        read="spark",
    )
    flatten_scalars(tree)
    assert tree.sql("spark").endswith("> ((SELECT MAX(r.b) FROM p AS r WHERE r.k = s0.k) - s0.y)")
    check_correlation(tree)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT MAX(r.o0) FROM p AS r WHERE r.k = s0.k",
        "SELECT t.c0 FROM (SELECT MAX(r.b) AS c0 FROM p AS r) AS t",
    ],
)
def test_what_needs_none_stays(query: str) -> None:
    assert flat(query) == query


@pytest.mark.parametrize(
    "query",
    [
        "SELECT t.c0 FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k GROUP BY r.b) AS t",
        "SELECT t.c0 FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k LIMIT 1) AS t",
        "SELECT t.c0 FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k ORDER BY r.d LIMIT 1) AS t",
        "SELECT t.c0 FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k ORDER BY r.b DESC LIMIT 1) AS t",
        "SELECT t.c0 FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k ORDER BY r.b NULLS LAST LIMIT 2) AS t",
        "SELECT COALESCE(t.c0, 5) FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k ORDER BY r.b LIMIT 1) AS t",
        "SELECT t.c0 FROM (SELECT MAX(r.b + s0.x) AS c0 FROM p AS r WHERE r.k = s0.k) AS t",
        "SELECT t.c0 FROM (SELECT MAX(q.c) AS c0 FROM (SELECT COUNT(*) AS c FROM p AS r WHERE r.k = s0.k) AS q) AS t",
        "SELECT t.c0 FROM (SELECT r.b + s0.x AS c0 FROM p AS r WHERE r.k = s0.k) AS t",
        "SELECT t.c0 FROM (SELECT ROW_NUMBER() OVER (ORDER BY r.b) AS c0 FROM p AS r WHERE r.k = s0.k) AS t",
        "SELECT t.c0 FROM (SELECT r.b AS c0 FROM (SELECT p.b FROM p WHERE p.k = s0.k) AS r JOIN z ON z.b = r.b) AS t",
        "SELECT t.c0 FROM (SELECT r.b AS c0 FROM p AS r WHERE r.k = s0.k AND EXISTS(SELECT 1 FROM z)) AS t",
    ],
)
def test_what_has_no_flat_form_is_refused(query: str) -> None:
    assert flat(query) == query
    with pytest.raises(FeatureNotSupported):
        check_correlation(parse_one(f"SELECT 1 FROM o AS s0 WHERE s0.x > ({query})", read="spark"))
