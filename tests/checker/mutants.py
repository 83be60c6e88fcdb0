"""Random changes of the proved forms: parts are loosened, swapped, and replaced by parts of other forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from sqlglot import exp, parse_one

from checker import Form

_CONDITIONS = (exp.EQ, exp.LT, exp.GT, exp.Exists, exp.Is, exp.Not, exp.Or)
_VALUES = (exp.Column, exp.Literal, exp.Count, exp.Max, exp.Window, exp.Coalesce, exp.Case)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.GTE, exp.NullSafeEQ)
_AGGREGATES = (exp.Count, exp.Max, exp.Sum, exp.Avg, exp.FirstValue)
_SETS = (exp.Union, exp.Intersect, exp.Except)


class Mutants:
    """Mutants of forms, one after the other."""

    def __init__(self, forms: Sequence[Form], random: Random) -> None:
        self.random = random
        self.trees = [(form, parse_one(form.sql, read="duckdb")) for form in forms]
        self.parts = [node for _, tree in self.trees for node in tree.walk()]

    def next(self) -> tuple[Form, str]:
        """A form, and its text after one to three changes."""
        form, tree = self.random.choice(self.trees)
        held = exp.Subquery(this=tree.copy())
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            self._change(held)
        return form, held.this.sql("duckdb")

    def _change(self, tree: exp.Expr) -> None:
        nodes = [node for node in tree.walk() if node.parent is not None and type(node) in _RULES]
        node = self.random.choice(nodes)
        _RULES[type(node)](self, node)

    def _any(self, *kinds: type[exp.Expr]) -> exp.Expr:
        return self.random.choice([part for part in self.parts if type(part) in kinds]).copy()

    def _source(self) -> exp.Expr:
        derived = [part for part in self.parts if isinstance(part, exp.Table | exp.Subquery) and part.alias]
        return self.random.choice(derived).copy()

    def column(self, node: exp.Expr) -> None:
        """Of another source, of another name, or something else."""
        match self.random.randrange(3):
            case 0 if node.args.get("table"):
                node.set("table", self._any(exp.Column).args.get("table"))
            case 1:
                node.set("this", self._any(exp.Column).this)
            case _:
                node.replace(self._any(*_VALUES))

    def condition(self, node: exp.Expr) -> None:
        """Another, another as well, this or another, the opposite, or another comparison."""
        match self.random.randrange(5):
            case 0:
                node.replace(self._any(*_CONDITIONS))
            case 1:
                node.replace(exp.And(this=node.copy(), expression=self._any(*_CONDITIONS)))
            case 2:
                node.replace(exp.Paren(this=exp.Or(this=node.copy(), expression=self._any(*_CONDITIONS))))
            case 3:
                node.replace(exp.Not(this=exp.Paren(this=node.copy())))
            case _ if isinstance(node, exp.And | exp.Or):
                node.replace(self.random.choice([node.this, node.expression]).copy())
            case _ if isinstance(node, exp.Binary):
                kind = self.random.choice(_COMPARISONS)
                node.replace(kind(this=node.this.copy(), expression=node.expression.copy()))

    def join(self, node: exp.Expr) -> None:
        """Of another side, on another condition, another one, or none."""
        match self.random.randrange(4):
            case 0:
                node.set("side", self.random.choice([None, "LEFT", "FULL", "RIGHT"]))
            case 1:
                node.set("on", self._any(*_CONDITIONS))
            case 2:
                node.replace(self._any(exp.Join))
            case _:
                node.pop()

    def source(self, node: exp.Expr) -> None:
        """Other rows under the same alias."""
        other = self._source()
        if node.args.get("alias"):
            other.set("alias", node.args["alias"].copy())
            node.replace(other)

    def select(self, node: exp.Expr) -> None:
        """Another, or one join more."""
        if self.random.random() < 0.5:
            node.replace(self._any(exp.Select))
        else:
            node.set("joins", [*(node.args.get("joins") or []), self._any(exp.Join)])

    def item(self, node: exp.Expr) -> None:
        """Something else, or under another name."""
        if self.random.random() < 0.6:
            node.set("this", self._any(*_VALUES))
        else:
            node.set("alias", exp.to_identifier(self.random.choice(["u", "k0", "c0", "c1", "a0"])))

    def window(self, node: exp.Expr) -> None:
        """Over more rows, or in less of an order."""
        if self.random.random() < 0.5:
            node.set("partition_by", node.args["partition_by"][1:])
        elif node.args.get("order") is not None:
            node.args["order"].set("expressions", node.args["order"].expressions[:-1])

    def group(self, node: exp.Expr) -> None:
        """By less, or by more."""
        more = [*node.expressions, self._any(exp.Column)]
        node.set("expressions", self.random.choice([node.expressions[1:], more]))

    def aggregate(self, node: exp.Expr) -> None:
        """Another, of another column."""
        node.replace(self.random.choice(_AGGREGATES)(this=self._any(exp.Column)))

    def combined(self, node: exp.Expr) -> None:
        """Another set operation."""
        kind, distinct = self.random.choice(_SETS), self.random.random() < 0.5
        node.replace(kind(this=node.this.copy(), expression=node.expression.copy(), distinct=distinct))


_RULES: dict[type[exp.Expr], Callable[[Mutants, exp.Expr], None]] = {
    exp.Column: Mutants.column,
    **dict.fromkeys((exp.EQ, exp.LT, exp.GT, exp.Is, exp.And, exp.Or, exp.Exists), Mutants.condition),
    exp.Join: Mutants.join,
    **dict.fromkeys((exp.Table, exp.Subquery), Mutants.source),
    exp.Select: Mutants.select,
    exp.Alias: Mutants.item,
    exp.Window: Mutants.window,
    exp.Group: Mutants.group,
    **dict.fromkeys((exp.Count, exp.Max, exp.Min, exp.Sum, exp.RowNumber, exp.Rank), Mutants.aggregate),
    **dict.fromkeys(_SETS, Mutants.combined),
}
