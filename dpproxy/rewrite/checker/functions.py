"""The checker's table of functions: every function and operator that bounded SQL may be made of, one row each.

The allow-list (`nodes`), the families of types, totality and the weights of `rewrite.work` are read from it.

Checked by: tests/test_functions.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from dpproxy.rewrite.checker import (
    total_casts,
    total_functions,
    total_logic,
    total_numbers,
    total_texts,
    total_times,
)
from dpproxy.rewrite.checker.function import ProvedFunction

_SUBJECTS = (total_logic, total_numbers, total_functions, total_texts, total_times, total_casts)
FUNCTIONS: Mapping[type[exp.Expr], ProvedFunction] = MappingProxyType(
    {each.kind: each for subject in _SUBJECTS for each in subject.FUNCTIONS}
)
