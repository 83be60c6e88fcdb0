"""An engine in tests alone: SQLite, with integers, texts and three functions. No file of the package knows of it.

dialect    how trees become its texts
facts      what the checker has to know of it, given apart
driver     the engine; provider: its URLs
"""

from __future__ import annotations

from dpproxy.engines.providers import register
from dpproxy.rewrite.checker import engines as checker
from toy.dialect import DIALECT
from toy.facts import FACTS
from toy.provider import PROVIDER

__all__ = ["registered", "registered_facts"]


def registered() -> None:
    """Make the engine known to the proxy, but for the checker."""
    register(PROVIDER, DIALECT)


def registered_facts() -> None:
    """Make it known to the checker."""
    checker.register(FACTS)
