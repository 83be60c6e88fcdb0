"""Units dealt into blocks: all rows of a unit in one block, and exact aggregates of each block's rows.

A block is to what is made of it what a unit is elsewhere: a row of the result for each, computed from its rows alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, TEXT
from dpproxy.errors import BoundsRequired
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.relations import UNIT, FromRelation, Joined, Readable
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed
from dpproxy.rewrite.expressions.trees.build import cast, column_of, number

BLOCKS: Final = "dpproxy blocks"
_SOURCE: Final = "s0"
_KEY: Final = column_of(UNIT, _SOURCE)
_DIGITS: Final = 18
_PRIME: Final = 2**31 - 1


@dataclass(slots=True)
class BlockColumns:
    """What is read of each row, and what is made of it in each block, each once, in order of first use."""

    context: PlanningContext
    operands: dict[exp.Expression, str] = field(default_factory=dict)
    values: dict[exp.Expression, tuple[str, Fact]] = field(default_factory=dict)

    def operand(self, value: exp.Expression) -> exp.Expression:
        """A value of each row, as an aggregate reads it."""
        return exp.column(self.operands.setdefault(value, f"a{len(self.operands)}"))

    def hold(self, typed: Typed) -> Typed:
        """The same, of what is known of."""
        return Typed(self.operand(self.context.formed(typed)), typed.fact)

    def value(self, typed: Typed) -> exp.Expr:
        """An aggregate of each block, as a column that the query over blocks reads."""
        made = self.context.formed(typed)
        name, _ = self.values.setdefault(made, (f"v{len(self.values)}", typed.fact))
        return exp.column(name, table=BLOCKS, quoted=True)


def answers(joined: Joined, columns: BlockColumns, blocks: int) -> Joined:
    """A row for each block that has rows, with the values of `columns`, as the rows of a SELECT.

    Claim: adding or removing a unit's rows changes one row of the result, whatever the others are: its values change,
    or it comes, or goes. Because: which block a row is in is a function of its unit's key alone (`block_of`), and a
    block's values are those of the multiset of its rows. Checked by: tests/test_sample_aggregate.py,
    `rewrite.checker`.
    """
    rowset = joined.rowset
    operands = tuple(algebra.Item(name, value) for value, name in columns.operands.items())
    rows = algebra.Select((*rowset.unit_item, *operands), rowset.tree)
    carried = tuple(algebra.Item(each.name, column_of(each.name, _SOURCE)) for each in operands)
    dealt = algebra.Select((algebra.Item(UNIT, block_of(_KEY, blocks)), *carried), _there(rows))
    values = tuple(algebra.Item(name, value) for value, (name, _) in columns.values.items())
    tree = algebra.Select((algebra.Item(UNIT, exp.column(UNIT)), *values), algebra.of(dealt, "r"), by=(UNIT,))
    facts: Mapping[str, Fact] = dict(columns.values.values())
    held = {name: name for name in facts}
    made = Readable(rowset.unit, tree, facts, held, key=UNIT, one_row=True, notes=rowset.notes)
    source = FromRelation(BLOCKS, _SOURCE, made)
    over = replace(
        rowset, tree=_there(tree), key=_KEY, sources=(source,), one_row=True,
        rows=1, groups=1, most=None, edges=(), outer=(), public_conditions=(), subqueries={},
    )  # fmt: skip
    return Joined(over, {(BLOCKS, name): Typed(column_of(name, _SOURCE), fact) for name, fact in facts.items()})


def _there(rows: algebra.Select) -> algebra.JoinedRows:
    """Rows of somebody, as a SELECT over them reads them."""
    there = exp.Is(this=_KEY.copy(), expression=exp.Null(), negate=True)
    return replace(algebra.of(rows, _SOURCE), where=(there,))


def block_of(key: exp.Expression, blocks: int) -> exp.Expression:
    """The number of the block that a unit is in.

    Claim: it is the same for all rows of a unit, and no key makes it raise. Because: keys are whole numbers, texts of a
    deterministic collation, dates or UUIDs, of which equal ones have one text; 18 digits fit into a bigint. How evenly
    units are spread is a matter of accuracy alone. Checked by: tests/test_sample_aggregate.py.
    """
    if not 1 <= blocks < _PRIME:
        raise BoundsRequired(f"{blocks} is no number of blocks", hint="SET dp.blocks to a number from 2 to 10000.")
    hashed = exp.Left(this=exp.MD5(this=cast(key.copy(), TEXT)), expression=number(_DIGITS))
    letters, digits = exp.Literal.string("abcdef"), exp.Literal.string("012345")
    drawn = cast(exp.Translate(this=hashed, from_=letters, to=digits), BIGINT)
    mixed = exp.Paren(this=exp.Mod(this=drawn, expression=number(_PRIME)))
    return exp.Mod(this=mixed, expression=number(blocks))
