"""Bind every name of the tree to the policy's catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.qualify_columns import qualify_columns, validate_qualify_columns
from sqlglot.optimizer.qualify_tables import qualify_tables

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.policy_names import SYSTEM_COLUMNS
from dpproxy.errors import FeatureNotSupported, RowsOfUnits
from dpproxy.plan.private_plan import OwnTable
from dpproxy.rewrite.expressions.trees.nodes import nodes_of
from dpproxy.rewrite.expressions.trees.position import keep_notes, note, position
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.reading.columns_known import KnownColumns
from dpproxy.rewrite.reading.constants import CONSTANTS
from dpproxy.rewrite.reading.ctes import cte_of, named_columns
from dpproxy.rewrite.reading.label import label
from dpproxy.rewrite.reading.names import meaning, written_name
from dpproxy.rewrite.reading.order_expressions import put_back, set_aside
from dpproxy.rewrite.reading.plain_names import bound_plainly
from dpproxy.rewrite.reading.recursion import without_needless_recursion
from dpproxy.rewrite.reading.whole_rows import whole_rows

_POSTGRES = Postgres()
_SOURCES: Final[frozenset[type[exp.Expr]]] = frozenset(
    {exp.Subquery, exp.CTE, exp.Lateral, exp.Unnest, exp.Values, exp.Union, exp.Intersect, exp.Except, exp.Pivot}
)
_Columns = dict[tuple[str, str], Sequence[str]]


def resolve(
    tree: exp.Query, sql: str, catalog: Catalog, names: Mapping[str, str], own: Mapping[str, OwnTable]
) -> exp.Query:
    """A copy of the tree of `sql` with every table written as schema.name and every column with its table's alias.

    A table is one of the policy, or of the analyst's own.

    The front has typed the same text before, so a name that cannot be bound here was bound differently there: refused.
    Raises FeatureNotSupported.
    """
    tree = label(tree, sql)  # a copy, and ours: what follows, sqlglot's qualify too, edits it
    nodes = nodes_of(tree)
    if any(type(node) is exp.With for node in nodes):
        tree = named_columns(without_needless_recursion(tree))
        nodes = nodes_of(tree)
    for select in nodes:
        if type(select) is exp.Select:
            _check_using(select)
            _check_items(select)
    columns: _Columns = {}
    for table in nodes:
        if type(table) is exp.Table and cte_of(table) is None:
            _bind(table, catalog, names, own, columns)
    try:
        if (plain := bound_plainly(tree, nodes, columns)) is not None:
            return _quoted(plain)
        known = KnownColumns(columns)
        return unique_aliases(whole_rows(_qualified(tree, known, _is_one_select(nodes)), known))
    except OptimizeError as fault:
        hidden = next((each for each in tree.find_all(exp.Column) if each.name in SYSTEM_COLUMNS), None)
        if hidden is not None:
            raise RowsOfUnits(
                f"{hidden.name} belongs to single rows of a table",
                hint="Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.",
                position=position(hidden),
            ) from None
        raise FeatureNotSupported(
            "a name in this statement could not be bound to one column of the policy",
            detail=str(fault).splitlines()[0],
            hint="Qualify the column with its table's alias.",
        ) from None
    except (SqlglotError, ValueError, LookupError, AttributeError, TypeError, ArithmeticError, RecursionError):
        raise FeatureNotSupported(
            "this form of statement over private tables is not supported", hint="Write it as a plain SELECT."
        ) from None


def _is_one_select(nodes: Sequence[exp.Expr]) -> bool:
    """Whether nothing but tables stands in FROM, and no query in another: each source has its alias then."""
    kinds = [type(node) for node in nodes]
    return kinds.count(exp.Select) == 1 and _SOURCES.isdisjoint(kinds)


def _qualified(tree: exp.Query, known: KnownColumns, is_one_select: bool) -> exp.Query:
    """The tree itself, edited: sqlglot's `qualify`, of names that are folded already."""
    made = set_aside(tree)
    bound = qualify_columns(made if is_one_select else qualify_tables(made, dialect=_POSTGRES), known)
    whole = bound if made is tree else put_back(bound)
    return validate_qualify_columns(_quoted(whole))


def _quoted(tree: exp.Query) -> exp.Query:
    """The same tree, each of its names in quotes, and with notes that its copies share: one look at each node, where
    sqlglot's own `quote_identifiers` asks the dialect of each name."""
    for node in nodes_of(tree):
        if type(node) is exp.Identifier and not (node.args.get("quoted") or isinstance(node.parent, exp.Func)):
            node.set("quoted", True)
        if node._meta is not None:
            keep_notes(node)
    return tree


def _check_items(select: exp.Select) -> None:
    """Postgres has rows without columns. Within EXISTS nobody looks for one."""
    if not select.expressions and not isinstance(select.parent, exp.Exists):
        raise FeatureNotSupported(
            "a SELECT of no columns cannot be combined with private tables", hint="Select something: SELECT 1 FROM …."
        )


def _check_using(select: exp.Select) -> None:
    """USING merges two columns; what a later USING means by one that a RIGHT or FULL JOIN merged is not understood."""
    merged: set[str] = set()
    natural = False
    for join in select.args.get("joins") or []:
        names = {str(name.name) for name in join.args.get("using") or []}
        is_natural = str(join.args.get("method") or "").upper() == "NATURAL"
        if names & merged or (is_natural and merged) or (natural and (names or is_natural)):
            raise FeatureNotSupported(
                "USING a column that an earlier RIGHT or FULL JOIN has merged is not supported",
                hint="Write the condition: JOIN … ON a.key = b.key.",
                position=position(join.this),
            )
        if str(join.args.get("side") or "").upper() in ("RIGHT", "FULL"):
            merged |= names
            natural = natural or is_natural


def _bind(
    table: exp.Table, catalog: Catalog, names: Mapping[str, str], own: Mapping[str, OwnTable], known: _Columns
) -> None:
    if table.db == CONSTANTS:
        known[CONSTANTS, table.name] = table.alias_column_names
        table.args["alias"].set("columns", None)
        return
    if not isinstance(table.this, exp.Identifier):
        raise FeatureNotSupported(
            "functions in FROM cannot be combined with private tables",
            hint="Select from the policy's tables, subqueries and CTEs.",
            position=position(table),
        )
    written, found = written_name(table), meaning(table, catalog, names, own)
    if found is None:
        raise FeatureNotSupported(
            f'table "{written}" cannot be combined with private tables',
            hint="Join tables of the policy and of your own, or keep the private part's answer in one of your own.",
            position=position(table),
        )
    if table.alias_column_names:
        raise FeatureNotSupported(
            f'renaming the columns of "{written}" in FROM is not supported',
            hint="Give the columns their names in a derived table: (SELECT x AS a FROM t) AS s.",
            position=position(table),
        )
    space, relation, columns = found
    if not table.alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
    here = table.this._meta
    table.set("this", exp.to_identifier(relation, quoted=True))
    note(table.this, here or {})  # where a refusal points to
    table.set("db", exp.to_identifier(space, quoted=True))
    table.set("catalog", None)
    known[space, relation] = columns
