"""What a private Bind asks of the front, in one row: settings, which relations names mean, and the parameters' values.

Everything is qualified with pg_catalog and no operator is used, because the search path is the analyst's. A value comes
in a form that no setting of the session changes: dates and timestamps through JSON, floats in binary.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from dpproxy.errors import DPProxyError
from dpproxy.remembered import remembered
from dpproxy.session.front_facts import FrontFacts
from dpproxy.session.own_statements import Lookup
from dpproxy.session.quoting import quoted
from dpproxy.session.relations_read import split_written
from dpproxy.wire import Bind

TIMEOUTS: Final = ("statement_timeout", "transaction_timeout")
ENCODING: Final = "client_encoding"
SEARCH_PATH: Final = "search_path"
ZONE: Final = "timezone"
# What they must be: elsewhere the front reads the analyst's text, or the arrays of an answer, in another way.
NEEDED: Final = {"standard_conforming_strings": "on", "transform_null_equals": "off", "array_nulls": "on"}
IDLE_TIMEOUT: Final = "idle_session_timeout"
SETTINGS: Final = (ENCODING, SEARCH_PATH, ZONE, *NEEDED, *TIMEOUTS, IDLE_TIMEOUT)
_FLOATS: Final = {700: struct.Struct(">f"), 701: struct.Struct(">d")}
_ISO: Final = frozenset({1082, 1114, 1184})
_MOMENT: Final = re.compile(r"\b(?:now|current_timestamp|localtimestamp|transaction_timestamp)\b", re.IGNORECASE)
_DAY: Final = re.compile(r"\b(?:current_date|age)\b", re.IGNORECASE)
_SHORT: Final = 2048
"""Characters of a text that is kept with the time that it asks for: with 256 of them, two megabytes at most."""
_ISO_ARRAYS: Final = frozenset({1115, 1182, 1185})


class Undecodable(DPProxyError, sqlstate="22021"):
    """A text in an encoding that Python reads differently."""


def lookup(settings: Sequence[str], names: Sequence[str], types: tuple[int, ...], bind: Bind, sql: str = "") -> Lookup:
    """The query for `settings`, `names`, the parameters of `bind`, whose types are `types`, and the time if `sql` asks
    for it: the transaction's, in the session's time zone."""
    times = _times_of(sql)
    text, formats = _written(tuple(settings), tuple(names), types, times)
    return Lookup(text, types, bind.parameter_formats, bind.parameters, formats)


@remembered(512)
def _written(
    settings: tuple[str, ...], names: tuple[str, ...], types: tuple[int, ...], times: tuple[str, ...]
) -> tuple[str, tuple[int, ...]]:
    """The query, and the formats of its columns: the encoding; settings and OIDs in one value; times; parameters."""
    facts = [f"pg_catalog.current_setting({_literal(name)}, true)" for name in settings]
    facts += [f"pg_catalog.to_regclass({_literal(_quoted(name))})::pg_catalog.oid::pg_catalog.text" for name in names]
    parts = [f"pg_catalog.current_setting('{ENCODING}', true)"]
    parts += [f"pg_catalog.to_json(ARRAY[{', '.join(facts)}])::pg_catalog.text", *times]
    formats = (*[0] * len(parts), *(1 if oid in _FLOATS else 0 for oid in types)) if _FLOATS.keys() & types else ()
    parts += [_value(number, oid) for number, oid in enumerate(types, 1)]
    return f"SELECT {', '.join(parts)}", formats


def found(
    settings: Sequence[str], names: Sequence[str], types: tuple[int, ...], row: Sequence[bytes | None], codec: str
) -> FrontFacts:
    """The answer in the row of `lookup`, whose first column is the encoding."""
    texts = [_text(value, codec) for value in row[1 : len(row) - len(types)]]
    facts: list[str | None] = json.loads(texts[0] or "[]")
    oids = [None if text is None else int(text) for text in facts[len(settings) :]]
    now = datetime.fromisoformat(texts[1]) if len(texts) > 1 and texts[1] is not None else None
    values = [_decoded(value, oid, codec) for value, oid in zip(row[len(texts) + 1 :], types, strict=True)]
    return FrontFacts(dict(zip(settings, facts, strict=False)), dict(zip(names, oids, strict=True)), tuple(values), now)


def timeouts(settings: Mapping[str, str | None]) -> dict[str, str]:
    """Those of the session's timeouts that are on. A front before 17 has no transaction_timeout."""
    return {name: value for name in TIMEOUTS if (value := settings[name]) not in (None, "0")}


# The types of arrays that the front's grammar does not know by itself: a table of the name stands for its type.
TYPES: Final = ("text", "date", "uuid", "timestamptz")


def before_catalog(search_path: str) -> tuple[str, ...]:
    """The schemas that names are looked for in before Postgres's own; none where pg_catalog is not named."""
    path = tuple(each.strip().strip('"') for each in search_path.split(","))
    return path[: path.index("pg_catalog")] if "pg_catalog" in path else ()


def set_timeouts(values: Mapping[str, str]) -> Lookup:
    """Set them for what is left of the transaction."""
    calls = [f"pg_catalog.set_config({_literal(name)}, {_literal(value)}, true)" for name, value in values.items()]
    return Lookup(f"SELECT {', '.join(calls)}")


def lexing() -> Lookup:
    """What a text means depends on: the client's encoding, and whether a backslash in a string is one. As they are
    now: what the front reports lags behind until Sync."""
    names = (ENCODING, "standard_conforming_strings")
    return Lookup(f"SELECT {', '.join(f'pg_catalog.current_setting({_literal(name)}, true)' for name in names)}")


def isolation() -> Lookup:
    """The isolation level of the transaction."""
    return Lookup("SELECT pg_catalog.current_setting('transaction_isolation', true)")


def asks_time(sql: str) -> bool:
    """Whether a lookup for this text asks for the time."""
    return bool(_times_of(sql))


def _times_of(sql: str) -> tuple[str, ...]:
    return _times_lately(sql) if len(sql) <= _SHORT else _times(sql)


def _times(sql: str) -> tuple[str, ...]:
    """The time as exactly as a text asks for it, wherever its words stand, be it in a comment; none if it does not."""
    clocks = "LOCALTIMESTAMP" if _MOMENT.search(sql) else "CURRENT_DATE" if _DAY.search(sql) else None
    return () if clocks is None else (_through_json(clocks),)


_times_lately = remembered(256)(_times)


def _value(number: int, oid: int) -> str:
    if oid in _FLOATS:
        return f"${number}"
    if oid in _ISO:
        return _through_json(f"${number}")
    if oid in _ISO_ARRAYS:
        return f"pg_catalog.translate(pg_catalog.to_json(${number})::pg_catalog.text, '[]', '{{}}')"
    return f"${number}::pg_catalog.text"


def _through_json(value: str) -> str:
    return f"pg_catalog.btrim(pg_catalog.to_json({value})::pg_catalog.text, '\"')"


def _decoded(value: bytes | None, oid: int, codec: str) -> str | None:
    if value is None:
        return None
    if oid in _FLOATS:
        number: float = _FLOATS[oid].unpack(value)[0]
        # A real's shortest decimal form is not that of the double it is read as.
        return f"{number:.9g}" if oid == 700 else repr(number)
    return _text(value, codec)


def _text(value: bytes | None, codec: str) -> str | None:
    try:
        return None if value is None else value.decode(codec)
    except UnicodeDecodeError:
        fault = "a parameter or setting has a character that is not understood in the client's encoding"
        raise Undecodable(fault) from None


def _quoted(written: str) -> str:
    return quoted(*split_written(written))


def _literal(text: str) -> str:
    """A string constant that means the same whatever standard_conforming_strings is."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
