"""EXPLAIN's first lines, for people: a line for each number, in words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from uncapped import uncapped
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.error_bars.foreseen import Asked, Remembered, foreseen
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.explained_columns import column_lines, columns_json, statements_words

PRIVATE_KEYS = 'Key "people"."city": values of the data; rare ones are left out'


def lines(made: Plan, memory: Mapping[Asked, Remembered] | None = None) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.split(" | ")] for line in column_lines(made, foreseen(made, memory or {}, {}))
    ]


def test_a_line_for_each_number_and_each_key(catalog: Catalog) -> None:
    made = plan("SELECT sex, count(*), avg(age) FROM people GROUP BY sex", catalog, {"mechanism": "laplace"})
    head, count, average, *keys = lines(made)
    assert head == ["number", "expected (95 %)", "clip"]
    assert count[0] == "COUNT(*)" and count[1].startswith("±") and count[2] == "1 row of each person"
    assert average[1] == "told with the answer: dp.half_width(…)" and average[2].startswith(
        "1 row of each person, values from 0"
    )
    assert keys == [['Key "people"."sex": F, M; each is in every answer']]


def test_a_size_that_was_told_makes_it_relative(catalog: Catalog) -> None:
    made = plan("SELECT avg(age) FROM people", catalog)
    (release,) = made.releases
    known = {(release.bounded.sql, release.outputs[0].formula): Remembered(made.epsilon / 2, 4.0, 40.0)}
    assert lines(made, known)[1][1] == "±2, 5 % of about 40"
    ((one),) = columns_json(made, foreseen(made, known, {}))
    assert one["Expected Half-Width"] == 2 and one["Known Size"] == 40


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT dp.median(age) FROM people", "off in rank by "),
        ("SELECT bool_or(age > 90) FROM people", "a finding by noise alone in 1 of 40 cases at most; one of "),
        ("SELECT mode() WITHIN GROUP (ORDER BY sex) FROM people", "no rarer than the most frequent by more than "),
    ],
)
def test_what_has_no_half_width_is_said_in_words(sql: str, words: str, catalog: Catalog) -> None:
    assert lines(plan(sql, catalog))[1][1].startswith(words)


def test_clips_and_private_keys_are_said_in_words(catalog: Catalog) -> None:
    (_, total, *keys) = lines(uncapped("SELECT dept, sum(cost) FROM visits GROUP BY dept"))
    assert total[2] == "each person scaled down to a clip that is chosen privately"
    assert lines(uncapped("SELECT count(DISTINCT dept) FROM visits"))[1][2] == (
        "each person counted with as many of its values as are chosen privately"
    )
    assert [PRIVATE_KEYS] in lines(plan("SELECT city, count(*) FROM people GROUP BY city", catalog))
    assert len(keys) == 1


def test_what_tells_keys_alone_has_their_line(catalog: Catalog) -> None:
    assert lines(plan("SELECT DISTINCT city FROM people", catalog)) == [[PRIVATE_KEYS]]


def test_how_many_fit() -> None:
    assert statements_words(1) == "Left: 1 such statement"
    assert statements_words(1200) == "Left: 1,200 such statements"
