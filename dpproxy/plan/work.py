"""The work of the engine that one unit can change, and who multiplies it."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


@dataclass(frozen=True, slots=True)
class Factor:
    """Public rows of something that the analyst knows by `name`, `rows` of them at most."""

    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class Work:
    """What one unit can change in the work of the engine, counted from the texts before anything runs.

    rows: how many rows it has at most, in a table or in any step over them.
    operations: by how many row operations the work changes at most: a row through one relational operator, or ten cheap
    nodes of an expression for one row.
    widest: the public rows by which one of its rows is multiplied, where that is most.
    scans: how many reads of whole private tables may hang on a row of it: an engine leaves one out where the other side
    of a join has no rows, and may read one for each row that a subquery is correlated to.
    whole: how many row operations there are for all units together, where tables have as many rows as the policy says.
    word: what the owner may declare so that less of it hangs on one unit, as a sentence.
    """

    rows: int = 0
    operations: int = 0
    widest: tuple[Factor, ...] = ()
    scans: int = 0
    whole: int = 0
    word: str = ""

    @property
    def fanout(self) -> int:
        """The largest product by which one private row is multiplied by public rows."""
        return prod(factor.rows for factor in self.widest)
