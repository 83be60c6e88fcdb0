"""The policy that a command is given."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from dpproxy.config import Config, load

ConfigFile = Annotated[Path, typer.Option("--config", metavar="FILE", help="The configuration, a TOML file.")]


def loaded(path: Path) -> Config:
    """The configuration in a file. Raises ConfigFault."""
    return load(path, os.environ)
