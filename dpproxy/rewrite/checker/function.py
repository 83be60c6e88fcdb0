"""A row of the checker's table of functions: all that it knows of one function or operator of bounded SQL.

The rewriter has a table of its own (`rewrite.expressions.table`), of what analysts write. Neither imports the other:
what only one of them knows is refused, and tests/test_functions.py names it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.held import Held
from dpproxy.rewrite.checker.prover import Prover

OPERANDS: Final = "operands"
"""In place of a family: it is told by those of the operands (`families`)."""


@dataclass(frozen=True, slots=True)
class ProvedFunction:
    """A function or an operator, as a class of nodes.

    name: what the engines call it; empty for what is no call, or has another name in each. arguments: all that a node
    may carry, first those that are written, in their order. total: why it raises for no row, and what its value is;
    raises CheckFault where that is not proved. family: of its type, always; None where it is not known by the class.
    weight: what it costs for one row (`rewrite.work.weights`).
    """

    kind: type[exp.Expr]
    name: str
    arguments: str
    total: Callable[[exp.Expr, Prover], Held]
    family: Family | str | None
    weight: int

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the arguments that a node may carry."""
        return tuple(self.arguments.split())
