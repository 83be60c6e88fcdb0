"""Public / Private / Released: what kind of relation each query of the tree is.

The tree is changed in place: queries over private rows disappear into bounded SQL, release points read released rows,
and what is left is the statement for the front.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.rewrite.expressions.position import position
from dpproxy.rewrite.joins import join
from dpproxy.rewrite.projection import project
from dpproxy.rewrite.relations import Post, Private, Relation, Source
from dpproxy.rewrite.release_point import Draft, is_release_point, release_point
from dpproxy.rewrite.scans import scan
from dpproxy.rewrite.weight import weigh
from dpproxy.rewrite.world import World

Names = Mapping[str, Relation]


@dataclass(slots=True)
class Tracked:
    """The releases found so far, in order; release i is read as table dpproxy_i by the tree."""

    world: World
    outermost: exp.Query
    drafts: list[Draft] = field(default_factory=list)

    def statement(self) -> None:
        """Track the whole statement. Raises NotPrivate where it would return private rows."""
        if isinstance(self.query(self.outermost, {}), Private):
            raise _rows(self.outermost)

    def query(self, node: exp.Expr, ctes: Names) -> Relation:
        """The relation that a query is."""
        match node:
            case exp.Select():
                return self._select(node, ctes)
            case exp.Subquery():
                return self._subquery(node, ctes)
            case exp.Union() | exp.Intersect() | exp.Except():
                return self._set_operation(node, ctes)
            case _:
                raise _refused(node)

    def _subquery(self, node: exp.Subquery, ctes: Names) -> Relation:
        relation = self.query(node.this, self._with(node, ctes))
        if isinstance(relation, Private) and any(node.args.get(name) for name in ("order", "limit", "offset")):
            raise _refused(node)
        return relation

    def _set_operation(self, node: exp.SetOperation, ctes: Names) -> Relation:
        ctes = self._with(node, ctes)
        for side in (node.this, node.expression):
            if isinstance(self.query(side, ctes), Private):
                raise FeatureNotSupported(
                    f"{type(node).__name__.upper()} of private rows is not supported",
                    hint="Aggregate each side first; set operations over released rows are free.",
                    position=_start(side),
                )
        return Post()

    def _with(self, node: exp.Expr, ctes: Names) -> Names:
        """The names visible inside, with those that the query defines; private ones leave the tree."""
        with_ = node.args.get("with_")
        if with_ is None:
            return ctes
        if with_.args.get("recursive"):
            raise FeatureNotSupported(
                "WITH RECURSIVE is not supported together with private tables", hint="Write it without RECURSIVE."
            )
        visible = dict(ctes)
        for cte in with_.expressions:
            visible[cte.alias] = self.query(cte.this, visible)
        kept = [cte for cte in with_.expressions if not isinstance(visible[cte.alias], Private)]
        with_.set("expressions", kept)
        if not kept:
            node.set("with_", None)
        return visible

    def _select(self, select: exp.Select, ctes: Names) -> Relation:
        ctes = self._with(select, ctes)
        nodes = _sources(select)
        relations = [self._source(node, ctes) for node in nodes]
        if not any(isinstance(relation, Private) for relation in relations):
            self._nested(select, ctes, nodes)
            return Post()
        _refuse_nested(select, nodes)
        sources = [
            _private_source(index, node, relation)
            for index, (node, relation) in enumerate(zip(nodes, relations, strict=True))
        ]
        weights = weigh(select, sources)
        joined = join(select, sources, self.world)
        if not is_release_point(select):
            if select is self.outermost:
                raise _rows(select)
            return project(select, joined, weights, self.world)
        self.drafts.append(release_point(select, joined, self.world, len(self.drafts)))
        return Post()

    def _source(self, node: exp.Expr, ctes: Names) -> Relation:
        if node.args.get("joins"):
            raise FeatureNotSupported(
                "joins inside of parentheses are not supported", hint="Write a JOIN b ON … JOIN c ON …, one by one."
            )
        match node:
            case exp.Table() if not node.db:
                return ctes[node.name]
            case exp.Table() if node.db == "dp" and f"dp.{node.name}" not in self.world.catalog.tables:
                return Post()
            case exp.Table():
                table = self.world.catalog.table(node.db, node.name)
                assert table is not None, "resolve bound it"
                return scan(table)
            case exp.Subquery():
                return self.query(node, ctes)
            case _:
                raise _refused(node)

    def _nested(self, select: exp.Select, ctes: Names, sources: list[exp.Expr]) -> None:
        """Subqueries in the expressions of a query over public or released rows; each must be such itself."""
        for query in _expression_queries(select, sources):
            if isinstance(self.query(query, ctes), Private):
                raise NotPrivate(
                    "this subquery would return rows of private tables",
                    hint="Aggregate them in the subquery: COUNT(*), SUM(x) or AVG(x).",
                    position=_start(query),
                )


def _rows(query: exp.Query) -> NotPrivate:
    return NotPrivate(
        "this statement would return rows of private tables",
        hint="Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.",
        position=_start(query),
    )


def _sources(select: exp.Select) -> list[exp.Expr]:
    from_ = select.args.get("from_")
    return ([from_.this] if from_ else []) + [node.this for node in select.args.get("joins") or []]


def _private_source(index: int, node: exp.Expr, relation: Relation) -> Source:
    if isinstance(relation, Post):
        raise FeatureNotSupported(
            "joining private rows with released ones is not supported",
            hint="Aggregate the private rows first, and join the results.",
            position=position(node),
        )
    return Source(node.alias_or_name, f"s{index}", relation)


def _expression_queries(select: exp.Select, sources: list[exp.Expr]) -> list[exp.Expr]:
    """The outermost queries inside the expressions of `select`, those of FROM and WITH apart."""
    skipped = {id(source) for source in sources} | {id(select.args.get("with_"))}
    found: list[exp.Expr] = []
    waiting: list[exp.Expr] = [part for part in select.iter_expressions() if id(part) not in skipped]
    while waiting:
        node = waiting.pop(0)
        if id(node) in skipped:
            continue
        if isinstance(node, exp.Query):
            found.append(node)
        else:
            waiting.extend(node.iter_expressions())
    return found


def _refuse_nested(select: exp.Select, sources: list[exp.Expr]) -> None:
    for query in _expression_queries(select, sources):
        raise FeatureNotSupported(
            "a subquery among the expressions of a query over private rows is not supported",
            hint="Join the table in FROM instead, or ask for the inner value in a statement of its own.",
            position=_start(query),
        )


def _start(node: exp.Expr) -> int | None:
    select = node.find(exp.Select)
    first = select.expressions[0] if select is not None and select.expressions else node
    return position(first)


def _refused(node: exp.Expr) -> FeatureNotSupported:
    return FeatureNotSupported(
        f"{type(node).__name__.upper()} is not supported in FROM together with private tables",
        hint="Select from tables of the policy, subqueries and CTEs.",
        position=position(node),
    )
