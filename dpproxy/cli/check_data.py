"""`dpproxy check --data`: the policy against the rows themselves. The only command that looks at private rows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import typer

from dpproxy.catalog.policy import Catalog
from dpproxy.cli.check_worth import judged, plain_worth, shown_worth
from dpproxy.cli.connections import approved_columns, missing_of, opened_engine
from dpproxy.cli.console import answers, progress, table, waiting
from dpproxy.config import Config, refuse
from dpproxy.config.doubts import beyond_one_of, deltas
from dpproxy.engines import Engine, MadeIndex, MissingIndex
from dpproxy.engines.providers import Provider
from dpproxy.errors import ConfigFault, EngineFailure, EngineUnavailable
from dpproxy.inspection.findings import key_finding, table_findings
from dpproxy.inspection.key_rows import KeySeen, see_key
from dpproxy.inspection.table_rows import TableSeen, see_table
from dpproxy.keys import KeyGuarantee, KeyGuarantees, VerificationRecord, guarantees_of, write_record
from dpproxy.public_columns import later_columns
from dpproxy.schema_fit import Fitted, fit, fit_schema

ABOUT: Final = "This looks at private rows; what it prints is not private, and is for the owner's eyes only."
_PATIENCE: Final = 7 * 24 * 3600.0  # seconds: no analyst waits for this


@dataclass(frozen=True, slots=True)
class Seen:
    """All that was seen. engine: what is provided of it.
    recorded: where it is written that keys hold. refused: why the policy cannot be served, or its unit indexes not be
    made. indexes: those that were made, by table, and in how many seconds. missing: those that the owner could make."""

    keys: tuple[KeySeen, ...]
    keepers: KeyGuarantees
    recorded: Path | None
    tables: tuple[TableSeen, ...]
    catalog: Catalog
    refused: ConfigFault | None
    engine: Provider
    indexes: Mapping[str, MadeIndex] = field(default_factory=dict)
    seconds: float = 0.0
    missing: Sequence[MissingIndex] = ()

    def rows_of(self, table: str) -> int:
        """How many rows a private table has; 0 of one that was not looked at."""
        return next((each.rows for each in self.tables if each.table == table), 0)

    @property
    def refuted(self) -> bool:
        """Whether some key that the policy claims is none."""
        return not all(each.holds for each in self.keys)


def check_data(policy: Config, as_json: bool, workload: Path | None = None) -> None:
    """Look at the rows, tell what the policy says otherwise and how sure answers are, record the keys that hold.

    Status 1 where one does not.
    """
    if not as_json:
        answers().print(ABOUT)
    seen = asyncio.run(look(policy))
    worth = () if seen.refused is not None else asyncio.run(judged(_patient(policy), workload, data=True))
    if as_json:
        typer.echo(json.dumps({**_plain(policy, seen), "answers": plain_worth(worth)}, indent=2, default=str))
    else:
        _show(policy, seen)
        for part in shown_worth(policy, worth):
            answers().print(part, soft_wrap=isinstance(part, str))
    if seen.refused is not None:
        raise seen.refused
    if seen.refuted:
        raise typer.Exit(1)


def _patient(policy: Config) -> Config:
    engine = policy.engine.model_copy(update={"statement_timeout": _PATIENCE})
    return policy.model_copy(update={"engine": engine})


async def look(config: Config) -> Seen:
    """Look at the rows, and record the keys that hold. Raises ConfigFault."""
    async with opened_engine(_patient(config)) as engine:
        try:
            seen = await _looked(config, engine)
        except (EngineFailure, EngineUnavailable) as fault:
            raise ConfigFault("the engine's rows cannot be looked at", detail=str(fault.__cause__)) from fault
    try:
        later = later_columns(config, seen.catalog, await approved_columns(config, seen.catalog))
        refuse(config.path, tuple(later))
    except ConfigFault as fault:
        return replace(seen, refused=seen.refused or fault)
    return seen


async def _looked(config: Config, engine: Engine) -> Seen:
    with waiting("comparing the policy with the engine"):
        schema = await fit_schema(config, engine)
        keepers = await guarantees_of(config, engine, schema)
    provider = config.engine.url.provider
    with progress() as bar:
        claimed = bar.track(keepers.claimed, description="keys")
        keys = [await see_key(engine, each, schema.tables[each[0]]) for each in claimed]
        recorded = await _recorded(config, engine, keepers, keys)
        try:
            fitted = await fit(config, engine)
        except ConfigFault as fault:
            return Seen(tuple(keys), keepers, recorded, (), Catalog(), fault, provider)
        catalog = fitted.catalog
        private = [each for each in catalog.tables.values() if not each.public]
        looked = [await see_table(engine, each, catalog) for each in bar.track(private, description="rows")]
        tables = [each for seen in looked for each in seen]
    seen = Seen(tuple(keys), keepers, recorded, tuple(tables), catalog, None, provider)
    begun = perf_counter()
    try:
        indexes = await _indexed(config, engine, fitted)
    except ConfigFault as fault:
        return replace(seen, refused=fault)
    seconds, missing = perf_counter() - begun, await missing_of(catalog, engine)
    return replace(seen, indexes=indexes, seconds=seconds, missing=missing)


async def _indexed(config: Config, engine: Engine, fitted: Fitted) -> Mapping[str, MadeIndex]:
    """Makes all unit indexes, where one is not there. Raises ConfigFault where they cannot be made."""
    if fitted.wanted.keys() <= fitted.catalog.indexes.keys():
        return {}
    try:
        with waiting("making unit indexes"):
            return await engine.make_unit_indexes({name: each.definition for name, each in fitted.wanted.items()})
    except EngineFailure as fault:
        raise ConfigFault(
            f"the unit indexes cannot be made in {config.unit_index}",
            detail=str(fault.__cause__),
            hint='Under [engine], write unit_index = "FILE", a place with room for them, or "off".',
        ) from fault


async def _recorded(config: Config, engine: Engine, keepers: KeyGuarantees, keys: list[KeySeen]) -> Path | None:
    """Writes down the keys that hold though no constraint keeps them, where that stays true of this engine's rows.

    All or none: what is served where some are refuted says nothing of which, until the owner has changed the policy.
    """
    held = {each.key for each in keys if each.held and keepers.claimed[each.key] is not KeyGuarantee.CONSTRAINT}
    digest = await engine.digest() if held and all(each.holds for each in keys) else None
    if digest is None:
        return None
    write_record(config.record, VerificationRecord(digest, frozenset(held)))
    return config.record


def _findings(policy: Config, seen: Seen) -> Iterable[str]:
    units = max((each.units for each in seen.tables), default=0)
    for account, delta in deltas(policy).items():
        if delta * units >= 1:
            yield beyond_one_of(account, delta, units, "the units that there are")
    for key in seen.keys:
        yield key_finding(key, seen.keepers.claimed[key.key], seen.engine)
    of_tables = (line for each in seen.tables for line in table_findings(each, seen.catalog))
    yield from dict.fromkeys(of_tables)  # what is so of rows of two units is seen for each


def _plain(policy: Config, seen: Seen) -> dict[str, Any]:
    return {
        "about": ABOUT,
        "keys": [{**asdict(each), "holds": each.holds, "kept": seen.keepers.claimed[each.key]} for each in seen.keys],
        "unit_indexes": {name: asdict(each) for name, each in seen.indexes.items()},
        "missing_indexes": [
            {
                "table": each.table,
                "statement": each.statement,
                "rows": seen.rows_of(each.table),
                "bytes": _bytes(each, seen),
            }
            for each in seen.missing
        ],
        "recorded": None if seen.recorded is None else str(seen.recorded),
        "tables": [asdict(each) for each in seen.tables],
        "findings": list(_findings(policy, seen)),
    }


def _named(seen: TableSeen, catalog: Catalog) -> str:
    """The table; of several units of a row, by which link it was looked at."""
    ways = catalog.tables[seen.table].ways
    return f"{seen.table}, by {ways[seen.way].link.column}" if ways else seen.table


def _show(policy: Config, seen: Seen) -> None:
    show = answers()
    rows = [
        (_named(each, seen.catalog), *map(_number, (each.rows, each.units, each.most, each.heaviest)))
        for each in seen.tables
    ]
    if rows:
        show.print(table("Private tables", ("table", "rows", "units", "most rows of a unit", "heaviest unit"), rows))
    for line in _findings(policy, seen):
        show.print(f"- {line}", soft_wrap=True)
    if seen.refuted:
        show.print("Nothing is recorded: what the policy claims is not so.")
    elif seen.recorded is not None:
        show.print(f"That these keys hold is recorded in {seen.recorded}.", soft_wrap=True)
    if seen.indexes:
        show.print(_made(policy, seen), soft_wrap=True)
    for each in seen.missing:
        show.print(_missing(each, seen), soft_wrap=True)


def _missing(index: MissingIndex, seen: Seen) -> str:
    size = f"about {_bytes(index, seen) / 1e6:,.1f} MB for {seen.rows_of(index.table):,} rows"
    return f"Rows would find their unit sooner by an index of {index.table}, {size}: {index.statement}."


def _bytes(index: MissingIndex, seen: Seen) -> int:
    return round(index.row_bytes * seen.rows_of(index.table))


def _made(policy: Config, seen: Seen) -> str:
    rows = ", ".join(f"{name} ({each.rows:,} rows)" for name, each in seen.indexes.items())
    size = max(each.bytes for each in seen.indexes.values()) / 1e6
    return f"Unit indexes of {rows} are made in {policy.unit_index}: {size:,.1f} MB, in {seen.seconds:.1f} s."


def _number(value: int) -> str:
    return f"{value:,}"
