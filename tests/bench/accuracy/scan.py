"""What the one scan costs in DuckDB beside the plain joined query and the form where caps are held to, as all with both
caps were in 0.4.0: with caps as they are by default, and without any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.accuracy.figures import heads, row
from bench.accuracy.fresh import Asking
from bench.timing import Figures, in_turn, timed
from rich.progress import Progress
from tpch.data import make_tpch, recorded, write_undeclared
from tpch.queries import queries
from worlds import fitted, opened_room, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.engines import EngineQuery
from dpproxy.plan.private_plan import Bounded
from dpproxy.rows import Rows

Engine = Callable[[EngineQuery], Rows]

_CHAIN = "FROM customer, orders, lineitem WHERE c_custkey = o_custkey AND o_orderkey = l_orderkey"
STATEMENTS = {
    "orders: count": "SELECT count(*) FROM orders",
    "orders by month": "SELECT date_trunc('month', o_orderdate), count(*) FROM orders GROUP BY 1",
    "lines: sum": f"SELECT sum(l_quantity) {_CHAIN}",
    "prices by segment": f"SELECT c_mktsegment, sum(l_extendedprice) {_CHAIN} GROUP BY c_mktsegment",
    "prices by flag": f"SELECT l_returnflag, sum(l_extendedprice) {_CHAIN} GROUP BY l_returnflag",
}
TPCH = (1, 5, 6, 7, 9, 12)
WAYS = ("plain", "held", "caps", "none")


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each statement: medians, and ratios round by round."""
    scale, rounds = (0.01, 1) if short else (1.0, 7)
    columns = ("plain", "caps held", "with caps", "none", "with caps: to plain", "to held", "none: to plain", "to held")
    yield from heads(f"scale {scale:g}, medians of {rounds} rounds in turn", *columns)
    statements = STATEMENTS | {f"Q{number}": queries()[number].sql.strip().rstrip(";") for number in TPCH}
    with TemporaryDirectory() as name:
        policy = make_tpch(Path(name), scale)
        config, held = fitted(policy)
        policy.write_text(policy.read_text().replace('caps = "hold"', 'caps = "clip"'))
        catalogs = (held, fitted(policy)[1], fitted(recorded(write_undeclared(Path(name))))[1])
        with opened_room(config) as engine:
            for title, sql in progress.track(list(statements.items()), description="one scan"):
                asked = [[EngineQuery(sql)], *(_asked(sql, catalog, engine) for catalog in catalogs)]
                found = in_turn({way: _timed(engine, each) for way, each in zip(WAYS, asked, strict=True)}, rounds)
                yield row(title, *_cells(found))


def _asked(sql: str, catalog: Catalog, engine: Engine) -> list[EngineQuery]:
    """All that the engine is asked, for centres too; without unit indexes: what they save is another matter."""
    asked: list[EngineQuery] = []

    def noted(query: EngineQuery) -> Rows:
        asked.append(query)
        return engine(query)

    made = plan(sql, catalog, {"delta": "5e-7"})
    releases = (replace(each, bounded=_plain(each.bounded)) for each in made.releases)
    Asking(catalog, noted, {}).released(replace(made, releases=tuple(releases)))
    return asked


def _plain(bounded: Bounded) -> Bounded:
    return replace(bounded, sql=bounded.plain or bounded.sql)


def _timed(engine: Engine, asked: Sequence[EngineQuery]) -> Callable[[], float]:
    return lambda: timed(lambda: [engine(each) for each in asked])


def _cells(found: dict[str, Figures]) -> list[str]:
    times = [f"{found[way].median * 1e3:.0f} ms" for way in WAYS]
    ratios = (found[way].over(found[other]) for way in ("caps", "none") for other in ("plain", "held"))
    return [*times, *(f"{each:,.2g}" if each < 100 else f"{each:,.0f}" for each in ratios)]
