"""WITH RECURSIVE: dropped where nothing is recursive, and set apart where what is recursive is public.

The word lets a query of WITH read itself, and is often written anyway. A query that does, and reads public tables and
tables of the analyst's own alone, is a table of a schema of its own while the passes run, as constants are: the front
works it out before the charge, and the engine is told its rows, as those of the analyst's own tables; where only the
front reads it, it comes back as it was written (`swap`).

Checked by: tests/test_fixtures.py (rewrite/recursion.sql), tests/clients/test_recursion.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.private_plan import OwnTable
from dpproxy.rewrite.expressions.trees.position import note, position
from dpproxy.rewrite.reading.ctes import cte_of, ctes_around, keep, reads_itself
from dpproxy.rewrite.reading.dialect import AsWritten
from dpproxy.rewrite.reading.names import public_place

# The schema under which the tree reads them; the table's name is the place in the list.
RECURSION = "dpproxy recursion"
_FRONT = AsWritten()
_FUNCTIONS = (exp.Unnest, exp.ExplodingGenerateSeries)
_Place = Callable[[exp.Table], tuple[str, str] | None]


@dataclass(frozen=True, slots=True)
class RecursiveQuery:
    """A query of WITH that reads itself, by its name; tree: SELECT * FROM it, with all that it reads before it."""

    name: str
    tree: exp.Query

    @property
    def sql(self) -> str:
        """For the front, whatever its search path is."""
        return _FRONT.generate(self.tree)


def may_be_recursive(sql: str) -> bool:
    """Whether the word is there at all."""
    return "recursive" in sql.lower()


def written_place(name: str) -> str:
    """How the name of one is written where names of tables are."""
    return f"{RECURSION}.{name}"


def check_worked_out(query: RecursiveQuery, own: Mapping[str, OwnTable]) -> None:
    """Raises FeatureNotSupported where nobody asked the front for it."""
    told = own.get(written_place(query.name))
    if told is None or told.query != query.sql:
        raise FeatureNotSupported(
            f'the recursive query "{query.name}" is worked out by the front, which is not asked here',
            hint="Ask for the same in a session: EXPLAIN (VERBOSE) SELECT ….",
        )


def set_recursion_apart(
    tree: exp.Query, catalog: Catalog, names: Mapping[str, str], own: Mapping[str, OwnTable]
) -> tuple[exp.Query, tuple[RecursiveQuery, ...]]:
    """The tree with tables of schema RECURSION for what is recursive and public, and what these are, in order.

    Claim: what is set apart reads no private table. Because: each name in it is one of its own WITH, or has a
    `public_place`, by which it is written. Checked by: tests/clients/test_recursion.py and `rewrite.checker`.
    """
    if any(table.db == RECURSION for table in tree.find_all(exp.Table)):
        raise FeatureNotSupported("this schema cannot be combined with private tables", hint="Write its name in full.")
    with_ = tree.args.get("with_")
    if with_ is None or not with_.args.get("recursive"):
        return tree, ()
    made, place = tree.copy(), partial(public_place, catalog=catalog, names=names, own=own)
    with_ = made.args["with_"]
    found = {id(cte): _alone(cte, place) for cte in with_.expressions if _is_recursive(cte) and _is_public(cte, place)}
    reads = [(table, id(cte_of(table))) for table in made.find_all(exp.Table)]
    outside = [
        (table, meant)
        for table, meant in reads
        if meant in found and not any(id(each) in found for each in ctes_around(table))
    ]
    keep(with_, [cte for cte in with_.expressions if id(cte) not in found])
    for table, meant in outside:
        _point_to(table, found[meant])
    return made, tuple(query for meant, query in found.items() if any(meant == each for _, each in outside))


def _point_to(table: exp.Table, query: RecursiveQuery) -> None:
    """The table, edited to read what was set apart."""
    if table.alias_column_names:
        raise FeatureNotSupported(
            f'renaming the columns of "{query.name}" in FROM is not supported',
            hint=f'Name them in WITH: WITH RECURSIVE "{query.name}" (a, b) AS (…).',
            position=position(table),
        )
    here = table.this._meta
    table.set("alias", exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True)))
    table.set("this", exp.to_identifier(query.name, quoted=True))
    note(table.this, here or {})  # where a refusal points to
    table.set("db", exp.to_identifier(RECURSION, quoted=True))


def _is_recursive(cte: exp.CTE) -> bool:
    return "." not in cte.alias and reads_itself(cte)


def _is_public(cte: exp.CTE, place: _Place) -> bool:
    """Whether all that it reads is public, or constants."""
    tables = (table for each in _needed(cte) for table in each.this.find_all(exp.Table))
    return all(
        cte_of(table) is not None or place(table) is not None
        if isinstance(table.this, exp.Identifier)
        else isinstance(table.this, _FUNCTIONS)
        for table in tables
    )


def _needed(cte: exp.CTE) -> list[exp.CTE]:
    """It and those of its WITH that it reads, also through others, as they are written."""
    assert isinstance(cte.parent, exp.With)
    needed = {id(cte)}
    for each in reversed(cte.parent.expressions):
        if id(each) in needed:
            needed |= {id(cte_of(table)) for table in each.this.find_all(exp.Table)}
    return [each for each in cte.parent.expressions if id(each) in needed]


def _alone(cte: exp.CTE, place: _Place) -> RecursiveQuery:
    name = exp.to_identifier(cte.alias, quoted=True)
    with_ = exp.With(expressions=[each.copy() for each in _needed(cte)], recursive=True)
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=exp.Table(this=name)), with_=with_)
    for table in list(query.find_all(exp.Table)):
        found = None if cte_of(table) is not None else place(table)
        if found is not None:
            table.set("db", exp.to_identifier(found[0], quoted=True))
            table.set("this", exp.to_identifier(found[1], quoted=True))
    return RecursiveQuery(cte.alias, query)


def without_needless_recursion(query: exp.Query) -> exp.Query:
    """The query, in which a WITH whose queries read only those before them is an ordinary one."""
    if not any(map(_is_needless, query.find_all(exp.With))):
        return query
    made = query.copy()
    for with_ in filter(_is_needless, made.find_all(exp.With)):
        with_.set("recursive", None)
    return made


def _is_needless(with_: exp.With) -> bool:
    return bool(with_.args.get("recursive")) and not _reads_onward(with_)


def _reads_onward(with_: exp.With) -> bool:
    """Whether one reads itself, or one that comes after it; perhaps, where another has the same name within it."""
    names = [cte.alias for cte in with_.expressions]
    return any(
        not table.db and table.name in names[index:]
        for index, cte in enumerate(with_.expressions)
        for table in cte.this.find_all(exp.Table)
    )
