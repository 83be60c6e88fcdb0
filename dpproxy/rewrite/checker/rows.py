"""FROM, JOIN and WHERE over private rows: what is there when, what ties it together, what each condition may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.relations import Cell, Relation, Unit
from dpproxy.rewrite.checker.scope import CheckContext, Pairs, Scope
from dpproxy.rewrite.checker.sources import source
from dpproxy.rewrite.checker.syntax import aliases_of, conjuncts, filtered
from dpproxy.rewrite.checker.ties import Added, equality, equated, tied, ties
from dpproxy.rewrite.checker.values import value


class Side(Enum):
    """How a source is joined: ALWAYS there; absent where it misses what is LEFT of it; FULL, where either may miss."""

    ALWAYS = "always"
    LEFT = "left"
    FULL = "full"


_SIDES: Mapping[tuple[str, str, bool], Side] = {
    ("", "", True): Side.ALWAYS,
    ("", "INNER", True): Side.ALWAYS,
    ("", "CROSS", False): Side.ALWAYS,
    ("LEFT", "", True): Side.LEFT,
    ("LEFT", "OUTER", True): Side.LEFT,
    ("FULL", "", True): Side.FULL,
    ("FULL", "OUTER", True): Side.FULL,
}


@dataclass(frozen=True, slots=True)
class JoinStep:
    """One source in the order of FROM, and the conjuncts of its ON."""

    alias: str
    side: Side
    on: tuple[exp.Expr, ...]


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """The joined and filtered rows of a SELECT. `sources` are its own and those around it."""

    steps: tuple[JoinStep, ...]
    where: tuple[exp.Expr, ...]
    sources: Mapping[str, Relation]
    outer: Scope

    @property
    def full(self) -> bool:
        """Whether it is a FULL JOIN, of two private sources."""
        return any(step.side is Side.FULL for step in self.steps)

    @property
    def private(self) -> frozenset[str]:
        """The aliases of its private sources."""
        return frozenset(step.alias for step in self.steps if self.sources[step.alias].unit is not None)

    @property
    def always(self) -> Pairs:
        """What is equal in every row: by WHERE, by the inner joins, and by what holds around it."""
        inner = [part for step in self.steps if step.side is Side.ALWAYS for part in step.on]
        return self.outer.equated | equated([*self.where, *inner])

    def added(self, step: JoinStep) -> Added:
        """The step's source, waiting for a proof, with what is equal where it is there: its own ON is true then."""
        return Added(step.alias, equated(step.on) if self.full else self.always | equated(step.on))


@dataclass(frozen=True, slots=True)
class Reads:
    """What the conditions of an ON read, and whether there is a subquery among them."""

    cells: frozenset[Cell] = frozenset()
    nested: bool = False


def read_rows(select: exp.Expr, outer: Scope, context: CheckContext) -> CheckedRows:
    """FROM, JOIN and WHERE, before anything is proved of them.

    Raises CheckFault for sources and joins that are not on the list, and for an alias that is taken.
    """
    from_ = select.args.get("from_")
    if from_ is None:
        raise CheckFault("private rows without FROM")
    joins: list[exp.Expr] = select.args.get("joins") or []
    nodes = [from_.this, *(join.this for join in joins)]
    own = {alias: source(node, context) for alias, node in zip(aliases_of(nodes, outer.sources), nodes, strict=True)}
    sides = [(Side.ALWAYS, ()), *(_side(join) for join in joins)]
    steps = tuple(JoinStep(alias, side, on) for alias, (side, on) in zip(own, sides, strict=True))
    rows = CheckedRows(steps, tuple(filtered(select)), {**outer.sources, **own}, outer)
    require(not rows.full or len(steps) == len(rows.private) == 2, "a FULL join of anything but two private sources")
    return rows


def _side(join: exp.Expr) -> tuple[Side, tuple[exp.Expr, ...]]:
    side, kind = (str(join.args.get(name) or "").upper() for name in ("side", "kind"))
    on = tuple(conjuncts(join.args.get("on")))
    found = _SIDES.get((side, kind, bool(on)))
    if found is None:
        raise CheckFault(f"a {' '.join(filter(None, (side, kind or 'INNER')))} join {'with' if on else 'without'} ON")
    return found, on


def scope_of(rows: CheckedRows, start: frozenset[str], unit: Unit) -> Scope:
    """What items and WHERE see; the sources in `start` are of the unit.

    Claim: each private source holds, where it is there, rows of that unit alone, and whether it is there depends on
    nothing but the unit's rows and public ones. Because: what is always there is tied by what is always equal. What is
    on the right of LEFT JOIN is tied to sources before it by that or by its own ON, and so is every row whose absence
    puts NULLs in its place; the same holds for both sides of FULL JOIN, by its ON alone.
    Checked by: tests/test_checker_relations.py.
    Raises CheckFault for a source that could be of another unit.
    """
    require(all(rows.sources[alias].unit == unit for alias in rows.private), "two units in one join")
    reached = start
    while found := {step.alias for at, step in enumerate(rows.steps) if _is_tied(rows, at, step, reached)}:
        reached |= found
    missing = sorted(rows.private - reached)
    require(not missing, f"{', '.join(missing)} could be of another unit")
    return Scope(rows.sources, frozenset(step.alias for step in rows.steps), reached, rows.always, unit)


def _is_tied(rows: CheckedRows, at: int, step: JoinStep, reached: frozenset[str]) -> bool:
    if step.alias in reached or step.alias not in rows.private:
        return False
    later = frozenset(each.alias for each in rows.steps[at:]) if step.side is not Side.ALWAYS else frozenset()
    return tied(rows.added(step), reached - later, rows.sources)


def check_where(rows: CheckedRows, scope: Scope, tested: Sequence[exp.Expr | None], context: CheckContext) -> None:
    """Raises CheckFault where WHERE reads what it may not; `tested` are the tests of the unit's key, which may."""
    for condition in rows.where:
        if not any(condition is each for each in tested) and not ties(condition, scope.sources):
            value(condition, scope, context)


def check_ons(rows: CheckedRows, scope: Scope, context: CheckContext) -> Mapping[str, Reads]:
    """What the ON of each source reads. It sees the sources so far, and what is equal where it is true.

    Raises CheckFault where it reads what it may not.
    """
    return {step.alias: _read_on(rows, at, step, scope, context) for at, step in enumerate(rows.steps)}


def _read_on(rows: CheckedRows, at: int, step: JoinStep, scope: Scope, context: CheckContext) -> Reads:
    if not step.on:
        return Reads()
    later = {each.alias for each in rows.steps[at + 1 :]}
    inside = replace(
        scope,
        sources={alias: relation for alias, relation in scope.sources.items() if alias not in later},
        own=scope.own - later,
        reached=scope.reached - later,
        equated=rows.added(step).equated,
    )
    reads = Reads()
    for condition in step.on:
        if ties(condition, inside.sources):
            reads = replace(reads, cells=reads.cells.union(equality(condition) or ()))
        else:
            found = value(condition, inside, context)
            reads = Reads(reads.cells | found.cells, reads.nested or bool(found.nested))
    return reads
