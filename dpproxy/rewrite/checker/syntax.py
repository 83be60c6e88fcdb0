"""Small readings of a tree: the parts of a condition, a whole number, the names of items, the source of a SELECT."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault, require

_ALIAS = re.compile(r"[a-z]\d*(?:_?[a-z]\d+)*")
SET_OPERATIONS = (exp.Union, exp.Intersect, exp.Except)
# Most nodes, below which is nothing, and most of what nodes have beside nodes.
_WORDS = frozenset({exp.Identifier, exp.Literal})
_NO_NODES = frozenset({str, bool, type(None)})
_PLAIN = re.compile(r"[a-z]\d*")


def only(select: exp.Expr, *clauses: str) -> None:
    """Raises CheckFault where the SELECT has another clause."""
    for name, value in select.args.items():
        if value and name not in clauses:
            raise CheckFault(f"a {name} clause where none belongs")


def keeps_all(offset: exp.Expr | None) -> bool:
    """Whether an OFFSET leaves all rows: there is none, or it is 0, or '0', which engines read as that."""
    return offset is None or offset.expression == exp.Literal.string("0") or integer(offset.expression) == 0


def inside(node: exp.Expr, closed: Collection[type[exp.Expr]] = ()) -> list[exp.Expr]:
    """A node and all below it, level by level, but for what is below `closed` ones."""
    found = [node]
    for part in found:
        kind = type(part)
        if kind in closed or (kind in _WORDS and type(part.args.get("this")) is str):
            continue
        for value in part.args.values():
            kind_of_value = type(value)
            if kind_of_value is list:
                found += [each for each in value if isinstance(each, exp.Expr)]
            elif kind_of_value not in _NO_NODES and isinstance(value, exp.Expr):
                found.append(value)
    return found


def bare(node: object) -> exp.Expr:
    """The expression inside of parentheses."""
    while type(node) is exp.Paren:
        node = node.this
    if not isinstance(node, exp.Expr):
        raise CheckFault("something is missing")
    return node


def conjuncts(node: object) -> list[exp.Expr]:
    """The parts of a condition that must all be true; none for no condition."""
    found: list[exp.Expr] = []
    waiting = [] if node is None else [bare(node)]
    while waiting:
        part = waiting.pop()
        if type(part) is exp.And:
            waiting += [bare(part.expression), bare(part.this)]
        else:
            found.append(part)
    return found


def integer(node: object) -> int | None:
    """The whole number that is written there, else None."""
    if type(node) is exp.Neg:
        below = integer(node.this)
        return None if below is None else -below
    if type(node) is exp.Literal and not node.is_string and node.name.isdecimal():
        return int(node.name)
    return None


def null_test(node: object) -> tuple[exp.Expr, bool] | None:
    """x, and True for x IS NULL or False for x IS NOT NULL, which dialects read in one of two ways; else None."""
    denied = type(node) is exp.Not
    inner = bare(node.this) if isinstance(node, exp.Not) else node
    if type(inner) is not exp.Is or type(inner.expression) is not exp.Null:
        return None
    return bare(inner.this), bool(inner.args.get("negate")) == denied


def plain(node: object) -> str | None:
    """The name of a column without a table, else None. It is one letter with a number: no keyword, and of one case."""
    if type(node) is not exp.Column or node.args.get("table") is not None:
        return None
    return node.name if _PLAIN.fullmatch(node.name) else None


def clause(select: exp.Expr, name: str) -> exp.Expr | None:
    """What stands in WHERE or HAVING, or None."""
    found = select.args.get(name)
    inner: exp.Expr | None = None if found is None else found.this
    return inner


def filtered(select: exp.Expr) -> list[exp.Expr]:
    """The conjuncts of WHERE."""
    return conjuncts(clause(select, "where"))


def grouped(select: exp.Expr) -> list[exp.Expr]:
    """What stands in GROUP BY. Raises CheckFault for sets of it, which only totals by norm have."""
    group = select.args.get("group")
    if group is None:
        return []
    require(exp.GroupingSets not in map(type, group.expressions), "grouping sets where none belong")
    return list(group.expressions)


def named(select: exp.Expr) -> Mapping[str, exp.Expr]:
    """The items of a SELECT by name, in order. Raises CheckFault for one without a name, and for two of one name."""
    names: dict[str, exp.Expr] = {}
    for item in select.expressions:
        require(type(item) in (exp.Alias, exp.Column), "an item without a name")
        names[item.alias_or_name] = item.this if type(item) is exp.Alias else item
    require(len({name.lower() for name in names}) == len(select.expressions) > 0, "two items of one name, or none")
    return names


def aliases_of(nodes: Sequence[exp.Expr], taken: Iterable[str]) -> list[str]:
    """The aliases of the sources of one SELECT: letters with numbers, each once, and none that is `taken` around it."""
    aliases = [node.alias for node in nodes]
    found = {alias.lower() for alias in aliases}
    require(len(found) == len(aliases) and not found & set(taken), "two sources of one name")
    require(all(_ALIAS.fullmatch(alias) for alias in aliases), "a source without a name of letters and numbers")
    return aliases


def source_of(select: exp.Expr) -> exp.Expr:
    """What is alone in FROM."""
    require(not select.args.get("joins"), "a join above the level that reads tables")
    from_ = select.args.get("from_")
    source: exp.Expr | None = None if from_ is None else from_.this
    if source is None:
        raise CheckFault("FROM is not one derived table")
    return source


def query_of(select: exp.Expr) -> exp.Expr:
    """The query of the derived table that is alone in FROM."""
    source = source_of(select)
    if type(source) is not exp.Subquery or not source.alias:
        raise CheckFault("FROM is not one derived table")
    inner: exp.Expr = source.this
    return inner


def derived(select: exp.Expr) -> exp.Select:
    """The SELECT of the derived table that is alone in FROM."""
    inner = query_of(select)
    if type(inner) is not exp.Select:
        raise CheckFault("FROM is not one SELECT")
    return inner
