"""The walk of totality as rules are given it: it stands above them, since its table is made of them."""

from __future__ import annotations

from typing import Protocol

from sqlglot import exp

from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.facts import Told
from dpproxy.rewrite.checker.held import Held


class Prover(Protocol):
    """What a rule may ask of the parts of its node, and of the engine."""

    @property
    def engine(self) -> Facts:
        """Its facts."""

    def __call__(self, node: exp.Expr) -> Held:
        """What is proved of the value of a node. Raises CheckFault where it is not proved that it raises for no row."""

    def knowing(self, told: Told) -> Prover:
        """The same where more is true: of the parts that are computed there alone."""
