"""The demo's tour: questions asked by an ordinary client of the proxy, beside what is true of made-up people."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg
from psycopg.errors import Diagnostic
from rich.console import Console
from rich.text import Text

from dpproxy.cli.console import table

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A question at the price of `epsilon`; the first `keys` columns of its answer are keys."""

    title: str
    sql: str
    keys: int
    epsilon: str = "0.1"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: columns, rows, and how wide each column's noise is (95 %)."""

    columns: tuple[str, ...]
    rows: list[Row]
    half_widths: dict[str, float]


STEPS = (
    Step("How many people are there?", "SELECT count(*) AS people FROM people", 0),
    Step(
        "Incomes of women and men: two answers for each, one price",
        "SELECT sex, count(*) AS people, avg(income) AS income FROM people WHERE age >= 18 GROUP BY sex ORDER BY sex",
        1,
    ),
    Step(
        "What visits cost, by building: a person's visits are many, and protected together",
        "SELECT d.building, sum(v.cost) AS cost FROM visits v JOIN departments d ON d.dept = v.dept\n"
        "GROUP BY d.building ORDER BY cost DESC",
        1,
        epsilon="0.5",
    ),
    Step(
        "The smallest districts: their names are private, so those of a few people are not shown",
        "SELECT district, count(*) AS people FROM people GROUP BY district ORDER BY people LIMIT 6",
        1,
        epsilon="0.5",
    ),
)
REFUSED = "SELECT age, income FROM people WHERE district = 'Lighthouse'"
BUDGET = "SELECT epsilon, spent_epsilon, remaining_epsilon FROM dp.budget"


def truths(world: Path) -> tuple[dict[Row, Row], ...]:
    """The true answer to each step, by keys, from the engine's file."""
    with duckdb.connect(str(world), read_only=True) as connection:
        return tuple(
            {row[: step.keys]: row[step.keys :] for row in connection.execute(_whole(step)).fetchall()}
            for step in STEPS
        )


def _whole(step: Step) -> str:
    """Without LIMIT: which keys are in the private answer depends on its noise."""
    return step.sql.partition(" LIMIT ")[0]


async def show_tour(show: Console, conninfo: str, true: Sequence[dict[Row, Row]]) -> None:
    """Ask each step's question over the wire, and print the private answer beside the true one."""
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:
        notices: list[str] = []
        connection.add_notice_handler(lambda notice: notices.append(_primary(notice)))
        for place, (step, facts) in enumerate(zip(STEPS, true, strict=True), 1):
            if step.epsilon != "0.1":
                _ask_heading(show, f"{place}. {step.title}", f"SET dp.epsilon = {step.epsilon};\n{step.sql};")
            else:
                _ask_heading(show, f"{place}. {step.title}", f"{step.sql};")
            began = time.perf_counter()
            answer = await _asked(connection, step)
            took = (time.perf_counter() - began) * 1000
            show.print(table("", *_beside(step, answer, facts), numbers_from=step.keys))
            show.print(Text(f"{' '.join(notices)}  ({took:.0f} ms)", style="dim"))
            notices.clear()
        await _show_refusal(show, connection, len(STEPS) + 1)
        await _show_budget(show, connection, len(STEPS) + 2)


def _ask_heading(show: Console, title: str, sql: str) -> None:
    show.print()
    show.print(Text(title, style="bold"))
    show.print(Text(sql, style="cyan"))


async def _asked(connection: psycopg.AsyncConnection[Row], step: Step) -> Answer:
    await connection.execute(f"SET dp.epsilon = {step.epsilon}".encode())
    cursor = await connection.execute(step.sql.encode())
    columns = tuple(column.name for column in cursor.description or ())
    rows = await cursor.fetchall()
    widths = await connection.execute('SELECT "column", half_width FROM dp.last_statement')
    return Answer(columns, rows, dict(await widths.fetchall()))


def _beside(step: Step, answer: Answer, true: dict[Row, Row]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Headers and rows: keys, then for each measure the private answer, its half-width, and the true one."""
    measures = answer.columns[step.keys :]
    headers = [*answer.columns[: step.keys], *(name for each in measures for name in (each, "± 95 %", "in truth"))]
    return headers, [
        (*map(str, row[: step.keys]), *_cells(measures, row[step.keys :], true.get(row[: step.keys], ()), answer))
        for row in answer.rows
    ]


def _cells(measures: Sequence[str], private: Row, true: Row, answer: Answer) -> Iterator[str]:
    for place, name in enumerate(measures):
        width = answer.half_widths.get(name)
        yield written(private[place])
        yield "" if width is None else written(width)
        yield written(true[place]) if place < len(true) else "none"


def written(value: Any) -> str:
    """A value for people: thousands apart, and as many decimals as a number of its size needs."""
    match value:
        case int():
            return f"{value:,}"
        case float() | Decimal():
            return f"{value:,.2f}" if -1000 < float(value) < 1000 else f"{value:,.0f}"
        case _:
            return str(value)


async def _show_refusal(show: Console, connection: psycopg.AsyncConnection[Row], place: int) -> None:
    _ask_heading(show, f"{place}. Single people are not to be had, at no price", f"{REFUSED};")
    try:
        await connection.execute(REFUSED.encode())
    except psycopg.Error as fault:
        show.print(Text(f"ERROR {fault.sqlstate}: {fault.diag.message_primary}", style="red"))
        show.print(Text(f"HINT: {fault.diag.message_hint}", style="yellow"))


async def _show_budget(show: Console, connection: psycopg.AsyncConnection[Row], place: int) -> None:
    _ask_heading(show, f"{place}. What is left; to ask this is free", f"{BUDGET};")
    cursor = await connection.execute(BUDGET.encode())
    headers = [column.name for column in cursor.description or ()]
    show.print(table("", headers, [[written(value) for value in row] for row in await cursor.fetchall()], 0))


def _primary(notice: Diagnostic) -> str:
    return notice.message_primary or ""
