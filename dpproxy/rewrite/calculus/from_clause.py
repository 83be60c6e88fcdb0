"""FROM as a list: each item with the way it is joined to those before it.

What SQL nests is unfolded first, on the tree: parenthesised joins, and what stands left of a RIGHT or FULL JOIN or is
one itself, become derived tables. Aliases are unique in the whole statement, so a column is renamed wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from dpproxy.catalog.sql_names import sql_name
from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.rewrite.calculus.relations import FromRelation, Readable
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.shown import as_written, stands_for

FOLDED = "dpproxy joined"


class WrittenJoin(Enum):
    """How an item is joined. The text is the engine's."""

    INNER = " JOIN "
    LEFT = " LEFT JOIN "
    RIGHT = " RIGHT JOIN "
    FULL = " FULL JOIN "


@dataclass(frozen=True, slots=True)
class FromItem:
    """An item of FROM as written: its node, how it is joined, and the conjuncts of its ON."""

    node: exp.Expr
    kind: WrittenJoin
    on: tuple[exp.Expr, ...]


def column_as_written(source: FromRelation, name: str) -> str:
    """As the analyst would write it: the columns of parentheses in FROM have their table's alias already."""
    written = sql_name(name)
    return written if source.alias.startswith(FOLDED) else f"{as_written(source.alias)}.{written}"


def items(select: exp.Select) -> tuple[FromItem, ...]:
    """The items of FROM, in order. Raises FeatureNotSupported for a way to join that is none of SQL's five."""
    from_ = select.args.get("from_")
    first = (FromItem(from_.this, WrittenJoin.INNER, ()),) if from_ is not None else ()
    return first + tuple(_item(node) for node in select.args.get("joins") or [])


def _item(join: exp.Join) -> FromItem:
    side, kind, method = (str(join.args.get(name) or "").upper() for name in ("side", "kind", "method"))
    if method or kind not in ("", "INNER", "CROSS", "OUTER") or join.args.get("using"):
        raise FeatureNotSupported(
            f"{' '.join(part for part in (method, side, kind) if part)} JOIN over private tables is not supported",
            hint="Use JOIN, LEFT JOIN, RIGHT JOIN, FULL JOIN or CROSS JOIN; put an alias of that name between quotes.",
            position=position(join),
        )
    on = join.args.get("on")
    return FromItem(
        join.this, WrittenJoin[side] if side else WrittenJoin.INNER, tuple(conjuncts(on)) if not _is_true(on) else ()
    )


def _is_true(on: exp.Expr | None) -> bool:
    return isinstance(on, exp.Boolean) and bool(on.this)


def unfold(select: exp.Select) -> None:
    """Change FROM so that RIGHT JOIN is gone, and a FULL JOIN is between two items and alone in its FROM."""
    _unfold_parentheses(select)
    joins: list[exp.Join] = list(select.args.get("joins") or [])
    for index, join in enumerate(joins):
        side = str(join.args.get("side") or "").upper()
        if side not in ("RIGHT", "FULL"):
            continue
        if index:
            _fold(select, index)
            return unfold(select)
        if side == "RIGHT":
            first = select.args["from_"].this
            select.args["from_"].set("this", join.this)
            join.set("this", first)
            join.set("side", "LEFT")
        elif len(joins) > 1:
            _fold(select, 1)
            return unfold(select)
    return None


def _unfold_parentheses(select: exp.Select) -> None:
    from_ = select.args.get("from_")
    for holder in ([from_] if from_ is not None else []) + list(select.args.get("joins") or []):
        node = holder.this
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table | exp.Subquery) and not node.alias:
            first = node.this
            joins = list(first.args.get("joins") or [])
            first.set("joins", None)
            inner = exp.Select(from_=exp.From(this=first), joins=joins)
            _unfold_parentheses(inner)
            holder.set("this", derived(select, inner, f"{FOLDED} {inner.args['from_'].this.alias_or_name}"))


def _fold(select: exp.Select, count: int) -> None:
    """The first item and the `count` joins after it become one derived table."""
    joins: list[exp.Join] = select.args["joins"]
    inner = exp.Select(from_=exp.From(this=select.args["from_"].this), joins=joins[:count])
    alias = f"{FOLDED} {inner.args['from_'].this.alias_or_name}"
    select.set("joins", joins[count:])
    select.args["from_"].set("this", derived(select, inner, alias))


def derived(select: exp.Select, inner: exp.Select, alias: str) -> exp.Subquery:
    """`inner`, a FROM without items, as a derived table of `select`, whose columns then read it under `alias`."""
    aliases = {item.node.alias_or_name for item in items(inner)}
    nested = [node for join in inner.args.get("joins") or [] for node in join.find_all(exp.Subquery) if node.alias]
    aliases |= {node.alias for node in nested}
    merged = _merged(select, aliases)
    for name, node in merged.items():
        for place in [each for each in select.find_all(exp.Coalesce) if each == node]:
            place.replace(stands_for(exp.column(name, table=alias, quoted=True), node))
    read = [column for column in select.find_all(exp.Column) if column.table in aliases]
    names = dict.fromkeys((column.table, column.name) for column in read)
    for column in read:
        stands_for(column, exp.column(column.name))
        column.set("this", exp.to_identifier(f"{column.table}.{column.name}", quoted=True))
        column.set("table", exp.to_identifier(alias, quoted=True))
    listed = [
        exp.Alias(
            this=exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True)),
            alias=exp.to_identifier(f"{table}.{name}", quoted=True),
        )
        for table, name in names
    ]
    listed += [exp.Alias(this=node, alias=exp.to_identifier(name, quoted=True)) for name, node in merged.items()]
    inner.set("expressions", listed or [exp.Alias(this=exp.Literal.number(1), alias=exp.to_identifier("one"))])
    return exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _merged(select: exp.Select, aliases: set[str]) -> dict[str, exp.Expr]:
    """COALESCE of columns that are all of `aliases`, which is how USING merges two columns: they stay together."""
    found = [
        node
        for node in select.find_all(exp.Coalesce)
        if all(isinstance(part, exp.Column) and part.table in aliases for part in (node.this, *node.expressions))
    ]
    return {f"coalesce {i}": node.copy() for i, node in enumerate(dict.fromkeys(found))}


def kinds(
    found: Sequence[FromItem], relations: Sequence[Readable], said: Callable[[str], None]
) -> tuple[tuple[int, WrittenJoin], ...]:
    """The order of the items and how each is joined, once rows that an outer join makes without a unit are dropped.

    Claim: the rows with a unit are those of the analyst's FROM. Because: an outer join that preserves public rows adds
    rows in which every private column is NULL; they belong to nobody.
    """
    private = [relation.unit is not None for relation in relations]
    order: list[tuple[int, WrittenJoin]] = []
    for index, item in enumerate(found):
        before = any(private[i] for i, _ in order)
        match item.kind, before, private[index]:
            case WrittenJoin.LEFT, False, True:
                said(_dropped(found, item))
                order.append((index, WrittenJoin.INNER))
            case WrittenJoin.FULL, True, False:
                said(_dropped(found, item))
                order.append((index, WrittenJoin.LEFT))
            case WrittenJoin.FULL, False, True:
                said(_dropped(found, item))
                order = [(index, WrittenJoin.INNER), *((i, WrittenJoin.LEFT) for i, _ in order)]
            case kind, _, _:
                order.append((index, kind))
    return tuple(order)


def _dropped(found: Sequence[FromItem], item: FromItem) -> str:
    aliases = [each.node.alias_or_name.removeprefix(FOLDED).strip() for each in (found[0], item)]
    names = " and ".join(f'"{alias}"' for alias in aliases)
    return f"rows that the outer join of {names} makes without a unit are dropped"


def refuse_absence(found: Sequence[FromItem], relations: Sequence[Readable], where: Sequence[exp.Expr]) -> None:
    """Public rows that an outer join keeps because no private row meets them.

    Raises NotPrivate where WHERE asks for them alone: they would appear because a person is absent.
    """
    missing = {
        item.node.alias_or_name
        for index, (item, relation) in enumerate(zip(found, relations, strict=True))
        if relation.unit is not None
        and item.kind in (WrittenJoin.LEFT, WrittenJoin.FULL)
        and not any(each.unit is not None for each in relations[:index])
    }
    for condition in where:
        tested = condition.this if isinstance(condition, exp.Is) and not condition.args.get("negate") else None
        if isinstance(tested, exp.Column) and tested.table in missing and isinstance(condition.expression, exp.Null):
            raise NotPrivate(
                f'rows of public tables without a row of "{tested.table}" would show who is absent',
                hint="Ask for the keys that few or none have: NOT EXISTS (SELECT 1 FROM … WHERE …), without the join.",
                position=position(tested),
            )


def flat(node: exp.Expr) -> list[exp.Expr]:
    """The items of FROM inside of parentheses; else the item itself."""
    if not (isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table | exp.Subquery) and not node.alias):
        return [node]
    inner = node.this
    return [*flat(inner), *(found for join in inner.args.get("joins") or [] for found in flat(join.this))]
