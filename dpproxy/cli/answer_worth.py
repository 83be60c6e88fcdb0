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
from dpproxy.error_bars.typical import TypicalColumn
from dpproxy.error_bars.words import short
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.private_plan import Plan
from dpproxy.post_processing import narrowed, told_of

_NUMBERS = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)


@dataclass(frozen=True, slots=True)
class NumberWorth:
    """A number of an answer. half_width: at 95 %; size: that of a typical row; None where not known.
    seen: in an answer; unknown: why the half-width is not known, in words."""

    number: str
    half_width: float | None
    size: float | None
    seen: bool = False
    unknown: str | None = None

    @property
    def hangs_on_data(self) -> bool:
        """Whether an answer would tell how sure it is, and none was seen."""
        return self.half_width is None and not self.seen

    @property
    def words(self) -> str:
        """± what, and of how much; or why that is not known."""
        if self.half_width is None:
            return self.unknown or "hangs on the data"
        share = "" if not self.size else f", {short(100 * self.half_width / self.size)} % of about {short(self.size)}"
        return f"±{short(self.half_width)}{share}"


def usual_statements(catalog: Catalog) -> Iterator[str]:
    """What is asked first: of each private table a count, an average of each number, and a count by each public key."""
    for table in catalog.tables.values():
        if not table.public:
            yield from _of_table(table)


def _of_table(table: Table) -> Iterator[str]:
    name = ".".join(map(sql_name, [table.relation] if table.schema == "public" else [table.schema, table.relation]))
    yield f"SELECT count(*) FROM {name}"
    keys = {table.unit_key, *(link.column for link in table.all_links), *(each for key in table.unique for each in key)}
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
    return tuple(
        NumberWorth(each.output.label, each.half_width, each.size, seen=True, unknown=why_unknown(each))
        for each in found
    )


def why_unknown(each: TypicalColumn) -> str | None:
    """Why an answer's number has no half-width."""
    formula = each.output.formula
    if each.half_width is not None:
        return None
    if not each.half_widths.size:
        return "no group came out: none has enough units"
    if isinstance(formula, QuantileOf):
        extreme = formula.rank.numerator in (0, formula.rank.denominator)
        told = "open at its own end" if extreme else "open at an end: too few units beyond it"
        return "no number, or none is told" if each.size is None else told
    if each.size is None:
        return "not told: the noise outweighs what there is"
    return "no interval: noise, or what a clip cuts off, may outweigh what is told"
