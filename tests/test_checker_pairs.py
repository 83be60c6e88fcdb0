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
from dpproxy.catalog.policy import Catalog
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.paired_noise import PairedNoise
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.private_plan import Bounded, Limit, Plan
from dpproxy.plan.samples import Sample
from dpproxy.rewrite.checker import CheckFault, check_plan

LINES = "SELECT sum(l.amount), count(*) FROM lineitem l JOIN supplier s ON l.s = s.s WHERE s.nation > 0"
TRANSFERS = "SELECT count(*) FROM transfers t JOIN person p ON t.receiver = p.p WHERE p.city = 'X'"
TWO = "SELECT count(*) FROM customer c JOIN supplier s ON c.nation = s.nation"


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


HASHES = "CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j"
TEXTS = {
    "a third unit": (LINES, 'h0."o" WHERE', 'h0."o" JOIN "orders" AS s9 ON s0."n" = s9."total" WHERE'),
    "not the unit's key": (LINES, 'h0."c" AS u', 'h0."total" AS u'),
    "the other's key": (LINES, 'h0."c" AS u, s0."s" AS v', 's0."s" AS u, s0."s" AS v'),
    "untied": (LINES, 's0."s" = s1."s"', 's0."n" = s1."s"'),
    "an outer join": (LINES, 'JOIN "supplier"', 'LEFT JOIN "supplier"'),
    "without a unit": (LINES, ' AND s0."s" IS NOT NULL', ""),
    "a number of less": (LINES, HASHES, "CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS j"),
    "the key itself": (LINES, HASHES, "v AS j"),
    "grouped by one": (LINES, "GROUP BY u, v", "GROUP BY u"),
    "a clamp of another": (LINES, "LEAST(GREATEST(COUNT(*), 0), 2147483648)", "COUNT(*)"),
    "a sender for a receiver": (TRANSFERS, 's0."receiver" AS v', 's0."sender" AS v'),
    "a person of neither": (TRANSFERS, 's0."receiver" = s1."p"', 's0."amount" = 3 AND s1."city" = s1."city"'),
    "a subquery": (TWO, "WHERE", 'WHERE EXISTS(SELECT 1 AS x FROM "orders" AS s8 WHERE s8."c" = s0."c") AND'),
}


@pytest.mark.parametrize("sql", [LINES, TRANSFERS, TWO])
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
