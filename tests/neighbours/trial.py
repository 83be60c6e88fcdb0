"""One statement tried: planned, checked, run over a world and over its neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from worlds import TERMS, plan, world_catalog

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import FromPublic, MeasureKind, Plan, Release
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rows import Rows
from neighbours.claims import Shown, broken, shown
from neighbours.dag import everything, noise_of, nonsense, read, released, told
from neighbours.grammar import Statement
from neighbours.places import FAILURES
from neighbours.rooms import Around

CASES: Counter[str] = Counter()
REFUSALS: Counter[str] = Counter()
_ADDED = 1 << 61  # beyond, totals are held back
Change = Callable[[Release], Release | None]


@dataclass
class Wrong(AssertionError):
    """What a statement must not do. kind: of fault, which stays the same while a case is made smaller."""

    kind: str
    told: str
    statement: Statement

    def __str__(self) -> str:
        return f"{self.kind}: {self.told}\nsettings: {self.statement.settings}\nstatement: {self.statement.sql}"


@cache
def policy() -> Catalog:
    """The catalog of sql_fixtures/world.toml."""
    return world_catalog()


def planned(
    statement: Statement, settings: Mapping[str, str | None], catalog: Catalog, dialect: str = "duckdb"
) -> Plan | None:
    """The plan, which the checker takes; None where the statement is refused. Raises Wrong."""
    CASES["statements"] += 1
    try:
        made = plan(statement.sql, catalog, settings, dialect=dialect)
        check_plan(made, catalog, dialect, TERMS.accounting)
        return made
    except DPProxyError as refusal:
        CASES["refused"] += 1
        REFUSALS[f"{refusal.sqlstate} {refusal.message[:70]}"] += 1
        return None
    except CheckFault as fault:
        raise Wrong("refused by the checker", f"{fault.reason}\n{_texts(made)}", statement) from fault
    except Exception as fault:
        raise Wrong("planning raised", repr(fault), statement) from fault


def _texts(made: Plan) -> str:
    keys = {key.domain for each in made.releases for key in each.bounded.keys}
    texts = [f"public keys: {domain.sql}" for domain in keys if isinstance(domain, FromPublic)]
    return "\n".join([*texts, *(f"bounded: {each.bounded.sql}" for each in made.releases)])


def same(release: Release) -> Release:
    """The release as planned."""
    return release


def tried(statement: Statement, around: Around, random: Random, change: Change = same) -> None:
    """Some neighbours against the claims of every release, which reads the same released rows on both sides.

    Raises Wrong.
    """
    made = planned(statement, statement.settings, around.catalog, around.dialect)
    changes = [change(release) for release in made.releases] if made else []
    if made is None or not any(changes):
        return
    shift = random.randint(-2, 3)
    try:
        with noise_of(lambda total: total + shift):
            likely = released(made, around.base, everything)
    except (*FAILURES, DPProxyError, ValueError) as fault:
        raise Wrong(f"running raised {type(fault).__name__}", f"{fault}\n{_texts(made)}", statement) from fault
    names = [*random.sample(sorted(set(around.others) - {"heavy"}), k=min(2, len(around.others) - 1)), "heavy"]
    for index, (release, changed) in enumerate(zip(made.releases, changes, strict=True)):
        if changed is None:
            continue
        CASES[f"limit {release.bounded.limit.name}"] += 1
        for earlier in [likely, nonsense(made, random)] if _reads(release) else [likely]:
            _beside(changed, index, made, earlier, around, names, statement)


def _reads(release: Release) -> bool:
    domains = [key.domain for key in release.bounded.keys]
    return bool(release.bounded.inputs) or any(isinstance(each, FromPublic) and each.inputs for each in domains)


def _beside(
    release: Release,
    index: int,
    made: Plan,
    earlier: tuple[Rows, ...],
    around: Around,
    names: Sequence[str],
    statement: Statement,
) -> None:
    bounded, name = release.bounded, "base"
    inputs = {each.name: told(made, each, earlier) for each in bounded.inputs}
    try:
        for domain in {key.domain for key in bounded.keys if isinstance(key.domain, FromPublic)}:
            read(around.base, made, domain.sql, domain.inputs, earlier)
        base = shown(bounded, around.base, inputs)
        for name in names:
            other, alone = (shown(bounded, each[name], inputs) for each in (around.others, around.alone))
            one, less = (other, base) if name == "heavy" else (base, other)
            CASES["cases"] += 1
            CASES["moving"] += one != less
            if faults := [*broken(release, one, less), *_not_local(release, one, less, alone)]:
                raise AssertionError("\n".join(faults))
    except (AssertionError, *FAILURES, DPProxyError) as fault:
        kind = "a claim is broken" if isinstance(fault, AssertionError) else f"running raised {type(fault).__name__}"
        shown_fault = (
            f"{fault}\nneighbour: {name}\nlimit: {bounded.limit.name}, groups {bounded.groups}, rows {bounded.rows}"
        )
        given = f"\nreleased earlier: {inputs}" if inputs else ""
        raise Wrong(kind, f"{shown_fault}{given}\nbounded {index}: {bounded.sql}", statement) from fault


def _not_local(release: Release, one: Shown, less: Shown, alone: Shown) -> Iterator[str]:
    """Where the step between neighbours is not what the unit's rows give by themselves, other rows had a say in it.

    Of distinct values, which two units may share, the step is no more than that. Of a block's answer, and of a pair,
    others have a say.
    """
    bounded = release.bounded
    if bounded.blocks is not None or bounded.pair is not None:
        return
    zeros = (0,) * len(bounded.measures)
    for key in one.totals.keys() | less.totals.keys() | alone.totals.keys():
        more, fewer, own = (each.totals.get(key, zeros) for each in (one, less, alone))
        for measure, m, f, o in zip(bounded.measures, more, fewer, own, strict=True):
            shared = measure.kind is MeasureKind.DISTINCT
            if max(map(abs, (m, f, o))) < _ADDED and not (0 <= m - f <= o if shared else m - f == o):
                yield f"{measure.name} of {key} moves by {m - f}, and the unit alone has {o}"
        units = [each.units.get(key, 0) if bounded.counts_units else 0 for each in (one, less, alone)]
        if units[0] - units[1] != units[2]:
            yield f"n of {key} moves by {units[0] - units[1]}, and the unit alone has {units[2]}"


def without(sql: str, release: Release) -> Release | None:
    """The release with another bounded SQL; None if it is the same."""
    return replace(release, bounded=replace(release.bounded, sql=sql)) if sql != release.bounded.sql else None
