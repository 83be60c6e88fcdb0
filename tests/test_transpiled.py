"""The bounded SQL of all fixtures as Spark and Trino would be asked it: text that their dialects have words for.

It shows syntax alone: that sqlglot writes each text in both dialects without a warning, and can read what it wrote.
Whether those engines raise on a row, or round and compare as DuckDB does, only an engine and its dialect file can show.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlglot
from expression_world import SCOPE, parse
from sqlglot import ErrorLevel, exp
from sqlglot.errors import UnsupportedError
from test_expressions import cases as expressions
from test_fixtures import by_file, cases
from worlds import fitted, make_world, plan

from dpproxy.catalog.model import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.expressions import total

DIALECTS = ("spark", "trino")
# What a dialect has no word for, and why that is no matter here.
_WITHOUT = {
    (
        "spark",
        "trunc with places",
    ): "Spark cuts no numbers to decimal places; its dialect file would scale and truncate",
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    return list(bounded(fitted(make_world(tmp_path_factory.mktemp("world")))[1]))


def transpiled(sql: str, dialect: str) -> str:
    """The text in another dialect, in which it can be read. Raises where the dialect lacks something."""
    text = sqlglot.parse_one(sql, read="duckdb").sql(dialect, unsupported_level=ErrorLevel.RAISE)
    assert isinstance(sqlglot.parse_one(text, read=dialect), exp.Select)
    return text


def bounded(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The texts for the engine of all statements that are fixtures."""
    for path in by_file("rewrite"):
        for case in cases(path) if path.stem not in ("label", "resolve", "expressions") else ():
            try:
                made = plan(case.sql, catalog, case.settings)
            except DPProxyError:
                continue
            for release in made.releases:
                yield case.title, release.bounded.sql


@pytest.mark.parametrize("dialect", DIALECTS)
def test_bounded_sql_has_words_in_other_dialects(texts: list[tuple[str, str]], dialect: str) -> None:
    assert len(texts) > 300
    for title, sql in texts:
        assert transpiled(sql, dialect), title


@pytest.mark.parametrize("dialect", DIALECTS)
def test_total_forms_have_words_in_other_dialects(dialect: str) -> None:
    for title, sql, _ in expressions():
        name = title.removeprefix("-- ")
        try:
            typed = total(parse(sql.rstrip(";")), SCOPE)
        except DPProxyError:
            continue
        text = f"SELECT {typed.sql.sql('duckdb')} AS c FROM t"
        if (dialect, name) in _WITHOUT:
            with pytest.raises(UnsupportedError):
                transpiled(text, dialect)
        else:
            assert transpiled(text, dialect), name
