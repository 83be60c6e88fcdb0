"""Whole rows as values, by their alias: `t IS NULL`, `count(t)` and `(t).age` are read as Postgres reads them.

    asked   t IS NOT NULL                 count(t), count(t.*)                                  (t).age
    made    t.a IS NOT NULL AND t.b …     count(*), where no outer join makes rows without t    t.age

What else is asked of a row as one value is left as a `TableColumn`, which private rows may not be.

Checked by: tests/test_fixtures.py (rewrite/whole_rows.sql, refuse/whole_rows.sql).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp
from sqlglot.schema import Schema

from dpproxy.rewrite.expressions.trees.position import note, position
from dpproxy.rewrite.reading.ctes import cte_of

_ROWS = (exp.Table, exp.Subquery)


def fields_of_rows(tree: exp.Query) -> exp.Query:
    """The parsed tree with columns for fields of rows, `(t).age`, where no result of that name may be a row."""
    if not any(True for _ in _fields(tree)):
        return tree
    made = tree.copy()
    selects = list(made.find_all(exp.Select))
    for dot in list(_fields(made)):
        row, own = dot.this.this, dot.find_ancestor(exp.Select)
        results = {item.alias_or_name for each in selects if each is not own for item in each.expressions}
        if row.name not in results:
            dot.replace(exp.Column(this=dot.expression, table=row.this))
    return made


def _fields(tree: exp.Query) -> Iterator[exp.Dot]:
    for dot in tree.find_all(exp.Dot):
        row = dot.this.this if isinstance(dot.this, exp.Paren) else None
        if type(row) is exp.Column and not row.table and isinstance(dot.expression, exp.Identifier | exp.Star):
            yield dot


def whole_rows(query: exp.Query, schema: Schema) -> exp.Query:
    """The qualified query with what is asked of the columns in the place of such tests and counts of rows."""
    if not any(True for _ in _of_rows(query)):
        return query
    made = query.copy()
    for node in list(_of_rows(made)):
        select = _owner(node)
        if select is not None:
            _read(_as_row(node), select, schema)
    return made


def _of_rows(query: exp.Query) -> Iterator[exp.Expr]:
    """What stands for a row: sqlglot's own, names alone in HAVING, and `t.*` but as an item."""
    for node in query.find_all(exp.TableColumn, exp.Column):
        if not isinstance(node, exp.Column):
            yield node
        elif node.table:
            if isinstance(node.this, exp.Star) and not isinstance(node.parent, exp.Select):
                yield node
        elif _is_of_groups(node):
            yield node


def _is_of_groups(column: exp.Column) -> bool:
    return isinstance(column.find_ancestor(exp.Having, exp.Select, exp.Ordered), exp.Having)


def _name(node: exp.Expr) -> str:
    return str(node.args["table"].name if isinstance(node.this, exp.Star) else node.name)


def _owner(node: exp.Expr) -> exp.Select | None:
    """The nearest query around it that has this name in FROM."""
    above = node.find_ancestor(exp.Select)
    while above is not None and _name(node) not in _sources(above):
        above = above.find_ancestor(exp.Select)
    return above


def _sources(select: exp.Select) -> Mapping[str, exp.Expr]:
    """What stands in FROM by itself, by its alias."""
    holders = [select.args.get("from_"), *(select.args.get("joins") or [])]
    return {each.this.alias_or_name: each.this for each in holders if each is not None and isinstance(each.this, _ROWS)}


def _as_row(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.TableColumn):
        return node
    row = exp.TableColumn(this=exp.to_identifier(_name(node), quoted=True))
    start = position(node)
    if start is not None:
        note(row, {"start": start - 1})
    node.replace(row)
    return row


def _read(row: exp.Expr, select: exp.Select, schema: Schema) -> None:
    above = row.parent
    if isinstance(above, exp.Is) and isinstance(above.expression, exp.Null):
        names = _columns(_sources(select)[row.name], schema)
        if names and not _is_grouped_by(row, select):
            _test_columns(above, names)
    elif type(above) is exp.Count and row.find_ancestor(exp.Select) is select and _is_kept(row, select):
        row.replace(exp.Star())


def _is_grouped_by(row: exp.Expr, select: exp.Select) -> bool:
    """Whether the row is a key: then its columns are none."""
    group = select.args.get("group")
    return group is not None and any(key.name == row.name for key in group.find_all(exp.TableColumn))


def _test_columns(test: exp.Is, names: list[str]) -> None:
    """A row IS NULL if each of its values is, and IS NOT NULL if none is."""
    tests = [test.copy() for _ in names]
    for each, name in zip(tests, names, strict=True):
        column = exp.column(name, table=each.this.name, quoted=True)
        note(column.this, each.this._meta or {})
        each.set("this", column)
    test.replace(exp.paren(exp.and_(*tests, copy=False), copy=False))


def _columns(source: exp.Expr, schema: Schema) -> list[str]:
    """The names of its columns; none where FROM names some of them anew."""
    if source.alias_column_names:
        return []
    if isinstance(source, exp.Subquery):
        return list(source.named_selects) if isinstance(source.this, exp.Query) else []
    cte = cte_of(source) if isinstance(source, exp.Table) else None
    if cte is not None:
        return [] if cte.alias_column_names else list(cte.this.named_selects)
    return list(schema.column_names(source)) if isinstance(source, exp.Table) else []


def _is_kept(row: exp.Expr, select: exp.Select) -> bool:
    """Whether each row of FROM has one of it: no outer join makes rows without."""
    source = _sources(select)[row.name]
    kept, found = True, False
    for holder in [select.args["from_"], *(select.args.get("joins") or [])]:
        side = str(holder.args.get("side") or "").upper()
        if holder.this is source:
            kept, found = side not in ("LEFT", "FULL"), True
        elif found:
            kept = kept and side not in ("RIGHT", "FULL")
    return kept
