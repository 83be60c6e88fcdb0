"""All clients, each with its library: what is about one driver imports that alone."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from . import drivers
from .client import Client, missing

CLIENTS: tuple[Client, ...] = tuple(
    client
    for module in sorted(each.name for each in pkgutil.iter_modules(drivers.__path__))
    for client in missing(module, lambda module=module: import_module(f"{drivers.__name__}.{module}").CLIENTS)
)
