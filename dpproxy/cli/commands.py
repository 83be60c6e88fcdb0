"""Commands whose failures are told in short, each imported when it is called: `--help` needs none of them, and `serve`
not what others need."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from dpproxy.errors import DPProxyError

Imported = Callable[..., None] | typer.Typer


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


class ImportedWhenCalled(TyperCommand):
    """A name and a help text; its callback imports the command, or the group of commands, that does the work."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Of the command itself, which is what then runs."""
        assert self.callback is not None
        command = _command(self.callback())
        command.name = self.name
        _settle()
        return command.make_context(*args, **options)


def _command(imported: Imported) -> Any:
    if isinstance(imported, typer.Typer):
        return get_group(imported)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command()(imported)
    return get_command(alone)


def _settle() -> None:
    """What was imported comes to stay: where the collector of garbage rested meanwhile, it begins without it."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def say(text: str) -> None:
    """A line on stderr, as it is."""
    typer.echo(text, err=True)


def told(fault: DPProxyError) -> str:
    """An error as text: the message, its detail indented, and its hint."""
    detail = [f"  {line}" for line in (fault.detail or "").splitlines()]
    hint = [f"hint: {fault.hint}"] if fault.hint else []
    return "\n".join([fault.message, *detail, *hint])
