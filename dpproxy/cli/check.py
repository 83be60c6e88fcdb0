"""`dpproxy check`: does the configuration hold together, and does it fit the engine?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final, assert_never

from dpproxy.accounting.account import Terms
from dpproxy.accounting.periods import total
from dpproxy.catalog.model import Catalog, Table
from dpproxy.cli.console import ConfigFile, answers, loaded, say, shown, table
from dpproxy.cli.opened import opened_engine
from dpproxy.config import Config
from dpproxy.config.model import Cap
from dpproxy.fit import Fitted, fit
from dpproxy.ledger import Reset
from dpproxy.server.apart import check_apart
from dpproxy.server.proxy import tls_context

_UP: Final = Context(prec=6, rounding=ROUND_CEILING)
# Of which some part is in one calendar year: a leap year that begins on a Sunday has days of 54 weeks.
_MOST_IN_A_YEAR: Final = {Reset.DAILY: (366, "days"), Reset.WEEKLY: (54, "weeks"), Reset.MONTHLY: (12, "months")}


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
        fitted = await fit(config, engine)
        return replace(fitted, warnings=(*fitted.warnings, *await check_apart(config)))


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
    """Accounts, and what they come to. Grants and resets by hand come on top of it."""
    analysts = [
        (name, *_amounts(each), shown(each.max_epsilon), _year(config.terms(name), Reset(each.reset)))
        for name, each in config.analysts.items()
    ]
    cap = config.budgets.everyone
    if cap is None:
        return analysts
    return [*analysts, ("everyone together", *_amounts(cap), "", _year(config.group_terms("everyone"), Reset.NEVER))]


def _year(terms: Terms, reset: Reset) -> str:
    """What is lost in a year at most, all periods of it spent to their ends."""
    match reset:
        case Reset.NEVER:
            return f"epsilon {shown(terms.epsilon)} (never resets)"
        case Reset.DATA_VERSION:
            return f"epsilon {shown(terms.epsilon)} for each version of the data"
        case Reset.DAILY | Reset.WEEKLY | Reset.MONTHLY:
            number, name = _MOST_IN_A_YEAR[reset]
            all_ = total(terms, number)
            epsilon = "without bound" if all_.epsilon is None else _up(all_.epsilon)
            return f"epsilon {epsilon}, delta {_up(all_.delta)} ({number} {name})"
        case _:
            assert_never(reset)


def _up(value: Decimal) -> str:
    """Six digits, rounded up: it is not more than is said."""
    return shown(_UP.create_decimal(value))


def _amounts(cap: Cap) -> tuple[str, str]:
    return shown(cap.epsilon), shown(cap.delta)
