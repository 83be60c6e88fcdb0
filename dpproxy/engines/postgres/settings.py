"""How a transaction of the engine's begins: one snapshot, nothing written, and what its SQL may rely on.

All of it is said anew in each transaction, in one message with BEGIN, and for no longer than the transaction: so it
holds whatever the role, the database, or a pooler in transaction mode left in the session.

Checked by: tests/test_engine_postgres.py.
"""

from __future__ import annotations

import math

from asyncpg.types import ServerVersion

SEARCH_PATH = "pg_catalog, pg_temp"

_MEANING = {
    # Names are looked up where nobody else can make any; texts name the schemas of their tables.
    "search_path": SEARCH_PATH,
    "timezone": "'UTC'",
    "datestyle": "ISO, MDY",
    "intervalstyle": "'postgres'",
    "extra_float_digits": "1",
    "lc_numeric": "'C'",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "array_nulls": "on",
    "row_security": "on",
    "gin_fuzzy_search_limit": "0",
}
"""What values mean and how they are read and written, as SET is told."""

_PLANNING = {
    "jit": "off",
    "work_mem": "'64MB'",
    "hash_mem_multiplier": "2",
    "enable_nestloop": "off",
}
"""What helps the bounded SQL, by the server's own CPU time over TPC-H.

jit: at scale 0.2, compiling the bounded SQL took 0.1 to 0.2 s of each query; a sum by segment of customers went from 20
to 200 ms, a sum over orders from 310 to 375, and none over lineitem gained. Hashes: at scale 1, a count of lineitem by
shipmode took 5.9 s with 128 MB for a hash table of its units and keys, and 7.2 s with 4 MB, in 16 batches on disk; the
multiplier is 1 before version 15. Nested loops read a table again for each row of another, as often as one unit has
rows there: time would tell. Parallel workers are as the server is configured, 2 for a query unless changed.
"""

_SINCE = {"client_connection_check_interval": 14, "transaction_timeout": 17}
"""Settings that older versions do not know, and the first that does."""

_GRACE = 5.0


def beginning(seconds: float, version: ServerVersion) -> str:
    """The text that begins a transaction which may last so long, on a server of that version."""
    settings = {**_MEANING, **_PLANNING, **_limits(seconds)}
    own = [f"SET LOCAL {name} = {value}" for name, value in settings.items() if version.major >= _SINCE.get(name, 0)]
    return "; ".join(["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", *own])


def allowing(seconds: float) -> str:
    """The text that gives the next query so long."""
    return f"SET LOCAL statement_timeout = {_milliseconds(seconds)}"


def _limits(seconds: float) -> dict[str, str]:
    """The server ends by itself what nobody waits for any more, should the proxy not be there to tell it."""
    return {
        "statement_timeout": _milliseconds(seconds),
        "lock_timeout": "0",  # waiting for a lock is part of the time allowed
        "idle_in_transaction_session_timeout": _milliseconds(seconds + _GRACE),
        "transaction_timeout": _milliseconds(seconds + 2 * _GRACE),
        "client_connection_check_interval": _milliseconds(_GRACE),
    }


def _milliseconds(seconds: float) -> str:
    """At least one: 0 is no limit at all. At most what Postgres takes."""
    return str(min(max(math.ceil(seconds * 1000), 1), 2**31 - 1))
