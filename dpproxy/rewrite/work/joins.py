"""How many rows a join has: which of its sources multiply the others, and which add one row at most to each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.syntax import conjuncts, filtered
from dpproxy.rewrite.work.costs import CostScope, evaluated, evaluated_for_all, scanned, total
from dpproxy.rewrite.work.counted import Counted, Outer, WorkContext, as_rows, multiplied, widest
from dpproxy.rewrite.work.equalities import Place, alike, computed, equal
from dpproxy.rewrite.work.sources import read_source
from dpproxy.rewrite.work.weights import HASHED, SCANNED

_INNER = frozenset({("", ""), ("", "INNER"), ("", "CROSS")})
_LEFT = frozenset({("LEFT", ""), ("LEFT", "OUTER")})
_OUTER = frozenset({(side, kind) for side in ("RIGHT", "FULL") for kind in ("", "OUTER")})
_KNOWN = _INNER | _LEFT | _OUTER
_MOST_LEFT = 4
"""Of so many at most: each doubles what there is to count."""


@dataclass(frozen=True, slots=True)
class CountedJoin:
    """A source in FROM. on: what joins it. inner: a row is there only with one of it. kept: its own rows stay where
    nothing meets them."""

    alias: str
    on: tuple[exp.Expr, ...] = ()
    inner: bool = True
    kept: bool = False


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The rows of FROM, JOIN and WHERE.

    unique: sets of places on which no two of them agree. missing: sources that are NULL in some rows. pairs: places,
    each with one that decides it, or None for a constant.
    """

    counted: Counted
    unique: frozenset[frozenset[Place]]
    missing: frozenset[str]
    pairs: tuple[tuple[Place | None, Place], ...]


def read_rows(select: exp.Expr, outer: Outer, context: WorkContext) -> tuple[CountedRows, CostScope]:
    """The joined and filtered rows of a SELECT, and what its expressions see."""
    steps = _steps(select)
    nodes = [] if not steps else [select.args["from_"].this, *(join.this for join in select.args.get("joins") or [])]
    own = {step.alias: read_source(node, outer, context) for step, node in zip(steps, nodes, strict=True)}
    sole = next(iter(own)) if len(own) == 1 else ""
    scope = CostScope({**outer, **own}, frozenset(own), context, sole=sole)
    where = filtered(select)
    pairs = _pairs(where, steps, scope)
    counted, unique = _alone(where, pairs, sole, scope) if sole else _joined(where, steps, pairs, own, scope)
    kept = any(step.kept for step in steps)
    missing = frozenset([step.alias for step in steps if kept or not step.inner])
    rows = CountedRows(counted, unique, missing, tuple(pairs))
    return rows, CostScope(scope.sources, scope.own, context, counted.rows, sole)


def _alone(
    where: Sequence[exp.Expr], pairs: Sequence[tuple[Place | None, Place]], alias: str, scope: CostScope
) -> tuple[Counted, frozenset[frozenset[Place]]]:
    """The same as `_joined`, of one source, as most SELECTs have: its rows that are left by WHERE, or the one that a
    constant decides."""
    source = scope.sources[alias]
    settled = _is_settled(source, pairs, scope)
    rows = 1 if settled else source.rows
    everything = source.all_rows if source.private else rows
    tested = total(where, scope)
    product = () if settled else multiplied(source.product)
    product = product if source.private else as_rows(source.product, rows)
    counted = Counted(
        source.private,
        rows,
        {},
        product,
        widest((multiplied(product, tested.queries.widest), source.widest)),
        source.work + rows * SCANNED + evaluated(tested, rows),
        max(tested.queries.most, rows if source.private else 0, source.most),
        source.scans + scanned(tested, rows),
        everything,
        max(source.work, source.whole) + everything * SCANNED + evaluated_for_all(tested, everything, rows),
        source.units,
    )
    unique = [] if settled else [frozenset([(alias, name) for name in names]) for names in source.unique()]
    return counted, frozenset(unique)


def _is_settled(source: Counted, pairs: Sequence[tuple[Place | None, Place]], scope: CostScope) -> bool:
    """Whether one row of a source that stands alone is left: constants decide it, as the unit's key is one."""
    sets = source.unique()
    if not sets or pairs:
        return bool(sets) and scope.own <= _reached(frozenset(), pairs, scope)
    columns = source.columns
    return any(all(name in columns and columns[name].key for name in names) for names in sets)


def _joined(
    where: Sequence[exp.Expr],
    steps: Sequence[CountedJoin],
    pairs: Sequence[tuple[Place | None, Place]],
    own: Mapping[str, Counted],
    scope: CostScope,
) -> tuple[Counted, frozenset[frozenset[Place]]]:
    multiplying = sorted(_roots(steps, pairs, scope))
    sources, found = list(own.values()), [own[alias] for alias in multiplying]
    kept = any(step.kept for step in steps)
    private, (rows, everything) = any(each.private for each in sources), _rows(where, steps, multiplying, own, scope)
    product = multiplied(*[each.product for each in found])
    product = product if private else as_rows(tuple([f for each in sources for f in each.product]), rows)
    tested = total([*where, *(part for step in steps for part in step.on)], scope)
    # Each source goes through a hash table of its own; a condition on a public one may be tested before the join.
    joins = len(own) > 1
    apart = sum([each.rows for each in sources if not each.private]) if joins else 0
    work = sum([each.work + each.rows * HASHED * joins for each in sources])
    whole = sum([max(each.work, each.whole) + each.all_rows * HASHED * joins for each in sources])
    whole += everything * SCANNED + evaluated_for_all(tested, everything + apart, rows + apart)
    counted = Counted(
        private,
        rows,
        {},
        product=product,
        widest=widest((multiplied(product, tested.queries.widest), *[each.widest for each in sources])),
        work=work + rows * SCANNED + evaluated(tested, rows + apart),
        most=max([tested.queries.most, rows if private else 0, *[each.most for each in sources]]),
        scans=sum([each.scans for each in sources]) + scanned(tested, rows),
        all_rows=everything,
        whole=whole,
        units=_units(steps, own),
    )
    alone = multiplying if len(multiplying) == 1 and not kept else []
    unique = [frozenset((alias, name) for name in names) for alias in alone for names in own[alias].unique()]
    return counted, frozenset(unique)


def _units(steps: Sequence[CountedJoin], own: Mapping[str, Counted]) -> int:
    """How many units a join has rows of: each has one in each private source that is there in all rows, or where there
    is no such source, in one of them."""
    kept = any(step.kept for step in steps)
    inner = [own[step.alias].units for at, step in enumerate(steps) if step.inner or at == 0]
    always = [] if kept else [each for each in inner if each]
    return min(always, default=sum([each.units for each in own.values()]))


def _rows(
    where: Sequence[exp.Expr],
    steps: Sequence[CountedJoin],
    multiplying: Sequence[str],
    own: Mapping[str, Counted],
    scope: CostScope,
) -> tuple[int, int]:
    """How many rows the join has for one unit, and for all together."""
    if any(step.kept for step in steps):
        rows = prod([own[alias].rows + 1 for alias in multiplying])
        return rows, all_rows_of_outer_joins(own, multiplying, rows)
    rows = prod([own[alias].rows for alias in multiplying])
    everything = all_rows(own, multiplying, rows, [step.alias for step in steps if step.inner])
    fewer = rows_of_left_joins(where, steps, scope)
    return (rows, everything) if fewer is None else (min(rows, fewer[0]), min(everything, fewer[1]))


def all_rows_of_outer_joins(own: Mapping[str, Counted], multiplying: Sequence[str], rows: int) -> int:
    """How many rows RIGHT and FULL JOIN have for all units together, where they have so many for one.

    Claim: no more. Because: of two sources, a row of one is there with each that it meets of the other, or alone; what
    is there without it is a row of the other alone. Of more, a row of the join has one of some private source, which is
    there with each choice of the others, absent ones included; or it has public ones alone, as for one unit.
    Checked by: tests/test_work.py.
    """
    private = [alias for alias, each in own.items() if each.private]
    if len(own) == 2 and private:
        (one, first), (other, second) = own.items()
        met = {
            one: first.all_rows * (max(1, second.rows) if other in multiplying else 1) + second.all_rows,
            other: second.all_rows * (max(1, first.rows) if one in multiplying else 1) + first.all_rows,
        }
        return min(met[alias] for alias in private)
    return all_rows(own, multiplying, rows, ()) + rows * (0 < len(private) < len(own))


def all_rows(own: Mapping[str, Counted], multiplying: Sequence[str], rows: int, always: Sequence[str]) -> int:
    """How many rows the join has for all units together, where it has so many for one; of public rows, as many.
    always: the sources that are there in each of its rows.

    Claim: no more. Because: each row of a private source is in as many rows of the join as the others that multiply it
    have rows of its unit; a source that multiplies nothing has at least one row of each unit in the join, if it is in
    all of its rows; and if none is, some private source is in each.
    """
    private = {alias: each for alias, each in own.items() if each.private}
    if not private:
        return rows
    met = {
        alias: each.all_rows * (-(-rows // max(1, each.rows)) if alias in multiplying else rows)
        for alias, each in private.items()
    }
    return min([met[alias] for alias in always if alias in met], default=sum(met.values()))


def rows_of_left_joins(
    where: Sequence[exp.Expr], steps: Sequence[CountedJoin], scope: CostScope
) -> tuple[int, int] | None:
    """How many rows a join has for one unit, and for all, where sources are joined by LEFT; None: by none, or by many.

    Claim: no more. Because: a row of `x LEFT JOIN y` has a row of y, and is one of `x JOIN y`; or it has none, and is
    one of x. With a row of y there is one of each source that its ON compares it with; without, there is none of those
    that are compared with y alone, and no row at all where an inner join or WHERE compares y. Checked by:
    tests/test_work.py.
    """
    if not 0 < sum(not step.inner for step in steps) <= _MOST_LEFT:
        return None
    return _by_left_joins(where, tuple(steps), scope)


def _by_left_joins(where: Sequence[exp.Expr], steps: tuple[CountedJoin, ...], scope: CostScope) -> tuple[int, int]:
    aliases = frozenset(step.alias for step in steps)
    pairs = [each for each in _pairs(where, steps, scope) if _within(each, aliases)]
    here = CostScope(scope.sources, aliases, scope.context, scope.rows, scope.sole)
    multiplying = sorted(_roots(steps, pairs, here))
    rows = prod([scope.sources[alias].rows for alias in multiplying])
    own = {alias: scope.sources[alias] for alias in aliases}
    whole = rows, all_rows(own, multiplying, rows, [step.alias for step in steps if step.inner])
    last = next((step for step in reversed(steps) if not step.inner), None)
    if last is None:
        return whole
    met = _by_left_joins(where, _met(steps, last, scope), scope)
    unmet = _unmet(where, steps, last, scope)
    missed = (0, 0) if unmet is None else _by_left_joins(where, unmet, scope)
    return min(whole[0], met[0] + missed[0]), min(whole[1], met[1] + missed[1])


def _within(pair: tuple[Place | None, Place], aliases: frozenset[str]) -> bool:
    return pair[1][0] in aliases and (pair[0] is None or pair[0][0] in aliases)


def _met(steps: tuple[CountedJoin, ...], last: CountedJoin, scope: CostScope) -> tuple[CountedJoin, ...]:
    """With a row of `last`, and of all that it is compared with."""
    needed, found = {last.alias}, frozenset[str]()
    while needed != found:
        found = frozenset(needed)
        for step in steps:
            needed |= _compared(step, scope) if step.alias in found and not step.inner else frozenset()
    return tuple(replace(step, inner=True) if step.alias in needed else step for step in steps)


def _unmet(
    where: Sequence[exp.Expr], steps: tuple[CountedJoin, ...], last: CountedJoin, scope: CostScope
) -> tuple[CountedJoin, ...] | None:
    """Without a row of `last`, and of those that are compared with it; None: then there is no row."""
    gone = {last.alias}
    for step in steps:
        if not step.inner and _compared(step, scope) & gone:
            gone.add(step.alias)
    always = [*where, *(part for step in steps if step.inner for part in step.on)]
    asked = {place[0] for part in always for pair in equal(part, scope) for place in pair if place is not None}
    return None if asked & gone else tuple(step for step in steps if step.alias not in gone)


def _compared(step: CountedJoin, scope: CostScope) -> frozenset[str]:
    """The other sources of which a row is there where the ON of a step is true."""
    places = [place for part in step.on for pair in equal(part, scope) for place in pair if place is not None]
    return frozenset(alias for alias, _ in places) - {step.alias}


def _steps(select: exp.Expr) -> tuple[CountedJoin, ...]:
    """The sources of a SELECT, in order."""
    from_ = select.args.get("from_")
    first = () if from_ is None else (CountedJoin(from_.this.alias),)
    return (*first, *(_step(join) for join in select.args.get("joins") or []))


def _step(join: exp.Expr) -> CountedJoin:
    way = tuple(str(join.args.get(name) or "").upper() for name in ("side", "kind"))
    if way not in _KNOWN:
        raise CheckFault(f"the work of a {' '.join(way)} join is not known")
    return CountedJoin(join.this.alias, tuple(conjuncts(join.args.get("on"))), way in _INNER, way in _OUTER)


def _roots(
    steps: Sequence[CountedJoin], pairs: Sequence[tuple[Place | None, Place]], scope: CostScope
) -> frozenset[str]:
    """The sources whose rows multiply one another.

    Claim: each choice of one row of each root, and of each source around the SELECT, is in one row of the join at most,
    if none of its sources is kept where nothing meets it.
    Because: the others are added one by one, each by a set of columns on which no two of its rows agree, that are all
    equal to a constant, to a column of what is there already, or to what is computed of one row of that, compared
    without rounding (`_reached`). The keys of the
    unit are one constant, since all rows that are counted are of one unit.
    Which are left can hang on the order: of those that are alike the last goes first, which a hidden join is, and a set
    has no order of its own. Checked by: tests/test_work.py.
    """
    found = frozenset(step.alias for step in steps)
    candidates = [step.alias for step in reversed(steps) if scope.sources[step.alias].unique()]
    if not candidates:
        return found
    for alias in sorted(candidates, key=lambda each: (scope.sources[each].private, -scope.sources[each].rows)):
        if _reached(found - {alias}, pairs, scope) >= scope.own:
            found -= {alias}
    return found


def _pairs(
    where: Sequence[exp.Expr], steps: Sequence[CountedJoin], scope: CostScope
) -> list[tuple[Place | None, Place]]:
    """Places, each with one that decides it, or None for a constant. What is joined by LEFT decides nothing by its ON,
    and is decided by it."""
    always = [*where, *(part for step in steps if step.inner for part in step.on)]
    pairs = [pair for condition in always for pair in (*equal(condition, scope), *computed(condition, scope))]
    for step in steps:
        if not step.inner:
            found = [*alike(step.on, scope), *(pair for part in step.on for pair in equal(part, scope))]
            pairs += [pair for pair in found if pair[1][0] == step.alias]
    return pairs


def decided(places: Collection[Place], rows: CountedRows, scope: CostScope) -> frozenset[Place]:
    """The columns that are alike in all rows that agree on `places`.

    Because: `_reached`, from constants; or a source says so of its own rows. A source that is NULL in some rows neither
    decides nor is decided. Checked by: tests/test_work.py.
    """
    always = [pair for pair in rows.pairs if not {pair[1][0], pair[0][0] if pair[0] else ""} & rows.missing]
    known = frozenset(place for place in places if place[0] not in rows.missing)
    while True:
        reached = _reached(frozenset(), always, scope, known) - rows.missing
        found = known | {(alias, name) for alias in reached for name in scope.sources[alias].columns}
        for alias in scope.own - rows.missing:
            own = {name for of, name in found if of == alias} | set(_keys(scope.sources[alias]))
            found |= {(alias, name) for names, more in scope.sources[alias].decides() if names <= own for name in more}
        if found == known:
            return found
        known = found


def _reached(
    known: frozenset[str],
    pairs: Sequence[tuple[Place | None, Place]],
    scope: CostScope,
    constant: frozenset[Place] = frozenset(),
) -> frozenset[str]:
    """The sources of the SELECT of which there is one row at most for each choice of rows of the `known` ones, and of
    values of what is `constant`."""
    fixed = {*constant, *((alias, name) for alias in scope.own for name in _keys(scope.sources[alias]))}
    reached = known | (scope.sources.keys() - scope.own)
    while True:
        added = {to for frm, to in pairs if frm is None or frm in fixed or frm[0] in reached}
        names: Mapping[str, set[str]] = {alias: set() for alias in scope.own - reached}
        for alias, name in fixed | added:
            names.get(alias, set()).add(name)
        found = {alias for alias, cells in names.items() if any(u <= cells for u in scope.sources[alias].unique())}
        if not found and added <= fixed:
            return reached & scope.own
        fixed |= added
        reached |= found


def _keys(source: Counted) -> list[str]:
    return [name for name, cell in source.columns.items() if cell.key]
