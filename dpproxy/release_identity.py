"""Repeated questions: when a release is one that was made before, and releases as text. Pure.

What is kept is what came out of a release point, noise and all. To tell it again loses nothing more: it is
post-processing of what was paid for. So a question that reads the same bounded SQL with the same noise is answered with
the same rows, however it was spelled, and asking often does not average the noise away.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Final, assert_never
from uuid import UUID

from dpproxy.plan.private_plan import NO_IDENTITY, FromPublic, FromRelease, Release
from dpproxy.plan.rows_met import WHERE_GIVEN
from dpproxy.plan.told_columns import PublicColumn, ReleasedColumn
from dpproxy.rows import Column, Rows, Value

_READ: Final[Mapping[str, Callable[[str], Value]]] = {
    "b": lambda text: text == "1",
    "i": int,
    "f": float,
    "n": Decimal,
    "s": str,
    "t": datetime.fromisoformat,
    "d": date.fromisoformat,
    "c": time.fromisoformat,
    "u": UUID,
}
_NAN: Final = math.nan
_FORM: Final = 1  # of what `written` writes: what was written in another is not found


def digest(*parts: object) -> bytes:
    """SHA-256 of values of the plan's and the policy's kinds: the same in every process for what is equal.

    Raises ValueError for a value of another kind.
    """
    return hashlib.sha256(json.dumps([_plain(part) for part in parts]).encode()).digest()


def identity(policy: bytes, release: Release, told: Sequence[Sequence[Value]], beside: Sequence[Release] = ()) -> bytes:
    """What makes a release the one that it is.

    policy: the digest of all that gives the text its meaning: database, version of the data, tables and units.
    told: the values of each of `inputs(release)`. beside: those of its statement that read the same sample of units:
    numbers of two samples do not belong together, so that a release is only ever told again with these.

    Claim: releases of one identity are runs of one mechanism with the same inputs, so one's rows may stand for the
    other's. Because: it holds the bounded text with all that it is told, the keys' domains, mechanisms and
    formulas; left out are labels, which only EXPLAIN shows, and unit indexes, whose text gives the same integers
    (`releases.unit_index`). Checked by: tests/test_release_identity.py.
    """
    return digest(_FORM, policy, _bare(release), told, *map(_bare, beside))


def _bare(release: Release) -> Release:
    """Without labels, notes and unit indexes."""
    bounded = release.bounded
    keys = tuple(replace(each, label="") for each in bounded.keys)
    measures = tuple(replace(each, label="") for each in bounded.measures)
    outputs = tuple(replace(each, label="") for each in release.outputs)
    known = replace(bounded, sql=bounded.question, plain=None, keys=keys, measures=measures, notes=())
    return replace(release, bounded=known, outputs=outputs)


def beside(releases: Sequence[Release], index: int) -> tuple[Release, ...]:
    """Those of a statement's releases that read the same sample of units as one of them does."""
    sample = releases[index].bounded.sample
    others = (each for at, each in enumerate(releases) if at != index and each.bounded.sample == sample)
    return () if sample is None else tuple(others)


def inputs(release: Release) -> tuple[PublicColumn, ...]:
    """All that a release is told: of earlier releases, and of tables of the analyst's own. Each once, in order."""
    domains = [key.domain for key in release.bounded.keys]
    public = [each for domain in domains if isinstance(domain, FromPublic) for each in domain.inputs]
    keys = [ReleasedColumn(each.release, each.column) for each in domains if isinstance(each, FromRelease)]
    return tuple(dict.fromkeys([*public, *keys, *release.bounded.inputs]))


def earlier(release: Release) -> frozenset[int]:
    """The releases of the same plan that must be there before this one."""
    return frozenset(each.release for each in inputs(release) if isinstance(each, ReleasedColumn))


def _plain(value: Any) -> Any:
    """As JSON, with the class of each value, so that no two different values look alike; of an object, the fields that
    are part of its identity."""
    match value:
        case None | bool():
            return value
        case bytes():
            return ["bytes", value.hex()]
        case Enum():
            return [type(value).__name__, value.name]
        case int() | float() | Decimal() | str() | date() | time() | UUID():
            return _word(value)
        case tuple() | list():
            return [type(value).__name__, *map(_plain, value)]
        case frozenset() | set():
            return ["set", *sorted((_plain(each) for each in value), key=json.dumps)]
        case Mapping():
            return ["map", *sorted(([_plain(key), _plain(each)] for key, each in value.items()), key=json.dumps)]
        case _ if is_dataclass(value):
            return [
                type(value).__name__,
                *(_plain(getattr(value, each.name)) for each in fields(value) if _is_told(each, value)),
            ]
        case _:
            raise ValueError(f"a {type(value).__name__} is no part of a release")


def _is_told(each: Field[Any], of: Any) -> bool:
    if each.metadata == WHERE_GIVEN:
        return getattr(of, each.name) is not None
    return each.metadata != NO_IDENTITY


def written(rows: Rows) -> str:
    """Rows as text, exactly: `read` gives them back, each value of its class."""
    columns = [[each.name, each.type] for each in rows.columns]
    return json.dumps({"columns": columns, "rows": [list(map(_word, row)) for row in rows.rows]})


def read(text: str) -> Rows:
    """The rows that `written` wrote. Raises ValueError, KeyError or TypeError for any other text."""
    kept = json.loads(text)
    columns = tuple(Column(name, kind) for name, kind in kept["columns"])
    return Rows(columns, tuple(tuple(map(_value, row)) for row in kept["rows"]))


def _word(value: Value) -> str | None:
    match value:
        case None:
            return None
        case bool():
            return f"b{int(value)}"
        case int():
            return f"i{value}"
        case float():
            return f"f{value!r}"
        case Decimal():
            return f"n{value}"
        case str():
            return f"s{value}"
        case datetime():
            return f"t{value.isoformat()}"
        case date():
            return f"d{value.isoformat()}"
        case time():
            return f"c{value.isoformat()}"
        case UUID():
            return f"u{value}"
        case _:
            assert_never(value)


def _value(word: str | None) -> Value:
    if word is None:
        return None
    value = _READ[word[:1]](word[1:])
    # One object for NaN, as `release.canonical` has it: tuples and sets find it again.
    return _NAN if isinstance(value, float) and value != value else value
