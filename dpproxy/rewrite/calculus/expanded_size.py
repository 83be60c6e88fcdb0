"""How large expressions become when the engine puts derived tables into them.

A column of a derived table stands for its whole expression. Used twice on each of many levels it grows exponentially,
and so does text that is put together on each: an engine would fail on it, or not, by whether a row comes by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.calculus.relations import PLAIN, FromRelation, Weight
from dpproxy.rewrite.expressions.text.growth import GROWING
from dpproxy.rewrite.expressions.trees.nodes import nodes_of
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.expressions.trees.refusals import spelled

MOST_NODES = 1_000
MOST_PIECES = 20
_TOGETHER = (exp.Concat, exp.ConcatWs)
_WORDS = frozenset({exp.Identifier, exp.Literal})

Weights = Mapping[tuple[str, str], Weight]


def weigh(select: exp.Select, sources: Sequence[FromRelation]) -> Mapping[str, Weight]:
    """The weight of each output column of `select`, by name.

    Claim: text in the engine is at most MOST_PIECES times as long as the longest in the data, and literals, times what
    one function that makes text longer adds; no expression of the expanded statement has more than MOST_NODES nodes.
    Because: every expression is weighed here with the weights of the derived columns in it.
    Checked by: tests/test_fixtures.py (refuse/size.sql).
    Raises FeatureNotSupported for an expression that grows past that.
    """
    known = {(source.alias, name): weight for source in sources for name, weight in source.relation.weights.items()}
    for node in select.args.get("joins") or []:
        if node.args.get("on") is not None:
            _weight(node.args["on"], known)
    for clause in ("where", "group", "having", "order"):
        if select.args.get(clause) is not None:
            _weight(select.args[clause], known)
    return {item.alias_or_name: _weight(item.unalias(), known) for item in select.expressions}


def weigh_each(nodes: Mapping[str, exp.Expr], sources: Sequence[FromRelation]) -> Mapping[str, Weight]:
    """The weight of columns that stand for expressions no more, but whose texts are as long. Raises as `weigh`."""
    known = {(source.alias, name): weight for source in sources for name, weight in source.relation.weights.items()}
    return {name: replace(_weight(node, known), nodes=1) for name, node in nodes.items()}


def _weight(node: exp.Expr, known: Weights) -> Weight:
    nodes, pieces, replaces = 0, 0, 0
    for part in nodes_of(node):
        if type(part) in _WORDS:
            nodes += 1
            continue
        if isinstance(part, exp.Column):
            column = known.get((part.table, part.name), PLAIN)
            nodes, pieces, replaces = nodes + column.nodes, pieces + column.pieces, replaces + column.replaces
            continue
        nodes, pieces = nodes + 1, pieces + _pieces(part)
        if isinstance(part, GROWING):
            replaces += 1
            _check_operand(part, known)
    if nodes > MOST_NODES or pieces > MOST_PIECES:
        raise too_large(node)
    return Weight(nodes, pieces, replaces)


def too_large(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of an expression that has grown."""
    return FeatureNotSupported(
        "an expression over private rows grows too large through derived tables",
        hint="Use each derived column once or twice, and put fewer texts together.",
        position=position(node),
    )


def _pieces(node: exp.Expr) -> int:
    """How many more texts are put together here."""
    if isinstance(node, exp.DPipe):
        return 1
    return len(node.expressions) if isinstance(node, _TOGETHER) else 0


def _check_operand(growing: exp.Expression, known: Weights) -> None:
    for column in growing.this.find_all(exp.Column):
        if known.get((column.table, column.name), PLAIN).replaces:
            raise FeatureNotSupported(
                f"{spelled(growing)} of a derived column that is made longer itself is not supported",
                hint="Use replace(), regexp_replace() and repeat() once on a text.",
                position=position(growing),
            )
