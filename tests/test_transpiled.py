"""The bounded SQL of all fixtures as Spark and Trino would be asked it: text that their dialects have words for.

It shows syntax alone: that sqlglot writes each text in both dialects without a warning, and can read what it wrote.
Whether those engines raise on a row, or round and compare as DuckDB does, only an engine and its dialect file can show.
"""

from __future__ import annotations

import pytest
import sqlglot
from expression_world import SCOPE, parse
from sql_cases import FIXTURES, Case, by_file, each_of
from sqlglot import ErrorLevel, exp
from sqlglot.errors import UnsupportedError
from worlds import plan

from dpproxy.catalog.policy import Catalog
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


def transpiled(sql: str, dialect: str) -> str:
    """The text in another dialect, in which it can be read. Raises where the dialect lacks something."""
    text = sqlglot.parse_one(sql, read="duckdb").sql(dialect, unsupported_level=ErrorLevel.RAISE)
    assert isinstance(sqlglot.parse_one(text, read=dialect), exp.Select)
    return text


@pytest.mark.long
@each_of(path for path in by_file("rewrite") if path.stem not in ("label", "resolve", "expressions"))
def test_bounded_sql_has_words_in_other_dialects(case: Case, catalog: Catalog) -> None:
    for release in plan(case.sql, catalog, case.settings).releases:
        for dialect in DIALECTS:
            assert transpiled(release.bounded.sql, dialect)


@each_of([FIXTURES / "rewrite" / "expressions.sql"])
def test_total_forms_have_words_in_other_dialects(case: Case) -> None:
    try:
        typed = total(parse(case.sql), SCOPE)
    except DPProxyError:
        return
    text = f"SELECT {typed.sql.sql('duckdb')} AS c FROM t"
    for dialect in DIALECTS:
        if (dialect, case.title) in _WITHOUT:
            with pytest.raises(UnsupportedError):
                transpiled(text, dialect)
        else:
            assert transpiled(text, dialect)
