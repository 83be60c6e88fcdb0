"""What every pass may look at."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.model import Catalog
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.expressions import condition, total
from dpproxy.rewrite.expressions.fact import Scope, Typed
from dpproxy.rewrite.parse import with_constants
from dpproxy.rewrite.question import Parameter


@dataclass(frozen=True, slots=True)
class World:
    """The policy, the session's settings, the values of parameters, and the engine's dialect."""

    catalog: Catalog
    settings: Settings
    parameters: tuple[Parameter, ...]
    dialect: str

    def total(self, expression: exp.Expr, scope: Scope) -> Typed:
        """`expressions.total` with constants for parameters."""
        return total(with_constants(expression, self.parameters), scope)

    def condition(self, expression: exp.Expr, scope: Scope) -> Typed:
        """`expressions.condition` with constants for parameters."""
        return condition(with_constants(expression, self.parameters), scope)

    def text(self, typed: Typed) -> str:
        """The total form as text for the engine."""
        return typed.sql.sql(dialect=self.dialect)
