"""Totality: that an expression raises in its engine for no row, by the types and the ranges of all its parts.

held       what is proved of a value; facts: what the conditions of a CASE say of it
prover     what rules are given; functions: their table
total      the walk, aggregates and windows
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dpproxy.rewrite.checker import total_functions
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.facts import Told
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.functions import FUNCTIONS
from dpproxy.rewrite.checker.held import Held, Kind, whole
from dpproxy.rewrite.checker.prover import Prover
from dpproxy.rewrite.checker.total_logic import boolean, either

Leaf = Callable[[exp.Expr], Held | None]


@dataclass(frozen=True, slots=True)
class Total:
    """The walk.

    leaf: what is proved of a column, a subquery, an aggregate. engine: its facts. told: what is true where it stands.
    known: of nodes that were proved, by their identity; rules ask again and again, and for what is in them each time.
    """

    leaf: Leaf
    engine: Facts
    told: Told = ()
    known: dict[int, tuple[exp.Expr, Held]] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, node: exp.Expr) -> Held:
        """What is proved of the value of a node. Raises CheckFault where it is not proved that it raises for no row."""
        while type(node) is exp.Paren:
            node = node.this
        found = self.known.get(id(node))
        if found is None:
            found = self.known[id(node)] = node, self._proved(node)
        return found[1]

    def _proved(self, node: exp.Expr) -> Held:
        kind = type(node)
        known = self.engine.nodes
        if known and kind.__name__ not in known:
            raise CheckFault(f"what {kind.__name__} does in the engine is not known")
        found = self._of(node, kind)
        for told in self.told:
            if type(told.node) is kind and told.node == node:
                found = found.within(told.least, told.most)
                found = replace(found, nonzero=True, fine=max(found.fine, told.fine)) if told.apart else found
                found = replace(found, pattern=told.pattern) if told.pattern else found
        return found

    def knowing(self, told: Told) -> Total:
        """The same where more is true."""
        return Total(self.leaf, self.engine, (*self.told, *told))

    def _of(self, node: exp.Expr, kind: type[exp.Expr]) -> Held:
        if kind in _LEAVES:
            known = self.leaf(node)
            if known is None:
                raise CheckFault(f"nothing is known of the type of {node.sql()}")
            if known.kind is Kind.FOREIGN and not _is_looked_at(node):
                raise CheckFault(f"a {Kind.FOREIGN.value} is read")
            return known
        rule = _RULES.get(kind)
        if rule is None:
            raise CheckFault(f"{kind.__name__} is not proved to be total")
        return rule(node, self)


def _is_looked_at(node: exp.Expr) -> bool:
    """Whether it is asked alone whether a value is there, or it is read by TRY_CAST, which is NULL where that fails."""
    above = node.parent
    while type(above) is exp.Paren:
        above = above.parent
    return type(above) in (exp.Is, exp.Count, exp.TryCast)


def _counted(node: exp.Expr, at: Prover) -> Held:
    inner = node.this.expressions[0] if type(node.this) is exp.Distinct else node.this
    if type(inner) is not exp.Star:
        at(inner)
    return whole(Kind.BIGINT).within(0, None)


def _same(node: exp.Expr, at: Prover) -> Held:
    """One of the values of its argument."""
    found = at(node.this)
    if node.args.get("default") is not None:
        found = either(found, at(node.args["default"]), at)
    return found


def _placed(node: exp.Expr, at: Prover) -> Held:
    return whole(at.engine.place_type).within(0, None)


def _share(node: exp.Expr, at: Prover) -> Held:
    return Held(Kind.DOUBLE, 0, 1, fine=-64)


def _window(node: exp.Expr, at: Prover) -> Held:
    for each in node.args.get("partition_by") or []:
        at(each)
    for each in node.args["order"].expressions if node.args.get("order") else []:
        at(each.this)
    return at(node.this)


_LEAVES = frozenset({exp.Column, exp.Subquery, exp.Exists})
_RULES: Mapping[type[exp.Expr], Callable[[exp.Expr, Prover], Held]] = {
    **{kind: each.total for kind, each in FUNCTIONS.items()},
    **total_functions.AGGREGATES,
    **dict.fromkeys((exp.LogicalAnd, exp.LogicalOr), boolean),
    exp.Count: _counted,
    **dict.fromkeys((exp.Min, exp.Max, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead), _same),
    **dict.fromkeys((exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile), _placed),
    **dict.fromkeys((exp.PercentRank, exp.CumeDist), _share),
    exp.Window: _window,
}
