"""The demo's tour: questions asked by an ordinary client of the proxy, beside what is true of made-up people."""

from __future__ import annotations

import math
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
    """What came back, how wide each measure's noise is (95 %; not known of averages), and the plan's measures."""

    columns: tuple[str, ...]
    rows: list[Row]
    half_widths: tuple[float | None, ...]
    measures: Sequence[dict[str, Any]]


STEPS = (
    TourStep("How many people are there?", "SELECT count(*) AS people FROM people", 0),
    TourStep(
        "Incomes of women and men: two answers for each, one price",
        "SELECT sex, count(*) AS people, avg(income) AS income\nFROM people WHERE age >= 18 GROUP BY sex ORDER BY sex",
        1,
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


def truths(world: Path) -> tuple[dict[Row, Row], ...]:
    """The true answer to each step, by keys, from the engine's file."""
    with duckdb.connect(str(world), read_only=True) as connection:
        return tuple(
            {row[: step.keys]: row[step.keys :] for row in connection.execute(_whole(step)).fetchall()}
            for step in STEPS
        )


def _whole(step: TourStep) -> str:
    """Without LIMIT: which keys are in the private answer depends on its noise."""
    return step.sql.partition(" LIMIT ")[0]


async def show_tour(show: Console, conninfo: str, true: Sequence[dict[Row, Row]]) -> None:
    """Ask each step's question over the wire, and print the private answer beside the true one."""
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:
        notices: list[str] = []
        connection.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
        for place, (step, facts) in enumerate(zip(STEPS, true, strict=True), 1):
            _show_question(show, f"{place}. {step.title}", f"SET dp.epsilon = {step.epsilon};\n{step.sql};")
            answer = await _asked(connection, step)
            show.print(table("", _headers(step, answer), _beside(step, answer, facts), numbers_from=step.keys))
            show.print(Text(" ".join(notices), style="dim"))
            notices.clear()
        await _show_refusal(show, connection, len(STEPS) + 1)
        await _show_budget(show, connection, len(STEPS) + 2)


async def _asked(connection: Connection, step: TourStep) -> TourAnswer:
    await connection.execute(f"SET dp.epsilon = {step.epsilon}".encode())
    cursor = await connection.execute(step.sql.encode())
    columns = tuple(column.name for column in cursor.description or ())
    rows = await cursor.fetchall()
    widths = await (await connection.execute("SELECT half_width FROM dp.last_statement")).fetchall()
    plan = await (await connection.execute(f"EXPLAIN (FORMAT JSON) {step.sql}".encode())).fetchall()
    [release] = plan[0][0][0]["Releases"]
    return TourAnswer(columns, rows, tuple(width for (width,) in widths), release["Measures"])


def _headers(step: TourStep, answer: TourAnswer) -> Sequence[str]:
    measures = answer.columns[step.keys :]
    return [*answer.columns[: step.keys], *(name for each in measures for name in (each, "± 95 %", "in truth"))]


def _beside(step: TourStep, answer: TourAnswer, true: dict[Row, Row]) -> Sequence[Sequence[str]]:
    """Keys, then for each measure the private answer, its half-width, and the true one."""
    return [
        (*map(str, row[: step.keys]), *_cells(answer, row[step.keys :], true.get(row[: step.keys])))
        for row in answer.rows
    ]


def _cells(answer: TourAnswer, private: Row, true: Row | None) -> Iterator[str]:
    for place, value in enumerate(private):
        width = answer.half_widths[place]
        yield written(value)
        yield written(_width_of_mean(answer.measures, private[0], value) if width is None else width)
        yield "none" if true is None else written(true[place])


def _width_of_mean(measures: Sequence[dict[str, Any]], count: int, mean: float) -> float:
    """About how wide the noise of an average over `count` is, at 95 %: that of a sum around a centre over a count."""
    total = next(each for each in measures if each["Kind"] == "centred sum")
    counted = max(each["Standard Deviation"] for each in measures if each["Kind"] != "centred sum")
    off_centre = mean - float(total["Centre"])
    in_deviations = math.log(20) / math.sqrt(2) if total["Mechanism"] == "laplace" else 1.96
    return in_deviations * math.hypot(total["Standard Deviation"], off_centre * counted) / max(count, 1)


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
