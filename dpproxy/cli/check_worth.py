"""What answers are worth at the usual price, as `dpproxy check` shows it: of the usual statements, or of a file's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from dpproxy.catalog.policy import Catalog
from dpproxy.cli.answer_worth import NumberWorth, foreseen_worth, seen_worth, usual_statements
from dpproxy.cli.connections import fitted, opened_engine
from dpproxy.cli.console import progress, shown, table
from dpproxy.cli.planned_statements import planned, statements_of
from dpproxy.config import Config
from dpproxy.config.sections import AnalystSection
from dpproxy.engines import Engine
from dpproxy.errors import DPProxyError
from dpproxy.session.verdicts import Statement

_NOBODY: Final = "owner"
_WIDE: Final = 70


@dataclass(frozen=True, slots=True)
class JudgedStatement:
    """A statement with what its numbers are worth, or why it is not answered."""

    statement: str
    numbers: tuple[NumberWorth, ...] = ()
    refused: str | None = None


async def judged(config: Config, workload: Path | None, *, data: bool) -> tuple[JudgedStatement, ...]:
    """The statements of `workload`, else the usual ones; with `data` each is answered once, for the owner's eyes.

    Raises ConfigFault.
    """
    asked = _asking(config)
    async with opened_engine(asked) as engine:
        catalog = (await fitted(asked, engine)).catalog
        sql = ";\n".join(usual_statements(catalog)) if workload is None else workload.read_text(encoding="utf-8")
        found = statements_of(sql, catalog, analyst_of(asked))
        with progress() as bar:
            return tuple(
                [await _judged(asked, engine, catalog, each, data) for each in bar.track(found, description="answers")]
            )


async def _judged(config: Config, engine: Engine, catalog: Catalog, each: Statement, data: bool) -> JudgedStatement:
    text = " ".join(each.sql.split())
    try:
        plan = planned(config, catalog, analyst_of(config), engine.dialect, each)
        if plan is None or not plan.releases:
            return JudgedStatement(text)
        return JudgedStatement(text, await seen_worth(plan, engine) if data else foreseen_worth(plan))
    except DPProxyError as fault:
        return JudgedStatement(text, refused=f"{fault.sqlstate} {fault.message}")


def _asking(config: Config) -> Config:
    """With somebody who may ask: the first analyst, or one who is made up for it."""
    if config.analysts:
        return config
    somebody = AnalystSection.model_validate({"epsilon": 5, "delta": Decimal("1e-6"), "trust": True})
    return config.model_copy(update={"analysts": {_NOBODY: somebody}}).at(config.path)


def analyst_of(config: Config) -> str:
    """Whose tables and price the answers have."""
    return next(iter(config.analysts), _NOBODY)


def shown_worth(config: Config, found: Sequence[JudgedStatement]) -> Iterator[Table | str]:
    """A line for each number of which something is known, and one for all others together."""
    price = _asking(config).analysts[analyst_of(_asking(config))].statement_epsilon
    rows = [(_short(each.statement), *cells) for each in found for cells in _cells(each)]
    if rows:
        yield table(f"Answers at epsilon {shown(price)}", ("statement", "number", "off by (95 %)"), rows, 3)
    waiting = [number for each in found for number in each.numbers if number.hangs_on_data]
    if waiting:
        more = "more " if rows else ""
        yield f"How sure {_numbers(len(waiting), more)} will be hangs on the data: dpproxy check --data looks."


def _numbers(count: int, more: str) -> str:
    return f"one {more}number" if count == 1 else f"{count} {more}numbers"


def _cells(each: JudgedStatement) -> list[tuple[str, str]]:
    if each.refused is not None:
        return [("", f"refused: {each.refused}")]
    if not each.numbers:
        return [("", "exact, and free")]
    return [(number.number, number.words) for number in each.numbers if not number.hangs_on_data]


def _short(text: str) -> str:
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 2]} …"


def plain_worth(found: Sequence[JudgedStatement]) -> list[dict[str, Any]]:
    """The same for JSON."""
    return [asdict(each) for each in found]
