"""The two tables of functions, the rewriter's and the checker's: neither has a row that the other lacks.

Run with UPDATE_FIXTURES=1 to write the lists of functions of docs/sql.md anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from expression_world import parse
from sql_cases import UPDATE
from sqlglot import exp
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.engines.dialects import dialect_of, engines_of
from dpproxy.rewrite.checker import functions as checked
from dpproxy.rewrite.checker.functions import FUNCTIONS as CHECKED
from dpproxy.rewrite.expressions.function import Function
from dpproxy.rewrite.expressions.table import FUNCTIONS, NAMED, SUBJECTS
from dpproxy.session import dp_tables

SQL = Path(__file__).parents[1] / "docs" / "sql.md"
# Kinds of the checker's table that no row of the rewriter's makes.
ELSEWHERE = {
    exp.Collate: "a scan of a column that has a collation",
    exp.Anonymous: "what Postgres clips floating point with, and lengths in bytes",
    exp.DateTrunc: "how the parser may read TimestampTrunc again",
    exp.IsNan: "nobody: it raises for nothing",
    exp.TryCast: "nobody: it is NULL where a cast raises",
    **dict.fromkeys((exp.Literal, exp.Null, exp.Boolean), "constants, which are no functions"),
}


def lacking(rewriter: tuple[Function, ...], checker: set[type[exp.Expr]]) -> list[str]:
    """The rows that one of the halves lacks, by name."""
    missed = [
        f"{each.names[0]}: the checker has no row for {kind.__name__}"
        for each in rewriter
        for kind in each.makes
        if kind not in checker
    ]
    made = {kind for each in rewriter for kind in each.makes} | ELSEWHERE.keys()
    return missed + [f"{kind.__name__}: the rewriter has no row that makes it" for kind in checker if kind not in made]


def test_neither_half_lacks_a_row() -> None:
    assert lacking(FUNCTIONS, set(CHECKED)) == []
    assert not {kind for each in FUNCTIONS for kind in each.makes} & ELSEWHERE.keys()


def test_a_row_that_one_half_lacks_is_named() -> None:
    assert lacking(FUNCTIONS, set(CHECKED) - {exp.Cbrt}) == ["cbrt: the checker has no row for Cbrt"]
    fewer = tuple(each for each in FUNCTIONS if each.kind is not exp.Cbrt)
    assert lacking(fewer, set(CHECKED)) == ["Cbrt: the rewriter has no row that makes it"]


def test_no_row_is_there_twice() -> None:
    kinds = [each.kind for each in FUNCTIONS if each.kind is not exp.Anonymous]
    assert len(set(kinds)) == len(kinds)
    assert len(NAMED) == sum(len(each.names) for each in FUNCTIONS if each.kind is exp.Anonymous)
    forms = [(kind, form) for each in FUNCTIONS for kind, form in each.makes.items()]
    assert len(dict(forms)) == len(set(forms)), "two rows say different things of what they make"
    assert len(CHECKED) == sum(len(subject.FUNCTIONS) for subject in checked._SUBJECTS)


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_every_engine_has_a_form_of_all_that_is_made_or_says_that_it_has_none(engine: str) -> None:
    lacks = [each.names[0] for each in FUNCTIONS if engine not in engines_of(each.makes)]
    assert lacks == []
    assert all(dialect_of(engine).has(kind) for each in FUNCTIONS for kind in each.makes)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.names[0])
def test_an_example_is_of_its_function_and_gets_through_both_halves(function: Function, catalog: Catalog) -> None:
    assert function.examples
    for example in function.examples:
        kinds = {type(node) for node in parse(example).walk()}
        assert function.kind in kinds, example
        for dialect in ("duckdb", "postgres"):
            assert plan(f"SELECT count({example}) FROM people", catalog, {}, dialect=dialect).releases


# What analysts read of it.


def test_the_table_for_analysts_has_each_name_and_each_signature() -> None:
    rows = dp_tables.functions().rows
    assert [column.name for column in VIEWS["functions"]] == ["name", "arguments", "result", "engines", "note"]
    places = ("duckdb, postgres", "duckdb, postgres, spark")
    assert {row[0] for row in rows} == {name for each in FUNCTIONS for name in each.names}
    assert all(isinstance(row[2], str) and row[2] and row[3] in places for row in rows)
    assert ("round", "numeric, integer", "numeric") in {row[:3] for row in rows}


def listed(functions: tuple[Function, ...]) -> Iterator[str]:
    """The table of one subject, in Markdown."""
    yield from ("| function | example | arguments → result | |", "|---|---|---|---|")
    for each in functions:
        names, examples = (", ".join(f"`{text}`" for text in texts) for texts in (each.names, each.examples))
        signatures = "; ".join(each.signatures)
        yield (
            "| "
            + " | ".join(text.replace("|", "\\|") for text in (names, examples, signatures, each.note)).rstrip()
            + " |"
        )


def with_lists(page: str) -> str:
    """docs/sql.md with the lists of functions as the table has them."""
    for subject, functions in SUBJECTS.items():
        table = "\n".join(listed(functions))
        pattern = re.compile(rf"(?<=\n### {re.escape(subject)}\n\n)\|.*?(?=\n\n)", re.S)
        assert len(pattern.findall(page)) == 1, subject
        page = pattern.sub(lambda _, table=table: table, page)
    return page


def test_the_lists_of_functions_in_the_reference_are_those_of_the_table() -> None:
    page = SQL.read_text()
    if UPDATE:
        SQL.write_text(with_lists(page))
    assert UPDATE or page == with_lists(page)
