"""How many rows meet others', or none: counts of these are counts of distinct rows among those that meet.

    asked   count(*) FILTER (WHERE ⟨n⟩ > 0 AND q.score > 3)     where ⟨n⟩ is how many of a's rows q's row meets
    made    count(DISTINCT a.parent) FILTER (WHERE q.score > 3) over all that meet, where a.parent = q.id
    asked   count(*) FILTER (WHERE ⟨n⟩ = 0)
    made    count(*) - count(DISTINCT a.parent)
    asked   sum(q.score) FILTER (WHERE ⟨n⟩ > 0), and averages
    made    sum(once(q.score, a.parent)), which adds it once for each of these

Claim: both are the same number. Because: q.id is proved unique, so that of all that meet it names the rows of q that
are among them; and who is not among them meets none.
Checked by: tests/test_strangers_apart.py (both forms in an engine), tests/test_fixtures.py (rewrite/met.sql).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.releases.met_counts import once
from dpproxy.rewrite.statement.branches import call_of, table_of
from dpproxy.rewrite.statement.correlation import aliases_read
from dpproxy.rewrite.statement.met_rows import PLACE, Met, MetRows, is_met
from dpproxy.rewrite.statement.strangers_apart import Branch, on_of

_ADDED: Final = (exp.Sum, exp.Avg, exp.Count)
_PARTS: Final = (exp.Sum, exp.Count)
_ABOVE: Final[Mapping[type[exp.Expr], str]] = {exp.GT: "0", exp.GTE: "1", exp.NEQ: "0"}
_NONE: Final[Mapping[type[exp.Expr], str]] = {exp.EQ: "0", exp.LT: "1", exp.LTE: "0"}


@dataclass(frozen=True, slots=True)
class Tested:
    """Conditions: what is met or not (holds), and those that read the rows themselves."""

    met: Met
    holds: bool
    own: tuple[exp.Expr, ...]


def counted_tests(node: exp.Expr, rows: MetRows, catalog: Catalog) -> exp.Expr | None:
    """What a count of rows is that conditions choose by what they meet, or a sum or an average of what they hold; None
    where it does not follow."""
    value = _own_value(node, rows, catalog)
    read = _counting(node, rows, catalog) if value is None else _conditions(node)
    tested = None if read is None else _tested([*read, *rows.tests], rows.met)
    key = None if tested is None else _key(tested.met, rows, catalog)
    if tested is None or key is None:
        return None
    if value is not None:
        return _added(type(call_of(node)), value, tested, key)
    among = exp.Count(this=exp.Distinct(expressions=[key]))
    meeting = _where(among, [*tested.own, *_of_value(tested.met, key)])
    if tested.holds:
        return meeting
    # A group that nothing met has no row of it in the text, and 0 and noise in the release.
    told = exp.Coalesce(this=meeting, expressions=[exp.Literal.number(0)])
    return exp.Paren(this=exp.Sub(this=_where(exp.Count(this=exp.Star()), tested.own), expression=told))


def _own_value(node: exp.Expr, rows: MetRows, catalog: Catalog) -> exp.Expr | None:
    """x of SUM(x), AVG(x) and COUNT(x), where it is a row's own."""
    call = call_of(node)
    value: exp.Expr | None = call.this if type(call) in _ADDED else None
    if value is None or not isinstance(value, exp.Expr) or _counting(node, rows, catalog) is not None:
        return None
    own = {rows.root.alias_or_name, *(join.this.alias_or_name for join in rows.stays)}
    read = aliases_read(value)
    plain = value.find(exp.Query, exp.AggFunc, exp.Window, exp.Distinct, exp.Star) is None
    return value if plain and read and read <= own else None


def _added(call: type[exp.Expr], value: exp.Expr, tested: Tested, key: exp.Column) -> exp.Expr:
    """The same of what those hold that are met, each once; or of all without it."""
    met = [*tested.own, *_of_value(tested.met, key)]
    if tested.holds:
        return _where(call(this=once(value, key)), met)
    if call is not exp.Avg:
        return _without(call, value, tested, _where(call(this=once(value, key)), met))
    total, rows = (_without(each, value, tested, _where(each(this=once(value, key)), met)) for each in _PARTS)
    of_any_size = exp.Cast(this=total, to=exp.DataType.build("numeric"))
    of_all = exp.Nullif(this=rows, expression=exp.Literal.number(0))
    return exp.Paren(this=exp.Div(this=of_any_size, expression=of_all))


def _without(call: type[exp.Expr], value: exp.Expr, tested: Tested, met: exp.Expr) -> exp.Expr:
    """What all have, without what those have that are met."""
    told = exp.Coalesce(this=met, expressions=[exp.Literal.number(0)])
    return exp.Paren(this=exp.Sub(this=_where(call(this=value.copy()), tested.own), expression=told))


def met_at_all(met: Met, rows: MetRows, catalog: Catalog) -> exp.Expr | None:
    """How many rows there are of which a key is not NULL that the tests ask for alone."""
    tested = _tested(rows.tests, rows.met)
    key = None if tested is None else _key(tested.met, rows, catalog)
    same = tested is not None and _branch_of(tested.met, rows) is _branch_of(met, rows)
    if tested is None or key is None or not (same and tested.holds and tested.met.is_key) or tested.own:
        return None
    return exp.Count(this=exp.Distinct(expressions=[key]))


def _counting(node: exp.Expr, rows: MetRows, catalog: Catalog) -> list[exp.Expr] | None:
    """The conditions of a count of rows; None where it is another aggregate."""
    call = call_of(node)
    where = _conditions(node)
    case = call.this if isinstance(call, exp.Count | exp.Sum) else None
    if isinstance(case, exp.Case):
        condition = _one_where(case, isinstance(call, exp.Sum))
        return None if condition is None else [*where, *conjuncts(condition)]
    if not isinstance(call, exp.Count):
        return None
    told: exp.Expr = call.this
    if isinstance(told, exp.Star | exp.Literal):
        return where
    place = next((each.place for each in rows.met if not each.sure and each.place == told), None)
    if place is not None:
        return [*where, exp.Not(this=exp.Is(this=place.copy(), expression=exp.Null()))]
    root = table_of(rows.root, catalog)
    own = isinstance(told, exp.Column) and told.table == rows.root.alias_or_name
    return where if own and root is not None and root.proves_unique(told.name) else None


def _conditions(node: exp.Expr) -> list[exp.Expr]:
    """Those of FILTER."""
    return [*conjuncts(node.expression.this)] if isinstance(node, exp.Filter) else []


def _one_where(case: exp.Case, zero: bool) -> exp.Expression | None:
    """The condition of CASE WHEN … THEN 1 END, or of a sum's, which may have ELSE 0."""
    ifs, default = case.args["ifs"], case.args.get("default")
    if case.this is not None or len(ifs) != 1 or not isinstance(ifs[0].args["true"], exp.Literal):
        return None
    nothing = default is None or isinstance(default, exp.Null) or (zero and default == exp.Literal.number(0))
    one = not zero or ifs[0].args["true"] == exp.Literal.number(1)
    found: exp.Expression = ifs[0].this
    return found if nothing and one and (default is not None or not zero) else None


def _tested(parts: Sequence[exp.Expr], met: Sequence[Met]) -> Tested | None:
    """The one condition of all that is about what is met; None where there is none such, or several."""
    about = list(dict.fromkeys(_bare(part) for part in parts if is_met(part)))
    own = tuple(part for part in parts if not is_met(part))
    found = _test(about[0], {each.place: each for each in met}) if len(about) == 1 else None
    return None if found is None else Tested(found[0], found[1], own)


def _test(node: exp.Expr, met: Mapping[exp.Expr, Met]) -> tuple[Met, bool] | None:
    """What a condition is about, and whether it holds of what is met, or of all else."""
    match node:
        case exp.Paren(this=inner):
            return _test(inner, met)
        case exp.Not(this=inner):
            found = _test(inner, met)
            return None if found is None else (found[0], not found[1])
        case exp.Is(this=exp.Column() as place, expression=exp.Null()) if place in met and not met[place].sure:
            there = replace(met[place], is_key=True)
            return (there, bool(node.args.get("negate"))) if _is_count(met[place]) else None
        case exp.GT() | exp.GTE() | exp.NEQ() | exp.EQ() | exp.LT() | exp.LTE():
            number, sure = _number(node.this, met)
            same = {**_ABOVE, **_NONE}[type(node)]
            told = isinstance(node.expression, exp.Literal) and node.expression.name == same
            if number is None or not told or not sure or number.is_key or not _is_count(number):
                return None
            return number, type(node) in _ABOVE
    return None


def _number(node: exp.Expr, met: Mapping[exp.Expr, Met]) -> tuple[Met | None, bool]:
    """The place, and whether it is 0 of none."""
    match node:
        case exp.Paren(this=inner):
            return _number(inner, met)
        case exp.Coalesce(this=inner, expressions=[exp.Literal() as zero]) if zero.name == "0":
            return _number(inner, met)[0], True
        case exp.Column(table=table) if table == PLACE and node in met:
            return met[node], met[node].sure
    return None, False


def _is_count(met: Met) -> bool:
    return type(call_of(met.value)) is exp.Count and not isinstance(call_of(met.value).this, exp.Distinct)


def _of_value(met: Met, key: exp.Column) -> list[exp.Expr]:
    """Which of what is met is counted in it: of a test whether there is any, all."""
    if met.is_key:
        return []
    parts = list(conjuncts(met.value.expression.this)) if isinstance(met.value, exp.Filter) else []
    counted = call_of(met.value).this
    there = [] if counted == key else [exp.Not(this=exp.Is(this=counted.copy(), expression=exp.Null()))]
    return [*(part.copy() for part in parts), *there]


def _key(met: Met, rows: MetRows, catalog: Catalog) -> exp.Column | None:
    """The column of what is met that equals the key of the first table, which is proved unique."""
    root, branch = table_of(rows.root, catalog), _branch_of(met, rows)
    for part in () if branch is None else on_of(branch.added):
        sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
        columns = {side.table: side for side in sides if isinstance(side, exp.Column)}
        own = columns.get(rows.root.alias_or_name)
        other = None if branch is None else columns.get(branch.added.this.alias_or_name)
        if own is not None and other is not None and root is not None and root.proves_unique(own.name):
            return other.copy()
    return None


def _branch_of(met: Met, rows: MetRows) -> Branch | None:
    read = aliases_read(met.value)
    return next((each for each in rows.branches if each.added.this.alias_or_name in read), None)


def _where(call: exp.Expr, conditions: Sequence[exp.Expr]) -> exp.Expr:
    if not conditions:
        return call
    return exp.Filter(this=call, expression=exp.Where(this=exp.and_(*(each.copy() for each in conditions))))


def _bare(node: exp.Expr) -> exp.Expr:
    return _bare(node.this) if isinstance(node, exp.Paren) else node
