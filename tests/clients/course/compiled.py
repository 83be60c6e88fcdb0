"""Clients in languages whose programs are compiled first: once for all parts of the course."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .client import Address, Part, Run, program

Command = Callable[[Path], list[str]]


def compiled(
    compiler: Command, environment: Mapping[str, str] | None = None
) -> Callable[[Command], Callable[[Part], Run]]:
    """As `program`, of what the compiler's command line makes in a directory of its own at the first use."""

    @cache
    def made() -> TemporaryDirectory[str]:
        directory = TemporaryDirectory()
        line = compiler(Path(directory.name))
        done = subprocess.run(line, capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == 0, done.stderr
        return directory

    def of(command: Command) -> Callable[[Part], Run]:
        return lambda part: lambda address: _run(command(Path(made().name)), part, address)

    return of


def _run(command: list[str], part: Part, address: Address) -> Any:
    return program(command)(part)(address)
