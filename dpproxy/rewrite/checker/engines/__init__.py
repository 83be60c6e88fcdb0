"""What an engine does with values, as the checker has to know it: facts, not names.

facts                    the questions that the checker asks of an engine
duckdb, postgres, spark  an engine each: its answers; a module is found by the engine's name

It is the twin of `dpproxy.engines`, written apart: neither imports the other, and a plan counts only where both agree.

Checked by: tests/test_checker_engines.py.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from dpproxy.rewrite.checker.engines.facts import Facts
from dpproxy.rewrite.checker.fault import CheckFault

__all__ = ["Facts", "facts_of", "records", "register"]


def records() -> frozenset[str]:
    """The names of the engines that have a record here."""
    return frozenset(each.name for each in iter_modules(__path__)) - {"facts"}


def facts_of(name: str) -> Facts:
    """The facts of the engine of that name. Raises CheckFault for one without a record: nothing is proved of it."""
    found = _FACTS.get(name)
    if found is None and name in records():
        found = _FACTS[name] = import_module(f"{__name__}.{name}").FACTS
    if found is None:
        raise CheckFault(f"nothing is known of the engine {name}")
    return found


def register(facts: Facts) -> None:
    """Make the facts of an engine known that has no record here. Raises ValueError for one that has."""
    if facts.name in records():
        raise ValueError(f"the engine {facts.name} has a record")
    _FACTS[facts.name] = facts


_FACTS: dict[str, Facts] = {}
