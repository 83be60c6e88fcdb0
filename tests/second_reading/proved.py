"""The tree that the checker proves, as a neutral one: SELECT, FROM, set operations.

A reader is a function of the node's arguments and of the dialect; READERS has one for each class of the allow-list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from second_reading.proved_values import VALUES, Reader, name, read, reads, several
from second_reading.tree import Fields, Node, Unread, grouping, made

Part = Callable[[Fields, Reader], Node]
_SET_OPERATIONS: Mapping[type[exp.Expr], str] = {
    exp.Union: "union",
    exp.Intersect: "intersect",
    exp.Except: "except",
}


def proved(tree: exp.Expr, dialect: str) -> Node:
    """The neutral tree of what `checker.nodes.parsed` returns. Raises Unread for a node that is not known here."""
    return read(tree, Reader(dialect, READERS))


def _select(fields: Fields, reader: Reader) -> Node:
    distinct = fields.take("distinct")
    if isinstance(distinct, exp.Distinct) and any(distinct.args.values()):
        raise Unread("DISTINCT ON")
    source = _inner(fields.take("from_"), exp.From, reader)
    for join in fields.each("joins"):
        source = _joined(source, join, reader)
    return made(
        "select",
        "distinct" if distinct else "",
        shared=_shared(fields.take("with_"), reader),
        item=[_item(each, reader) for each in fields.each("expressions")],
        source=source,
        where=_inner(fields.take("where"), exp.Where, reader),
        group=grouping(_listed(fields.take("group"), exp.Group, reader)),
        having=_inner(fields.take("having"), exp.Having, reader),
        order=_listed(fields.take("order"), exp.Order, reader),
        limit=_inner(fields.take("limit"), exp.Limit, reader, "expression"),
        offset=_inner(fields.take("offset"), exp.Offset, reader, "expression"),
    )


def _shared(clause: object, reader: Reader) -> list[Node]:
    """WITH: queries that are made once, by their names."""
    return (
        [] if clause is None else [_made_once(each, reader) for each in _fields(clause, exp.With).each("expressions")]
    )


def _made_once(node: object, reader: Reader) -> Node:
    fields = _fields(node, exp.CTE)
    (alias, columns), once = _alias(fields.take("alias"), reader), fields.take("materialized")
    found = made("shared", alias, query=reads(fields, "this", reader), column=columns)
    fields.done()
    if once is not True:
        raise Unread("a WITH that is not MATERIALIZED")
    return found


def _inner(clause: object, kind: type[exp.Expr], reader: Reader, part: str = "this") -> Node | None:
    """What stands in a clause that holds one node."""
    if clause is None:
        return None
    fields = _fields(clause, kind)
    found = reads(fields, part, reader)
    fields.done()
    return found


def _listed(clause: object, kind: type[exp.Expr], reader: Reader) -> list[Node]:
    """What stands in a clause that holds a list."""
    if clause is None:
        return []
    fields = _fields(clause, kind)
    found = several(fields, "expressions", reader)
    fields.done()
    return found


def _fields(node: object, kind: type[exp.Expr]) -> Fields:
    if type(node) is not kind:
        raise Unread(f"{node!r} in the place of {kind.__name__}")
    return Fields(kind.__name__, node.args)


def _item(node: object, reader: Reader) -> Node:
    if type(node) is not exp.Alias:
        return made("item", value=read(node, reader))
    fields = _fields(node, exp.Alias)
    found = made("item", name(fields.take("alias")), value=reads(fields, "this", reader))
    fields.done()
    return found


def _joined(left: Node | None, node: object, reader: Reader) -> Node:
    """A join of all that stands before it with one more: so the checker reads a list of joins."""
    fields = _fields(node, exp.Join)
    kind, side = str(fields.take("kind") or "").lower(), str(fields.take("side") or "").lower()
    right, on = reads(fields, "this", reader), fields.take("on")
    fields.done()
    if kind not in ("", "inner", "cross", "outer") or (kind == "cross" and (side or on)):
        raise Unread(f"a join with {kind} and {side}")
    condition = None if on is None else read(on, reader)
    word = side or ("cross" if condition is None else "inner")
    return made("join", word, left=left, right=right, condition=condition)


def _alias(node: object, reader: Reader) -> tuple[str, list[Node]]:
    """The alias of a source, and those of its columns."""
    if node is None:
        return "", []
    fields = _fields(node, exp.TableAlias)
    alias = name(fields.take("this"))
    columns = [Node("column name", name(each)) for each in fields.each("columns")]
    fields.done()
    return alias, columns


def _table(fields: Fields, reader: Reader) -> Node:
    relation, schema = name(fields.take("this")), fields.take("db")
    alias, columns = _alias(fields.take("alias"), reader)
    within = None if schema is None else Node("schema", name(schema))
    return made("table", relation, schema=within, alias=Node("alias", alias) if alias else None, column=columns)


def _subquery(fields: Fields, reader: Reader) -> Node:
    """A derived table; a query as a value, or as a side of a set operation, has no alias."""
    query, (alias, columns) = reads(fields, "this", reader), _alias(fields.take("alias"), reader)
    return made("derived", alias, query=query, column=columns) if alias else query


def _values(fields: Fields, reader: Reader) -> Node:
    rows = [read(row, reader) for row in fields.each("expressions")]
    alias, columns = _alias(fields.take("alias"), reader)
    return made("derived", alias, query=made("values", row=rows), column=columns)


def _set_operation(word: str) -> Part:
    def part(fields: Fields, reader: Reader) -> Node:
        kept = "" if fields.take("distinct") else " all"
        left, right = reads(fields, "this", reader), reads(fields, "expression", reader)
        return made("set operation", word + kept, left=left, right=right)

    return part


def _sets(fields: Fields, reader: Reader) -> Node:
    """Grouping sets, a node for each; of one column it may stand in parentheses, which are gone."""
    found = [read(each, reader) for each in fields.each("expressions")]
    sets = [each.parts if each.kind == "row" else (("value 1", each),) for each in found]
    return made("grouping sets", set=[Node("row", parts=parts) for parts in sets])


def _tuple(fields: Fields, reader: Reader) -> Node:
    return made("row", value=several(fields, "expressions", reader))


def _never(fields: Fields, reader: Reader) -> Node:
    raise Unread(f"{fields.kind} where none belongs")


READERS: Mapping[type[exp.Expr], Part] = {
    **VALUES,
    exp.Select: _select,
    exp.Table: _table,
    exp.Subquery: _subquery,
    exp.Values: _values,
    exp.Tuple: _tuple,
    exp.GroupingSets: _sets,
    **{kind: _set_operation(word) for kind, word in _SET_OPERATIONS.items()},
    # Parts that their wholes read.
    **dict.fromkeys((exp.From, exp.Where, exp.Having, exp.Limit, exp.Offset, exp.Group, exp.Order), _never),
    **dict.fromkeys((exp.Join, exp.TableAlias, exp.Alias, exp.Distinct, exp.With, exp.CTE), _never),
}
