"""Texts of expressions for people: a plain column and COUNT(*) without the generator, and as it writes them."""

from __future__ import annotations

import pytest
from sqlglot import exp
from sqlglot.dialects.postgres import Postgres

from dpproxy.rewrite.shown import numbered, shown, stands_for

ALIAS = numbered("v", 2)
COLUMNS = {
    "in quotes": exp.column("cost", table="visits", quoted=True),
    "with a quote in it": exp.column('co"st', table='v"', quoted=True),
    "without a table": exp.column("Cost", quoted=True),
    "without quotes": exp.column("cost", table="visits"),
    "one name in quotes": exp.column(exp.to_identifier("cost", quoted=True), table="visits"),
    "of a schema": exp.column("cost", table="visits", db="public", quoted=True),
    "all of a table": exp.Column(this=exp.Star(), table=exp.to_identifier("visits", quoted=True)),
    "all rows": exp.Count(this=exp.Star(), big_int=True),
    "distinct values": exp.Count(this=exp.Distinct(expressions=[exp.column("a")]), big_int=True),
}


@pytest.mark.parametrize("node", COLUMNS.values(), ids=COLUMNS)
def test_the_text_is_the_generators(node: exp.Expr) -> None:
    assert shown(node) == Postgres().generate(node)


def test_a_number_of_ours_is_not_shown() -> None:
    assert shown(exp.column("cost", table=ALIAS, quoted=True)) == '"v"."cost"'


def test_what_a_column_stands_for_is_shown_in_its_place() -> None:
    node = exp.GT(this=exp.column("cost", quoted=True), expression=exp.Literal.number(5))
    column = stands_for(exp.column("q0", table=ALIAS), node)
    assert shown(column) == '"cost" > 5'
    assert shown(exp.Sum(this=column)) == 'SUM("cost" > 5)'
