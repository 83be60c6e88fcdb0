"""All commands together."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from dpproxy.cli.analyst import analysts
from dpproxy.cli.audit import audit
from dpproxy.cli.budget import budgets
from dpproxy.cli.check import check
from dpproxy.cli.console import Commands
from dpproxy.cli.demo import demo
from dpproxy.cli.explain import explain
from dpproxy.cli.init import init
from dpproxy.cli.ledger import ledgers
from dpproxy.cli.serve import serve
from dpproxy.cli.statements import statements

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A differentially private database proxy: clients speak Postgres to it, and every answer is paid for.",
)
app.command()(demo)
app.command()(serve)
app.command()(check)
app.command()(init)
app.command()(explain)
app.command()(audit)
app.command()(statements)
app.add_typer(budgets, name="budget")
app.add_typer(analysts, name="analyst")
app.add_typer(ledgers, name="ledger")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"dpproxy {version('dpproxy')}")
        raise typer.Exit


@app.callback()
def _common(
    _: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """What holds for every command."""
