"""What keeps each claimed key unique and not null, and what follows where nothing does: a fault, or a warning.

A primary key that nothing keeps is not believed: a unit may then have many rows (the general form of each pass). A link
whose target nothing keeps is a fault, because no general form of it is known to be sound. With rows of V linked to keys
of T, let units A and B both have a row of T with key k. To give V's rows at k to one of the two by any rule over T's
rows (the least unit, only where there is one) is unsound: B's leaving gives to A, or takes from A, as many rows of V as
there are at k, whatever A's limits are, so that one unit's leaving moves another's contribution and no bound on each
unit's own holds. To give them to both is unsound as well: rows of V leave with A, since they are A's, and B's
contribution moves again; with u units at k the sensitivity is that of u units, and u is not bounded. Only where each k
has at most one unit does "all rows of one unit" cut V into parts that leave alone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from dpproxy.config import Config, Fault
from dpproxy.engines import Engine, EngineSchema
from dpproxy.keys.key_claims import Key, claims, mentions, row_links, unit_key
from dpproxy.keys.verification_record import read_record

_log: Final = logging.getLogger(__name__)


class KeyGuarantee(StrEnum):
    """What keeps a key unique and not null."""

    CONSTRAINT = "a constraint"
    RECORD = "check --data, on this very file"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class KeyGuarantees:
    """claimed: what keeps each key that the policy claims. proved: all that may be leaned on.

    outdated: there is a record of claimed keys, of another file than this.
    """

    claimed: Mapping[Key, KeyGuarantee]
    proved: frozenset[Key]
    outdated: bool

    @property
    def unproved(self) -> frozenset[Key]:
        """Claimed keys that nothing keeps."""
        return frozenset(key for key, keeper in self.claimed.items() if keeper is KeyGuarantee.NOTHING)


async def guarantees_of(config: Config, engine: Engine, schema: EngineSchema) -> KeyGuarantees:
    """What keeps the keys of a policy in this engine. Raises ConfigFault for a record that is none, EngineFailure.

    Claim: on databases that are alike in their schema, and both or neither the file that was recorded, the result is
    the same. Because: no row is read here; the digest is compared, and nothing else is done with it. That the record is
    there is the owner's doing, as a PRIMARY KEY is: whether either can be had depends on rows, and once it is had, the
    databases that the guarantee speaks of are those in which the key is unique and not null. A unit's leaving breaks no
    such key, so that the neighbours in which it left are among them. That a file is not believed says that somebody
    changed a byte of it, which is done when the owner's loading is done, for one unit or for all.
    Checked by: tests/test_start.py.
    """
    claimed = {key for key in claims(config) if _there(key, schema)}
    enforced = {key for key in mentions(config) if _there(key, schema) and schema.tables[key[0]].enforces(key[1])}
    record = read_record(config.record) if claimed - enforced else None
    believed = record.keys if record is not None else frozenset()
    named = frozenset(key for key in (claimed - enforced) & believed if schema.tables[key[0]].held)
    if named:
        _log.info("comparing the engine's file with the one whose keys were verified")
    same = bool(named) and record is not None and await engine.digest() == record.digest
    recorded = named if same else frozenset()
    keepers = {
        key: KeyGuarantee.CONSTRAINT
        if key in enforced
        else KeyGuarantee.RECORD
        if key in recorded
        else KeyGuarantee.NOTHING
        for key in sorted(claimed)
    }
    return KeyGuarantees(keepers, frozenset(enforced | recorded), bool(named) and not same)


def _there(key: Key, schema: EngineSchema) -> bool:
    """Whether the engine has these columns, so that more can be said whatever else is wrong with the table."""
    table, columns = key
    found = schema.tables.get(table)
    return found is not None and set(columns) <= {column.name for column in found.columns}


def link_faults(config: Config, kept_: KeyGuarantees) -> Iterator[Fault]:
    """Links whose unit is read at a target that nothing keeps unique and not null."""
    for key, link, target in row_links(config):
        if target in kept_.unproved:
            changed = "; the file was changed since dpproxy check --data verified it" if kept_.outdated else ""
            expected = f"a target with a PRIMARY KEY, or with UNIQUE and NOT NULL{_or_verified(config)}"
            yield Fault(key, f"no constraint of the engine keeps {link} unique and not null{changed}", expected)


def _or_verified(config: Config) -> str:
    held = config.engine.url.provider.holds_rows
    return ", or one that dpproxy check --data verified on this very file" if held else ""


def key_warnings(config: Config, kept_: KeyGuarantees, rows: Mapping[str, int | None]) -> Iterator[str]:
    """What is not believed and what that costs, and what is believed by a record; `rows`: caps on a unit's."""
    if kept_.outdated:
        yield "the engine's file was changed since dpproxy check --data verified its keys: none of that is believed"
    for (name, columns), keeper in kept_.claimed.items():
        listed = ", ".join(columns)
        match keeper:
            case KeyGuarantee.NOTHING if config.tables[name].primary_key == columns:
                cost = _cost(name, columns, config, rows[name])
                yield (
                    f"tables.{name}.primary_key: no constraint of the engine keeps ({listed}) unique, so {cost}"
                    f"{_remedy(name, listed, config)}"
                )
            case KeyGuarantee.RECORD:
                yield f"tables.{name}: ({listed}) is believed to be unique because dpproxy check --data verified it"
            case KeyGuarantee.NOTHING | KeyGuarantee.CONSTRAINT:
                pass
            case _:
                assert_never(keeper)


def _cost(name: str, columns: tuple[str, ...], config: Config, rows: int | None) -> str:
    if columns == (unit_key(name, config),):
        count = "" if rows is None else f", {rows} of which count"
        return f"a unit may have many rows{count}, and answers have more noise"
    if config.tables[name].public:
        return "a join to it groups its rows by them first, and finds one"
    return "a join to it may find many rows, and answers have more noise"


def _remedy(name: str, listed: str, config: Config) -> str:
    if config.engine.url.provider.holds_rows:
        return f"; run dpproxy check --data, or make it PRIMARY KEY ({listed}) there"
    if not config.engine.url.provider.keeps_keys:
        private = config.tables[name].max_rows_per_unit is None and not config.tables[name].public
        return "; say how many count: max_rows_per_unit" if private else ""
    return f"; ALTER TABLE {name} ADD PRIMARY KEY ({listed}) there"
