"""Text that functions make longer: how much, and how often one inside of another.

Memory is finite, and whether an engine runs out of it may not depend on a row. So a text may grow by a small constant
factor, once; `calculus.expanded_size` holds derived tables to the same.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.trees.refusals import refused, spelled

MOST_GROWTH = 20
LONGEST_PADDED = 1_000
GROWING = (exp.Replace, exp.RegexpReplace, exp.Repeat)


def check_growth(node: exp.Expression, operand: Typed, factor: int) -> None:
    """Raises FeatureNotSupported where `node` makes `operand` more than MOST_GROWTH times as long, or grows it again.

    Claim: what passes is at most MOST_GROWTH times as long as the longest text in it.
    Because: `factor` is for the worst text, and nothing that grows stands in the operand.
    Checked by: tests/test_expressions.py.
    """
    if factor > MOST_GROWTH or (factor > 1 and operand.sql.find(*GROWING)):
        raise refused(
            node,
            f"{spelled(node)} would make the text too long",
            f"Put in something that is not longer, or make the text at most {MOST_GROWTH} times as long, once.",
        )
