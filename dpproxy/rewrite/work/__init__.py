"""Work: how much of an engine's work hangs on one unit, counted from the final texts of a plan.

It knows nothing of how a plan was made: whatever an engine executes is counted.

    weights    what a node of an expression costs, and a row in an operator
    counted    what is known of rows: how many of one unit, how far multiplied, by which work
    equalities places whose values a condition makes equal
    sources    tables, constants, arrays; joins: FROM, JOIN and WHERE; selects: what a SELECT makes of its rows
    queries    a SELECT or a set operation
    costs      expressions, and subqueries in them
    origins    which rows decide the value of a column, and so how many groups there are
    strangers  rows of two units of one kind that a key puts together: all of the work
    cap        what is more than a statement may do

Checked by: tests/test_work.py.
"""

from __future__ import annotations

from dpproxy.rewrite.work.cap import check_cap
from dpproxy.rewrite.work.plans import reads_constants, unit_work
from dpproxy.rewrite.work.sources import RELEASED_ROWS, listed

__all__ = ["RELEASED_ROWS", "check_cap", "listed", "reads_constants", "unit_work"]
