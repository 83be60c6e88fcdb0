"""What was computed once, kept by its arguments. Unlike `functools.lru_cache`, it keeps their types for who calls.

Checked by: tests/test_mechanism_kinds.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def remembered(most: int) -> Callable[[Callable[_Given, _Made]], Callable[_Given, _Made]]:
    """A pure function that keeps its last `most` results. The type checker still sees what it may be called with: of
    a union with a new member, each function that does not take it."""

    def wrapped(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
        return cast("Callable[_Given, _Made]", lru_cache(maxsize=most)(function))

    return wrapped
