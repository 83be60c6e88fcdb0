"""The census extract over the wire: answers near the truth, and as far from it as the announced noise says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import pytest
from scipy import stats

from .adult_report import ADULT, WAYS, Measured, make_adult, measured, table
from .served import Served, serving

pytestmark = [pytest.mark.skipif(not ADULT.exists(), reason="adult.csv is not there"), pytest.mark.long]
P = 1e-8  # of a check to fail wrongly; there are some forty of them
EDUCATIONS, SEXES = 16, 2


@pytest.fixture(scope="module")
def zcdp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(make_adult(tmp_path_factory.mktemp("adult"), "zcdp"), "census") as served:
        yield served


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(make_adult(tmp_path_factory.mktemp("adult_pure"), "pure"), "census") as served:
        yield served


def by_title(found: list[Measured]) -> dict[tuple[str, str], Measured]:
    return {(each.question.title, each.way): each for each in found}


def spread_is_announced(each: Measured) -> bool:
    """The sum of squared normal noise is chi-square distributed: neither too much nor too little of it."""
    errors = [error / each.theory.stddev for error, _ in each.errors()]
    together = stats.chi2(len(errors)).cdf(sum(error**2 for error in errors))
    return bool(P / 2 < together < 1 - P / 2)


def small_ones_are_announced(each: Measured) -> bool:
    """As many errors as can be expected are within one standard deviation, whatever the noise's form."""
    inside = [abs(error) <= each.theory.stddev for error, _ in each.errors()]
    expected = stats.binom(len(inside), each.theory.within(each.theory.stddev))
    return bool(expected.sf(sum(inside) - 1) > P / 2 and expected.cdf(sum(inside)) > P / 2)


def check_answers(found: list[Measured]) -> None:
    """What holds whatever the noise, but for chances below one in a billion."""
    for each in found:
        every = [row for answer in each.answers for row in answer]
        assert {row[: each.question.keys] for row in every} <= each.truth.keys(), "no other keys than there are"
        if not each.question.keys:
            assert len(every) == len(each.answers)
    for each in found:
        if each.question.title == "count(*) by education":
            seen = Counter(row[0] for answer in each.answers for row in answer)
            assert len(seen) == EDUCATIONS
            assert set(seen.values()) == {len(each.answers)}, "the smallest key has 51 people"
        if each.question.title == "sum(capital_gain) by sex, education":
            keys = Counter(row[:2] for answer in each.answers for row in answer)
            assert sum(count == len(each.answers) for count in keys.values()) >= EDUCATIONS * SEXES - 2


def check_near(each: Measured, deviations: int) -> None:
    """So many standard deviations at most."""
    assert each.answers
    assert all(abs(error) <= deviations * each.theory.stddev + 1 for error, _ in each.errors()), each.question.title


def test_the_truths(zcdp: Served) -> None:
    found = {each.question.title: each.truth for each in measured(zcdp, ["psycopg"], runs=1)}
    assert found["count(*)"] == {(): 32561}
    assert found["avg(age)"][()] == pytest.approx(1256257 / 32561)
    assert found["count(*) where age >= 40"] == {(): 14237}
    assert len(found["count(*) by education"]) == EDUCATIONS
    assert math.isclose(sum(found["sum(capital_gain) by sex, education"].values()), 35089324)


def test_every_client_is_near_the_truth(zcdp: Served) -> None:
    found = list(measured(zcdp))
    print(f"\n{table(found)}")
    check_answers(found)
    for each in found:
        check_near(each, 8)
        assert small_ones_are_announced(each), (each.way, each.question.title)
        assert spread_is_announced(each), (each.way, each.question.title)
    assert {each.way for each in found} >= set(WAYS) - {"psql"}
    errors = {key: each.median_error for key, each in by_title(found).items()}
    assert all(errors["count(*)", way] < 0.001 for _, way in errors)


def test_pure_accounting(pure: Served) -> None:
    found = list(measured(pure, ["psycopg, prepared"]))
    print(f"\n{table(found)}")
    check_answers(found)
    for each in found:
        assert each.theory.mechanism == ("joint laplace" if each.question.title == "avg(age)" else "laplace")
        check_near(each, 25)
        assert small_ones_are_announced(each) or not each.theory.whole, each.question.title
