"""What a query is told, over values that a text of JSON, or of SQL, could take for something else."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest

from dpproxy.engines import EngineQuery
from dpproxy.engines.spark.inputs import told
from dpproxy.engines.spark.sessions import Session
from dpproxy.rows import Value


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("BIGINT", (2**63 - 1, -(2**63), 0, None)),
        ("DECIMAL(10, 2)", (Decimal("1.50"), Decimal("-99999999.99"), None)),
        ("DECIMAL(38, 10)", (Decimal("0E-10"), Decimal("1E+5"), Decimal("-1.5E-7"))),
        ("DOUBLE", (1e22, 1e-7, Decimal("1E+22"))),
        ("DOUBLE", (0.1, 5e-324, -1.7976931348623157e308, float("inf"), float("-inf"), None)),
        ("STRING", ("", "null", 'it\'s \\ "x"', ":r0c0", "a\nb\x00", "\u2603\U0001f388", "\\u0041", None)),
        ("BOOLEAN", (True, False, None)),
        ("DATE", (date(1, 1, 1), date(9999, 12, 31), None)),
        ("TIMESTAMP_NTZ", (datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), None)),
        ("BIGINT", ()),
    ],
)
def test_elements_are_read_as_they_are(type_: str, values: tuple[Value, ...], session: Session) -> None:
    sql = f"SELECT EXPLODE(CAST(FROM_JSON(:r0c0, 'ARRAY<STRING>') AS ARRAY<{type_}>)) AS o0"
    found = session.query(sql, told=told(EngineQuery(sql, {"r0c0": values})))
    assert [row[0] for row in found.rows] == list(values)


def test_arrays_stand_side_by_side(session: Session) -> None:
    arrays = (
        f"CAST(FROM_JSON(:{name}, 'ARRAY<STRING>') AS ARRAY<{type_}>)"
        for name, type_ in (("r0c0", "STRING"), ("r0c1", "BIGINT"))
    )
    sql = f"SELECT INLINE(ARRAYS_ZIP({', '.join(arrays)})) AS (o0, o1)"
    query = EngineQuery(sql, {"r0c0": ("a", None, "c"), "r0c1": (1, 2, None)}, secrets={})
    assert session.query(sql, told=told(query)).rows == (("a", 1), (None, 2), ("c", None))


def test_a_secret_is_one_text() -> None:
    assert told(EngineQuery("", secrets={"coin": "a'\\"})) == {"coin": "a'\\"}
