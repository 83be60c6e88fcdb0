"""Counts of several keys in one row of a unit, as steps by which what it adds is sorted by its norm, or held to a cap:
as trees, each in the one form that it may have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from attacks.norms import told_of
from attacks.shapes import sets_of

_OF_BITS = re.compile(
    r"CAST\((?:COALESCE\(s\d, 0\)|\(COALESCE\(s\d, 0\) >> \d+\)) & (?:2147483647|1048575|32767|4095) AS BIGINT\)"
)
_OF_COLUMN = re.compile(r"LEAST\(s\d, 2147483647\)")
_HELD = re.compile(rf"LEAST\((?:{_OF_BITS.pattern}|s\d), (\d+)\)")
_IS = r"k0 (?:= (?:'(?:[^']|'')*'|-?\d+|TRUE|FALSE)|IS NULL)"
_SUM = re.compile(rf"SUM\(CASE (?:WHEN {_IS} THEN \d+ ?)+ ?END\)")
_COUNT = re.compile(rf"COUNT\(CASE WHEN {_IS} THEN 1 END\)")
_SUMMED = rf"COALESCE\(SUM\(CAST\(CASE WHEN (?P<key>{_IS}) THEN (?P<measure>m\d) END AS DOUBLE\)\), 0\)"
_FROM_ZERO = re.compile(rf"CAST\(LEAST\(GREATEST\({_SUMMED}, (?P<least>0)\), (?P<most>\d+)\) AS BIGINT\)")
_WITH_SIGNS = re.compile(
    rf"CAST\(LEAST\(GREATEST\(CASE WHEN COUNT\(\*\) <= 1073741824 THEN {_SUMMED} ELSE 0 END, (?P<least>-?\d+)\),"
    r" (?P<most>\d+)\) AS BIGINT\)"
)
_COUNTED = re.compile(rf"LEAST\((?P<least>)COUNT\(CASE WHEN (?P<key>{_IS}) THEN 1 END\)(?P<measure>), (?P<most>\d+)\)")
_IN_KEYS = re.compile(r"COUNT\(CASE WHEN k0 IN \([^()]*\)(?: OR k0 IS NULL)? THEN 1 END\) AS s0")
_TOTAL = re.compile(
    r"CAST\(LEAST\(GREATEST\(COALESCE\(SUM\((p\d+)\), 0\), -4611686018427387904\), 4611686018427387904\)"
    r" AS BIGINT\) AS (p\d+)"
)
_THERE = re.compile(r"(?:NOT s\d IS NULL|s\d IS NOT NULL|s\d > 0)")
_SQUARE = re.compile(r"CAST\((p\d+) AS INT128\) \* (p\d+)")


SCALED = ("joins", "group", "", "where", "group")
WITHIN_CAPS = ("joins", "", "where", "group")
SUMS_SCALED = ("joins", "group", "", "where", "group")
SUMS_WITHIN_CAPS = ("joins", "", "group")
"""The clause of each SELECT from the result down to the groups by unit."""


def parts_of(total: exp.Select, clauses_of: tuple[str, ...]) -> Iterator[tuple[exp.Select, set[str]]]:
    """These SELECTs, and the clauses that each may have."""
    select: exp.Expr = total
    for clauses in clauses_of:
        assert isinstance(select, exp.Select)
        yield select, {"expressions", "from_", clauses}
        select = select.args["from_"].this.this


def fault_of(total: exp.Select, norm: str) -> str:
    """What is wrong with the steps above a unit's rows; "" where one unit is in the rows of one bucket, that of the
    norm of all that it adds, and is counted in one of them."""
    steps = list(parts_of(total, SCALED))
    result, totals, buckets, counts, sums = (select for select, _ in steps)
    names = [item.alias_or_name for item in counts.expressions]
    checks = {
        "a clause where none belongs": _has_these_clauses(steps),
        "not each key by itself": _tells_units_once(result) and _tells_each_once(result, names),
        "not by the bucket": totals.args.get("group") is not None
        and _group(totals) == ["b0"]
        and [item.sql() for item in totals.expressions[:2]] == ["b0", "COUNT(*) AS c"]
        and _adds_each(totals.expressions[2:], names),
        "not the bucket of all": _sorts_by_all(buckets, names, norm),
        "not bits": all(
            _OF_BITS.fullmatch(text) or _OF_COLUMN.fullmatch(text)
            for text in (item.this.sql("duckdb") for item in counts.expressions)
        ),
        **_of_sums(counts, sums),
    }
    return next((told for told, holds in checks.items() if not holds), "")


def fault_within_caps(total: exp.Select, most: int) -> str:
    """The same where each number of a unit is held to `most`."""
    steps = list(parts_of(total, WITHIN_CAPS))
    result, totals, counts, sums = (select for select, _ in steps)
    names = [item.alias_or_name for item in counts.expressions]
    held = [_HELD.fullmatch(item.this.sql("duckdb")) for item in counts.expressions]
    checks = {
        "a clause where none belongs": _has_these_clauses(steps),
        "not each key by itself": _tells_each_once(result, names),
        "not each total by itself": _adds_each(totals.expressions, names),
        "not held to the cap": all(each is not None and int(each[1]) <= most for each in held),
        **_of_sums(counts, sums),
    }
    return next((told for told, holds in checks.items() if not holds), "")


def fault_of_sums(total: exp.Select, norm: str, ends: list[int]) -> str:
    """The same as `fault_of` where each column is a sum, or a count, held to the end of its measure."""
    steps = list(parts_of(total, SUMS_SCALED))
    result, totals, buckets, there, sums = (select for select, _ in steps)
    counted, *numbers = sums.expressions
    names, many = [item.alias_or_name for item in numbers], len(ends)
    own = [f"b{index}" for index in range(many)]
    checks = {
        "a clause where none belongs": _has_these_clauses(steps),
        "not each key by itself": _tells_units_once(result, many) and _tells_each_once(result, names, many),
        "not by the bucket": totals.args.get("group") is not None
        and sets_of(totals.args["group"]) == [[each] for each in own]
        and [item.sql() for item in totals.expressions[: many + 1]] == [*own, "COUNT(*) AS c"]
        and _adds_each(totals.expressions[many + 1 :], names),
        "not the bucket of all": _sorts_each_by_all(buckets, names, norm, [_is_signed(item) for item in numbers], many),
        "units by what they have": [item.sql() for item in there.expressions] == names
        and _are_there(there.args.get("where"))
        and _IN_KEYS.fullmatch(counted.sql("duckdb")) is not None,
        **_of_columns(sums, numbers, ends),
    }
    return next((told for told, holds in checks.items() if not holds), "")


def fault_of_sums_within_caps(total: exp.Select, ends: list[int]) -> str:
    """The same where caps hold."""
    steps = list(parts_of(total, SUMS_WITHIN_CAPS))
    result, totals, sums = (select for select, _ in steps)
    names = [item.alias_or_name for item in sums.expressions]
    checks = {
        "a clause where none belongs": _has_these_clauses(steps),
        "not each key by itself": _tells_each_once(result, names, len(ends)),
        "not each total by itself": _adds_each(totals.expressions, names),
        **_of_columns(sums, sums.expressions, ends),
    }
    return next((told for told, holds in checks.items() if not holds), "")


def _of_columns(sums: exp.Select, numbers: list[exp.Expr], ends: list[int]) -> dict[str, bool]:
    """Of the numbers of each measure in turn, as many as there are keys."""
    texts, each = [item.this.sql("duckdb") for item in numbers], len(numbers) // len(ends)
    found = [_FROM_ZERO.fullmatch(text) or _WITH_SIGNS.fullmatch(text) or _COUNTED.fullmatch(text) for text in texts]
    read = [(index // each, one) for index, one in enumerate(found) if one is not None]
    return {
        "not by unit": sums.args.get("group") is not None and _group(sums) == ["u"],
        "not numbers that are held": len(read) == len(numbers) == each * len(ends)
        and all(max(int(one["most"]), -int(one["least"] or 0)) <= min(ends[index], 2**53) for index, one in read),
        "a number of two keys": len({(index, one["key"]) for index, one in read}) == len(read),
        "a number of two measures": all(one["measure"] in ("", f"m{index}") for index, one in read),
    }


def added_of(total: exp.Select, clauses_of: tuple[str, ...]) -> dict[str, bool]:
    """The measures that units' sums in floating point add up; whether of numbers that may be below 0."""
    *_, (sums, _) = parts_of(total, clauses_of)
    return {one["measure"]: signed for item in sums.expressions for one, signed in _summed(item)}


def _summed(item: exp.Expr) -> Iterator[tuple[re.Match[str], bool]]:
    for pattern in (_FROM_ZERO, _WITH_SIGNS):
        if found := pattern.fullmatch(item.unalias().sql("duckdb")):
            yield found, pattern is _WITH_SIGNS


def _has_these_clauses(steps: list[tuple[exp.Select, set[str]]]) -> bool:
    return all(set(filter(select.args.get, select.args)) <= clauses for select, clauses in steps)


def _of_sums(counts: exp.Select, sums: exp.Select) -> dict[str, bool]:
    return {
        "units by what they have": _are_there(counts.args.get("where")),
        "not by unit": sums.args.get("group") is not None
        and _group(sums) == ["u"]
        and sums.expressions[0].sql() == "u",
        "not packed counts": all(_adds_up(item.this.sql("duckdb")) for item in sums.expressions[1:]),
    }


def _adds_up(text: str) -> bool:
    return bool(_SUM.fullmatch(text) or _COUNT.fullmatch(text))


def _group(select: exp.Select) -> list[str]:
    return [each.sql() for each in select.args["group"].expressions]


def _tells_units_once(result: exp.Select, many: int = 1) -> bool:
    """Whether units are told in the rows of the first place, and their buckets with each."""
    first = f"CASE WHEN v.i = {_places(result)[0]} THEN t.c ELSE 0 END AS c"
    buckets = [f"t.b{index} AS b{index}" for index in range(many)]
    return [item.sql() for item in result.expressions[1:-many]] == [first, *buckets]


def _places(result: exp.Select) -> list[str]:
    values = result.args["joins"][0].this.find(exp.Values)
    return [""] if values is None else [row.expressions[0].sql() for row in values.expressions]


def _tells_each_once(result: exp.Select, names: list[str], many: int = 1) -> bool:
    """Whether each number is told in the rows of one place."""
    join, *more = result.args["joins"]
    places, told = _places(result), result.expressions[-many:]
    cases = [(each.this.sql(), each.args["true"].sql()) for item in told for each in item.this.args["ifs"]]
    expected = [(f"v.i = {place}", f"t.{name}") for place, name in zip(places * many, names, strict=False)]
    return (
        not more
        and (join.args.get("kind"), join.args.get("on"), join.this.alias) == ("CROSS", None, "v")
        and len(set(places)) * many == len(places) * many == len(names) == len(set(names))
        and result.expressions[0].sql() == "v.k0 AS k0"
        and cases == expected
        and all(len(item.this.args["ifs"]) == len(places) for item in told)
        and all(item.this.args.get("default") is None for item in told)
    )


def _adds_each(totals: list[exp.Expr], names: list[str]) -> bool:
    clamped = [_TOTAL.fullmatch(item.sql("duckdb")) for item in totals]
    own = [(each[1], each[2]) for each in clamped if each is not None]
    return own == [(name, name) for name in names] and len(own) == len(totals)


def _sorts_by_all(buckets: exp.Select, names: list[str], norm: str) -> bool:
    """Whether the bucket is that of the norm of all counts."""
    return _sorts_each_by_all(buckets, names, norm, [False for _ in names], 1)


def _sorts_each_by_all(buckets: exp.Select, names: list[str], norm: str, signed: list[bool], many: int) -> bool:
    """Whether the buckets are those of the norms of all numbers of each measure in turn; of sizes where any of the
    numbers may be below 0."""
    carried, last, each = buckets.expressions[:-many], buckets.expressions[-many:], len(names) // many
    sizes = [f"ABS({name})" if below and norm == "L1" else name for name, below in zip(names, signed, strict=True)]
    own = [sizes[each * index : each * (index + 1)] for index in range(many)]
    return (
        [item.sql() for item in carried] == names
        and [item.alias for item in last] == [f"b{index}" for index in range(many)]
        and all(_is_bucket_of(item.this, group, norm) for item, group in zip(last, own, strict=True))
    )


def _is_bucket_of(bucket: exp.Expr, names: list[str], norm: str) -> bool:
    size = bucket.find(exp.Greatest).this if bucket.find(exp.Greatest) else bucket
    added = size.sql("duckdb").split(" + ")
    if norm == "L2":
        squares = [_SQUARE.fullmatch(each) for each in added]
        added = [each[1] for each in squares if each is not None and each[1] == each[2]]
    size.replace(exp.column("s0"))
    kind = told_of(bucket.sql(), {"s0": "square p" if norm == "L2" else "size p"})
    return added == names and kind == f"bucket {norm} p"


def _is_signed(item: exp.Expr) -> bool:
    return any(signed for _, signed in _summed(item))


def _are_there(where: exp.Expr | None) -> bool:
    """Whether units are in it that have a row in some of the keys, whatever else they have."""
    return where is not None and all(_THERE.fullmatch(each) for each in where.this.sql("duckdb").split(" OR "))
