"""Counts of several keys in one row of a unit, as steps by which what it adds is sorted by its norm, or held to a cap:
as trees, each in the one form that it may have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from attacks.norms import told_of

_OF_BITS = re.compile(
    r"CAST\((?:COALESCE\(s\d, 0\)|\(COALESCE\(s\d, 0\) >> \d+\)) & (?:2147483647|1048575|32767|4095) AS BIGINT\)"
)
_OF_COLUMN = re.compile(r"LEAST\(s\d, 2147483647\)")
_HELD = re.compile(rf"LEAST\((?:{_OF_BITS.pattern}|s\d), (\d+)\)")
_IS = r"k0 (?:= (?:'(?:[^']|'')*'|-?\d+|TRUE|FALSE)|IS NULL)"
_SUM = re.compile(rf"SUM\(CASE (?:WHEN {_IS} THEN \d+ ?)+ ?END\)")
_COUNT = re.compile(rf"COUNT\(CASE WHEN {_IS} THEN 1 END\)")
_IN_DOUBLES = re.compile(
    rf"CAST\(LEAST\(GREATEST\(COALESCE\(SUM\(CAST\(CASE WHEN ({_IS}) THEN m0 END AS DOUBLE\)\), 0\), 0\), (\d+)\)"
    r" AS BIGINT\)"
)
_IN_KEYS = re.compile(r"COUNT\(CASE WHEN k0 IN \([^()]*\)(?: OR k0 IS NULL)? THEN 1 END\) AS s0")
_TOTAL = re.compile(
    r"CAST\(LEAST\(GREATEST\(COALESCE\(SUM\((p\d)\), 0\), -4611686018427387904\), 4611686018427387904\)"
    r" AS BIGINT\) AS (p\d)"
)
_THERE = re.compile(r"(?:NOT s\d IS NULL|s\d IS NOT NULL|s\d > 0)")
_SQUARE = re.compile(r"CAST\((p\d) AS INT128\) \* (p\d)")


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


def fault_of_sums(total: exp.Select, norm: str, most: int) -> str:
    """The same as `fault_of` where each column is a sum of `m0`, held between 0 and `most`."""
    steps = list(parts_of(total, SUMS_SCALED))
    result, totals, buckets, there, sums = (select for select, _ in steps)
    counted, *numbers = sums.expressions
    names = [item.alias_or_name for item in numbers]
    checks = {
        "a clause where none belongs": _has_these_clauses(steps),
        "not each key by itself": _tells_units_once(result) and _tells_each_once(result, names),
        "not by the bucket": totals.args.get("group") is not None
        and _group(totals) == ["b0"]
        and [item.sql() for item in totals.expressions[:2]] == ["b0", "COUNT(*) AS c"]
        and _adds_each(totals.expressions[2:], names),
        "not the bucket of all": _sorts_by_all(buckets, names, norm),
        "units by what they have": [item.sql() for item in there.expressions] == names
        and _are_there(there.args.get("where"))
        and _IN_KEYS.fullmatch(counted.sql("duckdb")) is not None,
        **_of_columns(sums, numbers, most),
    }
    return next((told for told, holds in checks.items() if not holds), "")


def fault_of_sums_within_caps(total: exp.Select, most: int) -> str:
    """The same where caps hold."""
    steps = list(parts_of(total, SUMS_WITHIN_CAPS))
    result, totals, sums = (select for select, _ in steps)
    names = [item.alias_or_name for item in sums.expressions]
    checks = {
        "a clause where none belongs": _has_these_clauses(steps),
        "not each key by itself": _tells_each_once(result, names),
        "not each total by itself": _adds_each(totals.expressions, names),
        **_of_columns(sums, sums.expressions, most),
    }
    return next((told for told, holds in checks.items() if not holds), "")


def _of_columns(sums: exp.Select, numbers: list[exp.Expr], most: int) -> dict[str, bool]:
    found = [_IN_DOUBLES.fullmatch(item.this.sql("duckdb")) for item in numbers]
    return {
        "not by unit": sums.args.get("group") is not None and _group(sums) == ["u"],
        "not sums that are held": all(each is not None and int(each[2]) <= min(most, 2**53) for each in found),
        "a sum of two keys": len({each[1] for each in found if each is not None}) == len(found),
    }


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


def _tells_units_once(result: exp.Select) -> bool:
    """Whether units are told in the rows of the first place, and their bucket with each."""
    _, units, bucket, _ = result.expressions
    first = f"CASE WHEN v.i = {_places(result)[0]} THEN t.c ELSE 0 END AS c"
    return (units.sql(), bucket.sql()) == (first, "t.b0 AS b0")


def _places(result: exp.Select) -> list[str]:
    values = result.args["joins"][0].this.find(exp.Values)
    return [""] if values is None else [row.expressions[0].sql() for row in values.expressions]


def _tells_each_once(result: exp.Select, names: list[str]) -> bool:
    """Whether each count is told in the rows of one place."""
    join, *more = result.args["joins"]
    places = _places(result)
    key, *_, measure = result.expressions
    cases = [(each.this.sql(), each.args["true"].sql()) for each in measure.this.args["ifs"]]
    expected = [(f"v.i = {place}", f"t.{name}") for place, name in zip(places, names, strict=False)]
    return (
        not more
        and (join.args.get("kind"), join.args.get("on"), join.this.alias) == ("CROSS", None, "v")
        and len(set(places)) == len(places) == len(names) == len(set(names))
        and key.sql() == "v.k0 AS k0"
        and cases == expected
        and measure.this.args.get("default") is None
    )


def _adds_each(totals: list[exp.Expr], names: list[str]) -> bool:
    clamped = [_TOTAL.fullmatch(item.sql("duckdb")) for item in totals]
    own = [(each[1], each[2]) for each in clamped if each is not None]
    return own == [(name, name) for name in names] and len(own) == len(totals)


def _sorts_by_all(buckets: exp.Select, names: list[str], norm: str) -> bool:
    """Whether the bucket is that of the norm of all counts."""
    *carried, last = buckets.expressions
    size = last.this.find(exp.Greatest).this if last.this.find(exp.Greatest) else last.this
    added = size.sql("duckdb").split(" + ")
    if norm == "L2":
        squares = [_SQUARE.fullmatch(each) for each in added]
        added = [each[1] for each in squares if each is not None and each[1] == each[2]]
    size.replace(exp.column("s0"))
    kind = told_of(last.this.sql(), {"s0": "square p" if norm == "L2" else "size p"})
    return [item.sql() for item in carried] == names == added and kind == f"bucket {norm} p" and last.alias == "b0"


def _are_there(where: exp.Expr | None) -> bool:
    """Whether units are in it that have a row in some of the keys, whatever else they have."""
    return where is not None and all(_THERE.fullmatch(each) for each in where.this.sql("duckdb").split(" OR "))
