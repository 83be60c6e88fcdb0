"""`dpproxy analyst`: who may ask. Edits the configuration's text, keeping comments and order.

Checked by: tests/test_cli.py, tests/test_config.py.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from dpproxy.accounting.account import most_per_statement
from dpproxy.cli.analyst_file import added, removed, rewritten
from dpproxy.cli.commands import say
from dpproxy.cli.connections import kept, known, opened_ledger
from dpproxy.cli.console import AsJson, answers, shown, table
from dpproxy.cli.policy_file import ConfigFile, loaded
from dpproxy.cli.verifier import verifier
from dpproxy.config import Config
from dpproxy.config.sections import AnalystSection

analysts = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Who may ask.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The analyst.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from the first line of stdin.")]

_NEXT_START = "It takes effect when the proxy is started, or reads the policy again (SIGHUP)."


@analysts.command("list")
def list_(config: ConfigFile, as_json: AsJson = False) -> None:
    """List the analysts of a configuration."""
    policy = loaded(config)
    if as_json:
        typer.echo(json.dumps([_plain(name, each) for name, each in policy.analysts.items()], indent=2))
        return
    rows = [
        (
            name,
            "trust" if each.trust else "password",
            shown(each.epsilon),
            shown(each.delta),
            ", ".join(sorted(each.tables)) if each.tables is not None else "all",
        )
        for name, each in policy.analysts.items()
    ]
    answers().print(table("Analysts", ("analyst", "logs in by", "epsilon", "delta", "tables"), rows, 5))


def _plain(name: str, each: AnalystSection) -> Mapping[str, object]:
    """What the table shows. Numbers keep their digits, as texts; no tables: all."""
    return {
        "analyst": name,
        "login": "trust" if each.trust else "password",
        "epsilon": f"{each.epsilon:f}",
        "delta": f"{each.delta:f}",
        "tables": None if each.tables is None else sorted(each.tables),
    }


@analysts.command()
def add(
    config: ConfigFile,
    name: Name,
    epsilon: Annotated[str, typer.Option(help="The whole budget's epsilon.")],
    delta: Annotated[str, typer.Option(help="The whole budget's delta.")] = "0",
    tables: Annotated[str | None, typer.Option(help="Tables with commas between; left out: all.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help="No password: for demos only.")] = False,
    password_stdin: FromStdin = False,
) -> None:
    """Add an analyst to a configuration."""
    login: dict[str, object] = {"trust": True} if trust else {"password": verifier(_password(password_stdin))}
    values = login | {"epsilon": _number("epsilon", epsilon), "delta": _number("delta", delta)}
    if tables is not None:
        values["tables"] = [each.strip() for each in tables.split(",")]
    rewritten(config, lambda document: added(document, name, values))
    say(f'"{name}" was added. {_NEXT_START}')
    most = most_per_statement(loaded(config).terms(name))
    say(f"One statement may cost epsilon {shown(most)} at most; [analysts.{name}.defaults] max_epsilon can allow less.")


@analysts.command()
def remove(config: ConfigFile, name: Name) -> None:
    """Take an analyst out of a configuration. What they spent stays on record."""
    known(loaded(config), name)
    rewritten(config, lambda document: removed(document, name))
    say(f'"{name}" was removed; what they spent stays on record. {_NEXT_START}')


@analysts.command()
def password(password_stdin: FromStdin = False) -> None:
    """Print a password's verifier, for `password = "…"` in a configuration."""
    typer.echo(verifier(_password(password_stdin)))


@analysts.command()
def clear(
    config: ConfigFile,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The analyst.")] = None,
    everybody: Annotated[bool, typer.Option("--all", help="All who are stopped.")] = False,
) -> None:
    """Let analysts go on whose statements answer DP005 since the engine failed on one."""
    policy = loaded(config)
    if (name is None) != everybody:
        raise typer.BadParameter("name an analyst, or --all")
    cleared, still = asyncio.run(_clear(policy, name)) if kept(policy) else ((), {})
    for each in cleared:
        say(f'"{each}" may go on.')
    if not cleared and not still:
        say("Nobody was stopped." if name is None else f'"{name}" was not stopped.')
    most = policy.privacy.max_failures
    for each, times in still.items():
        say(
            f'"{each}" was stopped {times} times, and privacy.max_failures is {most}: each time can tell which of their'
        )
        say("statements failed. Raise it if you take that, or name another analyst with a budget of their own.")
    if still:
        raise typer.Exit(1)


async def _clear(config: Config, name: str | None) -> tuple[Sequence[str], Mapping[str, int]]:
    """Who was stopped, and is not any more; and who stays so, with how often they were. None is everybody. The
    configuration may have them no more."""
    most = config.privacy.max_failures
    async with opened_ledger(config) as ledger:
        if name is None:
            return await ledger.clear_all(most), await ledger.alarms()
        cleared = (name,) if await ledger.clear(name, most) else ()
        return cleared, {each: times for each, times in (await ledger.alarms()).items() if each == name}


def _password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise typer.BadParameter("there is no terminal to ask for a password", param_hint="--password-stdin")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))


def _number(option: str, text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise typer.BadParameter(f"{text!r} is not a number", param_hint=f"--{option}")
    return number
