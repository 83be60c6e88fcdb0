"""Random statements of the whole language: plans, claims and answers.

Of each: the plan is the same when made again, and the checker takes it; over small worlds that break the owner's words,
no unit moves a bounded result further than the plan claims, whatever was released before, and nothing makes the engine
fail, DuckDB or, for a share of them, Postgres; over clean worlds, without noise, the answer is the one that plain
Postgres gives.

A failure names the numbers that its statement is made of, after leaving out what it does not need. The
nightly lane tries a hundred times as many, `--seed` other ones.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from random import Random

import pytest
from lanes import seed, sized
from neighbours import halls, rooms
from neighbours.data import World
from neighbours.dice import Dice, shrunk
from neighbours.grammar import Statement, asking, statement
from neighbours.judge import Court, compared, court, same_integers
from neighbours.places import Hall
from neighbours.rooms import Around
from neighbours.trial import CASES, REFUSALS, Change, Wrong, policy, tried, without
from scratch_postgres import MAJORS

from dpproxy.plan.private_plan import Release

pytestmark = pytest.mark.larger

SEED = seed()
WORLDS = sized(1, 3, 1500)
PER_WORLD = 10
IN_POSTGRES = max(WORLDS // 3, 6)
JUDGED = WORLDS * PER_WORLD * 3 // 2
CLEAN = 3
TRIES = 250


def examine(seed: str, run: Callable[[Statement], None]) -> None:
    """Run a statement, and on a failure make it smaller first. Raises Wrong."""
    made = statement(Dice.seeded(seed))
    try:
        run(made)
    except Wrong as first:
        kind, counted = first.kind, (Counter(CASES), Counter(REFUSALS))
        small = statement(Dice(shrunk(made.numbers, lambda numbers: _fault(run, numbers) == kind, TRIES)))
        for counter, before in zip((CASES, REFUSALS), counted, strict=True):
            counter.clear()
            counter.update(before)
        print(f"\nseed {seed!r}; Dice({list(small.numbers)})")
        run(small)
        raise


def as_it_is(seed: str, run: Callable[[Statement], None]) -> None:
    """Run a statement, and leave it as large as it is. Raises Wrong."""
    run(statement(Dice.seeded(seed)))


def _fault(run: Callable[[Statement], None], numbers: Sequence[int]) -> str:
    try:
        run(statement(Dice(numbers)))
    except Wrong as wrong:
        return wrong.kind
    return ""


Opened = Callable[[World], AbstractContextManager[Around]]


def in_duckdb(world: World) -> AbstractContextManager[Around]:
    """A world and its neighbours in DuckDB."""
    return rooms.opened(world, policy())


def over_worlds(
    count: int,
    change: Change,
    seed: str,
    asked: Callable[[Statement], bool] = lambda made: True,
    opened: Opened = in_duckdb,
    examine: Callable[[str, Callable[[Statement], None]], None] = examine,
) -> None:
    """Such statements over a new world every ten, with their neighbours."""
    names = (name for each in itertools.count() if asked(statement(Dice.seeded(name := f"{seed} {each}"))))
    for world in range(count):
        with opened(rooms.broken(Dice.seeded(f"world {seed} {world}"))) as around:
            for name in itertools.islice(names, PER_WORLD):
                examine(name, lambda made, name=name: tried(made, around, Random(name), change))  # type: ignore[misc]


def test_no_unit_moves_more_than_the_plan_claims() -> None:
    over_worlds(WORLDS, lambda release: release, SEED)


def test_rows_that_ask_for_aggregates_move_no_more() -> None:
    """As they are: what makes them smaller draws other forms."""
    for world in range(WORLDS):
        with in_duckdb(rooms.broken(Dice.seeded(f"world {SEED} asking {world}"))) as around:
            for each in range(PER_WORLD):
                name = f"{SEED} asking {world} {each}"
                tried(asking(Dice.seeded(name)), around, Random(name))


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    with court(tmp_path_factory.mktemp("court"), [rooms.clean(f"{SEED} {world}") for world in range(CLEAN)]) as sitting:
        yield sitting


def test_without_noise_the_answer_is_that_of_plain_postgres(judge: Court) -> None:
    for each in range(JUDGED):
        examine(f"judged {SEED} {each}", lambda made, each=each: compared(made, judge, each % CLEAN))  # type: ignore[misc]


def test_without_noise_rows_that_ask_for_aggregates_are_answered_as_by_plain_postgres(judge: Court) -> None:
    for each in range(JUDGED // 3):
        compared(asking(Dice.seeded(f"judged {SEED} asking {each}")), judge, each % CLEAN)


def test_both_engines_give_the_same_integers(judge: Court) -> None:
    for each in range(JUDGED // 5):
        examine(f"engines {SEED} {each}", lambda made, each=each: same_integers(made, judge, each % CLEAN))  # type: ignore[misc]


def test_most_of_the_language_is_answered_and_enough_cases_ran() -> None:
    """What the tests above counted, before anything is planted."""
    if "answers" not in CASES:
        test_no_unit_moves_more_than_the_plan_claims()
    refused = "\n".join(f"{count} {text}" for text, count in REFUSALS.most_common(40))
    print(f"\nlanguage: {dict(CASES)}\n{refused}")
    assert CASES["refused"] <= 0.3 * CASES["statements"], refused
    assert CASES["moving"] >= CASES["cases"] / 10


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with halls.keyed(tmp_path_factory.mktemp("hall"), next(iter(MAJORS.values()))) as made:
        yield made


@pytest.mark.long
def test_no_unit_moves_more_in_postgres(hall: Hall) -> None:
    over_worlds(IN_POSTGRES, lambda release: release, f"{SEED} in postgres", opened=lambda w: rooms.opened_in(hall, w))


@pytest.mark.long
def test_a_key_that_nothing_enforces_is_not_believed(hall: Hall) -> None:
    """Rows violate every primary key, and still no unit moves more than the plan claims."""
    free = halls.unkeyed(hall)
    over_worlds(
        IN_POSTGRES // 2,
        lambda release: release,
        f"{SEED} unkeyed",
        opened=lambda world: rooms.opened_in(free, halls.doubled(world, Random(SEED))),
    )


@pytest.mark.long
def test_a_planted_fault_is_noticed_in_postgres(hall: Hall) -> None:
    with pytest.raises(Wrong) as caught:
        over_worlds(
            30 * WORLDS,
            fewer_groups,
            "planted",
            opened=lambda world: rooms.opened_in(hall, world),
            examine=as_it_is,
        )
    assert caught.value.kind == "a claim is broken"


def replaced(pattern: str, instead: str, count: int = 0) -> Change:
    """The bounded SQL with a step of it changed."""
    return lambda release: without(re.sub(pattern, instead, release.bounded.sql, count=count), release)


def fewer_groups(release: Release) -> Release | None:
    """The limit of keys is one looser than the plan says."""
    return without(re.sub(r"\bg <= (\d+)", lambda found: f"g <= {int(found[1]) + 1}", release.bounded.sql), release)


_KEY = r'\w+\."?(?:person_id|custkey|u)"?'
# What the bounded SQL does, wherever it does it, is left out. Each must be noticed.
PLANTED: dict[str, Change] = {
    "ties of joins are dropped": replaced(rf"ON {_KEY} = {_KEY}", "ON TRUE"),
    "ties of subqueries are dropped": replaced(rf"(WHERE|AND) {_KEY} = {_KEY}", r"\1 TRUE"),
    "windows run over all units": replaced(r'PARTITION BY u(?:, "\w+")*(?= ORDER BY "|\))', "PARTITION BY 1"),
    "each row is a unit of its own": replaced(r'\b(s\d+)\."(?:person_id|custkey)" AS u\b', r"HASH(\1) AS u"),
    "rows of a unit are not clamped": replaced(r"LEAST\(GREATEST\(COUNT\(\*\), 0\), \d+\)", "COUNT(*)"),
    "no limit of keys": replaced(r"WHERE r <= \d+", "WHERE TRUE"),
    "groups one too many": fewer_groups,
    "the limit is of all units at once": replaced("PARTITION BY u ORDER BY HASH", "ORDER BY HASH"),
    "values are limited over all units": replaced(
        r"PARTITION BY u, ((?:k\d+(?:, )?)+) ORDER BY HASH", r"PARTITION BY \1 ORDER BY HASH"
    ),
}


def _limited_to_one(made: Statement) -> bool:
    limits = made.settings["max_rows_per_unit"], made.settings["max_groups_per_unit"]
    return "(DISTINCT " in made.sql and "GROUP BY" in made.sql and limits == ("1", "1")


# Statements in which the fault can show, where few can: to make one is cheap, to plan it is not.
SHOWING: dict[str, Callable[[Statement], bool]] = {
    "ties of joins are dropped": lambda made: "JOIN" in made.sql,
    "ties of subqueries are dropped": lambda made: "(SELECT " in made.sql,
    "values are limited over all units": _limited_to_one,
}
SHRUNK = "groups one too many"


@pytest.mark.long
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_noticed(name: str) -> None:
    """The harness has teeth: bounded SQL that does less than the plan says is caught, and one fault made smaller."""
    how = examine if name == SHRUNK else as_it_is
    with pytest.raises(Wrong) as caught:
        over_worlds(30 * WORLDS, PLANTED[name], "planted", SHOWING.get(name, lambda made: True), examine=how)
    assert caught.value.kind == "a claim is broken"


def test_a_statement_is_its_numbers() -> None:
    for each in range(50):
        made = statement(Dice.seeded(f"again {each}"))
        assert statement(Dice(made.numbers)) == made


def test_wrong_ties_are_among_the_random_ones() -> None:
    """Now and then rows of two units are put together: such a statement is refused, or tried like all others."""
    texts = [statement(Dice.seeded(f"wrong {each}")).sql for each in range(2000)]
    assert sum("::double precision = " in text or (" JOIN " in text and " ON TRUE" in text) for text in texts) > 5
