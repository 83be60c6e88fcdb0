"""dp.low(x) and its like, as the front knows them; and what bars are computed with. As SQL text. Pure.

The front types private statements by the first, which have no value of their own: the proxy puts one in their place.
The second are functions of arrays, element by element, in a schema beside `dp`: who writes statements has no use for
them. They raise for no numbers: what has no value is NULL, and sizes beyond 10^±150 are NULL or 0, so that no product
of two passes what a double precision holds.

Checked by: tests/test_front_schema.py.
"""

from __future__ import annotations

from typing import Final

from dpproxy.plan.error_bars import Bar

_NUMBERS: Final = "double precision[]"
_MESSAGE: Final = "is told beside numbers that are released by the same statement"
_HINT: Final = (
    "Write it in the statement over private tables, and keep it beside its number where you keep that: "
    "CREATE TABLE t AS SELECT count(*) AS n, dp.low(count(*)) AS n_low FROM …."
)
_ONE: Final = {
    "negative": "-x",
    "size": "abs(x)",
    "ceiling": "ceil(x)",
    "floor": "floor(x)",
    "root": "CASE WHEN x >= 0 THEN sqrt(x) END",
    "ln": "CASE WHEN x > 0 THEN ln(x) END",
    "exp": "CASE WHEN x < -300 THEN 0 WHEN x < 300 THEN exp(x) END",
    "no": "1 - x",
    "missing": "CASE WHEN x IS NULL THEN 1 ELSE 0 END",
}
_LOGARITHM: Final = "CASE WHEN x > 0 AND abs(y) < 1e6 THEN ln(x) * y END"
_TWO: Final = {
    "add": "x + y",
    "subtract": "x - y",
    "multiply": "x * y",
    "divide": "CASE WHEN y <> 0 THEN x / y END",
    "quotient": "CASE WHEN y <> 0 THEN trunc(x / y) END",
    "modulo": "CASE WHEN y <> 0 THEN x - y * trunc(x / y) END",
    "power": f"CASE WHEN y = 0 THEN 1 WHEN x = 0 AND y > 0 THEN 0 WHEN y = 2 THEN x * x WHEN {_LOGARITHM} < -300 THEN 0"
    f" WHEN {_LOGARITHM} < 300 THEN exp({_LOGARITHM}) END",
    "round": "CASE WHEN abs(y) <= 100 THEN round(x * power(1e1::float8, y)) / power(1e1::float8, y) END",
    "equal": "(x = y)::integer",
    "unequal": "(x <> y)::integer",
    "below": "(x < y)::integer",
    "at_most": "(x <= y)::integer",
    "both": "CASE WHEN x = 0 OR y = 0 THEN 0 ELSE x * y END",
    "either": "CASE WHEN x = 1 OR y = 1 THEN 1 ELSE x + y END",
    "unless": "CASE WHEN x = y THEN NULL ELSE x END",
    "total": "coalesce(x + y, x, y)",
    "smaller": "least(x, y)",
    "larger": "greatest(x, y)",
}
_ANY: Final = {"first": "coalesce", "greatest": "greatest", "least": "least"}
_MOST: Final = 4
_OVER_ROWS: Final = {"sum": "total", "min": "smaller", "max": "larger"}


def _held(name: str) -> str:
    return f"CASE WHEN abs({name}) < 1e-150 THEN 0 WHEN abs({name}) < 1e150 THEN {name} END AS {name}"


def _asked(bar: Bar) -> str:
    return f"""
CREATE OR REPLACE FUNCTION dp.{bar.value}(double precision) RETURNS double precision LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog AS $$ BEGIN
    RAISE EXCEPTION 'dp.{bar.value}() {_MESSAGE}' USING ERRCODE = '0A000', HINT = '{_HINT}';
END $$;
"""


def _function(name: str, arguments: str, body: str) -> str:
    return f"""
CREATE OR REPLACE FUNCTION dp_bars.each_{name}({arguments}) RETURNS {_NUMBERS} LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog AS $$ {body} $$;
"""


def _elements(name: str, value: str, letters: str) -> str:
    numbered = ", ".join(f"${place}" for place in range(1, len(letters) + 1))
    inside = ", ".join(map(_held, letters))
    body = (
        f"SELECT array_agg(({value})::double precision ORDER BY i) FROM (SELECT i, {inside} FROM "
        f"unnest({numbered}) WITH ORDINALITY AS t({', '.join(letters)}, i)) AS h"
    )
    return _function(name, ", ".join([_NUMBERS] * len(letters)), body)


def _aggregate(name: str, step: str) -> str:
    made = f"CREATE OR REPLACE AGGREGATE dp_bars.each_{name}({_NUMBERS})"
    return f"{made} (SFUNC = dp_bars.each_{step}, STYPE = {_NUMBERS});\n"


def _end(name: str, order: str) -> str:
    """One end of the interval: what has no value may be anything, so that it counts as beyond."""
    return f"""
CREATE OR REPLACE FUNCTION dp_bars.each_{name}({_NUMBERS}, integer) RETURNS double precision LANGUAGE sql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog AS $$
    SELECT x FROM unnest($1) AS t(x) ORDER BY x {order} NULLS FIRST OFFSET greatest($2, 1) - 1 LIMIT 1 $$;
"""


_OTHERS: Final = f"""
CREATE OR REPLACE FUNCTION dp_bars.each_half_width({_NUMBERS}, integer) RETURNS double precision LANGUAGE sql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog AS $$
    SELECT (dp_bars.each_high($1, $2) - dp_bars.each_low($1, $2)) / 2 $$;
CREATE OR REPLACE FUNCTION dp_bars.each_stddev({_NUMBERS}, integer) RETURNS double precision LANGUAGE sql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog AS $$
    SELECT CASE WHEN count(x) = count(*) THEN stddev_samp(x) END
    FROM (SELECT {_held("x")} FROM unnest($1) AS t(x)) AS h $$;
"""

ASKED: Final = "".join(map(_asked, Bar))
EACH: Final = "".join(
    [
        *(_elements(name, value, "x") for name, value in _ONE.items()),
        *(_elements(name, value, "xy") for name, value in _TWO.items()),
        *(
            _elements(name, f"{function}({', '.join('xyzw'[:count])})", "xyzw"[:count])
            for name, function in _ANY.items()
            for count in range(1, _MOST + 1)
        ),
        _elements("choose", "CASE WHEN x = 1 THEN y ELSE z END", "xyz"),
        *(_aggregate(name, step) for name, step in _OVER_ROWS.items()),
        _end("low", "ASC"),
        _end("high", "DESC"),
        _OTHERS,
    ]
)
