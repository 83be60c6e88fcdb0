"""Relations that stay private: levels, per-unit groups, windows, DISTINCT, set operations, LATERAL, and subqueries
among their conditions. Each is text with `who`, its unit's key, and columns c0, c1 …
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from neighbours.dice import Dice
from neighbours.froms import CUSTOMER, PERSON, Names, Source, joined, private_only, table
from neighbours.words import Column, Scope, condition, expression, named

_WHOLE = ["COUNT(*)", "COUNT(*)", "COUNT({any})", "COUNT(DISTINCT {exact})", "SUM({sum})", "SUM({sum})"]
_OTHER = ["MIN({exact})", "MAX({exact})", "MAX({any})", "AVG({sum})", "BOOL_OR({b})", "BOOL_AND({b})", "EVERY({b})"]
_FRAMES = [
    " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
]


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT or set operation: items are `who` and those of `columns`, whose texts are their names alone."""

    sql: str
    columns: Scope
    one_row: bool = False


@dataclass
class Writer:
    """Writes relations; what it puts into WITH is in `ctes`, in order."""

    dice: Dice
    names: Names = field(default_factory=Names)
    ctes: list[tuple[str, str]] = field(default_factory=list)
    _known: dict[str, list[tuple[str, Query]]] = field(default_factory=lambda: {PERSON: [], CUSTOMER: []})

    def derive(self, owner: str, depth: int) -> Source:
        """A derived table, a CTE, or a CTE that is there already."""
        if self._known[owner] and self.dice.rarely(3):
            name, query = self.dice.one(self._known[owner])
            return self._source(name, query, owner)
        query = self.query(owner, depth)
        if self.dice.rarely(3):
            name = self.names.new("w")
            self.ctes.append((name, query.sql))
            self._known[owner].append((name, query))
            return self._source(name, query, owner)
        return self._source(f"({query.sql})", query, owner)

    def _source(self, text: str, query: Query, owner: str) -> Source:
        alias = self.names.new("t")
        columns = tuple(replace(column, text=f"{alias}.{column.text}") for column in query.columns)
        order = (f"{alias}.who", *(column.text for column in columns))
        return Source(f"{text} {alias}", owner, columns, f"{alias}.who", "", order)

    def query(self, owner: str, depth: int) -> Query:
        """A query of `who` and more."""
        forms = [self._level, self._grouped, self._grouped, self._windowed, self._windowed, self._distinct]
        forms += [self._distinct_on, self._set_operation, self._lateral]
        return self.dice.one(forms)(owner, depth)

    def keyed(self, owner: str, depth: int) -> Source:
        """A FROM that shows the unit's key."""
        found = joined(self.dice, self.names, owner, depth, self.derive)
        return found if found.unit else private_only(self.dice, self.names, owner)

    def _items(self, source: Source, most: int) -> list[Column]:
        """Expressions over a source, as columns whose text is the expression."""
        kinds = self.dice.some(["i", "t", "n", "d", "b", "f"], most)
        found = []
        for kind in kinds:
            columns = named(source.columns, kind)
            if columns and self.dice.rarely(4):
                text = expression(self.dice, kind, source.columns, 1)
                found.append(Column(text, kind) if "." in text.strip("'0123456789.") else columns[0])
            elif columns:
                found.append(self.dice.one(columns))
        return list(dict.fromkeys(found)) or [source.columns[0]]

    def _level(self, owner: str, depth: int) -> Query:
        source = self.keyed(owner, depth)
        items = self._items(source, 3)
        return Query(f"SELECT {_written(source, items)} FROM {source.text}{self.where(source, depth)}", _shown(items))

    def _distinct(self, owner: str, depth: int) -> Query:
        source = self.keyed(owner, depth)
        items = self._items(source, 2)
        sql = f"SELECT DISTINCT {_written(source, items)} FROM {source.text}{self.where(source, depth)}"
        return Query(sql, _shown(items))

    def _grouped(self, owner: str, depth: int) -> Query:
        """GROUP BY the unit's key alone, or with more."""
        source = self.keyed(owner, depth)
        keys = self._items(source, 1) if self.dice.rarely(3) else []
        aggregates = [self.aggregate(source) for _ in range(1 + self.dice.below(2))]
        items = [*keys, *aggregates]
        group = ", ".join([source.unit, *(key.text for key in keys)])
        having = (
            f" HAVING {self.dice.one(['COUNT(*) > 1', 'COUNT(*) <= 3', 'MIN(1) = 1'])}" if self.dice.rarely(3) else ""
        )
        where = self.where(source, depth)
        sql = f"SELECT {_written(source, items)} FROM {source.text}{where} GROUP BY {group}{having}"
        return Query(sql, _shown(items), one_row=not keys)

    def aggregate(self, source: Source) -> Column:
        """An exact aggregate of one unit's rows."""
        form = self.dice.one(_WHOLE if not self.dice.rarely(4) else _OTHER)
        scope = source.columns
        exact = self.dice.one(named(scope, "itdnb") or [Column("1", "i")])
        anything = self.dice.one(scope)
        added = self.dice.one(named(scope, "in") * 4 + named(scope, "f") or [Column("1", "i")])
        truth = condition(self.dice, scope, 1)
        exact = Column("1", "i") if exact.kind == "b" and form.startswith("M") else exact
        anything = Column("1", "i") if anything.kind == "b" and form.startswith("M") else anything
        text = form.format(any=anything.text, exact=exact.text, sum=added.text, b=truth)
        if form.startswith(("MA", "MI")):
            kind = (anything if "any" in form else exact).kind
        else:
            kind = {"C": "i", "S": added.kind, "A": "a", "B": "b", "E": "b"}[form[0]]
        return Column(text, "a" if form.startswith("SUM") and kind == "f" else kind)

    def _windowed(self, owner: str, depth: int) -> Query:
        """Window functions partitioned by the unit; often filtered outside."""
        source = self.keyed(owner, depth)
        items = self._items(source, 2)
        window = self._window(source)
        name = f"c{len(items)}"
        inner = [*items, window]
        sql = f"SELECT {_written(source, inner)} FROM {source.text}{self.where(source, depth)}"
        if window.kind == "i" and self.dice.rarely(7):
            alias = self.names.new("t")
            test = self.dice.one(["= 1", "<= 2", "<= 3", "> 1"])
            kept = ", ".join(["who", *(f"c{index}" for index in range(len(items)))])
            return Query(f"SELECT {kept} FROM ({sql}) {alias} WHERE {name} {test}", _shown(items))
        return Query(sql, _shown(inner))

    def _window(self, source: Source) -> Column:
        scope, order = source.columns, ", ".join(source.order)
        by = source.unit
        if self.dice.rarely(3):
            more = self.dice.one(named(scope, "tib") or [scope[0]])
            by = f"{source.unit}, {more.text}"
        first = self.dice.one(named(scope, "dinf") or [scope[0]])
        total = f"{first.text}{self.dice.one(['', ' DESC', ' NULLS FIRST'])}, {order}"
        value = self.dice.one(scope)
        added = self.dice.one(named(scope, "in") or [Column("1", "i")])
        kind = {"i": "i", "n": "n"}[added.kind]
        options = [
            Column(f"ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {total})", "i"),
            Column(f"RANK() OVER (PARTITION BY {by} ORDER BY {first.text})", "i"),
            Column(f"DENSE_RANK() OVER (PARTITION BY {by} ORDER BY {first.text} DESC)", "i"),
            Column(f"COUNT(*) OVER (PARTITION BY {by})", "i"),
            Column(f"SUM({added.text}) OVER (PARTITION BY {by})", kind),
            Column(f"SUM({added.text}) OVER (PARTITION BY {by} ORDER BY {total})", kind),
            Column(f"SUM({added.text}) OVER (PARTITION BY {by} ORDER BY {total}{self.dice.one(_FRAMES)})", kind),
            Column(f"AVG({added.text}) OVER (PARTITION BY {by})", "a"),
            Column(f"LAG({value.text}) OVER (PARTITION BY {by} ORDER BY {total})", value.kind),
            Column(f"LEAD({value.text}, 2) OVER (PARTITION BY {by} ORDER BY {total})", value.kind),
            Column(f"FIRST_VALUE({value.text}) OVER (PARTITION BY {by} ORDER BY {total})", value.kind),
            Column(f"MAX({added.text}) OVER (PARTITION BY {by})", added.kind),
            Column(f"NTILE(3) OVER (PARTITION BY {by} ORDER BY {total})", "i"),
        ]
        return self.dice.one(options)

    def _distinct_on(self, owner: str, depth: int) -> Query:
        source = self.keyed(owner, depth)
        items = self._items(source, 2)
        by = [source.unit]
        if self.dice.rarely(3):
            by.append(self.dice.one(named(source.columns, "ti") or [source.columns[0]]).text)
        first = self.dice.one(named(source.columns, "dinf") or [source.columns[0]])
        order = ", ".join([*by, f"{first.text}{self.dice.one(['', ' DESC'])}", *source.order])
        sql = f"SELECT DISTINCT ON ({', '.join(by)}) {_written(source, items)} FROM {source.text}"
        return Query(f"{sql}{self.where(source, depth)} ORDER BY {order}", _shown(items), one_row=len(by) == 1)

    def _set_operation(self, owner: str, depth: int) -> Query:
        """Both sides have `who` first and columns of one kind."""
        kind = self.dice.one("idt")
        sides = []
        for _ in range(2 + self.dice.rarely(2)):
            source = self.keyed(owner, max(depth - 1, 0))
            text = expression(self.dice, kind, source.columns, 0)
            item = Column(f"{text}::bigint" if kind == "i" else text, kind)
            sides.append(f"SELECT {_written(source, [item])} FROM {source.text}{self.where(source, 0)}")
        word = self.dice.one(["UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"])
        return Query(f" {word} ".join(sides), (Column("c0", kind),))

    def _lateral(self, owner: str, depth: int) -> Query:
        """The first rows of each unit."""
        outer = private_only(self.dice, self.names, owner)
        inner = private_only(self.dice, self.names, owner)
        items = self._items(inner, 2)
        chosen = ", ".join(f"{item.text} AS c{index}" for index, item in enumerate(items))
        first = self.dice.one(named(inner.columns, "dinf") or [inner.columns[0]])
        order = f"{first.text}{self.dice.one(['', ' DESC'])}, {', '.join(inner.order)}"
        more = f" AND {condition(self.dice, inner.columns, 0)}" if self.dice.rarely(3) else ""
        alias = self.names.new("t")
        sql = (
            f"SELECT {chosen} FROM {inner.text} WHERE {inner.unit} = {outer.unit}{more} "
            f"ORDER BY {order} LIMIT {self.dice.one(['1', '2', '3'])}"
        )
        join, on = self.dice.one([("CROSS JOIN LATERAL", ""), ("LEFT JOIN LATERAL", " ON TRUE"), (", LATERAL", "")])
        kept = ", ".join(f"{alias}.c{index}" for index in range(len(items)))
        text = f"{outer.text}{'' if join[0] == ',' else ' '}{join} ({sql}) {alias}{on}"
        return Query(f"SELECT {outer.unit} AS who, {kept} FROM {text}{self.where(outer, 0)}", _shown(items))

    def where(self, source: Source, depth: int, more: Sequence[str] = ()) -> str:
        """WHERE with what the joins need, and perhaps conditions."""
        found = [*source.where, *more]
        while self.dice.rarely(4) and len(found) < 4:
            found.append(self.condition(source, depth))
        keep = " AND ".join(source.keep)
        if found:
            return f" WHERE {f'«{keep} AND »' if keep else ''}{' AND '.join(found)}"
        return f"« WHERE {keep}»" if keep else ""

    def condition(self, source: Source, depth: int) -> str:
        """A condition on a row, with or without a subquery."""
        if depth <= 0 or not self.dice.rarely(4):
            return condition(self.dice, source.columns, 2)
        return self._public_subquery(source) if not source.unit or self.dice.rarely(4) else self._own_subquery(source)

    def _own_subquery(self, source: Source) -> str:
        """Over private rows of the same unit."""
        inner = private_only(self.dice, self.names, source.owner)
        if source.owner == CUSTOMER and self.dice.rarely(3):
            orders, lines = table(self.names, "orders"), table(self.names, "lineitem")
            inner = replace(orders, text=f"{orders.text} JOIN {lines.text} ON {lines.link} = {orders.link}",
                            columns=orders.columns + lines.columns)  # fmt: skip
        inside = condition(self.dice, inner.columns + (source.columns if self.dice.rarely(5) else ()), 1)
        tie = f"{inner.unit} = {source.unit}" if not self.dice.rarely(1, 30) else f"{inner.unit} <> {source.unit}"
        rows = f"FROM {inner.text} WHERE {tie} AND {inside}"
        column, value = self._pair(inner, source)
        negated = self.dice.one(["", "NOT "])
        count = self.dice.one(["COUNT(*)", f"COUNT(DISTINCT {column.text})", f"COALESCE(SUM({self._added(inner)}), 0)"])
        extreme = self.dice.one(["MIN", "MAX"])
        compared = self.dice.one(["=", "<", ">=", "<>"])
        options = [
            f"{negated}EXISTS (SELECT 1 {rows})",
            f"{source.unit} {negated}IN (SELECT {inner.unit} FROM {inner.text} WHERE {inside})",
            f"{value.text} {negated}IN (SELECT {column.text} {rows})",
            f"{value.text} {compared} ANY (SELECT {column.text} {rows})",
            f"{value.text} {compared} ALL (SELECT {column.text} {rows})",
            f"(SELECT {count} {rows}) {self.dice.one(['>', '<=', '='])} {self.dice.one(['1', '0', '3', '50'])}",
            f"{value.text} {compared} (SELECT {extreme}({column.text}) {rows})",
            f"{negated}EXISTS (SELECT {column.text} {rows} GROUP BY {column.text} HAVING COUNT(*) > 1)",
            f"{value.text} {negated}IN (SELECT {column.text} {rows} GROUP BY {column.text})",
            f"{value.text} {negated}IN (SELECT {column.text} FROM {inner.text} WHERE {inside})",
            f"(SELECT {count} {rows} GROUP BY {inner.unit} HAVING {extreme}({column.text}) IS NOT NULL) > 1",
            f"(SELECT {count} FROM {inner.text} WHERE {column.text} = {value.text} AND {inside}) > 3",
        ]
        return self.dice.one(options)

    def _added(self, source: Source) -> str:
        return self.dice.one(named(source.columns, "in") or [Column("1", "i")]).text

    def _pair(self, inner: Source, source: Source) -> tuple[Column, Column]:
        """A column inside and something outside of its kind."""
        column = self.dice.one(named(inner.columns, "idnt"))
        outside = named(source.columns, column.kind)
        constant = Column(expression(self.dice, column.kind, (), 0), column.kind)
        return column, self.dice.one(outside) if outside else constant

    def _public_subquery(self, source: Source) -> str:
        """Over public tables, correlated or not."""
        inner = table(self.names, self.dice.one(["departments", "nation"]))
        column, value = self._pair(inner, source)
        inside = condition(self.dice, inner.columns, 1)
        negated = self.dice.one(["", "NOT "])
        options = [
            f"{value.text} {negated}IN (SELECT {column.text} FROM {inner.text} WHERE {inside})",
            f"{negated}EXISTS (SELECT 1 FROM {inner.text} WHERE {column.text} = {value.text} AND {inside})",
            f"{value.text} >= (SELECT MIN({column.text}) FROM {inner.text} WHERE {inside})",
            f"{value.text} <> ALL (SELECT {column.text} FROM {inner.text})",
            f"{value.text} = ANY (SELECT {column.text} FROM {inner.text} WHERE {inside})",
            f"(SELECT COUNT(*) FROM {inner.text} WHERE {column.text} <= {value.text}) > 1",
            f"{value.text} >= (SELECT {column.text} FROM {inner.text} WHERE {inside} ORDER BY {column.text} LIMIT 1)",
            f"{value.text} <> (SELECT MIN({column.text}) FROM {inner.text} WHERE {inside} GROUP BY 1 + 1 = 2)",
        ]
        return self.dice.one(options)


def _written(source: Source, items: Sequence[Column]) -> str:
    return ", ".join([f"{source.unit} AS who", *(f"{item.text} AS c{index}" for index, item in enumerate(items))])


def _shown(items: Sequence[Column]) -> Scope:
    return tuple(replace(item, text=f"c{index}") for index, item in enumerate(items))
