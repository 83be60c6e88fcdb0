"""How things are told: answers on stdout, all else on stderr, failures as short texts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, ProgressColumn
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from dpproxy.config import Config, load
from dpproxy.errors import DPProxyError

ConfigFile = Annotated[Path, typer.Option("--config", metavar="FILE", help="The configuration, a TOML file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_WIDE = 200  # where no terminal sets a width, no line is folded


def answers() -> Console:
    """stdout."""
    return _console(stderr=False)


def messages() -> Console:
    """stderr."""
    return _console(stderr=True)


def _console(stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    return console if console.is_terminal else Console(file=console.file, width=_WIDE, highlight=False, markup=False)


def progress(*columns: ProgressColumn) -> Progress:
    """A bar on a terminal, and nothing where stderr is none; gone when it is done."""
    console = messages()
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Says on a terminal what is waited for, as long as it is; nothing where stderr is none."""
    console = messages()
    if not console.is_terminal:
        yield
        return
    with console.status(f"{text} …"):
        yield


def say(text: str) -> None:
    """A line on stderr, as it is."""
    typer.echo(text, err=True)


class Commands(TyperGroup):
    """Commands whose failures are told in short and end with status 1."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a mark in its place
        try:
            return super().invoke(ctx)
        except DPProxyError as fault:
            say(f"dpproxy: {told(fault)}")
        except OSError as fault:
            say(f"dpproxy: {fault}")
        raise typer.Exit(1)


def told(fault: DPProxyError) -> str:
    """An error as text: the message, its detail indented, and its hint."""
    detail = [f"  {line}" for line in (fault.detail or "").splitlines()]
    hint = [f"hint: {fault.hint}"] if fault.hint else []
    return "\n".join([fault.message, *detail, *hint])


def caret(sql: str, position: int) -> str:
    """The line of `sql` that holds the 1-based `position`, and a mark below it."""
    before = sql[: position - 1]
    start = before.rfind("\n") + 1
    line = sql[start:].splitlines()[0] if sql[start:] else ""
    return f"{line}\n{' ' * (len(before) - start)}^"


def loaded(path: Path) -> Config:
    """The configuration in a file. Raises ConfigFault."""
    return load(path, os.environ)


def table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int = 1) -> Table:
    """A table of plain texts; columns from `numbers_from` on are right-aligned."""
    made = Table(title=Text(title, style="bold"), title_justify="left")
    for index, header in enumerate(headers):
        made.add_column(Text(header), justify="right" if index >= numbers_from else "left")
    for row in rows:
        made.add_row(*map(Text, row))
    return made


def shown(value: Decimal | float) -> str:
    """Six digits at most, no exponent for ordinary sizes."""
    return f"{float(value):.6g}"
