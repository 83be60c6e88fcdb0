"""`dpproxy statements`: what analysts asked, what it cost, and what became of it.

Checked by: tests/test_cli_statements.py.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated

import typer

from dpproxy.cli.connections import kept, known, opened_ledger
from dpproxy.cli.console import AsJson, answers, progress, shown, table
from dpproxy.cli.policy_file import ConfigFile, loaded
from dpproxy.config import Config
from dpproxy.ledger.records import Charge
from dpproxy.session.dp_tables import shown as digits

_HEADERS = ("analyst", "id", "at", "epsilon", "delta", "outcome", "statement")
_LONGEST = 80  # characters of a statement in the table
_MOST = 1000
_MOMENTS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S")


def _moment(text: str) -> datetime:
    """A day, or a moment of one, in UTC."""
    for form in _MOMENTS:
        with suppress(ValueError):
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
    raise typer.BadParameter(
        f"{text!r} is no day: write a day, as 2026-11-26, or a moment, as 2026-11-26T09:30, in UTC"
    )


def statements(
    config: ConfigFile,
    analyst: Annotated[str | None, typer.Argument(help="Only this analyst's.")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(help="From this day or moment on, in UTC.", metavar="DAY", parser=_moment),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was asked and paid for. Of each analyst the latest 1,000 statements are listed, newest first."""
    policy = loaded(config)
    names = list(policy.analysts) if analyst is None else [known(policy, analyst)]
    found = asyncio.run(_charges(policy, names, since))
    if as_json:
        typer.echo(json.dumps([_plain(name, each) for name, each in found], indent=2))
    else:
        answers().print(table("Statements", _HEADERS, [_row(name, each) for name, each in found], 7))


async def _charges(config: Config, names: Sequence[str], since: datetime | None) -> Sequence[tuple[str, Charge]]:
    """Newest first. Nothing where there is no ledger yet."""
    if not kept(config):
        return ()
    async with opened_ledger(config) as ledger:
        with progress() as bar:
            listed = bar.track(names, description="statements")
            found = [(name, each) for name in listed for each in await ledger.statements(name, _MOST)]
    wanted = [pair for pair in found if since is None or pair[1].at >= since]
    return sorted(wanted, key=lambda pair: pair[1].id, reverse=True)


def _row(name: str, charge: Charge) -> Sequence[str]:
    text = " ".join(charge.statement.split())
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    at = f"{charge.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return name, str(charge.number), at, shown(charge.epsilon), shown(charge.cost.delta), charge.outcome.value, short


def _plain(name: str, charge: Charge) -> Mapping[str, str | int]:
    """What `dp.statements` tells, under its names. Numbers keep their digits, as texts."""
    return {
        "analyst": name,
        "id": charge.number,
        "at": charge.at.astimezone(UTC).isoformat(),
        "statement": charge.statement,
        "epsilon": _text(charge.epsilon),
        "delta": _text(charge.cost.delta),
        "outcome": charge.outcome.value,
        "period": charge.period,
    }


def _text(value: Decimal) -> str:
    return f"{digits(value):f}"
