"""All commands together: what `--help` says of each, and where it is imported from when it is called.

Checked by: tests/test_cli.py.
"""

from __future__ import annotations

from typing import Annotated

import typer

from dpproxy.cli.commands import Commands, Imported, ImportedWhenCalled

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,  # what draws boxes around help takes a third of the time until it is there
    pretty_exceptions_enable=False,
    help="A differentially private database proxy: clients speak Postgres to it, and every answer is paid for.",
)


@app.command("demo", cls=ImportedWhenCalled)
def _demo() -> Imported:
    """Show private answers on made-up data, then serve that to you."""
    from dpproxy.cli.demo import demo

    return demo


@app.command("serve", cls=ImportedWhenCalled)
def _serve() -> Imported:
    """Serve a configuration until SIGINT or SIGTERM."""
    from dpproxy.cli.serve import serve

    return serve


@app.command("check", cls=ImportedWhenCalled)
def _check() -> Imported:
    """Check the configuration against the engine's schema. All faults are told at once, and how sure the answers will
    be; no private row is read.
    """
    from dpproxy.cli.check import check

    return check


@app.command("init", cls=ImportedWhenCalled)
def _init() -> Imported:
    """Draft a policy from a database's schema. Everything is private, and what a schema cannot tell is marked."""
    from dpproxy.cli.init import init

    return init


@app.command("explain", cls=ImportedWhenCalled)
def _explain() -> Imported:
    """Show a statement's cost, noise and bounded SQL; free."""
    from dpproxy.cli.explain import explain

    return explain


@app.command("audit", cls=ImportedWhenCalled)
def _audit() -> Imported:
    """Measure what answers tell of one unit. Statements are asked thousands of times on neighbouring databases made
    from the policy alone: what epsilon the answers show, by their rows, how they end, and when, stands beside what
    was charged. Your data, ledger and budgets are not touched.
    """
    from dpproxy.cli.audit import audit

    return audit


@app.command("statements", cls=ImportedWhenCalled)
def _statements() -> Imported:
    """Show what was asked and paid for. Of each analyst the latest 1,000 statements are listed, newest first."""
    from dpproxy.cli.statements import statements

    return statements


@app.command("budget", cls=ImportedWhenCalled)
def _budget() -> Imported:
    """What analysts have, what they spent, and more of it."""
    from dpproxy.cli.budget import budgets

    return budgets


@app.command("analyst", cls=ImportedWhenCalled)
def _analyst() -> Imported:
    """Who may ask."""
    from dpproxy.cli.analyst import analysts

    return analysts


@app.command("ledger", cls=ImportedWhenCalled)
def _ledger() -> Imported:
    """Whether the ledger is whole, and what units have lost."""
    from dpproxy.cli.ledger import ledgers

    return ledgers


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"dpproxy {version('dpproxy')}")
        raise typer.Exit


@app.callback()
def _common(
    _: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """What holds for every command."""
