"""EXPLAIN of a DAG: which releases read which, under which names, and joint keys. Plans are made by hand."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from applied import applied

from dpproxy.accounting.loss import Loss
from dpproxy.catalog.types import BIGINT, NUMERIC, TEXT
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import CountOf, SumOf
from dpproxy.plan.private_plan import (
    Bounded,
    Domain,
    FromPublic,
    FromRelease,
    Key,
    Limit,
    Literals,
    Measure,
    MeasureKind,
    Output,
    Plan,
    Post,
    PrivateKeys,
    Release,
)
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.rewrite.explain import explain_as, explain_text
from dpproxy.session.dp_tables import last_statement

NOISE = Noise(Distribution.LAPLACE, 2.0, Sensitivity(2, 3))
SUM = Measure("m0", MeasureKind.SUM, 0, 100, Decimal(1), Decimal(0), "SUM(cost)")
DISTINCT = Measure("m0", MeasureKind.DISTINCT, 0, 3, Decimal(1), Decimal(0), "COUNT(DISTINCT day)")
JOINT = "SELECT DISTINCT a, b FROM pairs WHERE c < (SELECT UNNEST(CAST($r1c1 AS BIGINT[])))"
READS = (ReleasedColumn(1, 1), ReleasedColumn(0, 0))
TEXT_OF_LAST = (
    "SELECT '$r1c1' AS \"$r0c0\" WHERE UNNEST(CAST($r1c1 AS BIGINT[])) = UNNEST(CAST($r0c0 AS BIGINT[])) AND $r1c10"
)


def of(sql: str, measure: Measure, *keys: tuple[str, Domain], inputs: tuple[ReleasedColumn, ...] = ()) -> Release:
    named = tuple(Key(f"k{at}", TEXT, domain, label) for at, (label, domain) in enumerate(keys))
    private = any(isinstance(domain, PrivateKeys) for _, domain in keys)
    bounded = Bounded(
        sql,
        "person",
        named,
        (measure,),
        private,
        2,
        5,
        Limit.KEYS_LIMITED,
        ("rows without a person are left out",),
        inputs,
    )
    formula = CountOf(0) if measure is DISTINCT else SumOf(0)
    output = Output("o0", BIGINT if measure is DISTINCT else NUMERIC, formula, measure.label)
    return Release(bounded, applied([NOISE], Selection(NOISE, 2, 9) if private else None), (output,))


PLAN = Plan(
    (
        of("first", SUM),
        of("second", DISTINCT, ("city", PrivateKeys())),
        of("third", SUM, ("b", FromPublic(JOINT, 1, READS[:1])), ("sex", Literals(("F",))), ("a", FromPublic(JOINT))),
        of(TEXT_OF_LAST, DISTINCT, ("city", FromRelease(1, 0)), inputs=READS),
    ),
    Post("", (), ()),
    Loss(Decimal("0.5"), Decimal("1e-7")),
    Decimal(1),
)


@pytest.fixture(scope="module")
def releases() -> list[list[str]]:
    """The lines of each release."""
    found: list[list[str]] = []
    for line in explain_text(PLAN, Decimal(1), Decimal(0)):
        if line.startswith("Release"):
            found.append([])
        if found:
            found[-1].append(line)
    return found


def test_which_releases_feed_which(releases: list[list[str]]) -> None:
    assert [lines[0] for lines in releases] == [
        "Release 1 of unit person",
        "Release 2 of unit person",
        "Release 3 of unit person, after release 2",
        "Release 4 of unit person, after releases 1, 2",
    ]
    assert [line for lines in releases for line in lines if "Reads" in line] == [
        "  Reads $r1: column COUNT(DISTINCT day) of release 2",
        "  Reads $r1: column COUNT(DISTINCT day) of release 2",
        "  Reads $r2: column SUM(cost) of release 1",
    ]


def test_released_inputs_are_shown_by_their_number(releases: list[list[str]]) -> None:
    """Only where they are inputs: not inside of quotes, nor as the beginning of another name."""
    shown = " ".join(line.strip() for line in releases[3][releases[3].index("  Bounded SQL:") + 1 :])
    assert shown == (
        "SELECT '$r1c1' AS \"$r0c0\" WHERE UNNEST(CAST($r1 AS BIGINT[])) = UNNEST(CAST($r2 AS BIGINT[])) AND $r1c10"
    )


def test_where_keys_come_from(releases: list[list[str]]) -> None:
    assert [line for lines in releases for line in lines if line.startswith("  Key ")] == [
        "  Key city: private, released above the threshold",
        "  Key selection: laplace, standard deviation 2.828427, threshold 9 persons",
        f"  Key b: public, from {JOINT.replace('$r1c1', '$r1')}",
        "  Key sex: public, 1 values (F)",
        "  Key a: public, joint with b",
        "  Key city: those of release 2",
    ]


def test_distinct_values_and_notes(releases: list[list[str]]) -> None:
    assert "  Note: rows without a person are left out" in releases[3]
    assert [line for line in releases[3] if "Limits" in line or "Measure" in line] == [
        "  Limits: 3 distinct values per unit and key, 2 keys per unit"
        " (at most max_groups_per_unit keys per unit are kept)",
        "  Measure COUNT(DISTINCT day): distinct values, bounds [0, 3], step 1, sensitivity 3 in 2 keys, laplace,"
        " standard deviation 2.828427",
    ]
    assert "  Limits: 5 rows per unit and key" in releases[0][1]


def test_json_tells_the_same() -> None:
    ((document),) = json.loads(explain_as("json", PLAN, Decimal(1), Decimal(0)))
    first, second, third, fourth = document["Releases"]
    assert [each["After"] for each in (first, second, third, fourth)] == [[], [], [2], [1, 2]]
    assert [each["Reads"] for each in (first, second)] == [[], []]
    assert third["Reads"] == [{"Input": "$r1", "Release": 2, "Column": "COUNT(DISTINCT day)"}]
    assert fourth["Reads"] == [*third["Reads"], {"Input": "$r2", "Release": 1, "Column": "SUM(cost)"}]
    assert [key["Domain"] for key in third["Keys"]][1:] == ["public, 1 values (F)", "public, joint with b"]
    assert fourth["Keys"] == [{"Key": "city", "Domain": "those of release 2"}]
    assert "CAST($r1 AS" in fourth["Bounded SQL"]
    assert fourth["Notes"] == ["rows without a person are left out"]


def test_the_last_statement_shows_each_output_of_a_dag() -> None:
    shown = [(row[0], row[1]) for row in last_statement(PLAN).rows]
    names = [f"{name} of release {number}" for number, name in enumerate(["SUM(cost)", "COUNT(DISTINCT day)"] * 2, 1)]
    assert shown == [(name, "laplace") for name in names]
