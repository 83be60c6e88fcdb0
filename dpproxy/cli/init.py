"""`dpproxy init`: a first policy for a database that is there, from its schema alone."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from dpproxy.cli.check_data import check_data
from dpproxy.cli.commands import say
from dpproxy.cli.console import waiting
from dpproxy.cli.policy_file import loaded
from dpproxy.draft import drafted
from dpproxy.engines.described import Database
from dpproxy.engines.providers import WrongUrl, forms, located
from dpproxy.errors import ConfigFault


def init(
    url: Annotated[str, typer.Argument(metavar="URL", help=f"{forms()}.")],
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to a new file; left out: to stdout.")
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE[.COLUMN]", help="Whose privacy it is, each by one; left out: the likeliest."),
    ] = None,
    data: Annotated[
        bool, typer.Option("--data", help="Then look at the rows, for your eyes only, and see whether keys are unique.")
    ] = False,
) -> None:
    """Draft a policy from a database's schema. Everything is private, and what a schema cannot tell is marked."""
    _not_there(output)
    if data and output is None:
        raise ConfigFault("--data looks at what a policy says of the rows", hint="Write it to a file: --output FILE.")
    database = _described(url, output.parent if output else Path())
    draft = drafted(database, tuple(unit or ()), shlex.quote(str(output or "policy.toml")))
    if output is None:
        typer.echo(draft.text, nl=False)
    else:
        _write(output, draft.text)
    for line in draft.summary:
        say(line)
    if data and output is not None:
        check_data(loaded(output), as_json=False)


def _described(url: str, beside: Path) -> Database:
    try:
        location = located(url, Path())
    except WrongUrl as fault:
        raise ConfigFault(f"this URL {fault.wrong}", hint=f"Write {forms()}.") from None
    with waiting("reading the catalog"):
        return location.describe(beside, say)


def _not_there(output: Path | None) -> None:
    """Told before the database is asked. Raises ConfigFault."""
    if output is not None and (output.exists() or output.is_symlink()):
        raise ConfigFault(f"{output} is there already", hint="Nothing was written. Name another file, or remove it.")


def _write(output: Path, text: str) -> None:
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        _not_there(output)
        raise
