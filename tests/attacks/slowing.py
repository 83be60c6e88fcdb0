"""Statements that try to make time, failure or cancel depend on Zelda: of templates, sizes and manners, 200 of them.

What is slow is slow for her rows alone: a product with what is public, a join of her 300 visits with themselves, her
text of 120,000 letters, a function whose work grows with a value. `search` asks all of them of the proxy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

SEED: Final = 12
STATEMENTS: Final = 200
SOME: Final = "p.person_id = 1000"
_PERSON: Final = "SELECT count(*) FROM people p"


class Manner(StrEnum):
    """How a statement is asked."""

    PLAIN = "as it is"
    EXECUTED = "prepared, then EXECUTE"
    CURSOR = "through a cursor"
    COPIED = "through COPY"
    KEPT = "kept in a table"
    PIPELINE = "three in one message"
    CANCELED = "cancelled"
    TOGETHER = "four sessions at once"


@dataclass(frozen=True)
class Attack:
    """sql: what is asked. before: what its sessions run first. after: when it is cancelled, in seconds."""

    family: str
    sql: str
    manner: Manner = Manner.PLAIN
    before: tuple[str, ...] = ()
    after: float = 0.0

    def __str__(self) -> str:
        when = f" after {self.after} s" if self.manner is Manner.CANCELED else ""
        return f"{self.family}, {self.manner}{when}: {self.sql}"


def _series(of: Random, most: int = 4) -> str:
    sizes = [10 ** of.randint(1, 3) for _ in range(of.randint(1, most))]
    return ", ".join(f"generate_series(1, {size}) g{place}" for place, size in enumerate(sizes))


def _listed(of: Random, most: int) -> str:
    return ", ".join(f"({number})" for number in range(of.randint(2, most)))


def series(of: Random) -> str:
    """Finding's own: one row a thousand, a million, a milliard times."""
    return f"{_PERSON}, {_series(of)} WHERE {SOME} AND p.age = 33"


def series_of_fixed_size(of: Random) -> str:
    """Exactly that one."""
    return (
        f"{_PERSON}, generate_series(1,1000) a, generate_series(1,1000) b, generate_series(1,1000) c"
        f" WHERE {SOME} AND p.city = '{of.choice(['Zeldatown', 'Gouda'])}'"
    )


def values(of: Random) -> str:
    lists = ", ".join(f"(VALUES {_listed(of, 40)}) v{place}(x)" for place in range(of.randint(2, 5)))
    return f"{_PERSON}, {lists} WHERE {SOME}"


def public_products(of: Random) -> str:
    tables = ", ".join(f"{of.choice(['departments', 'nation'])} d{place}" for place in range(of.randint(3, 12)))
    return f"{_PERSON}, {tables} WHERE {SOME}"


def nested_products(of: Random) -> str:
    inner = f"SELECT 1 AS x FROM generate_series(1, {10 ** of.randint(1, 3)}) g"
    for place in range(of.randint(1, 3)):
        inner = f"SELECT 1 AS x FROM ({inner}) s{place}, generate_series(1, {10 ** of.randint(1, 2)}) h{place}"
    return f"{_PERSON}, ({inner}) s WHERE {SOME}"


def products_of_steps(of: Random) -> str:
    """Each step is the square of the one before."""
    steps = [f"c0 AS (SELECT g AS x FROM generate_series(1, {of.randint(3, 12)}) g)"]
    for place in range(1, of.randint(2, 4)):
        steps.append(f"c{place} AS (SELECT a.x FROM c{place - 1} a, c{place - 1} b)")
    return f"WITH {', '.join(steps)} {_PERSON}, c{len(steps) - 1} WHERE {SOME}"


def private_steps(of: Random) -> str:
    steps = ["c0 AS (SELECT person_id, cost FROM visits WHERE person_id = 1000)"]
    for place in range(1, of.randint(2, 3)):
        steps.append(
            f"c{place} AS (SELECT a.person_id, a.cost FROM c{place - 1} a JOIN c{place - 1} b USING (person_id))"
        )
    return f"WITH {', '.join(steps)} SELECT count(*) FROM c{len(steps) - 1} WHERE cost >= {of.randint(0, 9)}"


def lateral(of: Random) -> str:
    size = of.choice(["100000", "p.age * 100000", "10000"])
    return f"{_PERSON}, LATERAL (SELECT g FROM generate_series(1, {size}) g WHERE g >= p.age) s WHERE {SOME}"


def correlated(of: Random) -> str:
    size = 10 ** of.randint(3, 6)
    return of.choice(
        [
            f"{_PERSON} WHERE {SOME} AND (SELECT count(*) FROM generate_series(1, {size}) g WHERE g > p.age) > 5",
            f"{_PERSON} WHERE {SOME} AND EXISTS (SELECT 1 FROM generate_series(1, {size}) g WHERE g % 7 = p.age + 99)",
            f"{_PERSON} WHERE (SELECT count(*) FROM visits v JOIN visits w USING (person_id)"
            f" WHERE v.person_id = p.person_id AND v.cost >= {of.randint(0, 5)}) > 10000",
            f"{_PERSON} WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id AND v.cost >"
            f" (SELECT avg(w.cost) FROM visits w WHERE w.person_id = p.person_id AND w.cost > {of.randint(0, 5)}))",
        ]
    )


def long_texts(of: Random) -> str:
    work = of.choice(
        [
            "length(repeat(t, {n})) > 1000",
            "length(replace(replace(t, 'e', 'eeeeeeeee'), 'e', 'xyz{n}')) > 1000",
            "length(rpad(t, {n}00000, t)) > 1000",
            "upper(repeat(t, {n})) = lower(repeat(t, {n}))",
            "strpos(repeat(t, {n}), right(t, 60000) || '~') = 1",
            "translate(repeat(t, {n}), 'Zelda', 'adleZ') = 'x'",
            "concat(t, t, t, t, t) = concat(t, t, t, t, 'x')",
            "split_part(t, 'a', 1{n}) = 'x'",
        ]
    )
    return f"SELECT count(*) FROM odds WHERE {work.format(n=of.randint(2, 99))}"


def expressions_of_text(of: Random) -> str:
    pattern = of.choice(
        [
            "(Z|e|l|d|a| )*~",
            "(Zelda|Z|e)*(Zelda|Z|e)*~",
            "((Z|e|l|d|a| )+)+~",
            "(a*)*~",
            "([a-z]+[A-Z ]*)*~",
            "[Ze]*[a-z ]*[lda]{{{n}}}~",
            "(.*)(.*)(.*)~",
            r"(.)(.)(.)\3\2\1~",
        ]
    ).format(n=of.randint(2, 100))
    used = of.choice([f"t ~ '{pattern}'", f"t ~* '{pattern}'", f"regexp_replace(t, '{pattern}', 'x', 'g') = 'x'"])
    return f"SELECT count(*) FROM odds WHERE {used}"


def likes(of: Random) -> str:
    parts = "%" + "".join(of.choice(["a%", "e%", "a_%", "Z%d%"]) for _ in range(of.randint(3, 12))) + "~"
    return f"SELECT count(*) FROM odds WHERE t {of.choice(['LIKE', 'ILIKE'])} '{parts}'"


def windows(of: Random) -> str:
    over = of.choice(
        [
            "row_number() OVER (PARTITION BY v.person_id ORDER BY v.cost, v.visit_id)",
            "sum(v.cost) OVER (PARTITION BY v.person_id ORDER BY v.day)",
            "rank() OVER (PARTITION BY v.person_id ORDER BY v.dept, v.day DESC)",
        ]
    )
    joined = of.choice(["", " JOIN visits w USING (person_id)", " JOIN visits w USING (person_id) JOIN nation ON true"])
    return f"SELECT count(*) FROM (SELECT {over} AS x FROM visits v{joined}) s WHERE x > {of.randint(1, 300)}"


def memory(of: Random) -> str:
    size = 10 ** of.randint(2, 5)
    return of.choice(
        [
            f"SELECT count(DISTINCT v.visit_id * 1000000 + g) FROM visits v, generate_series(1, {size}) g"
            " WHERE v.person_id = 1000",
            f"SELECT count(DISTINCT t || CAST(g AS text)) FROM odds, generate_series(1, {size // 10}) g",
            "SELECT t, count(*) FROM odds GROUP BY t",
            f"SELECT repeat(t, {of.randint(2, 50)}) AS k, count(*) FROM odds GROUP BY 1",
            f"SELECT count(*) FROM (SELECT DISTINCT v.visit_id, g FROM visits v, generate_series(1, {size}) g"
            " WHERE v.person_id = 1000) s",
        ]
    )


def self_joins(of: Random) -> str:
    more = "".join(f" JOIN visits v{place} USING (person_id)" for place in range(1, of.randint(2, 4)))
    return f"SELECT count(*) FROM visits v0{more} WHERE v0.person_id = 1000 AND v0.cost >= {of.randint(0, 9)}"


def unequal_joins(of: Random) -> str:
    more = of.choice(["a.day <= b.day", "a.cost <= b.cost", "a.visit_id <> b.visit_id"])
    return (
        f"SELECT count(*) FROM visits a JOIN visits b ON a.person_id = b.person_id AND {more} WHERE a.person_id = 1000"
    )


def dates(of: Random) -> str:
    days = 10 ** of.randint(2, 5)
    return of.choice(
        [
            f"SELECT count(*) FROM odds, generate_series(1, {days}) g WHERE day + CAST(g AS int) > DATE '9000-01-01'",
            f"SELECT count(*) FROM odds WHERE ts + INTERVAL '1 month' * {days} > ts",
            "SELECT count(date_trunc('week', ts)) FROM odds WHERE extract(epoch FROM ts) > 5",
            f"SELECT count(*) FROM visits a JOIN visits b USING (person_id) WHERE a.day - b.day > {of.randint(0, 99)}",
            f"SELECT count(*) FROM odds WHERE to_char(ts + INTERVAL '{of.randint(1, 99)} days', 'Day Month') > 'x'",
        ]
    )


def digits(of: Random) -> str:
    places = of.randint(2, 900)
    return of.choice(
        [
            f"SELECT count(*) FROM odds WHERE round(1 / (CAST(n AS numeric(38, 6)) + 3), {places}) > 0",
            f"SELECT count(*) FROM odds WHERE power(CAST(i AS numeric), {places}) > 5",
            f"SELECT count(*) FROM odds WHERE exp(CAST(b AS numeric) / 1{'0' * (places % 18)}) > 5",
            f"SELECT count(*) FROM odds WHERE n * 1.{'3' * (places % 30 + 1)} > 5",
            f"SELECT sum(n * n * n) FROM odds WHERE ln(abs(n) + 1.{'7' * (places % 25 + 1)}) > 0",
            f"SELECT count(*) FROM people p WHERE {SOME} AND factorial(p.age * {places * 100}) > 5",
        ]
    )


def deep_cases(of: Random) -> str:
    deep = "0"
    for number in range(of.randint(10, 60)):
        deep = f"CASE WHEN length(t) > {number} THEN {number} + ({deep}) ELSE {number} END"
    return f"SELECT count(*) FROM odds WHERE {deep} > 5"


def in_lists(of: Random) -> str:
    numbers = ", ".join(str(number) for number in of.sample(range(5000), of.randint(50, 900)))
    return of.choice(
        [
            f"SELECT count(*) FROM visits v WHERE person_id = 1000 AND visit_id NOT IN ({numbers})",
            "SELECT count(*) FROM visits a JOIN visits b USING (person_id)"
            f" WHERE a.visit_id + b.visit_id IN ({numbers})",
            "SELECT count(*) FROM odds WHERE "
            + " OR ".join(f"length(t) = {number}" for number in numbers.split(", ")[:150]),
        ]
    )


def own_tables(of: Random) -> str:
    more = ", ".join(f"mine m{place}" for place in range(of.randint(1, 4)))
    return f"{_PERSON}, {more} WHERE {SOME}"


def recursion(of: Random) -> str:
    most = of.choice(["1000", "100000", "p.age * 1000"])
    return (
        f"{_PERSON} WHERE {SOME} AND (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {most})"
        " SELECT count(*) FROM r) > 5"
    )


def unions(of: Random) -> str:
    one = "SELECT a.person_id FROM visits a JOIN visits b USING (person_id) WHERE a.person_id = 1000"
    return f"SELECT count(*) FROM ({' UNION ALL '.join([one] * of.randint(2, 8))}) s"


def raising(of: Random) -> str:
    """Failures that only her rows make on a plain engine."""
    return of.choice(
        [
            "SELECT count(1 / (person_id - 1000)) FROM people",
            "SELECT count(CAST(t AS integer)) FROM odds",
            "SELECT sum(i * i * 3) FROM odds",
            "SELECT count(length(repeat(t, 20000))) FROM odds",
            "SELECT count(ln(d)) FROM odds",
            f"SELECT count(CAST('2024-02-' || CAST(age - {of.randint(3, 4)} AS text) AS date)) FROM people p"
            f" WHERE {SOME}",
            f"SELECT count(d * 1e{of.randint(10, 300)}) FROM odds",
        ]
    )


def grouping(of: Random) -> str:
    return of.choice(
        [
            "SELECT dept, day, count(*) FROM visits GROUP BY CUBE (dept, day)",
            "SELECT v.dept, count(*), avg(w.cost), stddev(w.cost) FROM visits v JOIN visits w USING (person_id)"
            " GROUP BY ROLLUP (v.dept)",
            "SELECT w.visit_id, count(*) FROM visits v JOIN visits w USING (person_id)"
            " WHERE v.person_id = 1000 GROUP BY 1",
        ]
    )


OWN: Final = "CREATE TABLE mine AS SELECT g AS x FROM generate_series(1, 1000) g"
FAMILIES: Final[tuple[Callable[[Random], str], ...]] = (
    *(series, series, series_of_fixed_size, values, public_products, nested_products, products_of_steps),
    *(private_steps, lateral, correlated, long_texts, expressions_of_text, likes, windows, memory, self_joins),
    *(unequal_joins, dates, digits, deep_cases, in_lists, own_tables, recursion, unions, raising, grouping),
)
# Two of three are asked as they are.
_MANNERS: Final = (*[Manner.PLAIN] * 14, *[Manner.CANCELED] * 3, *(each for each in Manner if each is not Manner.PLAIN))


def attacks(number: int = STATEMENTS, seed: int = SEED) -> list[Attack]:
    """So many different ones, the same each time; of each family alike."""
    of, found = Random(seed), {}
    while len(found) < number:
        family = FAMILIES[len(found) % len(FAMILIES)]
        before = (OWN,) if family is own_tables else ()
        manner = of.choice(_MANNERS)
        after = of.choice([0.002, 0.01, 0.03, 0.1, 0.3]) if manner is Manner.CANCELED else 0.0
        attack = Attack(family.__name__.replace("_", " "), family(of), manner, before, after)
        found.setdefault((attack.sql, manner, after), attack)
    return list(found.values())
