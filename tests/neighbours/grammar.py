"""Random statements of the whole grammar over the tables of world.toml: typed, valid PostgreSQL, in two readings.

`sql` is what an analyst writes. `judged` is what plain Postgres is asked instead, which differs where the proxy's rule
does: rows of an outer join that belong to no unit are dropped, and a sum of nothing is 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neighbours import asked_aggregates
from neighbours.dice import Dice
from neighbours.froms import CUSTOMER, PERSON, Source, joined, private_only, table
from neighbours.relations import Writer
from neighbours.words import FIELDS, Column, condition, named

_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of the grammar, the judge's reading of it, its settings, and the numbers that give it again."""

    sql: str
    judged: str
    settings: dict[str, str | None]
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Released:
    """A query whose rows are released: names of its keys, which tell its rows apart, and of its numbers."""

    sql: str
    keys: tuple[Column, ...]
    numbers: tuple[Column, ...]


def statement(dice: Dice) -> Statement:
    """A statement, which is a function of the dice."""
    return _made(dice, _Asker.text)


def asking(dice: Dice) -> Statement:
    """A statement of those forms in which rows ask for aggregates, or are several (`asked_aggregates`)."""
    return _made(dice, lambda asker: asker.dice.one(asked_aggregates.FORMS)(asker))


def _made(dice: Dice, write: Callable[[_Asker], str]) -> Statement:
    settings = {
        "max_rows_per_unit": dice.one([None, None, "1", "2", "7", "1000"]),
        "max_groups_per_unit": dice.one([None, None, "1", "2", "5", "50"]),
        "mechanism": dice.one(["auto", "laplace"]),
    }
    asker = _Asker(dice)
    text = write(asker)
    start = ", ".join(f"{name} AS ({query})" for name, query in asker.writer.ctes)
    text = f"WITH {start} {text}" if start else text
    return Statement(re.sub("«[^»]*»", "", text), re.sub("[«»]", "", text), settings, tuple(dice.thrown))


class _Asker:
    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.writer = Writer(dice)
        self.owner = dice.one([PERSON, PERSON, CUSTOMER])

    def text(self) -> str:
        forms = [self._plain] * 12 + [self._nested, self._nested, self._join, self._twice, self._union, self._windows]
        forms += [self._compared, self._correlated, self._per_key, self._distinct, self._sets, self._sets, self._in_set]
        return self.dice.one(forms)()

    def _source(self) -> Source:
        depth = self.dice.one([1, 0, 2, 3])
        return joined(self.dice, self.writer.names, self.owner, depth, self.writer.derive)

    def _where(self, source: Source, more: Sequence[str] = ()) -> str:
        return self.writer.where(source, self.dice.one([0, 1, 2]), more)

    def released(self, source: Source, keys: Sequence[Column], more: Sequence[str] = ()) -> Released:
        """SELECT keys as k0 … and aggregates as a0 … FROM a source."""
        numbers = [self.aggregate(source) for _ in range(1 + self.dice.below(3))]
        items = [f"{key.text} AS k{i}" for i, key in enumerate(keys)]
        items += [f"{number.text} AS a{i}" for i, number in enumerate(numbers)]
        group = f" GROUP BY {', '.join(key.text for key in keys)}" if keys else ""
        having = self._having(source) if self.dice.rarely(2) else ""
        sql = f"SELECT {', '.join(items)} FROM {source.text}{self._where(source, more)}{group}{having}"
        return Released(
            sql,
            tuple(Column(f"k{i}", key.kind) for i, key in enumerate(keys)),
            tuple(Column(f"a{i}", number.kind) for i, number in enumerate(numbers)),
        )

    def _having(self, source: Source) -> str:
        total = self._sum(source)
        return f" HAVING {self.dice.one(['COUNT(*) > 1', 'COUNT(*) > 2', f'{total} > 0.5', f'{total} <= 1000.37'])}"

    def keys(self, source: Source, most: int = 3) -> list[Column]:
        """Keys; few values and public ones are likelier."""
        found = [self._key(source) for _ in range(self.dice.below(most + 1))]
        return list({key.text: key for key in found}.values())

    def _key(self, source: Source) -> Column:
        few = [column for column in source.columns if column.few] or named(source.columns, "ti")
        days = [column for column in named(source.columns, "d") if column.bounded]
        match self.dice.below(9):
            case 0 | 1 | 2 | 3 if few:
                return self.dice.one(few)
            case 4 if days:
                return Column(f"EXTRACT({self.dice.one(FIELDS)} FROM {self.dice.one(days).text})", "n")
            case 5 if days:
                return Column(f"date_trunc('{self.dice.one(['year', 'month'])}', {self.dice.one(days).text})", "d")
            case 6:
                return Column(f"CASE WHEN {condition(self.dice, source.columns, 1)} THEN 'yes' ELSE 'no' END", "t")
            case 7 if "." in (text := condition(self.dice, source.columns, 1)):
                return Column(text, "b")
            case _:
                exact = named(source.columns, "itdb") or [Column("(1 = 1)", "b")]
                return self.dice.one(exact)

    def measure(self, source: Source) -> str:
        """A number that has bounds: declared ones, or a clip."""
        bounded = [column for column in named(source.columns, "inf") if column.bounded]
        others = [column for column in named(source.columns, "infa") if not column.bounded]
        options = [column.text for column in bounded]
        options += [f"LEAST(GREATEST({column.text}, 0), 100)" for column in others]
        if not options:
            return f"CASE WHEN {condition(self.dice, source.columns, 1)} THEN 1 ELSE 0 END"
        text = self.dice.one(options)
        match self.dice.below(7):
            case 0:
                return f"({text} * 2 + 1)"
            case 1:
                return f"CASE WHEN {condition(self.dice, source.columns, 1)} THEN {text} ELSE 0 END"
            case 2 if len(bounded) > 1:
                return f"({text} * (1 - {self.dice.one(bounded).text}))"
            case _:
                return text

    def _filter(self, source: Source, of: int) -> str:
        return f" FILTER (WHERE {condition(self.dice, source.columns, 1)})" if self.dice.rarely(1, of) else ""

    def _sum(self, source: Source) -> str:
        return f"«COALESCE(»SUM({self.measure(source)}){self._filter(source, 5)}«, 0)»"

    def aggregate(self, source: Source) -> Column:
        """An aggregate, as text with its kind: i(nteger) for counts, else a."""
        dice, scope = self.dice, source.columns
        match dice.below(14):
            case 0 | 1 | 2 | 3:
                return Column("COUNT(*)" + self._filter(source, 4), "i")
            case 4:
                return Column(f"COUNT({dice.one(scope).text})" + self._filter(source, 4), "i")
            case 5 | 6:
                exact = named(scope, "itdb") or [Column("1", "i")]
                whom = dice.one([source.unit or source.link, dice.one(exact).text, dice.one(exact).text])
                return Column(f"COUNT(DISTINCT {whom})", "i")
            case 7 | 8 | 9:
                return Column(self._sum(source), "a")
            case 10 | 11:
                return Column(f"AVG({self.measure(source)})" + self._filter(source, 5), "a")
            case 12:
                name = dice.one(["VAR_POP", "VAR_SAMP", "STDDEV", "STDDEV_POP", "VARIANCE"])
                return Column(f"{name}({self.measure(source)})", "a")
            case _:
                name = dice.one(["CORR", "COVAR_POP", "COVAR_SAMP", "REGR_SLOPE", "REGR_COUNT", "REGR_AVGX"])
                return Column(f"{name}({self.measure(source)}, {self.measure(source)})", "a")

    def _plain(self) -> str:
        source = self._source()
        found = self.released(source, self.keys(source))
        return found.sql + self._ending(found)

    def _ending(self, found: Released) -> str:
        """ORDER BY and LIMIT: of whole numbers and keys, so that which rows come is certain."""
        if not found.keys or not self.dice.rarely(3):
            return ""
        counts = [f"{column.text} DESC" for column in found.numbers if column.kind == "i"][:1]
        order = ", ".join([*counts, *(f"{key.text} NULLS LAST" for key in found.keys)])
        return f" ORDER BY {order}{self.dice.one(['', ' LIMIT 3', ' LIMIT 2 OFFSET 1'])}"

    def _grouped(self, most: int = 2) -> Released:
        source = self._source()
        keys = self.keys(source, most) or [self._key(source)]
        return self.released(source, keys)

    def _nested(self) -> str:
        """Aggregates over released rows."""
        found = self._grouped()
        number = self.dice.one(found.numbers).text
        outer = self.dice.one(
            [f"COUNT(*), MAX({number})", f"AVG({number})", f"SUM({number}), MIN({number})", "COUNT(DISTINCT k0)"]
        )
        if len(found.keys) > 1 and self.dice.rarely(5):
            return f"SELECT k0, {outer} FROM ({found.sql}) r GROUP BY k0"
        return f"SELECT {outer} FROM ({found.sql}) r"

    def _join(self) -> str:
        """Two releases side by side; or a total, and parts of it."""
        one, other = self._grouped(1), self._grouped(1)
        if one.keys[0].kind != other.keys[0].kind or self.dice.rarely(3):
            source = self._source()
            total = self.released(source, [])
            return f"SELECT r.k0, r.a0, q.a0 FROM ({one.sql}) r CROSS JOIN ({total.sql}) q"
        kind = self.dice.one(["JOIN", "LEFT JOIN", "FULL JOIN"])
        return f"SELECT r.k0, r.a0, q.a0 AS b0 FROM ({one.sql}) r {kind} ({other.sql}) q ON q.k0 = r.k0"

    def _twice(self) -> str:
        """A release of a CTE that is used twice."""
        found = self._grouped(1)
        self.writer.ctes.append(("rel", found.sql))
        return self.dice.one(
            [
                "SELECT r.k0, r.a0, (SELECT COUNT(*) FROM rel) FROM rel r",
                "SELECT r.k0, q.a0 FROM rel r JOIN rel q ON q.k0 = r.k0",
                "SELECT k0, a0 FROM rel WHERE a0 >= (SELECT MAX(a0) FROM rel)",
                "SELECT r.a0, s.n FROM rel r CROSS JOIN (SELECT COUNT(*) AS n FROM rel) s",
            ]
        )

    def _union(self) -> str:
        """Set operations of releases: of keys alone, or of totals."""
        word = self.dice.one(["UNION ALL", "UNION", "INTERSECT", "EXCEPT"])
        first, second = self._source(), self._source()
        return (
            f"SELECT 'one' AS which, COUNT(*) AS n FROM {first.text}{self._where(first)} {word} "
            f"SELECT '{self.dice.one(['two', 'one'])}', COUNT(*) FROM {second.text}{self._where(second)}"
        )

    def _windows(self) -> str:
        """Window functions over released rows."""
        source = self._source()
        keys = self.keys(source, 2) or [self._key(source)]
        order = ", ".join(f"{key.text} NULLS LAST" for key in keys)
        window = self.dice.one(
            [
                "SUM(COUNT(*)) OVER ()",
                "RANK() OVER (ORDER BY COUNT(*) DESC)",
                f"ROW_NUMBER() OVER (ORDER BY COUNT(*), {order})",
                f"SUM(COUNT(*)) OVER (ORDER BY {order})",
                f"AVG(COUNT(*)) OVER (ORDER BY {order} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
                f"LAG(COUNT(*)) OVER (ORDER BY {order})",
                "COUNT(*)::float8 / SUM(COUNT(*)) OVER ()",
            ]
        )
        items = ", ".join(f"{key.text} AS k{i}" for i, key in enumerate(keys))
        group = ", ".join(key.text for key in keys)
        return f"SELECT {items}, {window} AS w FROM {source.text}{self._where(source)} GROUP BY {group}"

    def _compared(self) -> str:
        """A scalar subquery that is a release, as a constant of another one."""
        source, inner = self._source(), private_only(self.dice, self.writer.names, self.owner)
        bounded = [column for column in named(source.columns, "inf") if column.bounded] or [Column("1", "i")]
        own = [column for column in named(inner.columns, "inf") if column.bounded] or [Column("1", "i")]
        number = self.dice.one(bounded).text
        value = self.dice.one([f"AVG({self.dice.one(own).text})", f"SUM({self.dice.one(own).text}) / 50", "COUNT(*)"])
        limit = f"(SELECT {value} FROM {inner.text}{self._where(inner)})"
        more = [f"{number} {self.dice.one(['>', '<='])} {limit}"]
        found = self.released(source, self.keys(source, 1), more)
        return found.sql

    def _correlated(self) -> str:
        """A scalar aggregate for each row of a public table."""
        dept = self.owner == PERSON
        public = table(self.writer.names, "departments" if dept else "nation")
        inner = table(self.writer.names, "visits" if dept else "customer")
        tie = self._public_tie(inner, public)
        value = self.dice.one(["COUNT(*)", self._sum(inner), f"COUNT(DISTINCT {inner.unit})"])
        more = f" AND {condition(self.dice, inner.columns, 1)}" if self.dice.rarely(4) else ""
        scalar = f"(SELECT {value} FROM {inner.text} WHERE {tie}{more})"
        key = public.columns[0].text
        if self.dice.rarely(4):
            return f"SELECT {key} FROM {public.text} WHERE {scalar} > {self.dice.one(['1', '2.5', '10'])}"
        return f"SELECT {key}, {scalar} AS n FROM {public.text}{self._where(public)}"

    def _public_tie(self, inner: Source, public: Source) -> str:
        name = public.order[0].rpartition(".")[2]
        own = next(column.text for column in inner.columns if column.text.endswith(f".{name}"))
        return f"{own} = {public.order[0]}"

    def _per_key(self) -> str:
        """Rows compared with a released aggregate of their public key."""
        person = self.owner == PERSON
        outer, inner = (table(self.writer.names, "visits" if person else "customer") for _ in range(2))
        public = table(self.writer.names, "departments" if person else "nation")
        number = "cost" if person else "acctbal"
        name = public.order[0].rpartition(".")[2]
        alias = inner.unit.partition(".")[0]
        value = self.dice.one(
            [f"AVG({alias}.{number})", f"0.5 * AVG({alias}.{number})", f"SUM({alias}.{number}) / 100"]
        )
        tie = f"{alias}.{name} = {public.order[0]}"
        alias = outer.unit.partition(".")[0]
        where = f"{alias}.{number} < (SELECT {value} FROM {inner.text} WHERE {tie})"
        source = f"{outer.text} JOIN {public.text} ON {alias}.{name} = {public.order[0]}"
        total = self.dice.one(["COUNT(*)", f"SUM({alias}.{number})"])
        total = f"«COALESCE(»{total}«, 0)»"
        if self.dice.rarely(5):
            return f"SELECT {public.order[0]} AS k, {total} AS n FROM {source} WHERE {where} GROUP BY {public.order[0]}"
        return f"SELECT {total} AS n FROM {source} WHERE {where}"

    def _distinct(self) -> str:
        """SELECT DISTINCT as the choice of keys."""
        source = self._source()
        keys = self.keys(source, 2) or [self._key(source)]
        items = ", ".join(f"{key.text} AS k{i}" for i, key in enumerate(keys))
        text = f"SELECT DISTINCT {items} FROM {source.text}{self._where(source)}"
        return text if not self.dice.rarely(3) else f"SELECT COUNT(*) FROM ({text}) r"

    def _sets(self) -> str:
        """GROUPING SETS, ROLLUP, CUBE."""
        source = self._source()
        keys = self.keys(source, 2) or [self._key(source)]
        texts = [key.text for key in keys]
        every = ", ".join(texts)
        group = self.dice.one(
            [
                f"ROLLUP ({every})",
                f"CUBE ({every})",
                f"GROUPING SETS (({every}), ())",
                f"GROUPING SETS (({texts[0]}), ({every}))",
            ]
        )
        totals = self.dice.one(["COUNT(*)", self._sum(source), f"COUNT(*), AVG({self.measure(source)})"])
        return f"SELECT {every}, {totals} FROM {source.text}{self._where(source)} GROUP BY {group}"

    def _in_set(self) -> str:
        """Private rows among keys that were released before."""
        source = self._source()
        few = [column for column in source.columns if column.few and column.kind in "it"]
        if not few:
            return self._plain()
        inner = self._source()
        same = [column for column in inner.columns if column.kind == few[0].kind and (column.few or column.kind == "t")]
        if not same:
            return self._plain()
        key = self.dice.one(same).text
        chosen = f"SELECT {key} FROM {inner.text}{self._where(inner)} GROUP BY {key} HAVING COUNT(*) > 2"
        return self.released(source, self.keys(source, 1), [f"{few[0].text} IN ({chosen})"]).sql
