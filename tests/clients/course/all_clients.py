"""All clients. A module is one client, or one family of them; its CLIENTS are what it has."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from ..client import Client, missing

CLIENTS: tuple[Client, ...] = tuple(
    client
    for module in sorted(each.name for each in pkgutil.iter_modules(__path__))
    for client in missing(module, lambda module=module: import_module(f"{__name__}.{module}").CLIENTS)
)
