"""GROUP BY over private rows -> keys with their domains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from decimal import Decimal

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, REAL, TIMESTAMP, Family, SqlType
from dpproxy.catalog.zones import UTC
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.private_plan import UNCAPPED, Domain, FromPublic, Key, Limit, Literals, PrivateKeys
from dpproxy.rewrite.algebra.render import written as query_of
from dpproxy.rewrite.calculus.projection import of_unit
from dpproxy.rewrite.calculus.publics import PublicReach, reach_each
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.facts.fact import MOST_DIGITS, Typed
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.releases.held_keys import held_private
from dpproxy.rewrite.releases.met_values import among, is_met
from dpproxy.rewrite.releases.naming_keys import refuse_naming
from dpproxy.rewrite.shown import shown
from dpproxy.rows import Value

UNDECLARED = 8
"""Keys in which a unit's distinct values and quantiles count, and values in each, where the policy has no cap."""

UNKNOWN_KEYS = 16
"""How many keys there are taken to be, for the price of a clip's choice, where the engine or privacy will say."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """A key, the expression that the analyst wrote for it, and its total form in the engine.

    is_held: whether its values are public, and too many, so that it is private all the same.
    """

    key: Key
    written: exp.Expr
    value: exp.Expression
    of_unit: bool
    is_held: bool = False


def keys(written: Sequence[exp.Expr], joined: Joined, context: PlanningContext) -> tuple[Keyed, ...]:
    """The keys of a release, in the order of GROUP BY.

    Raises NotPrivate as `refuse_naming` does, FeatureNotSupported for values that are no keys.
    """
    refuse_naming(written, joined, context)
    typed = [_as_shown(node, context.total(node, joined.scope), joined, context) for node in written]
    domains = _domains(written, typed, joined, context)
    found = tuple(
        _key(index, node, each, domain, joined, context)
        for index, (node, each, domain) in enumerate(zip(written, typed, domains, strict=True))
    )
    return tuple(
        each if domain == each.key.domain else replace(each, key=replace(each.key, domain=domain), is_held=True)
        for each, domain in zip(found, held_private(domains, context.sizes), strict=True)
    )


def _key(index: int, node: exp.Expr, typed: Typed, domain: Domain, joined: Joined, context: PlanningContext) -> Keyed:
    key = Key(f"k{index}", typed.fact.type.in_zone(UTC), domain, shown(node))
    return Keyed(key, node, context.formed(typed), of_unit(node, joined.rowset))


def _as_shown(node: exp.Expr, typed: Typed, joined: Joined, context: PlanningContext) -> Typed:
    """The key as the engine must group it: in its Postgres type, not in one that merely holds it while calculating.

    Claim: two groups of the engine are never one key of the answer, and every group's value is of the key's type.
    Because: `_held` lets those pairs of types pass alone for which `release.canonical` is one-to-one and defined.
    Checked by: tests/test_keys.py.
    """
    if _held(typed.fact.type, typed.fact.engine):
        return typed
    if typed.fact.type.family is Family.INTEGER:
        whole = context.total(exp.Cast(this=node.copy(), to=exp.DataType.build("bigint")), joined.scope)
        if _held(whole.fact.type, whole.fact.engine):
            return Typed(whole.sql, replace(whole.fact, type=typed.fact.type))
    raise FeatureNotSupported(
        f"grouping by this {typed.fact.type} expression is not supported",
        hint="Cast it: CAST(x AS double precision) or CAST(x AS bigint).",
        position=position(node),
    )


def _held(type_: SqlType, engine: SqlType) -> bool:
    match type_.family:
        case Family.INTEGER:
            return engine.family is Family.INTEGER or (engine.family is Family.NUMERIC and engine.modifiers[1:] == (0,))
        case Family.NUMERIC:
            return engine.family in (Family.INTEGER, Family.NUMERIC, Family.FLOAT)
        case Family.FLOAT:
            return engine == type_ or (type_ == DOUBLE and engine == REAL)
        case Family.MOMENT:
            return engine == TIMESTAMP
        case _:
            return engine.family is type_.family


def _domains(
    written: Sequence[exp.Expr], typed: Sequence[Typed], joined: Joined, context: PlanningContext
) -> list[Domain]:
    """Where the values of each key come from; those of public tables that hang together are joint."""
    known = [known_values(each) for each in typed]
    found: list[Domain | None] = [None if values is None else Literals(values) for values in known]
    reached: dict[PublicReach, list[tuple[int, exp.Expression]]] = {}
    for index, part in enumerate(reach_each(written, joined, context)):
        if part is not None:
            reached.setdefault(part[0], []).append((index, part[1][0]))
    for tables, places in reached.items():
        place, value = places[0]
        values = known[place] if len(places) == 1 else None
        if values is not None and not is_met(written[place], joined, context):
            continue
        rows = tables if values is None else tables.where(among(value.copy(), values, typed[place], context))
        query = query_of(rows.select([each for _, each in places]), context.dialect, context.queries)
        for column, (index, _) in enumerate(places):
            found[index] = FromPublic(query.sql, column, query.inputs, tables.nullable)
    return [PrivateKeys() if domain is None else domain for domain in found]


def known_values(typed: Typed) -> tuple[Value, ...] | None:
    """The values that an expression can have, NULL among them; None where they are not known beforehand."""
    if typed.fact.domain is None or typed.fact.type == REAL:
        return None
    null: tuple[None, ...] = (None,) if typed.fact.nullable else ()
    values = [value for value in typed.fact.domain if _of_type(value, typed.fact.type)]
    if typed.fact.engine.family is not Family.FLOAT and not all(map(_is_exact, values)):
        return None
    return (*values, *null)


def _is_exact(value: Value) -> bool:
    """Whether one whole number or decimal at most is equal to the constant as it is written for the engines.

    Beside floating point both become floating point, of which many are one. So does a number of more digits in DuckDB.
    """
    if isinstance(value, Decimal):
        return value.is_finite() and len(f"{value.copy_abs():f}".replace(".", "")) <= MOST_DIGITS
    return not isinstance(value, float)


def _of_type(value: Value, type_: SqlType) -> bool:
    """Whether a key can have the value: `x IN (1, 2.5)` says of an integer that it is 1."""
    match type_.family, value:
        case Family.INTEGER, Decimal() | float():
            return value == int(value)
        case Family.DATE, datetime():
            return value.time() == time()
        case _:
            return True


def public_size(found: Sequence[Keyed]) -> int | None:
    """How many combinations the keys have; None where one is private or comes from a public table."""
    domains = [keyed.key.domain for keyed in found]
    if not all(isinstance(domain, Literals) for domain in domains):
        return None
    return math.prod(len(domain.values) for domain in domains if isinstance(domain, Literals))


def foreseen(found: Sequence[Key]) -> int:
    """How many keys are told, as far as the plan knows: those that it does not know, all together, are taken for
    UNKNOWN_KEYS."""
    known = [len(key.domain.values) for key in found if isinstance(key.domain, Literals)]
    return math.prod(known) * (1 if len(known) == len(found) else UNKNOWN_KEYS)


def capped(groups: int) -> int:
    """Of what is kept and not scaled down: where nobody said in how many keys a unit counts, it is so many."""
    return UNDECLARED if groups == UNCAPPED else groups


def limit_of(found: Sequence[Keyed], one_row: bool, groups: int) -> tuple[int, Limit]:
    """How many keys a unit appears in at most, and why.

    Claim: with the returned Limit other than KEYS_LIMITED, a unit's rows fall into at most that many keys, with no step
    in the SQL. Because: one row has one key; keys that are functions of the unit are the same on all of its rows; rows
    with a public key outside its values were dropped, so the varying keys take at most as many values as they have.
    Checked by: tests/test_neighbours.py.
    """
    varying = [keyed for keyed in found if not keyed.of_unit]
    if not found:
        return 1, Limit.NO_KEYS
    if one_row:
        return 1, Limit.ONE_ROW
    if not varying:
        return 1, Limit.KEY_OF_UNIT
    size = public_size(varying)
    if size is not None and size <= groups:
        return max(size, 1), Limit.FEW_PUBLIC_KEYS
    return groups, Limit.KEYS_LIMITED
