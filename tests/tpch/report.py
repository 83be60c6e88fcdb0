"""What each query costs and how good its answer is: measured, at one scale.

An answer's error is the median, over all cells that are numbers in the true answer and over all runs, of
|said - true| / |true|. A row of the true answer that is not said counts as an error of 100 % in each of its cells.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import duckdb
import psycopg
from bench.timing import median_of
from proxies import serving
from worlds import TERMS, fitted, open_engine, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.answering.answer import answer
from dpproxy.answering.resources import AnalystAccount, Resources
from dpproxy.catalog.policy import Catalog
from dpproxy.config import Config
from dpproxy.engines import Ticket
from dpproxy.errors import DPProxyError
from dpproxy.ledger.records import AccountRef, Receipt
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed
from dpproxy.rewrite.checker import check_plan
from tpch.answers import Compared, Row, compared, true_answer
from tpch.queries import NEAREST, Query, queries

# ε = 1 for each statement; δ is what an account of ε = 20 and δ = 1e-5 has for it.
OPTIONS = "-c dp.epsilon=1 -c dp.delta=5e-7 -c dp.fresh=on"
PLANNED, TIMED = 9, 3  # times


@dataclass(frozen=True, slots=True)
class Planned:
    """A private statement: its numbers of releases and of noised numbers per row, and medians in seconds: of planning,
    of checking, and of what the engine takes for all its releases, with their noise."""

    releases: int
    measures: int
    planning: float
    checking: float
    engine: float


@dataclass(frozen=True, slots=True)
class Quality:
    """error: the median, None where no cell is a number. said, beyond: how many rows of the true answer were said, and
    how many more, as parts of the true answer's rows."""

    error: float | None
    said: float
    beyond: float


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a query: refused (`refusal`), public (no `planned`) or answered.

    plain: the query itself in the engine, median in seconds. limited: with the analyst's own limits, if they have any.
    """

    query: Query
    refusal: str | None = None
    planned: Planned | None = None
    plain: float = 0.0
    quality: Quality | None = None
    limited: Quality | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where queries are asked: through a proxy, in an engine of our own, and in plain DuckDB.

    A process opens a DuckDB file in one way at a time, so the last two take turns.
    """

    config: Config
    catalog: Catalog
    analyst: psycopg.Connection[Any]
    runs: int

    def plain(self) -> duckdb.DuckDBPyConnection:
        """The data by itself."""
        return duckdb.connect(str(self.config.engine.url.path), read_only=True)


def asked() -> list[Query]:
    """The 22, and after each that is refused the nearest that is not."""
    return [each for number, query in queries().items() for each in (query, NEAREST.get(number)) if each is not None]


def measured(policy: Path, runs: int) -> Iterator[Found]:
    """Each of `asked`, in order, over the data of a policy; each answer is asked for `runs` times."""
    config, catalog = fitted(policy)
    with (
        serving(config) as proxy,
        psycopg.connect(proxy.dsn("erna"), autocommit=True, options=OPTIONS) as analyst,
    ):
        for query in asked():
            yield found(query, Place(config, catalog, analyst, runs))


def found(query: Query, place: Place) -> Found:
    """What becomes of one query."""
    try:
        place.analyst.execute(query.sql)
    except psycopg.Error as fault:
        diag = fault.diag
        return Found(query, refusal=f"{fault.sqlstate}: {diag.message_primary}. {diag.message_hint}")
    with place.plain() as engine:
        truth = true_answer(engine, query)
        plain = median_of(lambda: engine.execute(query.sql).fetchall(), TIMED)
    made = _plan(query, place.catalog)
    if made is None:
        return Found(query, plain=plain, quality=asked_often(query, place.analyst, truth, 1))
    quality = asked_often(query, place.analyst, truth, place.runs)
    with _set(place.analyst, query.limits):
        limited = asked_often(query, place.analyst, truth, place.runs) if query.limits else None
    return Found(query, None, _planned(query, made, place), plain, quality, limited)


def asked_often(query: Query, analyst: psycopg.Connection[Any], truth: Sequence[Row], runs: int) -> Quality:
    """How good so many answers are."""
    return _quality([compared(query, analyst.execute(query.sql).fetchall(), truth) for _ in range(runs)])


def _quality(answers: list[Compared]) -> Quality:
    errors = [error for each in answers for error in each.errors()]
    return Quality(
        median(errors) if errors else None,
        fmean(each.found / each.rows for each in answers),
        fmean(len(each.beyond) / each.rows for each in answers),
    )


@contextmanager
def _set(analyst: psycopg.Connection[Any], limits: Mapping[str, int]) -> Iterator[None]:
    for name, limit in limits.items():
        analyst.execute(f"SET dp.{name} = {limit}")
    yield
    for name in limits:
        analyst.execute(f"RESET dp.{name}")


def _plan(query: Query, catalog: Catalog) -> Plan | None:
    """The plan of a private statement; None where nothing of it is private."""
    try:
        made = plan(text(query), catalog, {"delta": "5e-7"})
    except DPProxyError:
        return None
    return made if made.releases else None


def text(query: Query) -> str:
    """The statement as the gate hands it on."""
    return query.sql.strip().rstrip(";")


def _planned(query: Query, made: Plan, place: Place) -> Planned:
    return Planned(
        len(made.releases),
        sum(len(each.bounded.measures) or 1 for each in made.releases),
        median_of(lambda: plan(text(query), place.catalog), PLANNED),
        median_of(lambda: check_plan(made, place.catalog, "duckdb", Accounting.ZCDP), PLANNED),
        asyncio.run(_engine_time(place.config, made)),
    )


class _Timed:
    """An engine that keeps the seconds of each request."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.dialect = engine.dialect
        self.times: list[float] = []

    async def reach(self) -> None:
        pass

    async def run(self, work: Any, ticket: Ticket, seconds: float | None = None) -> Any:
        begin = time.perf_counter()
        try:
            return await self._engine.run(work, ticket, seconds)
        finally:
            self.times.append(time.perf_counter() - begin)


class _Free:
    """A ledger that charges nobody."""

    async def charge(self, *_: object) -> Receipt:
        return Receipt(1, TERMS.limit, TERMS.limit, False)

    async def settle(self, *_: object) -> None: ...

    async def tell(self, *_: object) -> bool:
        return False


async def _engine_time(config: Config, made: Plan) -> float:
    engine = open_engine(config)
    timed = _Timed(engine)
    resources = Resources(timed, _Free(), _dropped, Speed(config.engine.statement_timeout, engine.per_operation))  # type: ignore[arg-type]
    try:
        for _ in range(TIMED + 1):
            await answer(resources, None, AnalystAccount(AccountRef("erna"), Catalog(), TERMS), made, "", Ticket())
    finally:
        await engine.close()
    return median(timed.times[1:])


def _dropped(work: Coroutine[Any, Any, None]) -> None:
    work.close()
