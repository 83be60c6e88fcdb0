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
    r"CAST\(CEIL\(LN\(CAST\(GREATEST\(CASE WHEN o IS NULL THEN r ELSE l END, 1\) AS DOUBLE( PRECISION)?\)\) "
    r"\* 11\.54156032711170\d\) AS INT\)"
)
_UNITS = re.compile(r"SUM\((c|CAST\(c AS DECIMAL\(38, 0\)\))\)")
_NUMBER = re.compile(r"ROW_NUMBER\(\) OVER \(PARTITION BY u ORDER BY .+\)")


def fault_of_values(total: exp.Select, keys: Sequence[str]) -> str:
    """What is wrong with the steps above the numbers; "" where a value is counted once for a key, in the bucket of its
    least number, and a unit in that of its last."""
    marked, ended, numbered = steps = list(_below(total))[:3]
    totals, marks, ends, numbers = (_items(each) for each in (total, *steps))
    values, units = (f"({', '.join([*keys, each])})" for each in "vo")
    faults = {
        "not the keys first": [list(each)[: len(keys)] == list(keys) for each in (totals, marks, ends, numbers)],
        "other columns": [
            list(totals)[len(keys) :] == ["c", "b0", "m0"],
            list(marks)[len(keys) :] == ["c", "b0", "m0"],
            list(ends)[len(keys) :] == ["o", "r", "l", "d"],
            list(numbers)[len(keys) :] == ["v", "r", "d", "o"],
        ],
        "not by keys and bucket": [_group(total) == [*keys, "b0"], not _group(marked), not _group(numbered)],
        "not a row of each value, and of each unit": [
            _sets(ended) == [values, units],
            (ends["o"], numbers["o"]) == ("o", "u"),
        ],
        "not the total": [_TOTAL.fullmatch(totals["m0"]) is not None, _UNITS.fullmatch(totals["c"]) is not None],
        "a unit is counted more than once": [marks["c"] == "CASE WHEN NOT o IS NULL AND l = d THEN 1 ELSE 0 END"],
        "a value is counted more than once": [marks["m0"] == "CASE WHEN o IS NULL THEN 1 ELSE 0 END"],
        "not the bucket of the number": [_BUCKET.fullmatch(marks["b0"]) is not None],
        "not the least number": [ends["r"] == "MIN(r)"],
        "not the greatest number": [ends["l"] == "MAX(r)", ends["d"] == "MAX(d)"],
        "not a number of the unit's": [_NUMBER.fullmatch(numbers["r"]) is not None],
        "not how many it has": [numbers["d"] == "COUNT(*) OVER (PARTITION BY u)"],
        "some are left out": [each.args.get("where") is None for each in (total, marked, ended, numbered)],
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


def _sets(select: exp.Select) -> list[str]:
    """The sets that it groups by, where it does so by sets alone."""
    group = select.args.get("group")
    if group is None or group.expressions[1:] or not isinstance(group.expressions[0], exp.GroupingSets):
        return []
    return [each.sql() for each in group.expressions[0].expressions]
