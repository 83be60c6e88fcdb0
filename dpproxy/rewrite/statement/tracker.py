"""What the rules of single constructs ask of the pass that walks the whole statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sqlglot import exp

from dpproxy.rewrite.calculus.joins import Filtered
from dpproxy.rewrite.calculus.relations import Enclosing, Joined, Readable, Relation
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.draft import ReleaseDraft

Names = Mapping[str, Relation]


class Tracker(Protocol):
    """See `track.Tracked`."""

    context: PlanningContext
    outermost: exp.Query
    drafts: list[ReleaseDraft]
    known: dict[int, tuple[exp.Expr, Relation]]
    scans: dict[str, Readable]

    def query(self, node: exp.Expr, names: Names, outer: Enclosing | None = None) -> Relation:
        """The relation that a query is."""
        ...

    def source(self, node: exp.Expr, names: Names, outer: Enclosing | None) -> Relation:
        """The relation that an item of FROM is."""
        ...

    def read(self, relation: Relation, outer: Enclosing | None = None) -> Readable:
        """The relation for the engine."""
        ...

    def prepared(self, select: exp.Select, names: Names, outer: Enclosing | None) -> Filtered:
        """FROM and WHERE."""
        ...

    def joined(self, select: exp.Select, names: Names, outer: Enclosing | None) -> Joined:
        """The rows of FROM and WHERE, each of one unit where they are private."""
        ...

    def finished(self, select: exp.Select, rows: Joined, names: Names, outer: Enclosing | None) -> Readable:
        """GROUP BY, windows and the items of a SELECT."""
        ...
