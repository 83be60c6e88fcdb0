"""Kept parsers say the same as new ones, whatever they were asked before, in each thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError, TokenError

from dpproxy.kept_parsers import KeptParsers

_TEXTS = (
    "SELECT a, COUNT(*) FROM t WHERE b > 1 AND c IN ('x', 'y') GROUP BY a ORDER BY 2",
    "WITH s AS (SELECT 1 AS x) SELECT * FROM s LEFT JOIN LATERAL (SELECT s.x + 1 AS y) AS l ON TRUE",
    "SELECT DATE '2024-01-31' - INTERVAL '1 day' /* said */; SELECT 2",
)
_BROKEN = ("SELECT FROM WHERE (", "SELECT 'a")


def _fresh(dialect: Postgres | DuckDB, sql: str) -> list[exp.Expr | None]:
    return dialect.parser().parse(dialect.tokenize(sql), sql)


def _kept(parsers: KeptParsers, sql: str) -> list[exp.Expr | None]:
    return parsers.trees(parsers.tokens(sql), sql)


@pytest.mark.parametrize("dialect", [Postgres(), DuckDB()])
def test_they_read_and_write_as_new_ones_do_after_a_text_that_failed(dialect: Postgres | DuckDB) -> None:
    parsers = KeptParsers(dialect)
    for sql in (*_TEXTS, *reversed(_TEXTS)):
        for broken in _BROKEN:
            with pytest.raises((ParseError, TokenError)):
                _kept(parsers, broken)
        found, fresh = _kept(parsers, sql), _fresh(dialect, sql)
        assert found == fresh
        written = [parsers.text(each.copy()) for each in found if each is not None]
        assert written == [dialect.generate(each) for each in fresh if each is not None]


def test_a_writer_that_failed_is_left() -> None:
    parsers = KeptParsers(Postgres())
    with pytest.raises(TypeError):
        parsers.text(None)  # type: ignore[arg-type]
    assert parsers.text(exp.Literal.number(1)) == "1"


def test_each_thread_has_its_own() -> None:
    parsers = KeptParsers(Postgres())
    expected = [_fresh(Postgres(), sql) for sql in _TEXTS]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(5):
            assert list(threads.map(lambda sql: _kept(parsers, sql), _TEXTS)) == expected
