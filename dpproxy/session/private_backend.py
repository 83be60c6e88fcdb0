"""What the relay asks of the rest of the product, for one session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from dpproxy.answering.run import OwnRows
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.settings import Settings
from dpproxy.post_arrays import Array
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.reading.recursion import RecursiveQuery
from dpproxy.session.verdicts import Explains, GateNames


@dataclass(frozen=True, slots=True)
class PostParameters:
    """The arrays of a plan's post statement, and what the analyst is told; no notices where nothing was charged.

    stored: whether the same question is answered again for free.
    """

    arrays: tuple[Array, ...]
    notices: tuple[str, ...] = ()
    stored: bool = False


class PrivateBackend(Protocol):
    """What the relay asks about private statements, as it asks the front about others. All may raise DPProxyError."""

    @property
    def names(self) -> GateNames:
        """What the gate looks out for."""
        ...

    @property
    def oids(self) -> Mapping[int, str]:
        """Tables of the policy and the proxy's own (`dp.budget`), by the OID of their stub."""
        ...

    @property
    def types(self) -> Mapping[int, str]:
        """Names of Postgres's own types, by OID."""
        ...

    @property
    def own_bytes(self) -> int:
        """How many bytes the tables of the analyst's own may take."""
        ...

    def denied(self, tables: Iterable[str]) -> str | None:
        """The first of these tables that the analyst may not use."""
        ...

    def is_private(self, table: str) -> bool:
        """Whether it is a private table, or one of the proxy's own."""
        ...

    def settings(self, raw: Mapping[str, str | None]) -> Settings:
        """The session's settings, validated."""
        ...

    def statement(self) -> AbstractContextManager[None]:
        """One private statement, from its first question to the front to its last.

        Whoever cancels it meanwhile ends it: by QueryCanceled of `plan` and `run`, before its charge where they have
        not begun, or in the front.
        """
        ...

    async def look_through(self, text: str) -> None:
        """See to it that a long text is known to the gate, without keeping anybody else waiting."""
        ...

    async def recursive_queries(self, question: Question) -> tuple[RecursiveQuery, ...]:
        """What of a statement the front has to work out before it is planned."""
        ...

    async def plan(self, question: Question) -> Plan:
        """The plan of a statement, verified."""
        ...

    async def run(self, plan: Plan, statement: str, own: OwnRows) -> PostParameters:
        """Charge and run. `own`: the rows of the analyst's own tables that the plan is told."""
        ...

    async def explain(self, plan: Plan, use: Explains) -> Array:
        """The rows of EXPLAIN. Free."""
        ...

    async def load(self, written: Iterable[str]) -> None:
        """See to it that the public tables of these names hold their rows."""
        ...

    def needs_loading(self, written: Iterable[str]) -> bool:
        """Whether `load` has anything to do."""
        ...
