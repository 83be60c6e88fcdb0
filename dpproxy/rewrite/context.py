"""What every pass may look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.zones import UTC
from dpproxy.engines.dialects import dialect_of
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import OwnTable
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.algebra.render import Queries
from dpproxy.rewrite.expressions import carried, condition, is_length, total
from dpproxy.rewrite.expressions.facts.fact import Scope, Typed
from dpproxy.rewrite.question import Parameter
from dpproxy.rewrite.reading.constants import ConstantRelation
from dpproxy.rewrite.reading.own_tables import Cell, refuse_unreadable
from dpproxy.rewrite.reading.parse import numbers_of, with_constants
from dpproxy.rewrite.reading.recursion import RecursiveQuery
from dpproxy.rows import Column


@dataclass(frozen=True, slots=True)
class PlanningContext:
    """The policy, the session's settings, the values of parameters, the engine's dialect, and the constants set apart.

    norm: by which units are scaled down that nobody said a limit of; norm_in_samples: those of a sample. accounting:
    that of the analyst's account. columns: of the answer, as the front says. recursions: queries that read themselves,
    which were set apart. zone: the session's. sizes: see `Question.sizes`. queries: what relations became for the
    engine, each once.
    read: the parameters whose values were put into a text for the engine, or looked at. tables: those of the analyst's
    own that are spoken of; unreadable: columns of these that no engine can hold, with their types. alone: queries over
    public rows that are values, of which the front is to say that each is one.
    """

    catalog: Catalog
    settings: Settings
    parameters: tuple[Parameter, ...]
    dialect: str
    norm: Norm = Norm.L2
    norm_in_samples: Norm = Norm.L2
    constants: tuple[ConstantRelation, ...] = ()
    read: set[int] = field(default_factory=set)
    tables: tuple[OwnTable, ...] = ()
    unreadable: Mapping[Cell, str] = field(default_factory=dict)
    accounting: Accounting = Accounting.ZCDP
    columns: tuple[Column, ...] = ()
    alone: list[exp.Expr] = field(default_factory=list)
    recursions: tuple[RecursiveQuery, ...] = ()
    zone: str = UTC
    sizes: Mapping[str, int] = field(default_factory=dict)
    queries: Queries = field(default_factory=dict, repr=False, compare=False)

    @property
    def caps_hold(self) -> bool:
        """Whether noise is made for the caps that are declared: the owner says so, or the session set one itself."""
        return self.catalog.caps_hold or self.settings.max_rows is not None or self.settings.max_groups is not None

    def constant(self, expression: exp.Expr) -> exp.Expression:
        """`expression` with constants for parameters."""
        refuse_unreadable(expression, self.unreadable)
        if type(expression) is exp.Column or expression.find(exp.Parameter) is None:
            assert isinstance(expression, exp.Expression)
            return expression
        self.read.update(numbers_of(expression))
        return with_constants(expression, self.parameters)

    def total(self, expression: exp.Expr, scope: Scope) -> Typed:
        """`expressions.total` with constants for parameters."""
        return total(self.constant(expression), scope)

    def carried(self, expression: exp.Expr, scope: Scope) -> Typed:
        """`expressions.carried` with constants for parameters."""
        return carried(self.constant(expression), scope)

    def is_length(self, expression: exp.Expr, scope: Scope) -> bool:
        """`expressions.is_length` with constants for parameters."""
        return is_length(self.constant(expression), scope)

    def condition(self, expression: exp.Expr, scope: Scope) -> Typed:
        """`expressions.condition` with constants for parameters."""
        return condition(self.constant(expression), scope)

    def formed(self, typed: Typed) -> exp.Expression:
        """The total form as this engine needs it."""
        return self.plain(dialect_of(self.dialect).typed(typed.sql, typed.fact.engine))

    def plain(self, tree: exp.Expression) -> exp.Expression:
        """A total form as this engine needs it, where its type is plain."""
        return dialect_of(self.dialect).total(tree)
