"""Rows that belong to two units each, before the checker: a row of a third, a key that is no unit's, a step that is
another, or noise for less is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from pair_world import catalog
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.types import parse_type
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.paired_noise import PairedNoise
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.private_plan import Bounded, Limit, Plan
from dpproxy.plan.samples import Sample
from dpproxy.rewrite.checker import CheckFault, check_plan

LINES = "SELECT sum(l.amount), count(*) FROM lineitem l JOIN supplier s ON l.s = s.s WHERE s.nation > 0"
TRANSFERS = "SELECT count(*) FROM transfers t JOIN person p ON t.receiver = p.p WHERE p.city = 'X'"
TWO = "SELECT count(*) FROM customer c JOIN supplier s ON c.nation = s.nation"
BESIDE = "SELECT n.name, count(*) FROM lineitem l LEFT JOIN nation n ON n.nation = l.n GROUP BY n.name"
PUBLIC = "SELECT count(*) FROM lineitem l WHERE l.n IN (SELECT nation FROM nation)"
ONE = "SELECT sum(balance) FROM customer WHERE nation > 3"


@cache
def made(sql: str) -> Plan:
    return plan(sql, catalog())


def checked(found: Plan, policy: Catalog | None = None) -> None:
    check_plan(found, policy or catalog(), "duckdb", Accounting.ZCDP)


def with_bounded(found: Plan, change: Callable[[Bounded], Bounded]) -> Plan:
    (release,) = found.releases
    return replace(found, releases=(replace(release, bounded=change(release.bounded)),))


def with_text(found: Plan, old: str, new: str) -> Plan:
    assert old in found.releases[0].bounded.sql, found.releases[0].bounded.sql
    return with_bounded(found, lambda bounded: replace(bounded, sql=bounded.sql.replace(old, new)))


def with_noise(found: Plan, change: Callable[[PairedNoise], PairedNoise]) -> Plan:
    (release,) = found.releases
    first, *rest = release.mechanisms
    assert isinstance(first.mechanism, PairedNoise)
    mechanisms = (replace(first, mechanism=change(first.mechanism)), *rest)
    return replace(found, releases=(replace(release, mechanisms=mechanisms),))


def number(key: str) -> str:
    return f"CAST(HASH({key}) % 9223372036854775807 AS BIGINT)"


HASHES = number("v") + " AS j"
TEXTS = {
    "a third unit": (LINES, 'h0."o" WHERE', 'h0."o" JOIN "orders" AS s9 ON s0."n" = s9."total" WHERE'),
    "not the unit's key": (LINES, 'h0."c" AS u', 'h0."total" AS u'),
    "the other's key": (LINES, 'h0."c" AS u, s0."s" AS v', 's0."s" AS u, s0."s" AS v'),
    "untied": (LINES, 's0."s" = s1."s"', 's0."n" = s1."s"'),
    "an outer join": (LINES, 'JOIN "supplier"', 'LEFT JOIN "supplier"'),
    "an outer join of a link": (LINES, 'JOIN "orders"', 'LEFT JOIN "orders"'),
    "an outer join of a person": (TRANSFERS, 'JOIN "person"', 'LEFT JOIN "person"'),
    "an outer join of all": (BESIDE, "LEFT JOIN", "FULL JOIN"),
    "an outer join to what is public": (
        BESIDE,
        '"lineitem" AS s0 LEFT JOIN "nation" AS s1',
        '"nation" AS s1 LEFT JOIN "lineitem" AS s0',
    ),
    "of a public one no more": (BESIDE, '"nation" AS s1 ON s1."nation"', '"supplier" AS s1 ON s1."nation"'),
    "without a unit": (LINES, ' AND s0."s" IS NOT NULL', ""),
    "a number of less": (LINES, HASHES, number("u") + " AS j"),
    "a number of few": (LINES, HASHES, "CAST(HASH(v) % 7 AS BIGINT) AS j"),
    "a number without room": (LINES, HASHES, "CAST(HASH(v) % 9223372036854775807 AS INT) AS j"),
    "a number of both": (LINES, HASHES, number("u, v") + " AS j"),
    "a number that is no item": (LINES, HASHES, number("v") + " + 0 AS j"),
    "a hash": (LINES, HASHES, "HASH(v) AS j"),
    "a hash that is what is left": (LINES, HASHES, "CAST(7 % HASH(v) AS BIGINT) AS j"),
    "a hash in a condition": (LINES, 's1."nation" > 0', '0 - (HASH(s1."nation") % 7) > 3'),
    "a number in a condition": (LINES, 's1."nation" > 0', number('s1."nation"') + " > 3"),
    "a number in a value": (LINES, "THEN 9 WHEN", "THEN " + number('s0."amount"') + " WHEN"),
    "a number among rows": (LINES, 's0."s" AS v,', 's0."s" AS v, ' + number('s0."n"') + " AS k9,"),
    "a hash of one unit's": (ONE, 's0."nation" > 3', '0 - (HASH(s0."nation") % 7) > 3'),
    "a number of one unit's": (ONE, 's0."nation" > 3', number('s0."nation"') + " > 3"),
    "a hash of another engine": (LINES, HASHES, "HASHTEXTEXTENDED(CAST(v AS TEXT), 0) AS j"),
    "the key itself": (LINES, HASHES, "v AS j"),
    "less than all": (LINES, "LIMIT 16777217", "LIMIT 16777216"),
    "without an end": (LINES, " LIMIT 16777217", ""),
    "grouped by one": (LINES, "GROUP BY u, v", "GROUP BY u"),
    "a clamp of another": (LINES, "LEAST(GREATEST(COUNT(*), 0), 2147483648)", "COUNT(*)"),
    "a sender for a receiver": (TRANSFERS, 's0."receiver" AS v', 's0."sender" AS v'),
    "a person of neither": (TRANSFERS, 's0."receiver" = s1."p"', 's0."amount" = 3 AND s1."city" = s1."city"'),
    "a subquery of private rows": (PUBLIC, 'FROM "nation" AS', 'FROM "customer" AS'),
    "a subquery": (TWO, "WHERE", 'WHERE EXISTS(SELECT 1 AS x FROM "orders" AS s8 WHERE s8."c" = s0."c") AND'),
}


@pytest.mark.parametrize("sql", [LINES, TRANSFERS, TWO, BESIDE, PUBLIC, ONE])
def test_what_is_planned_passes(sql: str) -> None:
    checked(made(sql))


@pytest.mark.parametrize("name", TEXTS)
def test_another_text_is_refused(name: str) -> None:
    sql, old, new = TEXTS[name]
    with pytest.raises(CheckFault):
        checked(with_text(made(sql), old, new))


CLAIMS: dict[str, Callable[[Bounded], Bounded]] = {
    "of one unit": lambda bounded: replace(bounded, pair=None),
    "of other units": lambda bounded: replace(bounded, pair=("customer", "person")),
    "of one kind": lambda bounded: replace(bounded, pair=("customer", "customer")),
    "the other way round": lambda bounded: replace(bounded, pair=("supplier", "customer")),
    "another norm": lambda bounded: replace(bounded, clip=Norm.L1),
    "no clip": lambda bounded: replace(bounded, clip=None),
    "limits": lambda bounded: replace(bounded, groups=1, limit=Limit.NO_KEYS),
    "a sample": lambda bounded: replace(bounded, sample=Sample(2**60)),
    "wide": lambda bounded: replace(
        bounded, measures=tuple(replace(each, lower=-(2**80), upper=2**80) for each in bounded.measures)
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_another_claim_is_refused(name: str) -> None:
    with pytest.raises(CheckFault):
        checked(with_bounded(made(LINES), CLAIMS[name]))


LOOSENED: dict[str, Callable[[PairedNoise], PairedNoise]] = {
    "gains of one sign": lambda noise: replace(noise, signs=1),
    "a choice for less": lambda noise: replace(
        noise, choice=replace(noise.choice, sensitivity=Sensitivity(1, noise.choice.sensitivity.linf - 1))
    ),
    "a choice of more": lambda noise: replace(noise, choice=replace(noise.choice, scale=noise.choice.scale / 2)),
    "two clips": lambda noise: replace(noise, choice=replace(noise.choice, places=2)),
    "less noise": lambda noise: replace(noise, noise=replace(noise.noise, scale=noise.noise.scale / 2)),
    "noise for less": lambda noise: replace(
        noise, noise=replace(noise.noise, sensitivity=Sensitivity(1, noise.noise.sensitivity.linf // 2))
    ),
    "another norm": lambda noise: replace(noise, norm=Norm.L1),
}


@pytest.mark.parametrize("name", LOOSENED)
def test_loosened_noise_is_refused(name: str) -> None:
    with pytest.raises(CheckFault):
        checked(with_noise(made(LINES), LOOSENED[name]))


def test_a_policy_of_other_ways_refuses_the_plan() -> None:
    """What was planned while suppliers were nobody's is not private for them."""
    policy = catalog()
    lines = policy.tables["lineitem"]
    alone = lines.by(lines.ways[0])
    before = plan("SELECT count(*) FROM lineitem", replace(policy, tables={**policy.tables, "lineitem": alone}))
    with pytest.raises(CheckFault):
        checked(before)


NUMBERED = {
    "in a condition": ('s1."nation" > 0', 'HASHTEXTEXTENDED(CAST(s1."nation" AS TEXT), 0) > 3'),
    "of another seed": ("HASHTEXTEXTENDED(CAST(v AS TEXT), 0)", "HASHTEXTEXTENDED(CAST(v AS TEXT), 1)"),
    "of numbers": ("HASHTEXTEXTENDED(CAST(v AS TEXT), 0)", "HASHTEXTEXTENDED(CAST(v AS INT), 0)"),
    "of the key as it is": ("HASHTEXTEXTENDED(CAST(v AS TEXT), 0)", "HASHTEXTEXTENDED(v, 0)"),
}


SPARKS = {
    "of numbers": ("XXHASH64(CAST(v AS STRING))", "XXHASH64(CAST(v AS INT))"),
    "of the key as it is": ("XXHASH64(CAST(v AS STRING))", "XXHASH64(v)"),
    "of both": ("XXHASH64(CAST(v AS STRING))", "XXHASH64(CAST(v AS STRING), CAST(u AS STRING))"),
    "another one": ("XXHASH64(CAST(v AS STRING))", "HASH(CAST(v AS STRING))"),
    "in a condition": ("s1.`nation` > 0", "XXHASH64(CAST(s1.`nation` AS STRING)) > 3"),
}


@pytest.mark.parametrize("name", SPARKS)
def test_another_number_of_spark_is_refused(name: str) -> None:
    found = plan(LINES, catalog(), dialect="spark")
    check_plan(found, catalog(), "spark", Accounting.ZCDP)
    with pytest.raises(CheckFault):
        check_plan(with_text(found, *SPARKS[name]), catalog(), "spark", Accounting.ZCDP)


@pytest.mark.parametrize("name", NUMBERED)
def test_another_number_of_postgres_is_refused(name: str) -> None:
    found = plan(LINES, catalog(), dialect="postgres")
    check_plan(found, catalog(), "postgres", Accounting.ZCDP)
    with pytest.raises(CheckFault):
        check_plan(with_text(found, *NUMBERED[name]), catalog(), "postgres", Accounting.ZCDP)


def of_types(sender: str, receiver: str, person: str) -> Catalog:
    """The policy where people are told by numbers, of these types."""
    types = {("transfers", "sender"): sender, ("transfers", "receiver"): receiver, ("person", "p"): person}

    def typed(table: Table) -> Table:
        made = ((each, types.get((table.name, each.name))) for each in table.columns)
        return replace(
            table, columns=tuple(each if of is None else replace(each, type=parse_type(of)) for each, of in made)
        )

    return replace(catalog(), tables={name: typed(table) for name, table in catalog().tables.items()})


MOVED = "SELECT count(*) FROM transfers"


def test_keys_of_one_type_pass() -> None:
    policy = of_types("bigint", "bigint", "bigint")
    checked(plan(MOVED, policy), policy)


@pytest.mark.parametrize(
    "types", [("integer", "bigint", "bigint"), ("bigint", "integer", "integer"), ("integer", "integer", "bigint")]
)
def test_keys_of_two_types_are_refused(types: tuple[str, str, str]) -> None:
    """The engine's hash of 1 is another for another type: whoever sends and receives would be two."""
    policy = of_types(*types)
    with pytest.raises(CheckFault, match="of two types"):
        checked(plan(MOVED, policy), policy)


def test_keys_that_are_stored_as_two_types_are_refused() -> None:
    policy = catalog()
    moved = policy.tables["transfers"]
    columns = tuple(replace(each, stored="a" if each.name == "sender" else None) for each in moved.columns)
    policy = replace(policy, tables={**policy.tables, "transfers": replace(moved, columns=columns)})
    with pytest.raises(CheckFault, match="of two types"):
        checked(made(MOVED), policy)


def test_a_key_that_is_read_as_another_type_is_refused() -> None:
    policy = of_types("bigint", "bigint", "bigint")
    read = '(SELECT CAST("sender" AS INT128) AS "sender", "receiver" FROM "transfers") AS s0'
    with pytest.raises(CheckFault, match="of two types"):
        checked(with_text(plan(MOVED, policy), '"transfers" AS s0', read), policy)
