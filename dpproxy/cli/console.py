"""How things are told: answers on stdout, all else on stderr, failures as short texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, ProgressColumn
from rich.table import Table
from rich.text import Text

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


def caret(sql: str, position: int) -> str:
    """The line of `sql` that holds the 1-based `position`, and a mark below it."""
    before = sql[: position - 1]
    start = before.rfind("\n") + 1
    line = sql[start:].splitlines()[0] if sql[start:] else ""
    return f"{line}\n{' ' * (len(before) - start)}^"


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
