"""What the data owner could say in the policy so that a join of rows of two units is answered.

Checked by: sql_fixtures/refuse/joins.sql.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpproxy.rewrite.calculus.determinations import undetermined
from dpproxy.rewrite.calculus.relations import Edge, FromRelation


def owners_word(left: FromRelation, right: FromRelation, edges: Sequence[Edge]) -> str:
    """Empty where nothing would help."""
    column, unit = undetermined(left, right, edges), left.relation.unit
    return "" if column is None else f" If {column} determines the {unit}, ask the data owner to let the policy say so."
