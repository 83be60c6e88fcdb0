"""`dpproxy check`: does the configuration hold together, and does it fit the engine?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from dpproxy.catalog.model import Catalog, Table
from dpproxy.cli.console import ConfigFile, answers, loaded, say, shown, table
from dpproxy.cli.opened import opened_engine
from dpproxy.config import Config
from dpproxy.config.model import Cap
from dpproxy.fit import Fitted, fit
from dpproxy.server.proxy import tls_context


def check(config: ConfigFile) -> None:
    """Check the configuration against the engine's real schema; tell all faults at once."""
    policy = loaded(config)
    fitted = asyncio.run(_fitted(policy))
    for warning in fitted.warnings:
        say(f"warning: {warning}")
    show = answers()
    show.print(table("Tables", ("table", "whose rows", "found by", "rows per unit"), _tables(fitted.catalog), 3))
    show.print(table("Budgets", ("whose", "epsilon", "delta", "most per statement", "in a year"), _budgets(policy)))
    show.print(f"{config} is good.")


async def _fitted(config: Config) -> Fitted:
    tls_context(config)
    async with opened_engine(config) as engine:
        return await fit(config, engine)


def _tables(catalog: Catalog) -> Sequence[Sequence[str]]:
    return [
        (name, each.unit or "public", _way(each), "" if each.public else str(each.max_rows_per_unit))
        for name, each in catalog.tables.items()
    ]


def _way(each: Table) -> str:
    """How a row's unit is found: by a key of its own, or along a link."""
    links = ", ".join(f"{link.column} -> {link.table}.{link.target}" for link in each.links)
    return links or each.unit_key or ""


def _budgets(config: Config) -> Sequence[Sequence[str]]:
    """A budget that never resets is also all that is spent in a year."""
    analysts = [
        (name, *_amounts(each), shown(each.max_epsilon), f"epsilon {shown(each.epsilon)} (never resets)")
        for name, each in config.analysts.items()
    ]
    cap = config.budgets.everyone
    shared = [("everyone together", *_amounts(cap), "", f"epsilon {shown(cap.epsilon)} (never resets)")] if cap else []
    return [*analysts, *shared]


def _amounts(cap: Cap) -> tuple[str, str]:
    return shown(cap.epsilon), shown(cap.delta)
