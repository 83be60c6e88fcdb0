"""`dpproxy audit`: what the answers of a statement tell, measured through the whole proxy on made-up neighbours.

Checked by: tests/audit/test_command.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from dpproxy.audit.asking import PreparedSeries, Statements
from dpproxy.audit.audit_proxy import AuditSettings, settings
from dpproxy.audit.neighbour_databases import neighbours
from dpproxy.audit.neighbouring_data import TARGETS
from dpproxy.audit.statements import suggested
from dpproxy.audit.trial import Finding, Guarantee, Runs, trial
from dpproxy.cli.audit_plot import findings_table, plotted
from dpproxy.cli.commands import say
from dpproxy.cli.connections import known
from dpproxy.cli.console import answers, progress
from dpproxy.cli.policy_file import ConfigFile, loaded
from dpproxy.cli.signals import run
from dpproxy.config import Config
from dpproxy.engines.providers import providers
from dpproxy.errors import ConfigFault
from dpproxy.rewrite.settings import NAMES as SETTINGS
from dpproxy.session.postgres_parser import parse

_PLOT_WIDTH = 110
_ENGINES = " or ".join(each.name for each in providers())


def audit(
    config: ConfigFile,
    sql: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SQL]...", help='Statements; "A; B" are asked in turn and audited as one.'),
    ] = None,
    analyst: Annotated[str | None, typer.Option("--as", metavar="ANALYST", help="As whom; the first, if left out.")] = (
        None
    ),
    epsilon: Annotated[str | None, typer.Option(help="What a statement costs; else the analyst's default.")] = None,
    delta: Annotated[str | None, typer.Option(help="What its private keys cost; else the analyst's default.")] = None,
    others: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another dp setting, as in mechanism=sample_aggregate."),
    ] = None,
    runs: Annotated[int, typer.Option(min=20, help="Answers of each neighbour.")] = 1500,
    confidence: Annotated[float, typer.Option(min=0.5, max=1 - 1e-12, help="Of the lower bounds.")] = 0.9999,
    engine: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"{_ENGINES}; else the kind of the policy's own engine.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Save what is shown as a picture.")] = None,
) -> None:
    """Measure what answers tell of one unit. Statements are asked thousands of times on neighbouring databases made
    from the policy alone: what epsilon the answers show, by their rows, how they end, and when, stands beside what
    was charged. Your data, ledger and budgets are not touched.

    Ends with status 1 where a statement tells more than was charged for.
    """
    policy = loaded(config)
    name = _engine(engine) or policy.engine.url.provider.name
    asked = replace(_settings(policy, analyst, _number(epsilon), _number(delta)), others=_others(others or ()))
    given = [tuple(each.sql for each in parse(text)) for text in sql or ()]
    statements = [each for each in given if each] or suggested(policy, asked.analyst)
    for each in (each for each, table in policy.tables.items() if table.public and not table.columns):
        say(
            f"tables.{each} lists no columns, and the audit reads none from your engine: it knows its primary key alone"
        )
    chosen, guarantee = Runs.of(runs, 1 - confidence), Guarantee.of(policy)
    found: list[Finding] = []
    run(_audited(policy, asked, name, statements, chosen, found.append))
    _show(found, asked, guarantee, confidence, plot)
    if any(each.broken(guarantee) for each in found) or all(each.refused for each in found):
        raise typer.Exit(1)


def _settings(config: Config, analyst: str | None, epsilon: Decimal | None, delta: Decimal | None) -> AuditSettings:
    if not config.analysts:
        raise ConfigFault(f"{config.path} has no analyst", hint="`dpproxy analyst add` makes one.")
    return settings(config, known(config, analyst or next(iter(config.analysts))), epsilon, delta)


def _others(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The names and values of settings."""
    pairs = [each.removeprefix("dp.").partition("=") for each in given]
    for name, sign, _ in pairs:
        if not sign or name not in SETTINGS or name in ("epsilon", "delta", "fresh"):
            raise typer.BadParameter(f"{name!r} is no setting that may be given with --set")
    return tuple((name, value) for name, _, value in pairs)


def _engine(name: str | None) -> str | None:
    if name is not None and name not in {each.name for each in providers()}:
        raise typer.BadParameter(f"{name!r} is not {_ENGINES}")
    return name


def _number(text: str | None) -> Decimal | None:
    """A number as it is written, exactly."""
    if text is None:
        return None
    try:
        return Decimal(text)
    except ArithmeticError:
        raise typer.BadParameter(f"{text!r} is not a number") from None


async def _audited(
    config: Config,
    asked: AuditSettings,
    engine: str,
    statements: Sequence[Statements],
    runs: Runs,
    found: Callable[[Finding], None],
) -> None:
    with _progress() as bar:
        starting = bar.add_task("starting the proxy", total=None)
        async with neighbours(config, asked, engine, statements) as stands:
            bar.remove_task(starting)
            total = (runs.learn + runs.choose) * (1 + len(TARGETS)) + 2 * runs.count
            for number, each in enumerate(statements, 1):
                task = bar.add_task(f"statement {number} of {len(statements)}", total=total)

                def told(answers: int, task: object = task) -> None:
                    bar.advance(task, answers)  # type: ignore[arg-type]

                found(await trial(stands, PreparedSeries(each), Guarantee.of(config), runs, told))
                bar.update(task, completed=total)


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return progress(*columns)


def _show(
    found: Sequence[Finding], asked: AuditSettings, guarantee: Guarantee, confidence: float, plot: Path | None
) -> None:
    table = findings_table(found, asked, guarantee, confidence)
    shown = [table, *(part for each in found for part in plotted(each))]
    for part in shown:
        answers().print(part)
    if plot is not None:
        picture = Console(record=True, width=_PLOT_WIDTH, file=StringIO(), force_terminal=True)
        for part in shown:
            picture.print(part)
        picture.save_svg(str(plot), title="dpproxy audit")
