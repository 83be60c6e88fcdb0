"""What stands above distinct values that have a number of their unit: read by what each step says, as text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

_TOTAL = re.compile(
    r"CAST\(LEAST\(GREATEST\(COALESCE\(SUM\((?:m0|CAST\(m0 AS DECIMAL\(38, 0\)\))\), 0\), -4611686018427387904\), "
    r"4611686018427387904\) AS BIGINT\)"
)
_BUCKET = re.compile(
    r"CAST\(CEIL\(LN\(CAST\(GREATEST\(r, 1\) AS DOUBLE( PRECISION)?\)\) \* 11\.54156032711170\d\) AS INT\)"
)
_UNITS = re.compile(r"SUM\((c|CAST\(c AS DECIMAL\(38, 0\)\))\)")
_NUMBER = re.compile(r"ROW_NUMBER\(\) OVER \(PARTITION BY u ORDER BY .+\)")


def fault_of_values(total: exp.Select, keys: Sequence[str]) -> str:
    """What is wrong with the steps above the numbers; "" where a value is counted once for a key, in the bucket of its
    least number, and a unit in that of its last."""
    marked, least, numbered = steps = list(_below(total))[:3]
    within = ", ".join([*keys, "v"])
    first = f"ROW_NUMBER() OVER (PARTITION BY {within} ORDER BY r"
    totals, marks, firsts, numbers = (_items(each) for each in (total, *steps))
    faults = {
        "not the keys first": [list(each)[: len(keys)] == list(keys) for each in (totals, marks, firsts, numbers)],
        "other columns": [
            list(totals)[len(keys) :] == ["c", "b0", "m0"],
            list(marks)[len(keys) :] == ["c", "b0", "m0"],
            list(firsts)[len(keys) :] == ["r", "d", "f"],
            list(numbers)[len(keys) :] == ["v", "r", "d"],
        ],
        "not by keys and bucket": [_group(total) == [*keys, "b0"], not any(map(_group, steps))],
        "not the total": [_TOTAL.fullmatch(totals["m0"]) is not None, _UNITS.fullmatch(totals["c"]) is not None],
        "a unit is counted more than once": [marks["c"] == "CASE WHEN r = d THEN 1 ELSE 0 END"],
        "a value is counted more than once": [marks["m0"] == "CASE WHEN f = 1 THEN 1 ELSE 0 END"],
        "not the bucket of the number": [_BUCKET.fullmatch(marks["b0"]) is not None],
        "not the least number": [firsts["f"] in (f"{first})", f"{first} NULLS LAST)")],
        "not a number of the unit's": [_NUMBER.fullmatch(numbers["r"]) is not None],
        "not how many it has": [numbers["d"] == "COUNT(*) OVER (PARTITION BY u)"],
        "some are left out": [each.args.get("where") is None for each in (total, marked, least, numbered)],
    }
    return next((told for told, holds in faults.items() if not all(holds)), "")


def numbered_of(total: exp.Select) -> exp.Select:
    """The SELECT that numbers values."""
    return list(_below(total))[2]


def stands_once(numbered: exp.Select, keys: Sequence[str]) -> bool:
    """Whether each value of a unit for a key stands once in the rows below."""
    (below, *_) = _below(numbered)
    if isinstance(below.expressions[0], exp.Star):
        (below, *_) = _below(below)
    return _group(below) == ["u", *keys, "v"]


def _below(select: exp.Select) -> list[exp.Select]:
    found = []
    while isinstance(source := select.args["from_"].this, exp.Subquery) and isinstance(source.this, exp.Select):
        select = source.this
        found.append(select)
    return found


def _items(select: exp.Select) -> dict[str, str]:
    return {item.alias_or_name: item.unalias().sql() for item in select.expressions}


def _group(select: exp.Select) -> list[str]:
    group = select.args.get("group")
    return [each.sql() for each in group.expressions] if group else []
