"""What a column of the statement for the front is made of: released numbers, keys, or what is public anyway."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from dpproxy.plan.private_plan import Output
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.rewrite.releases.draft import RELEASED, ReleaseDraft
from dpproxy.rewrite.statement.released import columns_of


@dataclass(frozen=True, slots=True)
class Number:
    """A released number: where it is, and how it is made."""

    place: ReleasedColumn
    output: Output


@dataclass(frozen=True, slots=True)
class Derived:
    """A column of a derived table or CTE: the SELECTs whose rows it has, and its place among their items."""

    selects: tuple[exp.Select, ...]
    index: int
    is_plain: bool

    @property
    def items(self) -> tuple[exp.Expr, ...]:
        """What it is in each of them."""
        return tuple(each.expressions[self.index].unalias() for each in self.selects)


@dataclass(slots=True)
class Origins:
    """The sources of a statement, each alias of which is there once, or in copies that are alike."""

    drafts: Sequence[ReleaseDraft]
    sources: dict[str, exp.Expr] = field(default_factory=dict)
    queries: dict[str, exp.Expr] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: exp.Query, drafts: Sequence[ReleaseDraft]) -> Origins:
        """Of a whole statement."""
        found = tree.find_all(exp.Table, exp.Subquery, exp.Lateral)
        sources: dict[str, exp.Expr] = {each.alias_or_name: each for each in found}
        return cls(drafts, sources, {each.alias: each.this for each in tree.find_all(exp.CTE)})

    def number(self, column: exp.Column) -> Number | None:
        """The released number that a column is; None: it is no column of released rows, or a key."""
        source = self.sources.get(column.table)
        if not isinstance(source, exp.Table) or source.db != RELEASED:
            return None
        for name, _, place in columns_of(int(source.name), self.drafts):
            keys = len(self.drafts[place.release].bounded.keys)
            if name == column.name and place.column >= keys:
                return Number(place, self.drafts[place.release].outputs[place.column - keys])
        return None

    def derived(self, column: exp.Column) -> Derived | None:
        """What a column of a derived table or CTE is there."""
        source = self.sources.get(column.table)
        query = self.query(source) if source is not None else None
        selects = [] if query is None else list(_selects(query))
        names = [each.alias_or_name for each in selects[0].expressions] if selects else []
        alias = source.args.get("alias") if source is not None else None
        if isinstance(alias, exp.TableAlias) and alias.columns:
            names[: len(alias.columns)] = [each.name for each in alias.columns]
        if column.name not in names:
            return None
        return Derived(tuple(selects), names.index(column.name), query is not None and _is_plain(query))

    def query(self, source: exp.Expr) -> exp.Expr | None:
        """The query that an item of FROM is; None: a table."""
        match source:
            case exp.Subquery():
                return _expr(source.this)
            case exp.Lateral() if isinstance(source.this, exp.Subquery):
                return _expr(source.this.this)
            case exp.Table() if not source.db:
                return self.queries.get(source.name)
            case _:
                return None

    def is_noisy(self, node: exp.Expr) -> bool:
        """Whether it reads a released number, itself or by what it is derived from."""
        return any(self._is_noisy_column(each) for each in node.find_all(exp.Column))

    def _is_noisy_column(self, column: exp.Column) -> bool:
        if self.number(column) is not None:
            return True
        derived = self.derived(column)
        return derived is not None and any(map(self.is_noisy, derived.items))

    def is_aggregated(self, node: exp.Expr) -> bool:
        """Whether it is made of many rows, itself or by what it is derived from."""
        if node.find(exp.AggFunc) is not None:
            return True
        derived = (self.derived(column) for column in node.find_all(exp.Column))
        return any(self.is_aggregated(each) for found in derived if found is not None for each in found.items)

    def numbers(self, node: exp.Expr) -> Iterator[Number | None]:
        """The released numbers that an expression reads at first hand; None for each at second hand."""
        for column in node.find_all(exp.Column):
            if self._is_noisy_column(column):
                yield self.number(column)


def _selects(query: exp.Expr) -> Iterator[exp.Select]:
    match query:
        case exp.Select():
            yield query
        case exp.Subquery():
            yield from _selects(query.this)
        case exp.SetOperation():
            yield from _selects(query.this)
            yield from _selects(query.expression)


def _is_plain(query: exp.Expr) -> bool:
    """Whether a row more is known of each row: none is left out for being like another."""
    match query:
        case exp.Select():
            return query.args.get("distinct") is None
        case exp.Subquery():
            return _is_plain(query.this)
        case exp.Union() if query.args.get("distinct") is False:
            return _is_plain(query.this) and _is_plain(query.expression)
        case _:
            return False


def _expr(node: object) -> exp.Expr | None:
    return node if isinstance(node, exp.Expr) else None
