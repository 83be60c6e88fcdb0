"""Fresh answers without a proxy: a plan that was checked, its exact rows in the engine once, all noise drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from worlds import fitted, opened_room, plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.answering.run import NONE, Known, releases_in_order
from dpproxy.catalog.policy import Catalog
from dpproxy.engines import EngineQuery
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker import check_plan
from dpproxy.rows import Rows

_ENOUGH = Decimal(10**6)


@dataclass(frozen=True, slots=True)
class Asking:
    """A policy and its engine, which answers each question once: rows do not change, noise does."""

    catalog: Catalog
    engine: Callable[[EngineQuery], Rows]
    seen: dict[tuple[str, str], Rows]

    def answers(self, sql: str, settings: Mapping[str, str], accounting: Accounting, runs: int) -> list[Rows]:
        """What the statement's last release tells, so often: keys, outputs, and the clip of each measure."""
        made = self.planned(sql, settings, accounting)
        return [self.released(made)[-1] for _ in range(runs)]

    def planned(self, sql: str, settings: Mapping[str, str], accounting: Accounting) -> Plan:
        """The plan, as the checker lets it pass."""
        made = plan(sql.strip().rstrip(";"), self.catalog, settings, account=account(accounting))
        check_plan(made, self.catalog, "duckdb", accounting)
        return made

    def released(self, made: Plan, known: Known = NONE) -> tuple[Rows, ...]:
        """What all releases of a plan tell, once; those that are known, as they are."""
        work = releases_in_order(made, {}, known, None)
        query = next(work)
        while True:
            try:
                query = work.send(self._rows(query))
            except StopIteration as end:
                return end.value

    def _rows(self, query: EngineQuery) -> Rows:
        asked = query.sql, repr(sorted(query.inputs.items()))
        if asked not in self.seen:
            self.seen[asked] = self.engine(query)
        return self.seen[asked]


@contextmanager
def asking(policy: Path) -> Iterator[Asking]:
    """The engine of a policy is open for the length of a block."""
    config, catalog = fitted(policy)
    with opened_room(config) as engine:
        yield Asking(catalog, engine, {})


def account(accounting: Accounting) -> Terms:
    """One that no statement empties. Its δ is for private keys."""
    return terms(accounting, _ENOUGH, Decimal("0.1"))


def settings(epsilon: float, delta: str = "1e-7", **more: str) -> dict[str, str]:
    """Those of a session."""
    return {"epsilon": f"{epsilon:g}", "delta": delta, **more}
