"""`dpproxy check`: does the configuration hold together, and does it fit the engine?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from dpproxy.accounting.account import most_per_statement
from dpproxy.catalog.policy import Catalog, Table
from dpproxy.cli.check_data import check_data
from dpproxy.cli.check_worth import JudgedStatement, judged, plain_worth, shown_worth
from dpproxy.cli.commands import say
from dpproxy.cli.connections import fitted, kept, missing_of, opened_engine, opened_ledger
from dpproxy.cli.console import AsJson, answers, shown, table
from dpproxy.cli.policy_file import ConfigFile, loaded
from dpproxy.config import Config, refuse
from dpproxy.config.doubts import doubts
from dpproxy.config.sections import BudgetCap
from dpproxy.engines import MissingIndex
from dpproxy.errors import FrontUnavailable, LedgerUnavailable
from dpproxy.ledger import Reset
from dpproxy.ledger.adoption import year
from dpproxy.public_columns import later_columns, seen
from dpproxy.schema_fit import Fitted
from dpproxy.server.database_separation import check_separate_databases
from dpproxy.server.policy_terms import policy_terms, warnings
from dpproxy.server.proxy import tls_context


def check(
    config: ConfigFile,
    data: Annotated[bool, typer.Option("--data", help="Look at the rows, too: for the owner's eyes only.")] = False,
    workload: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Judge these statements, and not the usual ones.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the configuration against the engine's schema. All faults are told at once, and how sure the answers will
    be; no private row is read.

    --data looks at the rows: it verifies keys and records that, tells where rows are not as the policy says, and
    answers each statement once to see how sure it is.
    """
    policy = loaded(config)
    if data:
        check_data(policy, as_json, workload)
        return
    fitted, missing = asyncio.run(_fitted(policy))
    worth = asyncio.run(judged(policy, workload, data=False))
    if as_json:
        typer.echo(json.dumps({**_plain(policy, fitted, missing), "answers": plain_worth(worth)}, indent=2))
    else:
        _show(config, policy, fitted, missing, worth)


def _show(
    config: Path,
    policy: Config,
    fitted: Fitted,
    missing: Sequence[MissingIndex],
    worth: Sequence[JudgedStatement],
) -> None:
    for warning in fitted.warnings:
        say(f"warning: {warning}")
    show = answers()
    show.print(table("Tables", ("table", "whose rows", "found by", "rows per unit"), _tables(fitted.catalog), 3))
    if fitted.keys:
        show.print(table("Keys", ("key", "kept unique by"), _keys(fitted), 2))
    show.print(table("Budgets", ("whose", "epsilon", "delta", "most per statement", "in a year"), _budgets(policy)))
    for name, columns in fitted.unlisted.items():
        show.print(f"Not listed in {name}, and so hidden from analysts: {', '.join(columns)}.", soft_wrap=True)
    for name in fitted.wanted:
        show.print(_indexed(name, fitted), soft_wrap=True)
    for each in missing:
        show.print(f"Rows would find their unit sooner by an index of {each.table}: {each.statement}.", soft_wrap=True)
    for part in shown_worth(policy, worth):
        show.print(part, soft_wrap=isinstance(part, str))
    show.print(f"{config} is good.")


async def _fitted(config: Config) -> tuple[Fitted, Sequence[MissingIndex]]:
    tls_context(config)
    async with opened_engine(config) as engine:
        found = await fitted(config, engine)
        warnings = (
            *found.warnings,
            *doubts(config),
            *await check_separate_databases(config),
            *await _beside_ledger(config, found.catalog),
        )
        return replace(found, warnings=warnings), await missing_of(found.catalog, engine)


async def _beside_ledger(config: Config, catalog: Catalog) -> Sequence[str]:
    """What is not in force yet; nothing where there is no ledger, or none that can be read. Raises ConfigFault where a
    public table that lists no columns got others since it was first served."""
    if not kept(config):
        return ()
    try:
        async with opened_ledger(config) as ledger:
            waiting = (await ledger.proposal(policy_terms(config))).decided.waiting
            approved = await ledger.approved_columns().kept(seen(config, catalog))
    except (FrontUnavailable, LedgerUnavailable) as fault:
        return (f"the ledger cannot be read, so changes of budgets and of public tables are not shown: {fault}",)
    refuse(config.path, tuple(later_columns(config, catalog, approved)))
    return tuple(warnings(config, waiting))


def _tables(catalog: Catalog) -> Sequence[Sequence[str]]:
    return [
        (name, each.unit or "public", _way(each), "" if each.public else str(each.max_rows_per_unit or "-"))
        for name, each in catalog.tables.items()
    ]


def _keys(fitted: Fitted) -> Sequence[Sequence[str]]:
    return [(f"({', '.join(columns)}) of {name}", keeper) for (name, columns), keeper in fitted.keys.items()]


def _indexed(name: str, fitted: Fitted) -> str:
    there = name in fitted.catalog.indexes
    return f"Unit index of {name}: {'there' if there else 'none: dpproxy check --data makes it'}."


def _way(each: Table) -> str:
    """How a row's unit is found: by a key of its own, or along a link."""
    links = ", ".join(f"{link.column} -> {link.table}.{link.target}" for link in each.all_links)
    return links or each.unit_key or ""


def _budgets(config: Config) -> Sequence[Sequence[str]]:
    """Accounts, and what they come to. Grants and resets by hand come on top of it."""
    analysts = [
        (
            name,
            *_amounts(each),
            shown(most_per_statement(config.terms(name))),
            year(config.terms(name), Reset(each.reset)),
        )
        for name, each in config.analysts.items()
    ]
    cap = config.budgets.everyone
    if cap is None:
        return analysts
    return [*analysts, ("everyone together", *_amounts(cap), "", year(config.group_terms("everyone"), Reset.NEVER))]


def _plain(config: Config, fitted: Fitted, missing: Sequence[MissingIndex]) -> Mapping[str, object]:
    """What the tables show, and what is doubtful. Numbers keep their digits, as texts."""
    cap = config.budgets.everyone
    together = None if cap is None else _plain_cap(cap, year(config.group_terms("everyone"), Reset.NEVER))
    return {
        "warnings": list(fitted.warnings),
        "tables": [
            {"table": name, "unit": each.unit, "found_by": _way(each) or None, **_limits(each)}
            for name, each in fitted.catalog.tables.items()
        ],
        "keys": [
            {"table": name, "columns": list(columns), "kept_by": keeper}
            for (name, columns), keeper in fitted.keys.items()
        ],
        "unit_indexes": {name: name in fitted.catalog.indexes for name in fitted.wanted},
        "missing_indexes": [{"table": each.table, "statement": each.statement} for each in missing],
        "not_listed": {name: list(columns) for name, columns in fitted.unlisted.items()},
        "budgets": [
            {
                "analyst": name,
                **_plain_cap(each, year(config.terms(name), Reset(each.reset))),
                "max_epsilon": _digits(each.max_epsilon),
                "reset": each.reset,
            }
            for name, each in config.analysts.items()
        ],
        "everyone": together,
    }


def _limits(each: Table) -> Mapping[str, int | None]:
    return {"max_rows_per_unit": None if each.public else each.max_rows_per_unit}


def _plain_cap(cap: BudgetCap, in_a_year: str) -> Mapping[str, str]:
    return {"epsilon": _digits(cap.epsilon), "delta": _digits(cap.delta), "in_a_year": in_a_year}


def _digits(value: Decimal | float) -> str:
    return f"{Decimal(str(value)):f}"


def _amounts(cap: BudgetCap) -> tuple[str, str]:
    return shown(cap.epsilon), shown(cap.delta)
