"""MODE(): a choice among the values that are known beforehand, and a look at noisy counts where they are not."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from lanes import crossed, sized
from scipy import stats
from test_noisy_max import chances
from worlds import plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import BIGINT
from dpproxy.errors import FeatureNotSupported
from dpproxy.mechanisms.histograms import Histograms
from dpproxy.mechanisms.mode_choice import ModeChoice, mode_choice
from dpproxy.mechanisms.noise import gaussian
from dpproxy.mechanisms.noisy_max import NoisyMax, ScoreNoise
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import CountOf, ModeOf
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import Applied, Output, Plan
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_text
from dpproxy.rewrite.releases import modes
from dpproxy.rewrite.releases.mode_point import mode_point
from dpproxy.rows import Rows
from dpproxy.session.dp_tables import last_statement

P_VALUE = 1e-8
DRAWS = sized(8000, 8000, 200_000)
PURE = terms(Accounting.PURE, Decimal(100), Decimal("1e-5"))
ZCDP = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize(("groups", "weight"), [(1, 1), (3, 1), (8, 2**16)])
@pytest.mark.parametrize("loss", ["0.001", "1", "40"])
def test_it_keeps_to_its_share(accounting: Accounting, groups: int, weight: int, loss: str) -> None:
    made = mode_choice(5, Sensitivity(groups, weight), accounting, Decimal(loss))
    assert Decimal(loss) * Decimal("0.999999") <= made.loss(accounting).main <= Decimal(loss)
    assert made.choice.one_sided and made.choice.among == 5
    assert sum(count for _, count in made.pairs) == groups
    with pytest.raises(ValueError, match="above 0"):
        mode_choice(5, Sensitivity(groups, weight), accounting, Decimal(0))


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
def test_it_draws_as_it_should(accounting: Accounting) -> None:
    """A choice of its own for each key, absent buckets among them; what is in no bucket counts nothing."""
    counts = [[3, 1, 0, 2], [0, 0, 0, 0], [0, 5, 0, 0]]
    made = mode_choice(4, Sensitivity(3, 1), accounting, Decimal("1.5"))
    cells = tuple({at: each for at, each in enumerate(row) if each} for row in counts)
    told = [tuple(made.release(Histograms(4, cells))) for _ in range(DRAWS)]
    for key, row in enumerate(counts):
        found = Counter(each[key] for each in told)
        for at, chance in enumerate(chances(made.choice.noise, made.choice.scale, row)):
            assert stats.binomtest(found[at], DRAWS, float(chance)).pvalue > P_VALUE


@pytest.mark.parametrize("accounting", Accounting)
def test_the_whole_path_of_neighbours(accounting: Accounting) -> None:
    """Enumerated: every way in which one unit of two weighs in two keys of three values, and what is told of both."""
    loss = Decimal("0.7")
    made = mode_choice(3, Sensitivity(2, 2), accounting, loss)
    shares = [each for each in itertools.product(range(3), repeat=3) if sum(each) <= 2]
    base = [[1, 0, 2], [0, 0, 0]]
    for one, other in itertools.product(shares, repeat=2):
        with_it = [[a + b for a, b in zip(row, own, strict=True)] for row, own in zip(base, (one, other), strict=True)]
        p, q = (_joint(made.choice, rows) for rows in (base, with_it))
        if accounting is Accounting.PURE:
            assert np.abs(np.log(p / q)).max() <= float(loss) * (1 + 1e-9)
            continue
        for order in (1.1, 2.0, 8.0):
            for often, seldom in ((p, q), (q, p)):
                divergence = np.log((often**order * seldom ** (1 - order)).sum()) / (order - 1)
                assert divergence <= order * float(loss) * (1 + 1e-9)


def _joint(choice: NoisyMax, rows: list[list[int]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The chance of each pair of values."""
    one, other = (np.array(chances(choice.noise, choice.scale, row), dtype=float) for row in rows)
    return np.outer(one, other).ravel()


# Statements


ONE_ROW = "SELECT mode() WITHIN GROUP (ORDER BY sex) FROM people"
BY_SEX = "SELECT sex, mode() WITHIN GROUP (ORDER BY smoker) FROM people GROUP BY sex"
LIMITED = "SELECT dept, mode() WITHIN GROUP (ORDER BY sex) FROM visits JOIN people USING (person_id) GROUP BY dept"
KNOWN = {
    "declared values": (ONE_ROW, 1),
    "a boolean": (BY_SEX, 1),
    "falling": ("SELECT mode() WITHIN GROUP (ORDER BY sex DESC) FROM people", 1),
    "many rows": ("SELECT mode() WITHIN GROUP (ORDER BY flag) FROM lineitem", 1),
    "of private groups": (LIMITED, 1),
    "an expression": ("SELECT mode() WITHIN GROUP (ORDER BY CASE WHEN age < 30 THEN 1 ELSE 2 END) FROM people", 1),
    "FILTER": ("SELECT mode() WITHIN GROUP (ORDER BY sex) FILTER (WHERE age > 50) FROM people", 1),
    "two": (f"{ONE_ROW[:-11]}, mode() WITHIN GROUP (ORDER BY smoker) FROM people", 2),
    "twice the same": (f"{ONE_ROW[:-11]}, mode() WITHIN GROUP (ORDER BY sex) FROM people", 1),
    "beside others": ("SELECT count(*), avg(age), mode() WITHIN GROUP (ORDER BY sex) FROM people", 1),
    "in HAVING": (f"{BY_SEX} HAVING mode() WITHIN GROUP (ORDER BY smoker)", 1),
    "of grouping sets": ("SELECT sex, mode() WITHIN GROUP (ORDER BY smoker) FROM people GROUP BY ROLLUP (sex)", 2),
    "as a constant of another": (f"SELECT count(*) FROM people WHERE sex = ({ONE_ROW})", 1),
}
UNKNOWN = {
    "a private text": ("SELECT mode() WITHIN GROUP (ORDER BY city) FROM people", "LIMIT 1"),
    "a number": ("SELECT mode() WITHIN GROUP (ORDER BY age) FROM people", "LIMIT 1"),
    "of groups": ("SELECT sex, mode() WITHIN GROUP (ORDER BY age) FROM people GROUP BY sex", "DISTINCT ON"),
    "FILTER": (
        "SELECT sex, mode() WITHIN GROUP (ORDER BY city) FILTER (WHERE smoker) FROM people GROUP BY sex",
        "DISTINCT ON",
    ),
    "HAVING": (
        "SELECT city FROM people GROUP BY city HAVING mode() WITHIN GROUP (ORDER BY age) > 40",
        "DISTINCT ON",
    ),
    "below another": (
        "SELECT max(m) FROM (SELECT sex, mode() WITHIN GROUP (ORDER BY age) AS m FROM people GROUP BY sex) AS t",
        "DISTINCT ON",
    ),
}


@pytest.mark.parametrize(("dialect", "account"), crossed(("duckdb", "postgres"), {"pure": PURE, "zcdp": ZCDP}))
@pytest.mark.parametrize("name", KNOWN)
def test_known_values_are_chosen(name: str, dialect: str, account: Terms, catalog: Catalog) -> None:
    sql, count = KNOWN[name]
    made = plan(sql, catalog, dialect=dialect, account=account)
    found = [each for it in made.releases for each in it.mechanisms if isinstance(each.mechanism, ModeChoice)]
    assert len(found) == count
    own = lost(made.releases, made.time, account.accounting)
    assert made.cost.main * Decimal("0.9999") <= own.main <= made.cost.main
    check_plan(made, catalog, dialect, account.accounting)


@pytest.mark.parametrize(("dialect", "account"), crossed(("duckdb", "postgres"), {"pure": PURE, "zcdp": ZCDP}))
@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_values_are_selected_and_looked_up(name: str, dialect: str, account: Terms, catalog: Catalog) -> None:
    sql, written = UNKNOWN[name]
    made = plan(sql, catalog, dialect=dialect, account=account)
    (it,) = made.releases
    assert any(isinstance(each.mechanism, Selection) for each in it.mechanisms)
    assert written in made.post.sql and not any(isinstance(each.mechanism, ModeChoice) for each in it.mechanisms)
    assert "  Note: the mode is the value of the largest noisy count" in explain_text(made, Decimal(1), Decimal(0))
    check_plan(made, catalog, dialect, account.accounting)


def test_values_of_a_public_table_are_chosen(catalog: Catalog) -> None:
    sql = "SELECT mode() WITHIN GROUP (ORDER BY dept) FROM visits JOIN departments USING (dept)"
    made = plan(sql, catalog, account=ZCDP)
    (applied,) = made.releases[0].mechanisms
    assert isinstance(applied.mechanism, NoisyMax) and mode_point.__doc__
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)


def test_what_is_refused(catalog: Catalog) -> None:
    for sql, reason in (
        ("SELECT mode() WITHIN GROUP (ORDER BY sex, smoker) FROM people", "several columns"),
        ("SELECT count(*), dp.low(mode() WITHIN GROUP (ORDER BY city)) FROM people", "told as an interval"),
    ):
        with pytest.raises(FeatureNotSupported, match=reason):
            plan(sql, catalog, account=ZCDP)


def test_too_many_values_are_not_a_case(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modes, "MOST_VALUES", 1)
    made = plan(ONE_ROW, catalog, account=ZCDP)
    assert not any(isinstance(each.mechanism, ModeChoice) for each in made.releases[0].mechanisms)


def test_it_says_so(catalog: Catalog) -> None:
    made = plan(LIMITED, catalog, account=ZCDP)
    (line,) = [each for each in explain_text(made, Decimal(1), Decimal(0)) if each.startswith("  Mode ")]
    assert "noisy max of 2 known values" in line and "charged as 8 choices" in line and "counts as one" in line
    row = last_statement(plan(ONE_ROW, catalog, account=ZCDP)).rows[0]
    assert row[1] == "noisy max" and row[2] is None and float(str(row[3])) > 0


def test_one_value_comes_out(catalog: Catalog) -> None:
    """Of each key, as the number of its bucket: what none of them is told of an empty one is among the known."""
    made = plan(BY_SEX, catalog, account=terms(Accounting.PURE, Decimal(10**6), Decimal("1e-5")))
    (it,) = made.releases
    sure = mode_choice(2, Sensitivity(1, 1), Accounting.PURE, Decimal(10**6))
    it = replace(it, mechanisms=(Applied(sure, 0),))
    space = key_space(it.bounded.keys, {}, ())
    assert release(it, Rows((), (("F", 0, 3), ("F", 1, 9), ("M", 0, 2), ("M", 7, 99))), space).rows == (
        ("F", 1),
        ("M", 0),
    )
    assert {row[1] for _ in range(60) for row in release(it, Rows((), ()), space).rows} == {0, 1}


# The checker

Change = Callable[[Plan], Plan]


def of_mode(change: Callable[[ModeChoice], ModeChoice]) -> Change:
    def changed(made: Plan) -> Plan:
        it = made.releases[-1]
        (applied,) = it.mechanisms
        assert isinstance(applied.mechanism, ModeChoice)
        other = replace(it, mechanisms=(Applied(change(applied.mechanism), applied.measure),))
        return replace(made, releases=(*made.releases[:-1], other))

    return changed


def of_outputs(output: Output) -> Change:
    return lambda made: replace(made, releases=(*made.releases[:-1], replace(made.releases[-1], outputs=(output,))))


def of_choice(**parts: object) -> Change:
    return of_mode(lambda it: replace(it, choice=replace(it.choice, **parts)))


def smaller(made: ModeChoice) -> ModeChoice:
    return replace(made, choice=replace(made.choice, scale=made.choice.scale * 0.99))


LOOSENED: dict[str, tuple[str, Change, str]] = {
    "a smaller scale": (ONE_ROW, of_mode(smaller), "more than is charged"),
    "a smaller scale of several keys": (LIMITED, of_mode(smaller), "more than is charged"),
    "no scale": (ONE_ROW, of_choice(scale=0.0), "without a scale"),
    "noise of the other accounting": (ONE_ROW, of_choice(noise=ScoreNoise.EXPONENTIAL), "more than is charged"),
    "two values": (ONE_ROW, of_choice(places=2), "of several"),
    "no values": (ONE_ROW, of_mode(lambda it: replace(it, buckets=0)), "no buckets"),
    "made for less": (LIMITED, of_mode(lambda it: replace(it, sensitivity=Sensitivity(3, 1))), "less than one unit"),
    "made for fewer": (LIMITED, of_mode(lambda it: replace(it, sensitivity=Sensitivity(2, 2**16))), "than one unit"),
    "a choice for less": (LIMITED, of_choice(sensitivity=Sensitivity(1, 1)), "less than one unit"),
    "the number is told": (ONE_ROW, of_outputs(Output("o0", BIGINT, CountOf(0), "n")), "no measure"),
    "another measure": (ONE_ROW, of_outputs(Output("f0", BIGINT, ModeOf(1, 2), "n")), "not told"),
    "half the price": (ONE_ROW, lambda p: replace(p, cost=Loss(p.cost.main / 2, p.cost.delta)), "more than is charged"),
}


@pytest.mark.parametrize("name", LOOSENED)
def test_loosened_modes_are_refused(name: str, catalog: Catalog) -> None:
    sql, change, reason = LOOSENED[name]
    made = plan(sql, catalog, account=ZCDP)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    with pytest.raises(CheckFault, match=reason):
        check_plan(change(made), catalog, "duckdb", Accounting.ZCDP)


def test_releases_that_do_not_hang_together_are_refused(catalog: Catalog) -> None:
    it = plan(ONE_ROW, catalog, account=ZCDP).releases[0]
    count = plan("SELECT count(age) FROM people WHERE smoker", catalog, account=ZCDP).releases[0]
    wrong = [
        replace(it, mechanisms=(Applied(gaussian(Sensitivity(1, 1), Decimal(1)), 0),)),
        replace(count, mechanisms=it.mechanisms),
        replace(it, mechanisms=(Applied(mode_choice(2, Sensitivity(1, 0), Accounting.PURE, Decimal(1)), 0),)),
    ]
    for each in wrong:
        with pytest.raises(ValueError, match=r"histogram|sensitivity"):
            release(each, Rows((), ()), key_space(each.bounded.keys, {}, ()))
