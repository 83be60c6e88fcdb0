"""The demo's tour: questions asked by an ordinary client of the proxy, beside what is true of made-up people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg
from rich.console import Console
from rich.text import Text

from dpproxy.cli.console import table

Row = tuple[Any, ...]
Truths = tuple[dict[Row, Row], ...]
"""The true answer to each step, by keys."""
Connection = psycopg.AsyncConnection[Row]


@dataclass(frozen=True, slots=True)
class TourStep:
    """A question at the price of `epsilon`; the first `keys` columns of its answer are keys."""

    title: str
    sql: str
    keys: int
    epsilon: str = "0.1"


@dataclass(frozen=True, slots=True)
class TourAnswer:
    """What came back: columns and rows, and which of the columns have the ends of their interval in the next two."""

    columns: tuple[str, ...]
    rows: list[Row]

    def noisy(self) -> tuple[int, ...]:
        """Places of the columns that `dp.error_columns` put `_low` and `_high` behind."""
        return tuple(place for place, name in enumerate(self.columns) if f"{name}_low" in self.columns[place + 1 :])


STEPS = (
    TourStep("How many people are there?", "SELECT count(*) AS people FROM people", 0),
    TourStep(
        "Incomes of women and men: two answers for each, one price",
        "SELECT sex, count(*) AS people, avg(income) AS income\nFROM people WHERE age >= 18 GROUP BY sex ORDER BY sex",
        1,
    ),
    TourStep(
        "Two years of visits, by month: all of a person's visits count, however many those are",
        "SELECT date_trunc('month', day)::date AS month, count(*) AS visits FROM visits\n"
        "WHERE day >= '2024-01-01' AND day < '2026-01-01' GROUP BY month ORDER BY month",
        1,
        epsilon="0.5",
    ),
    TourStep(
        "What visits cost, by building: all visits of a person are protected together",
        "SELECT d.building, sum(v.cost) AS cost\n"
        "FROM visits v JOIN departments d ON d.dept = v.dept\n"
        "GROUP BY d.building ORDER BY cost DESC",
        1,
        epsilon="1",
    ),
    TourStep(
        "The smallest districts: names of districts with a few people do not come out",
        "SELECT district, count(*) AS people FROM people\nGROUP BY district ORDER BY people LIMIT 6",
        1,
        epsilon="0.5",
    ),
)
REFUSED = "SELECT age, income FROM people WHERE district = 'Lighthouse'"
BUDGET = "SELECT epsilon, spent_epsilon, remaining_epsilon FROM dp.budget"


def truths(world: Path) -> Truths:
    """The true answer to each step, by keys, from the engine's file."""
    with duckdb.connect(str(world), read_only=True) as connection:
        return tuple(
            {row[: step.keys]: row[step.keys :] for row in connection.execute(_whole(step)).fetchall()}
            for step in STEPS
        )


def _whole(step: TourStep) -> str:
    """Without LIMIT: which keys are in the private answer depends on its noise."""
    return step.sql.partition(" LIMIT ")[0]


async def show_tour(show: Console, conninfo: str, true: Truths) -> None:
    """Ask each step's question over the wire, and print the private answer beside the true one."""
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:
        await connection.execute(b"SET dp.error_columns = on")
        notices: list[str] = []
        connection.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
        for place, (step, facts) in enumerate(zip(STEPS, true, strict=True), 1):
            _show_question(show, f"{place}. {step.title}", f"SET dp.epsilon = {step.epsilon};\n{step.sql};")
            answer = await _asked(connection, step)
            show.print(table("", _headers(step, answer), _beside(step, answer, facts), numbers_from=step.keys))
            show.print(Text(sure(step, answer, facts)))
            show.print(Text("\n".join(notices), style="dim"))
            notices.clear()
        await _show_refusal(show, connection, len(STEPS) + 1)
        await _show_budget(show, connection, len(STEPS) + 2)


async def _asked(connection: Connection, step: TourStep) -> TourAnswer:
    await connection.execute(f"SET dp.epsilon = {step.epsilon}".encode())
    cursor = await connection.execute(step.sql.encode())
    return TourAnswer(tuple(column.name for column in cursor.description or ()), await cursor.fetchall())


def _headers(step: TourStep, answer: TourAnswer) -> Sequence[str]:
    noisy = [answer.columns[place] for place in answer.noisy()]
    return [*answer.columns[: step.keys], *(name for each in noisy for name in (each, "95 % sure", "in truth"))]


def _beside(step: TourStep, answer: TourAnswer, true: dict[Row, Row]) -> Sequence[Sequence[str]]:
    """Keys, then for each measure the private answer, its interval, and the true one."""
    return [
        (
            *map(str, row[: step.keys]),
            *(
                cell
                for value, low, high, fact in _compared(step, answer, row, true)
                for cell in (written(value), _interval(value, low, high), written(fact))
            ),
        )
        for row in answer.rows
    ]


def _interval(value: Any, low: float, high: float) -> str:
    """Both ends in words; those of a whole number are whole."""
    ends = (round(low), round(high)) if isinstance(value, int) else (low, high)
    return " to ".join(map(written, ends))


def _compared(step: TourStep, answer: TourAnswer, row: Row, true: dict[Row, Row]) -> Iterator[Row]:
    """Of each measure of a row: what was told, the ends of its interval, and what is true."""
    facts = true[row[: step.keys]]
    for place, fact in zip(answer.noisy(), facts, strict=True):
        yield (*row[place : place + 3], fact)


def sure(step: TourStep, answer: TourAnswer, true: dict[Row, Row]) -> str:
    """How many intervals of an answer hold the truth, in words."""
    found = [low <= fact <= high for row in answer.rows for _, low, high, fact in _compared(step, answer, row, true)]
    return f"One interval in twenty may miss the truth. Of these, {sum(found)} of {len(found)} hold it."


def _show_question(show: Console, title: str, sql: str) -> None:
    show.print()
    show.print(Text(title, style="bold"))
    show.print(Text(sql, style="cyan"))


async def _show_refusal(show: Console, connection: Connection, place: int) -> None:
    _show_question(show, f"{place}. Single people are not to be had, at no price", f"{REFUSED};")
    try:
        await connection.execute(REFUSED.encode())
    except psycopg.Error as fault:
        show.print(Text(f"ERROR {fault.sqlstate}: {fault.diag.message_primary}", style="red"))
        show.print(Text(f"HINT: {fault.diag.message_hint}", style="yellow"))


async def _show_budget(show: Console, connection: Connection, place: int) -> None:
    _show_question(show, f"{place}. What is left; to ask this is free", f"{BUDGET};")
    cursor = await connection.execute(BUDGET.encode())
    headers = [column.name for column in cursor.description or ()]
    show.print(table("", headers, [[written(value) for value in row] for row in await cursor.fetchall()], 0))


def written(value: Any) -> str:
    """A value for people: thousands apart, and as many decimals as a number of its size needs."""
    match value:
        case int():
            return f"{value:,}"
        case float() | Decimal():
            return f"{value:,.2f}" if -1000 < float(value) < 1000 else f"{value:,.0f}"
        case _:
            return str(value)
