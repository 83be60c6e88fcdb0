"""How sure answers are at the usual price: whether a policy is any good, before anybody asks.

Without the rows only what the plan knows is said. With them each statement is answered once, as an analyst would be,
but for the owner's eyes: nothing is charged, so what comes out must not be told to analysts.

Checked by: tests/test_check_worth.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dpproxy.answering.run import releases_in_order
from dpproxy.catalog.policy import Catalog, Table, TableColumn
from dpproxy.catalog.sql_names import sql_name
from dpproxy.catalog.types import Family
from dpproxy.draft.names import is_code
from dpproxy.engines import Engine, Ticket
from dpproxy.error_bars import typical_columns
from dpproxy.error_bars.foreseen import foreseen
from dpproxy.error_bars.words import short
from dpproxy.plan.private_plan import Plan
from dpproxy.post_processing import narrowed, told_of

_NUMBERS = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)


@dataclass(frozen=True, slots=True)
class NumberWorth:
    """A number of an answer. half_width: at 95 %; size: that of a typical row; None where not known.
    seen: in an answer."""

    number: str
    half_width: float | None
    size: float | None
    seen: bool = False

    @property
    def words(self) -> str:
        """± what, and of how much."""
        if self.half_width is None:
            return "too few rows for it" if self.seen else "hangs on the data: --data looks"
        share = "" if not self.size else f", {100 * self.half_width / self.size:.2g} % of about {short(self.size)}"
        return f"±{short(self.half_width)}{share}"


def usual_statements(catalog: Catalog) -> Iterator[str]:
    """What is asked first: of each private table a count, an average of each number, and a count by each public key."""
    for table in catalog.tables.values():
        if not table.public:
            yield from _of_table(table)


def _of_table(table: Table) -> Iterator[str]:
    name = ".".join(map(sql_name, [table.relation] if table.schema == "public" else [table.schema, table.relation]))
    yield f"SELECT count(*) FROM {name}"
    keys = {table.unit_key, *(link.column for link in table.links), *(each for key in table.unique for each in key)}
    for column in (each for each in table.columns if not each.hidden and each.name not in keys):
        if column.values is not None:
            yield f"SELECT {sql_name(column.name)}, count(*) FROM {name} GROUP BY 1"
        elif _is_number(column):
            yield f"SELECT avg({sql_name(column.name)}) FROM {name}"


def _is_number(column: TableColumn) -> bool:
    return column.type.family in _NUMBERS and not is_code(column.name)


def foreseen_worth(plan: Plan) -> tuple[NumberWorth, ...]:
    """By the plan alone."""
    found = foreseen(plan, {}, narrowed(plan))
    return tuple(NumberWorth(each.output.label, each.half_width, None) for each in found)


async def seen_worth(plan: Plan, engine: Engine) -> tuple[NumberWorth, ...]:
    """By one answer. Raises what the engine does."""
    released = await engine.run(releases_in_order(plan, {}, {}, None), Ticket())
    found = typical_columns(told_of(plan, released))
    return tuple(NumberWorth(each.output.label, each.half_width, each.size, seen=True) for each in found)
