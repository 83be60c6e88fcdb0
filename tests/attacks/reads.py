"""Whether the texts of a plan read private columns anywhere but under clips, as keys, or to choose among rows.

A second look at the generated tree, by itself: it calls nothing of dpproxy but the models of a plan and of a catalog.
It is smaller than the checker and proves less. What it asks of each bounded SQL:

- the result is the keys, COUNT(*), counts of distinct ranked values, and clamped sums of what is clipped below;
- a SELECT of private rows has their unit's key first, as a column; but in the steps that end in the result, and in
  EXISTS (…) and (SELECT …), whose rows are tied to those around them;
- private sources of one SELECT are tied by equalities of unit keys, or of links with their targets;
- GROUP BY and windows over private rows are within the unit, or GROUP BY has a column that ties, and what it makes is
  tied by it; no row is chosen by LIMIT, OFFSET (but 0) or HAVING;
- hidden columns, but for unit keys, stand in such equalities alone, and no name is of anything else;
- a histogram counts by keys and a clipped bucket, and one unit adds to all buckets of a key what the measure says at
  most: one row, or shares of one whole; where units are dealt into blocks, by their keys alone, one row of a block goes
  and another comes;
- where a unit's contributions are to be scaled down, it is in one row for each measure: the bucket is that of its norm
  over all its rows, it is counted in the first of them, and weighs as one in all private keys together;
- of distinct values that a clip limits, each is counted for a key in the bucket of the least number that it has of any
  unit, whose values are numbered by themselves; a unit is counted in the bucket of its last;
- a sample is of units: one condition on the secret and the unit's key, with as many coins as the plan says; no other
  text reads the secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from attacks.clips import is_clamped, is_clamped_from_zero
from attacks.columns import BLOCK, PUBLIC, Column, Columns, Sources, either, joined, ties_of
from attacks.equalities import classes, conjuncts, equal_columns, present
from attacks.norms import told_of, told_of_group
from attacks.numbered_values import fault_of_values, numbered_of, stands_once
from attacks.packing import (
    SCALED,
    SUMS_SCALED,
    SUMS_WITHIN_CAPS,
    WITHIN_CAPS,
    added_of,
    fault_of,
    fault_of_sums,
    fault_of_sums_within_caps,
    fault_within_caps,
    parts_of,
)
from attacks.shapes import at_most, coins, dealt, has_one_row, is_fence, let_in, sets_of, share
from dpproxy.catalog.policy import Catalog, Table
from dpproxy.plan.private_plan import Bounded, FromPublic, Limit, Literals, MeasureKind, Plan

_NESTED = (exp.Exists, exp.Subquery)
_SETS = (exp.Union, exp.Intersect, exp.Except)
_OF_TOTAL = (
    exp.Alias, exp.Identifier, exp.Cast, exp.DataType, exp.Least, exp.Greatest, exp.Coalesce, exp.Literal, exp.Neg,
    exp.Paren,
)  # fmt: skip
_OF_ROWS = {"expressions", "from_", "joins", "where", "group"}


class _Fault(Exception):
    """A place in a text that reads what it may not."""


def faults(plan: Plan, catalog: Catalog, dialect: str) -> list[str]:
    """What is wrong with the bounded SQL and the public keys of a plan, a line for each text; none for a good one."""
    found = []
    for index, release in enumerate(plan.releases):
        texts = [key.domain.sql for key in release.bounded.keys if isinstance(key.domain, FromPublic)]
        for sql in (release.bounded.sql, *dict.fromkeys(texts)):
            try:
                tree, reader = _select(sql, dialect), _Reader(catalog, release.bounded)
                if sql == release.bounded.sql:
                    reader.result(tree, release.bounded)
                else:
                    _require(not any(coins(tree)), "public keys by the secret")
                    _require(not reader.is_private(tree), "public keys of a private table")
            except (_Fault, SqlglotError) as fault:
                found.append(f"release {index}: {fault}: {sql}")
    return found


def _select(sql: str, dialect: str) -> exp.Select:
    trees = parse(sql, read=dialect)
    tree = trees[0] if len(trees) == 1 else None
    if not isinstance(tree, exp.Select):
        raise _Fault("not one SELECT")
    return tree


def _require(holds: object, told: str) -> None:
    if not holds:
        raise _Fault(told)


def _parts(node: exp.Expr, *shut: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The nodes of an expression that are not inside of subqueries."""
    return node.walk(prune=lambda part: isinstance(part, (*_NESTED, *shut)))


def _is_from_zero(rows: exp.Select, name: str) -> bool:
    """Whether the rows' column of that name is held, and never below 0."""
    return any(item.alias == name and is_clamped_from_zero(item.this) for item in rows.expressions)


class _Reader:
    def __init__(self, catalog: Catalog, bounded: Bounded) -> None:
        self.catalog, self.blocks, self.clips = catalog, bounded.blocks, bounded.clip is not None
        self.pair = bounded.pair

    def table(self, node: exp.Table) -> Table:
        name, schema = node.name, node.db or None
        placed = [each for each in self.catalog.tables.values() if each.place == (schema, name)]
        table = placed[0] if placed else self.catalog.table(schema, name)
        _require(isinstance(node.this, exp.Identifier) and table is not None, f"{node.sql()} is no table")
        assert table is not None
        return table

    def is_private(self, node: exp.Expr) -> bool:
        return any(not self.table(each).public for each in node.find_all(exp.Table))

    def result(self, total: exp.Select, bounded: Bounded) -> None:
        """The outermost SELECT: keys, counts, and sums of what is clipped; or a histogram."""
        _sampled(total, bounded)
        if bounded.pair is not None:
            self._of_pairs(total, bounded)
            return
        if total.args.get("joins") and bounded.measures:
            self._packed(total, bounded)
            return
        if bounded.clip is not None and bounded.measures and bounded.measures[0].kind is MeasureKind.DISTINCT:
            self._values(total, bounded)
            return
        if bounded.clip is not None:
            self._scaled(total, bounded)
            return
        keys = [key.name for key in bounded.keys] + (["b"] if bounded.is_histogram else [])
        below = self._step(total, {"expressions", "from_", "group", *(["where"] if bounded.is_histogram else [])})
        group = total.args.get("group")
        _require([each.name for each in group.expressions] == keys if group else not keys, "not grouped by the keys")
        _require([each.name for each in total.expressions[: len(keys)]] == keys, "not the keys first")
        _require(bounded.is_histogram or bounded.blocks is None, "blocks without a histogram")
        if bounded.is_histogram:
            self._histogram(total, bounded, below)
            return
        kept = total.args["from_"].this.this.args.get("where")
        ranks = {each.this.name for each in conjuncts(kept) if isinstance(each, exp.LTE)}
        for item in total.expressions[len(keys) :]:
            self._total(item, below, ranks)

    def _of_pairs(self, total: exp.Select, bounded: Bounded) -> None:
        """Contributions of two units each, with a number of either in the place of its key."""
        below = self._step(total, {"expressions", "from_", "limit"})
        _require(total.args["limit"].expression.name == str(2**24 + 1), "not as many rows as there may be, and one")
        keys, measures = [key.name for key in bounded.keys], [each.name for each in bounded.measures]
        items = {item.alias_or_name: item for item in total.expressions}
        _require([*items] == [*keys, *bounded.before_measures, *measures], "not keys, numbers and measures")
        _require(all(isinstance(items[name], exp.Column) for name in (*keys, *measures)), "more than columns")
        for name, key in zip(bounded.before_measures, ("u", "v", "o"), strict=False):
            _require({each.name for each in items[name].find_all(exp.Column)} == {key}, f"{name} is not of {key}")
        _require(all(below[name].clipped for name in measures), "a measure that is not clipped")

    def _scaled(self, total: exp.Select, bounded: Bounded) -> None:
        """One unit is in one row for each measure, by the norm of what it adds to it, and in one for all counts."""
        below = self._step(total, {"expressions", "from_", "group"})
        keys, measures = [key.name for key in bounded.keys], [each.name for each in bounded.measures]
        items = {item.alias_or_name: item for item in total.expressions}
        _require([*items] == [*keys, *bounded.before_measures, *measures], "not the keys first")
        buckets = [each for each in bounded.before_measures if each.startswith("b")]
        group = total.args.get("group")
        _require(sets_of(group) == ([[*keys, each] for each in buckets] or [keys]), "not grouped by the keys")
        _require(all(isinstance(items[name], exp.Column) for name in (*keys, *buckets)), "not the keys first")
        many, told = bounded.limit is Limit.NORM_CLIPPED, {name: column.told for name, column in below.items()}
        norm = "" if bounded.clip is None or not many else f"{bounded.clip.name} "
        for bucket, measure in zip(buckets, measures, strict=True):
            _require(told[bucket] == f"bucket {norm}{measure}", f"{bucket} is not the bucket of a unit's norm")
            self._total(items[measure], below, set())
            _require([each.name for each in items[measure].find_all(exp.Column)] == [measure], "another's total")
        spread = "" if bounded.spread is None else f"weight {bounded.spread.name}"
        for name, kind in (("c", "first"), ("n", spread)) if many else (("c", ""), ("n", "")):
            if name in items:
                counted = items[name].this
                summed = counted.this.name if isinstance(counted, exp.Sum) and kind else ""
                one = told.get(summed) == kind if many else counted == exp.Count(this=exp.Star(), big_int=True)
                _require(one, f"{name} counts a unit more than once")

    def _values(self, total: exp.Select, bounded: Bounded) -> None:
        """Distinct values by the least number that a unit gives them, which are numbered by unit, each once."""
        keys = [key.name for key in bounded.keys]
        fault = fault_of_values(total, keys)
        _require(not fault, fault)
        numbered = numbered_of(total)
        _require(stands_once(numbered, keys), "a value of a unit that stands there twice")
        below = self._step(numbered, {"expressions", "from_"})
        for item in numbered.expressions:
            self._windows(item, {"": below})

    def _packed(self, total: exp.Select, bounded: Bounded) -> None:
        """The same where all that a unit counts for is in one row of its own."""
        items = [item.alias_or_name for item in total.expressions]
        named, ends = [each.name for each in bounded.measures], [each.bound for each in bounded.measures]
        _require(items == ["k0", *bounded.before_measures, *named], "not the keys first")
        sums = [each.kind for each in bounded.measures] != [MeasureKind.ROWS]
        if bounded.clip is None:
            _require(bounded.limit is Limit.FEW_PUBLIC_KEYS, "counts of another release")
            tree, known = total.copy(), bounded.keys[0].domain
            fault = fault_of_sums_within_caps(tree, ends) if sums else fault_within_caps(tree, ends[0])
            _require(isinstance(known, Literals) and len(known.values) <= bounded.groups, "more keys than a unit has")
        else:
            _require(bounded.limit is Limit.NORM_CLIPPED, "counts of another release")
            tree, name = total.copy(), bounded.clip.name
            fault = fault_of_sums(tree, name, ends) if sums else fault_of(tree, name)
        _require(not fault, fault)
        within, scaled = (SUMS_WITHIN_CAPS, SUMS_SCALED) if sums else (WITHIN_CAPS, SCALED)
        clauses = within if bounded.clip is None else scaled
        *_, (units, _) = parts_of(total, clauses)
        _require(not self.is_private(total.args["joins"][0].this), "keys of a private table")
        below = units.args["from_"].this.this
        rows = self.rows(below, {})
        added = added_of(total, clauses) if sums else {}
        _require([*rows] == ["u", "k0", *added] and rows["u"].unit, "rows without their unit")
        for each, signed in added.items():
            fits = rows[each].clipped if signed else _is_from_zero(below, each)
            _require(fits, "adds what may be below 0 in doubles")

    def _histogram(self, total: exp.Select, bounded: Bounded, below: Columns) -> None:
        """One unit changes the buckets of a key by what the measure says, in sum: no more than what it has there."""
        keys, where = [key.name for key in bounded.keys], list(conjuncts(total.args.get("where")))
        _require(below["b"].clipped, "buckets that are not clipped")
        _require(len(bounded.measures) == 1 == len(total.expressions) - len(keys) - 1, "a histogram beside others")
        item, source = total.expressions[-1], total.args["from_"].this.this
        self._total(item, below, set())
        if isinstance(item.this, exp.Count):
            there = [each for each in map(present, where) if each is not None]
            _require(len(there) == len(where) and {each.name for each in there} <= {"b"}, "rows of a result chosen")
            _require(has_one_row(source, lambda each: self.table(each).unique), "counts several rows of a unit")
            changed = 1 if bounded.blocks is None else 2
        else:
            (summed,) = item.find_all(exp.Column)
            found = below[summed.name].share
            _require(not where and bounded.blocks is None, "rows of a result chosen")
            _require(found is not None and found.by == {"u", *keys}, "adds what is no share of a unit's whole")
            changed = found.whole if found is not None else 0
            most = at_most(source, keys) if bounded.limit is Limit.KEYS_LIMITED else bounded.groups
            _require(most is not None and most <= bounded.groups, "a unit in more keys than it may be in")
        (measure,) = bounded.measures
        _require(measure.lower == 0 and changed <= measure.upper, f"a unit changes a key by {changed}")

    def _total(self, item: exp.Expr, below: Columns, ranks: set[str]) -> None:
        aggregates = list(item.find_all(exp.AggFunc))
        _require(len(aggregates) == 1 and not item.find(*_NESTED, exp.Window), f"{item.sql()} is no total")
        (aggregate,) = aggregates
        inside = set(map(id, aggregate.walk()))
        _require(all(isinstance(each, _OF_TOTAL) for each in item.walk() if id(each) not in inside), "a changed total")
        _require(all(id(each) in inside for each in item.find_all(exp.Column)), f"{item.sql()} is no total")
        if isinstance(aggregate, exp.Sum):
            columns = list(aggregate.find_all(exp.Column))
            summed = columns[0].name if len(columns) == 1 and aggregate.this is columns[0] else ""
            clipped = summed in below and below[summed].clipped
            _require(clipped, f"{item.sql()} adds what is not clipped")
        else:
            counted = aggregate.this
            distinct = isinstance(counted, exp.Distinct) and [each.name for each in counted.expressions] == ["v"]
            few = isinstance(counted, exp.Star) or (distinct and "r" in ranks)
            _require(isinstance(aggregate, exp.Count) and few, f"{item.sql()} is no count")

    def _step(self, select: exp.Select, clauses: set[str]) -> Columns:
        """The columns that a step reads: of the rows themselves, or of the step below it."""
        for name, value in select.args.items():
            _require(not value or name in clauses, f"a {name} clause")
        source = select.args["from_"].this
        _require(isinstance(source, exp.Subquery), "a result that is not over a derived table")
        inner = source.this
        names = [item.alias_or_name for item in inner.expressions]
        if names[:1] == ["u"] or isinstance(inner, _SETS) or isinstance(inner.expressions[0], exp.Star):
            rows = self.rows(inner, {})
            _require(("u" in rows and BLOCK in rows["u"].ties) == (self.blocks is not None), "units in place of blocks")
            return rows
        if inner.args.get("with_"):
            return self._shared(inner)
        below = self._step(inner, {"expressions", "from_", "where"})
        found = {}
        for item in inner.expressions:
            if isinstance(item, exp.Column):
                _require(item.name in below, f"{item.sql()} is not there")
                found[item.name] = below[item.name]
                continue
            self._windows(item, {"": below})
            kinds = {name: column.told for name, column in below.items()}
            if self.clips and (told := told_of(item.this.sql(), kinds)):
                found[item.alias] = Column(private=True, told=told)
            elif part := share(item.this, inner.args["from_"].this.this):
                found[item.alias] = Column(private=True, clipped=True, share=part)
            else:
                _require(isinstance(item.this, exp.Window), f"{item.sql()} in a step")
                _require(isinstance(item.this.this, exp.RowNumber | exp.DenseRank), f"{item.sql()} in a step")
                found[item.alias] = Column(private=True, clipped=False)
        self._expressions(inner.args.get("where"), {"": below})
        return found

    def _shared(self, joined: exp.Select) -> Columns:
        """Rows that are made once, numbered, and joined with aggregates of their own unit's: as windows over a unit."""
        _require(set(filter(joined.args.get, joined.args)) == {"expressions", "from_", "joins", "with_"}, "a clause")
        (rows,) = joined.args["with_"].expressions
        _require(rows.alias == "a" and rows.args["materialized"], "rows that are not made once")
        below = self._step(rows.this, {"expressions", "from_"})
        *carried, number = rows.this.expressions
        _require(number.sql() == "ROW_NUMBER() OVER () AS r", f"{number.sql()} is no number")
        own = {item.name: below[item.name] for item in carried if isinstance(item, exp.Column)}
        _require(len(own) == len(carried) and "r" not in own and own["u"].unit, "more than what contributions have")
        (join,) = joined.args["joins"]
        _require(joined.args["from_"].this.sql() == "a AS a" and not join.side, "not the rows first")
        _require(join.this.alias == "g" and join.args["on"].sql() == "a.u = g.u", "rows of several units")
        of_unit = self._of_groups(join.this.this)
        found = {}
        for item in joined.expressions:
            value = item.this
            if isinstance(value, exp.Column):
                source = of_unit if value.table == "g" else own
                _require(value.table in ("a", "g") and value.name in source, f"{item.sql()} is not there")
                found[item.alias] = source[value.name]
            else:
                first = value.sql() == "CASE WHEN a.r = g.r THEN 1 ELSE 0 END" and of_unit["r"].told == "number"
                _require(first, f"{item.sql()} in a step")
                found[item.alias] = Column(private=True, told="first")
        return found

    def _of_groups(self, units: exp.Select) -> Columns:
        """Of each unit's shared rows: aggregates, and what is made of them."""
        _require(set(filter(units.args.get, units.args)) == {"expressions", "from_"}, "a clause")
        groups = units.args["from_"].this.this
        _require(set(filter(groups.args.get, groups.args)) == {"expressions", "from_", "group"}, "a clause")
        _require(
            groups.args["from_"].this.sql() == "a AS a" and groups.args["group"].sql().strip() == "GROUP BY u",
            "groups that are no unit's",
        )
        unit, *aggregates = groups.expressions
        told = {each.alias: told_of_group(each.this.sql(), "r") for each in aggregates}
        _require(unit.sql() == "u" and all(told.values()), "what is no aggregate of a unit")
        found = {"u": Column(True, told="unit")}
        for item in units.expressions[1:]:
            kind = told[item.name] if isinstance(item, exp.Column) else told_of(item.this.sql(), told)
            _require(kind, f"{item.sql()} in a step")
            found[item.alias_or_name] = Column(private=True, told=kind)
        _require(units.expressions[0].sql() == "u", "groups without their unit")
        return found

    def rows(self, query: exp.Expr, outer: Sources) -> Columns:
        """The columns of a query whose rows carry their unit first, or belong to nobody."""
        if isinstance(query, exp.Subquery):
            return self.rows(query.this, outer)
        if isinstance(query, _SETS):
            left, right = self.rows(query.this, outer), self.rows(query.expression, outer)
            _require(len(left) == len(right), "a set operation of different columns")
            return {
                name: either(column, other) for (name, column), other in zip(left.items(), right.values(), strict=True)
            }
        if not isinstance(query, exp.Select):
            raise _Fault(f"{type(query).__name__} in place of rows")
        return self._rows_of(query, outer)

    def _rows_of(self, query: exp.Select, outer: Sources) -> Columns:
        own = self._sources(query)
        sources = {**outer, **own}
        if not self.is_private(query):
            return {item.alias_or_name: PUBLIC for item in query.expressions}
        for name, value in query.args.items():
            _require(not value or name in _OF_ROWS or is_fence(value), f"a {name} clause")
        if isinstance(query.expressions[0], exp.Star):
            (columns,) = own.values()
            self._expressions(query.args.get("where"), sources)
            return columns
        found = {item.alias_or_name: self._item(item, sources) for item in query.expressions}
        self._inside(query, sources)
        self._tied(query, own, {})
        first = next(iter(found.items()))
        _require(first[0] == "u" and first[1].unit, "rows without their unit")
        self._grouped(query, sources)
        return found

    def _grouped(self, query: exp.Select, sources: Sources) -> None:
        """Groups are within the unit, and what is added up for a measure is clipped, row by row."""
        group, sums = query.args.get("group"), [item for item in query.expressions if item.find(exp.AggFunc)]
        if group is None:
            _require(all(item.find(exp.Window, *_NESTED) for item in sums), "an aggregate of all")
            where = query.args.get("where")
            tested = [found for each in conjuncts(where) if (found := present(each)) is not None]
            first = query.expressions[0]
            windows = any(item.find(exp.Window) for item in query.expressions)
            key = first.this if isinstance(first, exp.Alias) else first
            _require(windows or (self._dealt(key) or key) in tested or self._is_handed_on(key, query), "rows of nobody")
            return
        _require(any(self._column(each, sources).unit for each in group.expressions), "groups of several units")
        for item in sums:
            if item.alias.startswith("m"):
                read = [self._column(each, sources) for each in _parts(item) if isinstance(each, exp.Column)]
                _require(all(each.clipped for each in read), f"{item.sql()} adds what is not clipped")
                doubles = [each for each in item.find_all(exp.Sum) if each.this.is_type(exp.DataType.Type.DOUBLE)]
                below = query.args["from_"].this.this
                from_zero = all(_is_from_zero(below, each.this.this.name) for each in doubles)
                _require(from_zero, "adds what may be below 0 in doubles")

    def _is_handed_on(self, key: exp.Expr, query: exp.Select) -> bool:
        """Whether it is the key of the one derived table's rows, which belong to somebody already."""
        source = query.args["from_"].this
        return key.sql() == "u" and isinstance(source, exp.Subquery) and not query.args.get("joins")

    def _sources(self, select: exp.Select) -> Sources:
        from_ = select.args.get("from_")
        nodes = [*([from_.this] if from_ else []), *(join.this for join in select.args.get("joins") or [])]
        found = {node.alias: self._source(node) for node in nodes}
        _require(len(found) == len(nodes), "two sources of one name")
        return found

    def _source(self, node: exp.Expr) -> Columns:
        if isinstance(node, exp.Table):
            return self._of_table(self.table(node))
        if isinstance(node, exp.Values):
            return {column.name: PUBLIC for column in node.args["alias"].columns}
        _require(isinstance(node, exp.Subquery), f"{type(node).__name__} as a source")
        inner = node.this
        from_ = inner.args.get("from_") if isinstance(inner, exp.Select) else None
        if from_ is not None and isinstance(from_.this, exp.Table) and not from_.this.alias:
            return self._read(inner, self._of_table(self.table(from_.this)))
        if inner.args.get("group") and inner.expressions[0].alias_or_name != "u" and self.is_private(inner):
            return self._settled(inner)
        return self.rows(inner, {})

    def _settled(self, select: exp.Select) -> Columns:
        """Groups of one table's rows by a column that is tied to one unit: only what they agree on ties them on."""
        for name, value in select.args.items():
            _require(not value or name in {"expressions", "from_", "group"}, f"a {name} clause")
        rows = select.args["from_"].this.this
        for name, value in rows.args.items():
            _require(not value or name in {"expressions", "from_", "where"}, f"a {name} clause")
        sources = self._sources(rows)
        _require(len(sources) == 1, "groups of several tables")
        self._inside(rows, sources)
        below = {"r": {item.alias_or_name: self._item(item, sources) for item in rows.expressions}}
        by = [self._column(each, below) for each in select.args["group"].expressions]
        _require(any(each.ties for each in by), "groups of several units")
        agreed = {each.name for each in select.args["group"].expressions}
        found = {item.alias_or_name: self._item(item, below) for item in select.expressions}
        for item in select.expressions:
            _require(item.name in agreed or item.find(exp.AggFunc), f"{item.sql()} is of no group")
        return found

    def _read(self, select: exp.Select, table: Columns) -> Columns:
        """A table's columns, each read from its own alone."""
        for item in select.expressions:
            read = {column.name for column in item.find_all(exp.Column)}
            _require(read == {item.alias_or_name} and read <= set(table), f"{item.sql()} is not of one column")
        _require(
            set(filter(select.args.get, select.args)) <= {"expressions", "from_"}, "rows chosen where they are read"
        )
        return {item.alias_or_name: table[item.alias_or_name] for item in select.expressions}

    def _of_table(self, table: Table) -> Columns:
        if table.public:
            return {column.name: PUBLIC for column in table.columns}
        return {
            column.name: Column(
                True, False, column.hidden and column.name != table.unit_key, ties_of(table, column.name)
            )
            for column in table.columns
        }

    def _item(self, item: exp.Expr, sources: Sources) -> Column:
        inner = item.this if isinstance(item, exp.Alias) else item
        self._windows(inner, sources)
        if item.alias == "u" and (key := self._dealt(inner)):
            ties = self._column(key, sources).ties
            _require(BLOCK not in ties and any(not column for _, column in ties), "dealt by what is no unit's key")
            return Column(True, ties=frozenset([BLOCK]))
        if isinstance(inner, exp.Column):
            return self._column(inner, sources)
        if isinstance(inner, exp.Coalesce) and all(
            isinstance(each, exp.Column) for each in (inner.this, *inner.expressions)
        ):
            columns = [self._column(each, sources) for each in (inner.this, *inner.expressions)]
            return Column(True, False, False, frozenset.intersection(*(each.ties for each in columns)))
        self._expressions(inner, sources)
        private = any(self._column(each, sources).private for each in _parts(inner) if isinstance(each, exp.Column))
        return Column(private or self.is_private(inner), is_clamped(inner))

    def _dealt(self, node: exp.Expr) -> exp.Column | None:
        return None if self.blocks is None else dealt(node, self.blocks)

    def _column(self, node: exp.Expr, sources: Sources) -> Column:
        _require(isinstance(node, exp.Column), f"{node.sql()} is no column")
        alias, name = node.args["table"].name if node.args.get("table") else None, node.name
        if alias is None:
            _require(len(sources) == 1, f"{node.sql()} could be of several sources")
            (alias,) = sources
        _require(alias in sources and name in sources[alias], f"{node.sql()} is not there")
        return sources[alias][name]

    def _windows(self, node: exp.Expr, sources: Sources) -> None:
        for window in node.find_all(exp.Window):
            by = window.args.get("partition_by") or []
            _require(by and self._column(by[0], sources).unit, "a window over several units")

    def _inside(self, select: exp.Select, sources: Sources) -> None:
        """WHERE, ON, GROUP BY and items, which may read all but hidden columns, and those in what ties."""
        self._expressions(select.args.get("where"), sources)
        for join in select.args.get("joins") or []:
            self._expressions(join.args.get("on"), sources)

    def _expressions(self, node: exp.Expr | None, sources: Sources) -> None:
        for part in conjuncts(node):
            if self._is_tie(part, sources):
                continue
            for each in _parts(part):
                if isinstance(each, _NESTED):
                    self._nested(each, sources)
                elif isinstance(each, exp.Column):
                    hidden = self._column(each, sources).hidden
                    _require(not hidden, f"{each.sql()} is hidden")

    def _nested(self, node: exp.Expr, outer: Sources) -> None:
        """EXISTS (…) or (SELECT …): its private sources are tied to those around it."""
        select = node.this
        while isinstance(select, exp.Subquery):
            select = select.this
        if not self.is_private(select):
            return
        _require(isinstance(select, exp.Select), "a subquery that is no SELECT")
        for name, value in select.args.items():
            _require(not value or name in _OF_ROWS - {"group"}, f"a {name} clause in a subquery")
        own = self._sources(select)
        _require(not set(own) & set(outer), "two sources of one name")
        self._inside(select, {**outer, **own})
        self._tied(select, own, outer)
        for item in select.expressions:
            self._item(item, {**outer, **own})

    def _is_tie(self, node: exp.Expr, sources: Sources) -> bool:
        """Whether the equality by itself ties two sources to one unit."""
        pair = equal_columns(node)
        return pair is not None and any(joined([frozenset(pair)], sources))

    def _tied(self, select: exp.Select, own: Sources, outer: Sources) -> None:
        """All private sources hang together, with those around them where there are any."""
        sources = {**outer, **own}
        conditions = [select.args.get("where"), *(join.args.get("on") for join in select.args.get("joins") or [])]
        equal = [pair for condition in conditions for each in conjuncts(condition) if (pair := equal_columns(each))]
        private = [alias for alias, columns in own.items() if any(each.private for each in columns.values())]
        reached = set(outer) or set(private[:1]) | self._of_each_unit(select, private)
        pairs = list(joined(classes(equal), sources))
        while found := {b for pair in pairs for a, b in (pair, pair[::-1]) if a in reached} - reached:
            reached |= found
        _require(set(private) <= reached, "private rows that are tied to no unit")

    def _of_each_unit(self, select: exp.Select, private: Sequence[str]) -> set[str]:
        """In a release of pairs: the first source of either unit."""
        units = {node.alias: self.table(node).unit for node in select.find_all(exp.Table)} if self.pair else {}
        if not set(private) <= units.keys():
            return set()  # steps above the rows
        if self.pair is not None and self.pair[0] == self.pair[1]:
            return self._of_either(select, private)
        own = {unit: [alias for alias in private if units.get(alias) == unit] for unit in self.pair or ()}
        _require(set(private) == {each for found in own.values() for each in found}, "a third unit")
        return {found[0] for found in own.values() if found}

    def _of_either(self, select: exp.Select, private: Sequence[str]) -> set[str]:
        """In a release of pairs of one kind: the sources of the two keys; an equality with what is unique in its table
        has to put private sources together."""
        tables = {node.alias: self.table(node) for node in select.find_all(exp.Table)}
        items = [item.unalias() for item in select.expressions]
        columns = [item for item in items if isinstance(item, exp.Column) and item.table in private]
        keys = [column for column in columns if tables[column.table].unit_key == column.name]
        _require(bool(keys) and len({column.table for column in keys}) <= 2, "not the keys of two units")
        conditions = [select.args.get("where"), *(join.args.get("on") for join in select.args.get("joins") or [])]
        equal = [pair for condition in conditions for each in conjuncts(condition) if (pair := equal_columns(each))]
        met = [pair for pair in equal if {alias for alias, _ in pair} <= set(private)]
        unique = [any(tables[alias].proves_unique(name) for alias, name in pair) for pair in met]
        _require(any(unique) or len(private) == 1, "two units that no key puts together")
        return {column.table for column in keys}


def _sampled(total: exp.Select, bounded: Bounded) -> None:
    """Whether the rows are of the sample that the plan speaks of."""
    read = len(list(coins(total)))
    if bounded.sample is None:
        _require(not read, "reads the secret of a sample")
    else:
        _require(read == 1 and let_in(total) == bounded.sample.coins, "not the sample of units")
