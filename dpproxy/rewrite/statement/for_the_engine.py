"""Queries over public or released rows, for the engine: those that are read together with private ones.

Checked by: tests/test_fixtures.py, tests/test_executed.py.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating
from dpproxy.rewrite.calculus.constant_rows import constant_rows
from dpproxy.rewrite.calculus.distinct import group_instead, is_distinct_on, with_row_numbers
from dpproxy.rewrite.calculus.order_and_limit import has_tail, refuse_tail, with_tail_outside
from dpproxy.rewrite.calculus.own import told
from dpproxy.rewrite.calculus.relations import Enclosing, Readable
from dpproxy.rewrite.calculus.setops import combined
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.constants import CONSTANTS
from dpproxy.rewrite.reading.own_tables import place_of
from dpproxy.rewrite.releases.lists import refuse_read
from dpproxy.rewrite.statement.tracker import Names, Tracker
from dpproxy.rewrite.statement.with_clause import visible


def readable(node: exp.Expr, names: Names, outer: Enclosing | None, tracker: Tracker) -> Readable:
    """A public or released query for the engine. `node` is used up.

    Raises FeatureNotSupported for what only the front can compute.
    """
    context = tracker.context
    match node:
        case exp.Select():
            inside = visible(node, names, tracker)
            if is_distinct_on(node) and not is_aggregating(node):
                return readable(with_row_numbers(node), inside, outer, tracker)
            refuse_read(node)
            group_instead(node)
            return tracker.finished(node, tracker.joined(node, inside, outer), inside, outer)
        case exp.Subquery():
            refuse_tail(node)
            return readable(node.this, visible(node, names, tracker), outer, tracker)
        case exp.Union() | exp.Intersect() | exp.Except() if has_tail(node):
            return readable(with_tail_outside(node), names, outer, tracker)
        case exp.Union() | exp.Intersect() | exp.Except():
            inside = visible(node, names, tracker)
            sides = [readable(side, inside, outer, tracker) for side in (node.this, node.expression)]
            return combined(node, sides, context)
        case exp.Table() if node.db == CONSTANTS:
            return _constants(node, tracker)
        case exp.Table() if place_of(node, context.tables) is not None:
            return told(node, context.tables, context.zone)
        case _:
            raise FeatureNotSupported(
                f'"dp.{node.name}" cannot be read together with private rows',
                hint="Ask for it in a statement of its own.",
                position=position(node),
            )


def _constants(node: exp.Table, tracker: Tracker) -> Readable:
    place = f"{CONSTANTS} {node.name}"
    if place not in tracker.scans:
        tracker.scans[place] = constant_rows(tracker.context.constants[int(node.name)], tracker.context)
    return tracker.scans[place]
