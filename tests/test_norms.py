"""Buckets of norms: their edges against exact arithmetic, and what the engines make of every norm around an edge."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp
from uncapped import evaluating

from dpproxy.mechanisms.norms import BUCKETS_TO_A_DOUBLING, LAST_BUCKET, Norm, edge
from dpproxy.plan.private_plan import Measure, MeasureKind
from dpproxy.rewrite.expressions.numbers.grid import OPEN_STEPS
from dpproxy.rewrite.releases import clipped
from dpproxy.rewrite.releases.measured import WIDE_STEPS

BEYOND = Fraction(2**30 + 1, 2**30)
MOST_BITS = 62
EVERY = 8 * (MOST_BITS + 14)
"""The last bucket of 2**31 keys with OPEN_STEPS each: nothing that is contributed is beyond."""


def test_an_edge_lies_a_billionth_beyond_its_power() -> None:
    """Above 2**(b/8)·(1 + 2**-30), by less than 2**-63 steps: compared by their eighth powers, in fractions."""
    for bucket in range(EVERY + 1):
        root = edge(bucket) / BEYOND
        assert root**8 > 2**bucket >= (root - Fraction(1, 2**64)) ** 8


def test_edges_grow() -> None:
    edges = [edge(bucket) for bucket in range(EVERY)]
    assert edges == sorted(edges) and len(set(edges)) == len(edges)
    assert 1 < edges[0] < 1 + 2**-29
    assert edge(LAST_BUCKET) >= 2**62
    assert edge(EVERY) >= OPEN_STEPS * 2**31
    assert BUCKETS_TO_A_DOUBLING * MOST_BITS == LAST_BUCKET


@given(st.integers(1, 2**76))
def test_a_bucket_that_is_off_by_what_doubles_are_still_holds_the_norm(norm: int) -> None:
    """The least b that an engine could find, where its logarithm and product are 2**-33 too low."""
    with mpmath.workdps(60):
        found = mpmath.ceil(8 * mpmath.log(norm, 2) - mpmath.mpf(2) ** -33)
        assert norm <= edge(max(int(found), 0))


def near(norm: Norm) -> list[int]:
    """Norms, or squares, at each edge and some steps beside it: the next whole numbers, and those that a double tells
    from it or does not; and each small one."""
    power, last = (1, MOST_BITS) if norm is Norm.L1 else (2, 2 * MOST_BITS)
    found = set(range(1, 2000)) | {number**power for number in range(1, 300)}
    for bucket in range(8 * MOST_BITS + 1):
        root = math.isqrt(math.isqrt(math.isqrt(2 ** (bucket * power)))) if bucket * power < 40_000 else 0
        ulp = max(1, root >> 52)
        found |= {root + step for step in range(-3, 4)} | {root + step * ulp for step in range(-3, 4)}
        found |= {root + (root >> 30) + step for step in (-1, 0, 1)} | {root + (root >> 40), root - (root >> 40)}
    return sorted(each for each in found if 0 <= each <= 2**last)


@pytest.mark.parametrize("norm", Norm)
@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
def test_the_engine_finds_the_bucket(norm: Norm, dialect: str) -> None:
    """Never too low for its edge, and no higher than needed: the edge before, less what engines may be off, is below.

    A size is compared with the edge, a square with the edge's."""
    sizes, power = near(norm), 1 if norm is Norm.L1 else 2
    with evaluating(dialect) as evaluated:
        buckets = evaluated(clipped.bucket(exp.column("s"), norm), "s", sizes)
    for size, bucket in zip(sizes, buckets, strict=True):
        assert type(bucket) is int and bucket >= 0
        assert size <= edge(bucket) ** power
        assert bucket == 0 or size > (edge(bucket - 1) / BEYOND**2) ** power


@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
def test_the_engine_finds_the_bucket_of_what_is_wide(dialect: str) -> None:
    """The same by two logarithms, of a sum and of the largest, up to that of WIDE_STEPS in 2**31 keys: here both are
    one number, which is the norm then."""
    sizes = sorted({*near(Norm.L1), *(edge(bucket).__floor__() + step for bucket in range(888) for step in (-1, 0, 1))})
    wide = Measure("m0", MeasureKind.SQUARES, 0, WIDE_STEPS, Decimal(1), Decimal(0), "x")
    both = clipped._bucket_of(0, wide, Norm.L2).transform(
        lambda it: exp.column("s") if isinstance(it, exp.Column) else it
    )
    with evaluating(dialect) as evaluated:
        buckets = evaluated(both, "s", sizes)
    assert max(sizes) > WIDE_STEPS * 2**30
    for size, bucket in zip(sizes, buckets, strict=True):
        assert type(bucket) is int and bucket >= 0
        assert size <= edge(bucket)
        assert bucket == 0 or size > edge(bucket - 1) / BEYOND**2


@pytest.mark.parametrize("norm", Norm)
@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
def test_nothing_at_all_is_in_the_first_bucket(norm: Norm, dialect: str) -> None:
    """Of a unit that adds 0, and where a norm is NULL, which none is."""
    with evaluating(dialect) as evaluated:
        assert evaluated(clipped.bucket(exp.column("s"), norm), "s", [0, 1]) == [0, 0]
        assert evaluated(
            clipped.bucket(exp.Nullif(this=exp.column("s"), expression=exp.column("s")), norm), "s", [7]
        ) == [0]
