"""What the OIDs of a server stand for: they differ between servers that hold the same, and statements quote them."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace

import psycopg

from .recording import Extended, Simple

_FIRST_OWN = 16384  # below, OIDs are Postgres's own, the same wherever the same binaries made the cluster
_NOBODYS = 4_000_000_000
_MARK = re.compile(r"(?<=^dpproxy front )[0-9a-f]{16}$")  # of the roles that a front made
_NUMBER = re.compile(r"(?<!\d)\d{5,10}(?!\d)")
_OWN = """
SELECT oid, 'database ' || datname FROM pg_database
UNION ALL SELECT oid, 'role ' || rolname FROM pg_authid
UNION ALL SELECT oid, 'schema ' || nspname FROM pg_namespace
UNION ALL SELECT oid, relnamespace::regnamespace || '.' || relname FROM pg_class
UNION ALL SELECT oid, 'type ' || typnamespace::regnamespace || '.' || typname FROM pg_type
UNION ALL SELECT oid, 'function ' || pronamespace::regnamespace || '.' || proname FROM pg_proc
UNION ALL SELECT oid, 'constraint ' || conrelid::regclass || '.' || conname FROM pg_constraint
UNION ALL SELECT oid, 'trigger ' || tgrelid::regclass || ' ' || tgfoid::regproc FROM pg_trigger
UNION ALL SELECT oid, 'default ' || adrelid::regclass || '.' || adnum FROM pg_attrdef
UNION ALL SELECT oid, 'rule ' || ev_class::regclass FROM pg_rewrite
UNION ALL SELECT oid, 'policy ' || polrelid::regclass FROM pg_policy
"""
_OF_THE_PROXY = """
WITH own AS (SELECT oid, nspname FROM pg_namespace WHERE nspname ~ '^dp(_bars|_front|_ledger|_own)?$')
SELECT nspname FROM own
UNION SELECT relname FROM pg_class JOIN own ON own.oid = relnamespace
UNION SELECT typname FROM pg_type JOIN own ON own.oid = typnamespace
UNION SELECT proname FROM pg_proc JOIN own ON own.oid = pronamespace
UNION SELECT conname FROM pg_constraint JOIN own ON own.oid = connamespace
UNION SELECT 'cluster_name'
UNION SELECT 'dp_table_is_visible'
"""
_SCHEMA = r"dp(_bars|_front|_ledger|_own)?"
_QUALIFIED = re.compile(rf'(?<!\w){_SCHEMA}"?\.|<schema {_SCHEMA}>|"dp_own"')


@dataclass(frozen=True)
class Names:
    """The names of a server's objects by OID, and which of them are the proxy's own."""

    by_oid: Mapping[int, str]
    of_the_proxy: frozenset[str] = frozenset()

    def text(self, text: str) -> str:
        """The text with names in angle brackets where OIDs were, and any front's mark as one."""
        return _NUMBER.sub(lambda match: self._name(int(match[0])) or match[0], _MARK.sub("mark", text))

    def of(self, oid: int) -> str:
        """The name of one OID, or the number."""
        return self._name(oid) or str(oid)

    def is_of_the_proxy(self, value: str | None) -> bool:
        """Whether a value names an object that a front has and a plain Postgres has not."""
        return value is not None and (value in self.of_the_proxy or bool(_QUALIFIED.search(value)))

    def _name(self, oid: int) -> str | None:
        return f"<{self.by_oid[oid]}>" if oid in self.by_oid else None


def read_names(conninfo: str) -> Names:
    """The names of the objects that a server was not born with, for its owner."""
    with psycopg.connect(conninfo) as connection:
        rows = connection.execute(f"SELECT * FROM ({_OWN}) AS own (oid, name) WHERE oid >= {_FIRST_OWN}").fetchall()
        of_the_proxy = connection.execute(_OF_THE_PROXY).fetchall()
    plain = Names(dict(rows))
    return Names({oid: plain.text(name) for oid, name in rows}, frozenset(plain.text(name) for (name,) in of_the_proxy))


# The OIDs of the recordings' schema, in the first database of a new server of version 15 and of 16 or newer.
_RECORDED = {
    "type public._mood": (16385, 16385),
    "type public.mood": (16386, 16386),
    "public.people_id_seq": (16393, 16393),
    "public.people": (16394, 16394),
    "type public._people": (16395, 16395),
    "type public.people": (16396, 16396),
    "public.people_pkey": (16403, 16405),
    "public.orders": (16405, 16407),
    "type public._orders": (16406, 16408),
    "type public.orders": (16407, 16409),
    "public.orders_pkey": (16410, 16413),
    "public.orders_at": (16417, 16420),
    "public.people_name": (16418, 16421),
    "public.v_people": (16419, 16422),
    "type public._v_people": (16420, 16423),
    "type public.v_people": (16421, 16424),
    "public.mv": (16423, 16426),
    "type public._mv": (16424, 16427),
    "type public.mv": (16425, 16428),
    "other.t2": (16428, 16434),
    "type other._t2": (16429, 16435),
    "type other.t2": (16430, 16436),
    "function public.f": (16433, 16439),
}
RECORDED_BY_15 = {oids[0]: name for name, oids in _RECORDED.items()}
RECORDED_BY_18 = {oids[1]: name for name, oids in _RECORDED.items()}


def readdressed(step: Simple | Extended, recorded: Mapping[int, str], names: Names) -> Simple | Extended:
    """The step with a server's own OIDs in place of the recorded ones; what the server lacks is nobody's."""
    there = {name: oid for oid, name in names.by_oid.items()}
    new = {oid: there.get(name, _NOBODYS + oid) for oid, name in recorded.items()}
    sql = _readdressed_text(step.sql, new)
    if isinstance(step, Simple) or step.bound is None:
        return replace(step, sql=sql)
    bytes_too = zip(step.bound.parameters, _each(step.bound.parameter_formats, step.bound.parameters), strict=True)
    parameters = tuple(_readdressed_value(value, form, new) for value, form in bytes_too)
    return replace(step, sql=sql, bound=replace(step.bound, parameters=parameters))


def _readdressed_text(text: str, new: Mapping[int, int]) -> str:
    return _NUMBER.sub(lambda match: str(new.get(int(match[0]), match[0])), text)


def _each(formats: tuple[int, ...], values: tuple[object, ...]) -> tuple[int, ...]:
    """One format code for each value, as Bind means them."""
    return formats if len(formats) == len(values) else (formats or (0,)) * len(values)


def _readdressed_value(value: bytes | None, form: int, new: Mapping[int, int]) -> bytes | None:
    if value is None or form not in (0, 1):
        return value
    if form == 0:
        return _readdressed_text(value.decode(), new).encode()
    if len(value) % 4:
        return value
    return struct.pack(f">{len(value) // 4}I", *(new.get(each, each) for (each,) in struct.iter_unpack(">I", value)))
