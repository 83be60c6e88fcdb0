"""Statements with aggregates that rows ask for, numbers of everybody beside rows, parts of texts, rows made of columns,
and lists: what is worked out by a join or a release of its own.

Each is the text of a SELECT, of which the rows, the keys and the numbers are drawn by the `Asker`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from neighbours.dice import Dice
from neighbours.froms import Source, private_only
from neighbours.relations import Writer
from neighbours.words import Column, condition, named

_WHOLE = ["COUNT(*)", "COUNT({any})", "SUM({sum})", "MIN({sum})", "MAX({any})", "COUNT(DISTINCT {any})"]
_AS_A_WHOLE = ["{a}", "{a} + {b}", "CASE WHEN {b} > 1 THEN {a} END", "COALESCE({a}, {b})"]


class Asker(Protocol):
    """What draws the parts of a statement."""

    dice: Dice
    writer: Writer
    owner: str

    def keys(self, source: Source, most: int = 3) -> list[Column]:
        """Keys of rows."""

    def measure(self, source: Source) -> str:
        """A number that has bounds."""


def _from(asker: Asker, most: int = 2) -> Source:
    """Tables of the unit, one or two, that show its key."""
    found = private_only(asker.dice, asker.writer.names, asker.owner)
    if most > 1 and asker.dice.rarely(4):
        other = private_only(asker.dice, asker.writer.names, asker.owner)
        text = f"{found.text} JOIN {other.text} ON {other.unit} = {found.unit}"
        return replace(found, text=text, columns=found.columns + other.columns, order=found.order + other.order)
    return found


def _grouped(asker: Asker, source: Source, numbers: list[str], where: list[str]) -> str:
    keys = asker.keys(source, 2)
    items = [f"{key.text} AS k{i}" for i, key in enumerate(keys)] + [
        f"{each} AS a{i}" for i, each in enumerate(numbers)
    ]
    group = f" GROUP BY {', '.join(key.text for key in keys)}" if keys else ""
    return f"SELECT {', '.join(items)} FROM {source.text}{_where(where)}{group}"


def _where(conditions: list[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def own_aggregates(asker: Asker) -> str:
    """Aggregates of the unit's other rows, one or several over the same rows, asked by each row."""
    dice, source = asker.dice, _from(asker)
    inner = _from(asker, dice.one([1, 1, 2]))
    ties = [f"{inner.unit} = {source.unit}"]
    same = [
        (one, other)
        for one in inner.columns
        for other in source.columns
        if one.kind == other.kind and one.kind in "itd"
    ]
    if same and dice.rarely(3):
        one, other = dice.one(same)
        ties.append(f"{one.text} = {other.text}")
    if dice.rarely(3):
        ties.append(condition(dice, inner.columns, 1))

    def asked() -> str:
        texts = [
            dice.one(_WHOLE).format(any=dice.one(named(inner.columns, "indt")).text,
                                    sum=dice.one(named(inner.columns, "in") or [Column("1", "i")]).text)
            for _ in range(2)
        ]  # fmt: skip
        texts = ["COUNT(*)" if each.startswith(("MAX", "MIN")) else each for each in texts]
        group = f" GROUP BY {inner.unit}" if dice.rarely(1) else ""
        having = f" HAVING {dice.one(['COUNT(*) > 1', 'MIN(1) = 1'])}" if dice.rarely(1) else ""
        item = dice.one(_AS_A_WHOLE).format(a=texts[0], b=texts[1])
        return f"(SELECT {item} FROM {inner.text}{_where(ties)}{group}{having})"

    held = f"LEAST(GREATEST({asked()}, 0), {dice.one(['5', '100'])})"
    numbers = dice.one(
        [
            [f"«COALESCE(»SUM({held})«, 0)»"],
            [f"COUNT({asked()})", "COUNT(*)"],
            [f"AVG({held})", f"COUNT(*) FILTER (WHERE {asked()} > {dice.one(['0', '1', '20'])})"],
            [f"«COALESCE(»SUM(CASE WHEN {asked()} > 1 THEN {asker.measure(source)} ELSE 0 END)«, 0)»"],
            ["COUNT(*)", f"«COALESCE(»SUM({asker.measure(source)})«, 0)»"],
        ]
    )
    where = [f"{asked()} {dice.one(['>', '<=', '='])} {dice.one(['0', '1', '2'])}"] if dice.rarely(4) else []
    if dice.rarely(2):
        return (
            f"SELECT CASE WHEN {asked()} > 1 THEN 'many' ELSE 'few' END AS k0, {', '.join(numbers)} FROM {source.text}"
            f"{_where(where)} GROUP BY 1"
        )
    return _grouped(asker, source, numbers, where)


def aggregates_of_others(asker: Asker) -> str:
    """Rows compared with an aggregate of whomever's rows that are like them."""
    dice, outer = asker.dice, _from(asker)
    inner = private_only(dice, asker.writer.names, asker.owner)
    bounded = [column.text for column in named(inner.columns, "inf") if column.bounded] or ["1"]
    ours = [column.text for column in named(outer.columns, "inf") if column.bounded] or ["1"]
    same = [
        f"{one.text} = {other.text}"
        for one in inner.columns
        for other in outer.columns
        if one.kind == other.kind and one.kind in "t"
    ]
    ties = [dice.one(same)] if same else []
    ties += [dice.one(same)] if same and dice.rarely(2) else []
    ties += [condition(dice, inner.columns, 1)] if dice.rarely(3) else []
    total = dice.one([f"AVG({dice.one(bounded)})", "COUNT(*)", f"SUM({dice.one(bounded)}) / 9", "COUNT(*) * 3 + 1"])
    where = [f"{dice.one(ours)} {dice.one(['>', '<='])} (SELECT {total} FROM {inner.text}{_where(ties)})"]
    return _grouped(asker, outer, [dice.one(["COUNT(*)", f"«COALESCE(»SUM({asker.measure(outer)})«, 0)»"])], where)


def beside_everybody(asker: Asker) -> str:
    """A window over all rows, whose numbers are released and looked up by each row."""
    dice, source = asker.dice, _from(asker)
    bounded = [column for column in named(source.columns, "inf") if column.bounded]
    number = dice.one(bounded).text if bounded else "1"
    few = [column.text for column in named(source.columns, "tb")] or ["1"]
    part = f"PARTITION BY {dice.one(few)}" if dice.rarely(5) else ""
    window = dice.one([f"AVG({number})", "COUNT(*)", f"SUM({number})"])
    inner = f"SELECT {number} AS x, {dice.one(few)} AS k, {window} OVER ({part}) AS m FROM {source.text}"
    inner += _where([condition(dice, source.columns, 1)] if dice.rarely(3) else [])
    form = dice.one(["COUNT(*)", "COUNT(*) FILTER (WHERE x > m)", "COUNT(m)"])
    where = f" WHERE x {dice.one(['>', '<='])} {dice.one(['m', 'm * 0.5'])}" if dice.rarely(6) else ""
    if dice.rarely(4):
        return f"SELECT k AS k0, {form} AS a0 FROM ({inner}) q{where} GROUP BY k"
    return f"SELECT {form} AS a0 FROM ({inner}) q{where}"


def parts_of_texts(asker: Asker) -> str:
    """A row for each part of a text."""
    dice, source = asker.dice, _from(asker)
    text = dice.one(named(source.columns, "t")).text if named(source.columns, "t") else "'a b'"
    by = dice.one(["'e'", "'o'", "' '", "'ar'"])
    call = dice.one([f"unnest(string_to_array({text}, {by}))", f"string_to_table({text}, {by})",
                     f"regexp_split_to_table({text}, {by})"])  # fmt: skip
    if "string_to_table" in call:
        call = f"unnest(string_to_array({text}, {by}))"  # as old servers have no string_to_table
    part = Column(f"{asker.writer.names.new('x')}.part", "t")
    alias = part.text.partition(".")[0]
    join = dice.one(
        [", {call} AS {x}(part)", " CROSS JOIN {call} AS {x}(part)", " LEFT JOIN {call} AS {x}(part) ON TRUE"]
    )
    made = replace(
        source,
        text=source.text + join.format(call=call, x=alias),
        columns=(*source.columns, part),
        comma=join[0] == ",",
    )
    where = [condition(dice, (part,), 1)] if dice.rarely(3) else []
    numbers = [
        dice.one(["COUNT(*)", f"COUNT({part.text})", f"COUNT(DISTINCT {part.text})", f"COUNT(DISTINCT {source.unit})"])
    ]
    if dice.rarely(5):
        return f"SELECT {part.text} AS k0, {numbers[0]} AS a0 FROM {made.text}{_where(where)} GROUP BY {part.text}"
    return _grouped(asker, made, numbers, where)


def rows_of_columns(asker: Asker) -> str:
    """Several rows of each row: listed, or UNION ALL of what each asks."""
    dice, source = asker.dice, _from(asker)
    kind = dice.one("tid")
    values = [column.text for column in named(source.columns, kind)] or ["NULL::text"]
    one, other = dice.one(values), dice.one(values)
    x = asker.writer.names.new("x")
    inner = private_only(dice, asker.writer.names, asker.owner)
    whose = f"FROM {inner.text} WHERE {inner.unit} = {source.unit}"
    counted = f"SELECT 'one', COUNT(*) {whose} UNION ALL SELECT 'two', COUNT(DISTINCT {inner.columns[0].text}) {whose}"
    rows, value = dice.one(
        [
            (f"(VALUES ('one', {one}), ('two', {other})) {x}(k, v)", f"COUNT({x}.v)"),
            (f"(SELECT 'one' AS k, {one} AS v UNION ALL SELECT 'two', {other}) {x}", f"COUNT({x}.v)"),
            (f"({counted}) {x}(k, v)", f"«COALESCE(»SUM(LEAST({x}.v, 9))«, 0)»"),
        ]
    )
    return f"SELECT {x}.k AS k0, COUNT(*) AS a0, {value} AS a1 FROM {source.text}, LATERAL {rows} GROUP BY {x}.k"


def divided(asker: Asker) -> str:
    """Shares and means by division of what is released."""
    dice, source = asker.dice, _from(asker)
    over = dice.one(["COUNT(*)", f"NULLIF(COUNT({dice.one(source.columns).text}), 0)", "COUNT(*) + 1"])
    test = condition(dice, source.columns, 1)
    number = dice.one(
        [
            f"COUNT(*) FILTER (WHERE {test}) * 100 / {over}",
            f"ROUND(100.0 * COUNT(*) FILTER (WHERE {test}) / {over}, 1)",
            f"SUM({asker.measure(source)})::numeric / {over}",
            f"COUNT(*) % {dice.one(['7', '(COUNT(*) / 2 + 1)'])}",
            f"COUNT(*) FILTER (WHERE {test})::float8 / {over}",
        ]
    )
    return _grouped(asker, source, [number], [])


FORMS = (
    own_aggregates,
    own_aggregates,
    aggregates_of_others,
    beside_everybody,
    parts_of_texts,
    rows_of_columns,
    divided,
)
