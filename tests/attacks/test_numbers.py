"""Numbers: what is asked for, what it costs, what is added up and what leaves, at the ends of every type.

Settings of hostile values are refused or charged exactly; sums of hostile rows are those of their clipped values,
whatever the order; what is released lies on the declared grid, whatever the data; parameters of every type err before
the charge or not at all. The nightly lane tries all pairs. Pure parts: tests/test_accounting.py, test_mechanisms.py,
test_release.py, test_intervals.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import cycle, product
from pathlib import Path

import duckdb
import psycopg
import pytest
from clients.backends import Backend, superuser_of_the_front
from clients.served import Served
from lanes import Lane, lane
from worlds import fitted, plan

from attacks.duel import Duel, Pair, Seen, close
from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting, charged
from dpproxy.config import load
from dpproxy.errors import BoundsRequired, ConfigFault, InvalidPrivacySetting, NotPrivate

pytestmark = pytest.mark.long

COUNT = "SELECT count(*) FROM odds"
ALL = lane() is Lane.NIGHTLY
FAILURES = {"DP005", "XX000"}


@pytest.fixture
def nadia(duel: Duel) -> Iterator[Pair]:
    """She may spend so much that some of her answers have no noise: the tests see exact totals."""
    pair = duel.proxied("nadia")
    yield pair
    close(pair)


def both(pair: Pair, sql: str, *parameters: object) -> Seen:
    """What is seen with Zelda, after it was compared with what is seen without."""
    here, gone = pair.ask(sql, *parameters)
    assert here.outline == gone.outline, (sql, parameters, here, gone)
    assert here.state not in FAILURES, (sql, parameters, here)
    return here


# What is asked for.

NO_NUMBERS = ("NaN", "-NaN", "sNaN", "Infinity", "-Infinity", "0x1", "1e", "--1", "1,0", "true", "one", "1.0.0", "{1}")
OUT_OF_RANGE = ("0", "-0.0", "-1", "-1e-300", "1e7", "1e308", "1e309", "1e999999999")
TOO_SMALL = ("9.99e-13", "1e-308", "5e-324", "1e-400", "1e-999999999", "0." + "0" * 50 + "1")
REFUSED = {
    "epsilon": (*NO_NUMBERS, *OUT_OF_RANGE, *TOO_SMALL, "9" * 61),
    "delta": (*NO_NUMBERS, "-1", "1", "1.5", "1e308", "1e-31", "1e-308", "1e-999999999", "-1e-30"),
    "max_groups_per_unit": (*NO_NUMBERS, "0", "-1", "1.5", "1e3", "1000001", "9223372036854775808", "٣", "1_0"),
    "max_rows_per_unit": (*NO_NUMBERS, "0", "-1", "1.5", "1e3", "1000001", "18446744073709551616"),
    "mechanism": ("none", "0", "laplace gaussian", "NaN"),
    "fresh": ("maybe", "2", "NaN"),
}
ACCEPTED = ("1e-12", "0.000000000001", "0.5", "+0.5", "5e-1", " 0.25 ", "000.75", "123456e-6")
WAYS = {
    "SET": "SET dp.{name} = '{value}'; {sql}",
    "SET LOCAL": "BEGIN; SET LOCAL dp.{name} = '{value}'; {sql}; COMMIT",
    "set_config": "SELECT set_config('dp.{name}', '{value}', false); {sql}",
}


@pytest.mark.parametrize("name", REFUSED)
def test_hostile_settings_are_refused_and_free(mallory: Pair, name: str) -> None:
    sql = "SELECT t, count(*) FROM odds GROUP BY t"
    spent = mallory.ask("SELECT spent_epsilon, spent_delta FROM dp.budget")
    for number, value in enumerate(REFUSED[name]):
        way = list(WAYS.values())[number % len(WAYS)]
        seen = both(mallory, way.format(name=name, value=value, sql=sql))
        assert (seen.state, seen.charged) == ("22023", None), (value, seen)
        assert seen.error is not None and str(seen.error[1]).startswith(f"dp.{name}")
        mallory.ask("ROLLBACK")
    mallory.ask(f"RESET dp.{name}")
    assert mallory.ask("SELECT spent_epsilon, spent_delta FROM dp.budget") == spent


@pytest.mark.parametrize("value", ACCEPTED)
def test_what_is_accepted_is_charged_exactly(mallory: Pair, value: str) -> None:
    for way in WAYS.values():
        seen = both(mallory, way.format(name="epsilon", value=value, sql=COUNT))
        assert seen.state is None, (way, seen)
        assert seen.charged == (Decimal(value.strip()), 0)
        mallory.ask("RESET dp.epsilon")


@pytest.mark.parametrize("value", ["NaN", "0", "1e308", "1e-308", "-1"])
def test_settings_of_the_startup_packet(duel: Duel, value: str) -> None:
    for served in duel.served:
        with pytest.raises(psycopg.OperationalError, match=r"dp\.epsilon must be"):
            psycopg.connect(served.conninfo("mallory", options=f"-c dp.epsilon={value}"))


def test_deltas_too_small_to_choose_by_are_refused(mallory: Pair) -> None:
    """Split over two releases, or beside the widest noise, nothing is left that a threshold could be made of."""
    two = "SELECT t, (SELECT count(*) FROM (SELECT b FROM odds GROUP BY b) AS q), count(*) FROM odds GROUP BY t"
    few = "SET dp.delta = 1e-30; "
    for sql in (few + two, "SET dp.epsilon = 1e-12; SET dp.max_groups_per_unit = 1000000; " + few + two):
        seen = both(mallory, sql)
        assert (seen.state, seen.charged) == ("DP004", None)
    mallory.ask("RESET ALL")


# What it costs.


def account(served: Served, analyst: str) -> tuple[Decimal, Decimal, int]:
    """What the ledger holds of an analyst, read behind the proxy's back: ρ, δ, and the number of charges."""
    given = load(served.policy, {}).ledger
    where = superuser_of_the_front(served) if given.url is None else given.url.url
    with psycopg.connect(where) as connection:
        sql = "SELECT main, delta, charges FROM dp_ledger.accounts WHERE kind = 'analyst' AND name = %s"
        row: tuple[Decimal, Decimal, int] | None = connection.execute(sql, (analyst,)).fetchone()
    assert row is not None
    return row


def test_tiny_charges_add_up_exactly(duel: Duel, nadia: Pair) -> None:
    """ε = 1e-12 is ρ = 5e-25, which floating point would lose beside what is spent already: not once is it 0."""
    assert 1e6 + 5e-25 == 1e6
    both(nadia, f"SET dp.epsilon = 1000; {COUNT}")
    before = [account(served, "nadia") for served in duel.served]
    for _ in range(7):
        assert both(nadia, f"SET dp.epsilon = 1e-12; {COUNT}").state is None
    after = [account(served, "nadia") for served in duel.served]
    for (main, _, charges), (main_after, _, charges_after) in zip(before, after, strict=True):
        assert main > 1000
        assert (main_after - main, charges_after - charges) == (7 * Decimal("5e-25"), 7)


def test_nothing_positive_is_ever_free() -> None:
    for text in ("1e-12", "1e-16", "1e-30", "1e-300", "5e-324"):
        assert charged(Fraction(Decimal(text)) ** 2 / 2) > 0
        assert charged(Decimal(text)) >= Decimal(text)


SMALLEST = "SET dp.epsilon = 1e-12; "


def test_the_noise_of_the_smallest_epsilon_is_that_large(mallory: Pair) -> None:
    """Of scale 2e13 for 20 rows of a unit: a hundredth of it is passed but once in fifty times, a thousand never."""
    values = [abs(side.rows[0][0]) for _ in range(12) for side in mallory.ask(SMALLEST + COUNT)]
    assert sum(value > 2e11 for value in values) >= len(values) / 2
    assert max(values) < 2e16


OF_A_COUNT = ("avg(n)", "stddev(i)")
OF_TOTALS = ("sum(least(greatest(b, -100000000000000), 100000000000000))", "sum(d)", "count(*)")


@pytest.mark.parametrize("expression", [*OF_A_COUNT, *OF_TOTALS])
def test_noise_beyond_64_bits_is_no_error(mallory: Pair, expression: str) -> None:
    """What saturates is noise: it is answered as any other, and every value finite, or NULL where counts are noise."""
    for most in ("1", "1000"):
        seen = both(mallory, f"SET dp.max_rows_per_unit = {most}; {SMALLEST}SELECT {expression} FROM odds")
        assert seen.state is None and seen.charged == (Decimal("1e-12"), 0)
        (value,) = seen.rows[0]
        assert expression in OF_A_COUNT if value is None else math.isfinite(value)


# What is added up.

# Zelda's values, clipped to [-10, 10] and rounded to the grid; NULL and NaN add nothing.
CLIPPED = {"sum(i)": 39, "sum(b)": 39, "sum(d)": 19, "count(i)": 11, "count(d)": 11, "count(*)": 12}


def test_hostile_values_count_as_clipped(duel: Duel, nadia: Pair) -> None:
    """NaN, infinities, -0, denormals, 1e308 and the ends of integers: the difference is what clipping leaves of them.

    In the plain engine one of her values decides the whole sum.
    """
    plain = duel.plain.ask("SELECT sum(d) FROM odds")
    assert not math.isfinite(plain[0].rows[0][0])
    assert math.isfinite(plain[1].rows[0][0])
    sql = f"SET dp.epsilon = 1000000; SELECT {', '.join(CLIPPED)} FROM odds"
    found = [tuple(side.rows[0] for side in nadia.ask(sql)) for _ in range(3)]
    assert len(set(found)) == 1
    here, gone = found[0]
    assert [one - other for one, other in zip(here, gone, strict=True)] == list(CLIPPED.values())


def test_the_order_of_rows_is_no_matter(duel: Duel, nadia: Pair) -> None:
    """1e308 - 1e308 + 1 is 1 or 0, as the rows come: plain sums of floating point tell the order that they have."""
    orders = ("1 / (x + 0.5)", "abs(x)")
    values = "(VALUES (1e308::float8), (-1e308::float8), (1::float8)) AS v (x)"
    sums = {duel.plain.here.ask(f"SELECT sum(x ORDER BY {each}) FROM {values}").rows for each in orders}
    assert len(sums) > 1
    nadia.ask("SET dp.epsilon = 1000000")
    texts = [
        f"SELECT sum(x) FROM (SELECT d AS x, row_number() OVER (PARTITION BY person_id ORDER BY {each}) AS r FROM odds)"
        " AS q WHERE r <= 20"
        for each in ("d", "d DESC", "abs(d)", "t")
    ]
    for side in (nadia.here, nadia.gone):
        answers = {side.ask(sql).rows for sql in (*texts, "SELECT sum(d) FROM odds")}
        assert len(answers) == 1, answers


OVERFLOWING = (
    "SELECT sum(b * 1000000) FROM odds",
    "SELECT sum(least(greatest(b, -4611686018427387905), 4611686018427387905)) FROM odds",
    "SELECT sum(least(greatest(d, -1e308), 1e308)) FROM odds",
    "SELECT sum(least(greatest(d, '-Infinity'), 'Infinity')) FROM odds",
    "SELECT sum(least(greatest(d, 'NaN'), 'NaN')) FROM odds",
    "SELECT sum(least(greatest(n, -1e18), 1e18)) FROM odds",
    "SELECT avg(least(greatest(n, '-99999999999999999999999999999999999999'), 1e37)) FROM odds",
    "SELECT var_pop(least(greatest(b, -4000000000), 4000000000)) FROM odds",
    "SELECT sum(i), sum(i) * 9223372036854775807::numeric FROM odds",
    "SELECT sum(least(i, '10')), sum(greatest(d, '-1')), count(*) FILTER (WHERE n < '1e3') FROM odds",
    "SELECT sum(i) FROM odds WHERE i BETWEEN '-5' AND '5'",
    "SELECT sum(d) FROM odds WHERE d BETWEEN '1e-320' AND '1e-310'",
    "SELECT sum(1e308::float8 * d) FROM odds",
    "SELECT sum(d / 1e-308) FROM odds",
    "SELECT sum(i::smallint), sum(b::int), sum(d::real), sum(n::int) FROM odds",
    "SELECT sum(CAST(d AS numeric(38, 10))) FROM odds",
    "SELECT sum(n * n * n) FROM odds",
    "SELECT sum(i * i * i * i), sum(b * b), sum(power(d, 3)) FROM odds",
    "SELECT d, count(*) FROM odds GROUP BY d",
    "SELECT d::real, n * 0, -b, sum(i) FROM odds GROUP BY 1, 2, 3",
    "SELECT sum(i % n), count(DISTINCT n % 7), sum(mod(b, i)) FROM odds",
)


@pytest.mark.parametrize("rows", ["1", "1000000"])
def test_no_step_overflows(mallory: Pair, rows: str) -> None:
    """Whatever may be added up: answered alike, or DP003 before the charge, by the bounds and never by a row."""
    mallory.ask(f"SET dp.max_rows_per_unit = {rows}")
    states = [both(mallory, sql).state for sql in OVERFLOWING]
    assert set(states) <= {None, "DP003", "0A000"}, list(zip(OVERFLOWING, states, strict=True))
    assert None in states and "DP003" in states


# What leaves.

GRIDS = (("sum(i)", "1"), ("sum(d)", "0.01"), ("sum(n)", "0.000001"), ("count(*)", "1"), ("sum(d * 3)", "0.01"))


def test_released_numbers_lie_on_the_grid(duel: Duel, mallory: Pair) -> None:
    """Sums with Laplace noise in floating point tell by their last bits what they are of: 64 or nothing (Mironov 2012).

    What the proxy releases is a whole number of steps, which either database could have given.
    """
    noise = "-ln(1 - random()) * CASE WHEN random() < 0.5 THEN 1 ELSE -1 END"
    naive = f"SELECT coalesce(sum(d) FILTER (WHERE i = 65), 0) + {noise} FROM odds"
    coarse = [sum(is_multiple(side.ask(naive).rows[0][0], 2**-47) for _ in range(60)) for side in both_plain(duel)]
    assert coarse[0] == 60 and coarse[1] < 30
    for expression, step in GRIDS:
        for _ in range(3):
            for seen in mallory.ask(f"SELECT {expression} FROM odds"):
                value = Fraction(seen.rows[0][0])
                nearest = round(value / Fraction(step)) * Fraction(step)
                assert value == (nearest if "d" not in expression else Fraction(float(nearest))), (expression, value)


def both_plain(duel: Duel) -> tuple[object, ...]:
    return duel.plain.here, duel.plain.gone


def is_multiple(value: float, of: float) -> bool:
    return (value / of).is_integer()


# Parameters, of every type, at its ends.

FLOATS = ("0", "-0", "NaN", "Infinity", "-Infinity", "5e-324", "1e308", "9007199254740993")
NUMERICS = ("0", "NaN", "1e-1000", "1e131000", "9" * 38, "9" * 39 + ".5")
BIGINTS = ("0", "-9223372036854775808", "9223372036854775807", "-1")
INTEGERS = ("0", "-2147483648", "2147483647", "-1")
TEXTS = ("", "(((", "\\", "%", "é" * 100, "1e400", "NaN")
TIMES = ("infinity", "-infinity", "4713-01-01 BC", "9999-12-31", "0001-01-01")
PARAMETERS: Sequence[tuple[Sequence[str], Sequence[str]]] = (
    (FLOATS, ("sum(least(greatest(d, -1), $1::float8))", "count(d * $1::float8), count(i / $1::float8)")),
    (FLOATS, ("count(power(d, $1::float8))", "sum($1::float8)", "count(*) FILTER (WHERE d IN ($1::float8, 1))")),
    (NUMERICS, ("sum(n * $1::numeric)", "sum(least(greatest(n, -1), $1::numeric))", "count(n / $1::numeric)")),
    (NUMERICS, ("count(*) FILTER (WHERE n > $1::numeric)", "count($1::numeric::int)", "sum($1::numeric)")),
    (BIGINTS, ("count(b + $1::bigint), count(-b / $1::bigint)", "sum(b * $1::bigint)", "sum(i % $1::bigint)")),
    (INTEGERS, ("count(substring(t, $1::int, $1::int))", "count(repeat(t, $1::int))", "count(round(n, $1::int))")),
    (INTEGERS, ("count(day + $1::int)", "count(make_date($1::int, i, i))", "count(chr(i + $1::int))")),
    (
        TEXTS,
        ("count(*) FILTER (WHERE t LIKE $1::text)", "count(*) FILTER (WHERE t ~ $1::text)", "count(t || $1::text)"),
    ),
    (TEXTS, ("count(*) FILTER (WHERE t LIKE 'a' ESCAPE $1::text)", "count(regexp_replace(t, 'a', $1::text))")),
    (TIMES, ("count(day - $1::date)", "count($1::date + i)", "count(greatest(ts, $1::timestamp))")),
)


@pytest.mark.parametrize(("values", "forms"), PARAMETERS, ids=[forms[0] for _, forms in PARAMETERS])
def test_parameters_err_before_the_charge_or_not_at_all(
    duel: Duel, mallory: Pair, values: Sequence[str], forms: Sequence[str]
) -> None:
    """Every other value before each engine, and all of them in the long form: both take the same path to the charge."""
    first = list(Backend).index(duel.backend)
    for number, form in enumerate(forms):
        for value in values if ALL else values[(first + number) % 2 :: 2]:
            seen = both(mallory, f"SELECT {form} FROM odds", value)
            assert (seen.charged is None) == (seen.state is not None), (form, value, seen)
            assert str(seen.state)[:2] in ("No", "22", "0A", "DP", "54"), (form, value, seen)


@pytest.mark.parametrize("name", ["epsilon", "delta", "max_rows_per_unit"])
def test_settings_from_parameters_of_the_wrong_type(mallory: Pair, name: str) -> None:
    for value, kind in (("NaN", "float8"), ("-1", "int"), ("true", "boolean"), ("{1}", "int[]"), ("1e308", "numeric")):
        assert both(mallory, f"SELECT set_config('dp.{name}', $1::{kind}::text, false)", value).state is None
        seen = both(mallory, "SELECT t, count(*) FROM odds GROUP BY t")
        assert (seen.state, seen.charged) == ("DP004", None), (value, seen)


# What the owner writes.

POLICY = """
[front]
url = "embedded:front"
[engine]
url = "duckdb:///small.duckdb"
[privacy]
accounting = "{accounting}"
[units.person]
table = "people"
key = "id"
[tables.people]
unit = "person"
max_rows_per_unit = {rows}
max_groups_per_unit = {groups}
[tables.people.columns]
id = {{ type = "bigint" }}
c = {{ type = "{type}", bounds = {bounds}, step = {step} }}
[analysts.alice]
trust = true
epsilon = {epsilon}
delta = {delta}
defaults = {{ epsilon = {default}, max_epsilon = {most} }}
"""
SOUND = {
    "accounting": "zcdp",
    "rows": "3",
    "groups": "3",
    "type": "double precision",
    "bounds": "[0, 1]",
    "step": "0.1",
    "epsilon": "1",
    "delta": "1e-6",
    "default": "0.1",
    "most": "1",
}
WRONG = ("0", "-0.0", "-1", "nan", "inf", "-inf", '"1"', '"1e308"', "true", "[1]", "{}", "2024-01-01")
ENDS = ("1e308", "1e309", "1e-308", "1e-400", "1e999999999", "1e-999999999", "9223372036854775808", "1e15", "1e-12")
KEYS = ("rows", "groups", "step", "epsilon", "delta", "default", "most")
ODD_BOUNDS = ("[0]", "[2, 1]", '["0", "1"]', "[nan, nan]", "[-inf, inf]", "[0, 1e999999999]", "[true, 1]", '"[0, 1]"')
ODD_BOUNDS += ("[1e-999999999, 1]", "[-1e308, 1e308]", "[-1e300, 1e300]", "[0, 4611686018427387904]", "[0, 0]")
ODD_BOUNDS += ("[9e37, 9.5e37]", "[1e308, 1e308]", "[3.4e38, 3.5e38]", "[1e309, 1e309]")
MOST_ROWS = "4611686018427387904"
GRIDS_OF_POLICIES = (("0.1", "3"), ("1e-300", "1"), ("1e300", "1"), ("1", MOST_ROWS))


def written(directory: Path, **changed: str) -> Path:
    path = directory / "policy.toml"
    path.write_text(POLICY.format(**{**SOUND, **changed}))
    return path


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("accounting", ["pure", "zcdp"])
def test_hostile_numbers_in_a_policy(tmp_path: Path, accounting: str, key: str) -> None:
    """A fault that names the key, or a number that all which follows can work with; never anything else."""
    for value in (*WRONG, *ENDS):
        try:
            config = load(written(tmp_path, accounting=accounting, **{key: value}), {})
        except ConfigFault as fault:
            assert str(tmp_path) in str(fault.detail)
            continue
        assert value in ENDS or (key, accounting) == ("delta", "pure"), (key, value)
        alice = config.analysts["alice"]
        made = terms(Accounting(accounting), alice.epsilon, alice.delta, alice.defaults.max_epsilon)
        assert made.limit.main > 0
        assert 0 <= made.limit.delta < 1


@pytest.mark.parametrize("kind", ["integer", "bigint", "numeric(18,6)", "real", "double precision"])
def test_hostile_bounds_and_steps_in_a_policy(tmp_path: Path, kind: str) -> None:
    """What is accepted can be planned, or is told to need closer bounds: sums that would pass 2^62 are DP003.

    A unit that may have 2^62 rows is refused for its work where a clip is chosen, which needs no closer bounds.
    """
    with duckdb.connect(str(tmp_path / "small.duckdb")) as connection:
        connection.execute(f"CREATE TABLE people (id BIGINT, c {kind})")
    outcomes = set()
    turns = product(ODD_BOUNDS, GRIDS_OF_POLICIES) if ALL else zip(ODD_BOUNDS, cycle(GRIDS_OF_POLICIES), strict=False)
    for bounds, (step, rows) in turns:
        path = written(tmp_path, type=kind, bounds=bounds, step=step, rows=rows)
        try:
            catalog = fitted(path)[1]
            for sql in ("SELECT sum(c), avg(c) FROM people", "SELECT stddev(c * c) FROM people"):
                plan(sql, catalog)
            outcomes.add("planned")
        except (ConfigFault, BoundsRequired, InvalidPrivacySetting) as fault:
            outcomes.add(type(fault).__name__)
        except NotPrivate as fault:
            assert rows == MOST_ROWS and fault.message.startswith("the rows of one unit could take more than"), fault
    assert "ConfigFault" in outcomes and len(outcomes) > 1
