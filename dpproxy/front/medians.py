"""dp.median(x), which Postgres has not: an aggregate of numbers, dates, timestamps and intervals. As SQL text. Pure.

The front types private statements by it, and computes it where all rows are public.

Checked by: tests/test_front_schema.py.
"""

from __future__ import annotations

from typing import Final

_TYPES: Final = ("double precision", "date", "timestamp without time zone")


_BETWEEN: Final = ("double precision", "interval")


def _median(type_: str) -> str:
    """Of numbers and lengths as percentile_cont has it, else one of the values."""
    kind = "percentile_cont" if type_ in _BETWEEN else "percentile_disc"
    return f"""
CREATE OR REPLACE FUNCTION dp_front.middle({type_}[]) RETURNS {type_} LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog AS $$ SELECT {kind}(0.5) WITHIN GROUP (ORDER BY v) FROM unnest($1) AS t(v) $$;
CREATE OR REPLACE AGGREGATE dp.median({type_}) (
    SFUNC = pg_catalog.array_append, STYPE = {type_}[], FINALFUNC = dp_front.middle, INITCOND = '{{}}');
REVOKE EXECUTE ON FUNCTION dp_front.middle({type_}[]) FROM PUBLIC;
"""


AGGREGATES: Final = "".join(map(_median, _TYPES))
OF_LENGTHS: Final = _median("interval")
