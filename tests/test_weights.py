"""What the numbers of a statement weigh in its price (`rewrite.releases.weights`, `dp.weights`)."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from worlds import plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import InvalidPrivacySetting
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.releases.weights import OF_A_DIVISOR
from dpproxy.rewrite.weights_setting import read_weights

ACCOUNTS = {each: terms(each, Decimal(10), Decimal("1e-6")) for each in Accounting}
POWER = {Accounting.PURE: 1 / 3, Accounting.ZCDP: 1 / 2}


def shares(made: Plan, account: Terms) -> list[float]:
    """What each mechanism loses, beside the first one."""
    losses = [
        float(each.mechanism.loss(account.accounting).main) for release in made.releases for each in release.mechanisms
    ]
    return [loss / losses[0] for loss in losses]


def by_mechanism(made: Plan, expected: tuple[float, ...]) -> list[float]:
    """The weights of what each mechanism tells, where `expected` has those of each measure: of two that share their
    noise twice the sum, since either has noise of twice the variance that one alone has for that share."""
    applied = [(at, each) for at, release in enumerate(made.releases) for each in release.mechanisms]
    places = sorted((at, -1 if each is None else each) for at, one in applied for each in one.measures)
    known = dict(zip(places, map(float, expected), strict=True))
    return [
        (1 if one.beside is None else 2) * sum(known[at, -1 if each is None else each] for each in one.measures)
        for at, one in applied
    ]


@pytest.mark.parametrize("account", ACCOUNTS.values(), ids=str)
@pytest.mark.parametrize(
    ("sql", "weights", "expected"),
    [
        ("SELECT count(*) AS n, sum(income) AS s FROM people", "", (1, 1)),
        ("SELECT count(*) AS n, sum(income) AS s FROM people", "s: 8", (1, 8)),
        ("SELECT count(*) AS n, sum(income) AS s FROM people", "S: 0.125, n: 2", (1, Fraction(1, 16))),
        ('SELECT count(*) AS "N", sum(income) AS s FROM people', '"N": 4, n: 9', (1, Fraction(1, 4))),
        ("SELECT count(*) AS n, sum(income) + count(*) AS s FROM people", "s: 8", (1, 1)),
        ("SELECT avg(income) AS a FROM people", "a: 5", (1, OF_A_DIVISOR)),
        ("SELECT avg(age) AS a, count(age) AS n FROM people", "", (1, 1)),
        ("SELECT sum(n) AS s, count(*) AS k FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY 1) t", "s: 3",
         (3, 1)),
        ("SELECT t.n FROM (SELECT count(*) AS n FROM visits) t, (SELECT sum(cost) AS s FROM visits) u", "n: 3", (3, 1)),
        ("SELECT sum(cost) AS s FROM visits HAVING count(*) > 3", "s: 4", (4, 1)),
        ("SELECT sex, count(*) AS n, dp.median(age) AS m, count(DISTINCT city) AS c FROM people GROUP BY sex",
         "m: 4, c: 2", (1, 2, 4)),
        ("SELECT sex, mode() WITHIN GROUP (ORDER BY smoker) AS m, count(*) AS n FROM people GROUP BY sex", "m: 4",
         (1, 4)),
        ("SELECT sex, count(*) AS n FROM people GROUP BY ROLLUP (sex)", "n: 7", (1, 1)),
        ("SELECT (SELECT count(*) AS n FROM people) AS a, (SELECT count(*) AS m FROM people) AS b", "m: 7", (7,)),
    ],
)  # fmt: skip
def test_shares_are_those_of_the_objective(
    sql: str, weights: str, expected: tuple[float, ...], account: Terms, catalog: Catalog
) -> None:
    made = plan(sql, catalog, {"weights": weights}, account=account)
    found, power = shares(made, account), POWER[account.accounting]
    weighed = by_mechanism(made, expected)
    wanted = [(each / weighed[0]) ** power for each in weighed]
    assert len(found) == len(wanted)
    assert all(math.isclose(one, other, rel_tol=1e-3) for one, other in zip(found, wanted, strict=True)), found


@pytest.mark.parametrize("accounting", Accounting)
def test_no_other_split_has_less_noise(accounting: Accounting) -> None:
    """Of two measures: the weighted sum of variances over all splits of the price."""
    weights = 1.0, 5.0
    variance = {Accounting.PURE: lambda share: 2 / share**2, Accounting.ZCDP: lambda share: 1 / (2 * share)}[accounting]
    parts = [weight ** POWER[accounting] for weight in weights]
    splits = [parts[0] / sum(parts), *(step / 1000 for step in range(1, 1000))]
    noise = [weights[0] * variance(split) + weights[1] * variance(1 - split) for split in splits]
    assert noise[0] == pytest.approx(min(noise))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("  ", ()),
        ("a: 1", (("a", 1),)),
        (" A b :2.5 , c:1,", (("a b", Fraction(5, 2)), ("c", 1))),
        ('"A, ""b"": x": 3', (('A, "b": x', 3),)),
    ],
)
def test_how_they_are_written(text: str, expected: tuple[tuple[str, Fraction], ...]) -> None:
    assert read_weights(text) == expected


@pytest.mark.parametrize(
    "text",
    ["a", "a:", ": 1", "a: 0", "a: -1", "a: 1e3", "a: NaN", "a: 1234567", "a: 1 b: 2", "a: 1, A: 2", "a" * 20_000],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(InvalidPrivacySetting, match=r"dp\.weights"):
        read_weights(text)


@pytest.mark.parametrize("blanks", [(4000, 4000, 0), (0, 9000, 0), (3000, 3000, 3000), (9000, 0, 0)])
def test_blanks_are_read_once(blanks: tuple[int, int, int]) -> None:
    """It would take minutes if they could be divided in every way: so no time is looked at here."""
    before, between, after = (" " * each for each in blanks)
    for text in (f"{before}a{between}b{after};", f"{before}a{between}:{after}1;", f'{before}"a{between}b{after}'):
        with pytest.raises(InvalidPrivacySetting, match=r"dp\.weights"):
            read_weights(text)


def test_many_names_are_read_in_time_that_grows_with_them() -> None:
    text = ", ".join(f"column_{i}: {i + 1}" for i in range(500))
    assert len(read_weights(text)) == 500
