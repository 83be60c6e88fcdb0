"""Counts by a few known keys in one row of each unit, several in a sum: proved by what each step has to be, where units
are scaled down, and where caps hold.

As in `clipped`, the text of each is made here once more, from the values that the plan has declared, and what the
engine is asked must be that, node by node, down to the rows.
"""

from __future__ import annotations

from string import Template
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import Bounded, Key, Limit, Literals, MeasureKind
from dpproxy.rewrite.checker.clipped import ROWS, STEP, bucket_text, same, total_text
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.relations import UNIT
from dpproxy.rewrite.checker.syntax import conjuncts, derived, filtered, only
from dpproxy.rows import Value

_FIRST: Final = Template("CAST(COALESCE($sum, 0) & $mask AS BIGINT)")
_LATER: Final = Template("CAST((COALESCE($sum, 0) >> $start) & $mask AS BIGINT)")
_HELD: Final = Template("LEAST($count, $most)")
_APART: Final = (31, 1)
"""Where each count is a column."""
_MOST_KEYS: Final = 64
_BITS: Final = (31, 3)
"""How many bits a count has, and how many counts a sum has, of which a row adds 2^62 at most."""
_SQUARE: Final = Template("CAST($name AS $wide) * $name")
_GROUPED: Final = Template("SELECT $items FROM $rows GROUP BY $by")
_RESULT: Final = Template(
    "SELECT v.$key AS $key, $beside $told"
    " FROM (SELECT 1 AS x) AS t CROSS JOIN (SELECT v0.i AS i, v0.$key AS $key FROM (VALUES $rows) AS v0(i, $key)) AS v"
)
_UNITS: Final = "CASE WHEN v.i = 0 THEN t.c ELSE 0 END AS c,"
_FILTER: Final = Template("SELECT 1 AS x FROM (SELECT 1 AS x) AS r WHERE $condition")


def is_packed(total: exp.Select) -> bool:
    """Whether totals are joined with keys: nothing else ends in a join."""
    return bool(total.args.get("joins"))


def unpacked(total: exp.Select, bounded: Bounded, engine: Facts) -> tuple[exp.Select, list[exp.Expr]]:
    """The SELECT over rows under the steps, and conditions on their key that are true of each row that is counted.

    Claim: if nothing is raised, and each row of what it reads is of the unit `u`, `bounded` with its clip says the
    truth of the result, whatever the rows are. Because: GROUP BY u makes one row of a unit, whose numbers are
    functions of its own rows; each is in [0, 2^31), being 31 bits of a whole number or fewer, or a count that is held
    below 2^31 (LEAST, of what is no NULL), so that their squares and the sum of these have room in 128 bits. The norm
    is that of all of these numbers, the bucket is a function of it, and what a unit adds to a row of totals are these
    numbers, each to a total of its own. Each row of totals is told once with each key, whose place in the list is its
    number's; the units, with the first. What is told of keys are constants that were declared. Nothing raises: COUNT
    does for no rows; a sum of bigints has room in 128 bits (`Facts.sums_have_bits`), `>>` and `&` there raise for no
    number, and what remains fits a bigint.
    Checked by: tests/test_packed_counts.py, tests/test_counts_in_columns.py, tests/test_clipped_neighbours.py.
    Raises CheckFault where a step is anything else.
    """
    key, values = _packed(bounded, (0, 2**31))
    counts = unscaled(total, bounded, key, values, engine)
    bits = _bits_of(counts, values, engine)
    read = [_count(index, bits) for index in range(len(values))]
    packed = _same_packed(counts, key, values, bits, read, engine)
    return packed, conditions_of(key, values, engine)


def unscaled(total: exp.Select, bounded: Bounded, key: Key, values: tuple[Value, ...], engine: Facts) -> exp.Select:
    """The SELECT of units' numbers, one of each value, under the steps by their norm.

    Raises CheckFault where a step is anything else.
    """
    require(bounded.limit is Limit.NORM_CLIPPED, "numbers of another release in one row")
    if bounded.clip is None:
        raise CheckFault("nothing is scaled down")
    names, clip = names_by_measure(bounded, values), bounded.clip
    buckets = [f"b{index}" for index in range(len(names))]
    told = " ".join([_UNITS, *(f"t.{bucket} AS {bucket}," for bucket in buckets)])
    _same_result(total, key, values, told, names, engine)
    totals, numbers = _source(total), [name for each in names for name in each]
    items = ", ".join([*buckets, "COUNT(*) AS c", *map(total_text, numbers)])
    by = buckets[0] if len(buckets) == 1 else f"GROUPING SETS ({', '.join(f'({bucket})' for bucket in buckets)})"
    same(totals, _GROUPED.substitute(items=items, rows=ROWS + "w", by=by), "w", engine)
    bucketed = derived(totals)
    norms = [_norm(own, each.lower < 0, clip, engine) for own, each in zip(names, bounded.measures, strict=True)]
    items = ", ".join([*numbers, *(bucket_text(size, clip, index) for index, size in enumerate(norms))])
    same(bucketed, STEP.substitute(items=items, rows=ROWS + "c"), "c", engine)
    return derived(bucketed)


def unpacked_within_caps(total: exp.Select, bounded: Bounded, engine: Facts) -> tuple[exp.Select, list[exp.Expr]]:
    """The same where each count is held to `bounded.rows`, and nothing is scaled down.

    Claim: if nothing is raised, and each row of what it reads is of the unit `u`, a unit moves the number of each key
    by `bounded.rows` at most, whatever the rows are. Because: GROUP BY u makes one row of it, whose numbers are
    functions of its own rows; each is no less than 0, being some bits of a whole number, or a count, and no more than
    that cap (LEAST), however many bits it has. One row of totals adds each to a total of its own, and is told once
    with each key, of which there are no more than `bounded.groups`.
    Checked by: tests/test_packed_within_caps.py, tests/test_counts_in_columns.py, tests/test_neighbours.py.
    Raises CheckFault where a step is anything else.
    """
    require(0 < bounded.rows < 2**31, "a cap that a number of bits may pass")
    key, values = _packed(bounded, (0, bounded.rows))
    numbers = untotalled(total, bounded, key, values, engine)
    bits = _bits_of(numbers, values, engine)
    told = [f"s{index}" if bits == _APART else _count(index, bits) for index in range(len(values))]
    counts = [_HELD.substitute(count=each, most=bounded.rows) for each in told]
    return _same_packed(numbers, key, values, bits, counts, engine), conditions_of(key, values, engine)


def untotalled(total: exp.Select, bounded: Bounded, key: Key, values: tuple[Value, ...], engine: Facts) -> exp.Select:
    """The SELECT of units' numbers, one of each value, under their totals.

    Raises CheckFault where a step is anything else.
    """
    require(bounded.limit is Limit.FEW_PUBLIC_KEYS, "numbers of another release in one row")
    require(bounded.clip is None, "a clip where nothing is scaled down")
    require(len(values) <= bounded.groups, "numbers of more keys than a unit may have")
    names = names_by_measure(bounded, values)
    _same_result(total, key, values, "", names, engine)
    totals, items = _source(total), ", ".join(total_text(name) for each in names for name in each)
    same(totals, STEP.substitute(items=items, rows=ROWS + "c"), "c", engine)
    return derived(totals)


def _bits_of(select: exp.Select, values: tuple[Value, ...], engine: Facts) -> tuple[int, int]:
    """How counts are packed below this SELECT: three in a sum, all in one, or each by itself, which no engine's COUNT
    raises for. Each is as private as the others."""
    _, *added = derived(select).expressions
    if added and type(added[0].unalias()) is exp.Count:
        return _APART
    require(engine.sums_have_bits, "sums whose bits nobody knows")
    sums = len(added)
    if sums > 1 or len(values) <= _BITS[1]:
        return _BITS
    return 62 // (len(values) - 1), len(values)


def names_of(values: tuple[Value, ...]) -> list[str]:
    """What the counts are called."""
    return [f"p{index}" for index in range(len(values))]


def names_by_measure(bounded: Bounded, values: tuple[Value, ...]) -> list[list[str]]:
    """What the numbers of each measure are called, one of each value."""
    many = len(values)
    return [[f"p{many * index + place}" for place in range(many)] for index in range(len(bounded.measures))]


def _count(index: int, bits: tuple[int, int]) -> str:
    """What the bits of one count say."""
    each, in_one = bits
    if bits == _APART:
        return _HELD.substitute(count=f"s{index}", most=2**each - 1)
    place = _FIRST if index % in_one == 0 else _LATER
    return place.substitute(sum=f"s{index // in_one}", start=each * (index % in_one), mask=2**each - 1)


def _packed(bounded: Bounded, ends: tuple[int, int]) -> tuple[Key, tuple[Value, ...]]:
    """The key and its values of a release that counts rows by it, between these ends, and tells nothing else."""
    key, values = few_values(bounded)
    counts = [(each.kind, each.lower, each.upper) for each in bounded.measures] == [(MeasureKind.ROWS, *ends)]
    require(counts, "not a count of all rows in one sum")
    return key, values


def few_values(bounded: Bounded) -> tuple[Key, tuple[Value, ...]]:
    """The one key of a release, and its values, which are declared."""
    require(not bounded.counts_units and bounded.spread is None, "units are counted where nobody is")
    if len(bounded.keys) != 1:
        raise CheckFault("several keys in one sum")
    (key,), names = bounded.keys, [measure.name for measure in bounded.measures]
    require(names == [f"m{index}" for index in range(len(names))], "a measure of another name")
    if not isinstance(key.domain, Literals) or len(key.domain.values) > _MOST_KEYS:
        raise CheckFault("counts in one sum of keys that are not known, or of many")
    require(key.type.family in (Family.TEXT, Family.INTEGER, Family.BOOLEAN), "counts in one sum by other keys")
    return key, key.domain.values


def _source(total: exp.Select) -> exp.Select:
    """The SELECT of the first source."""
    source = total.args["from_"].this
    found = source.this if type(source) is exp.Subquery and source.alias == "t" else None
    if type(found) is not exp.Select:
        raise CheckFault("totals are not joined with keys")
    return found


def _same_result(
    total: exp.Select, key: Key, values: tuple[Value, ...], beside: str, names: list[list[str]], engine: Facts
) -> None:
    only(total, "expressions", "from_", "joins")
    told = ", ".join(f"CASE {_in_place(own)} END AS m{index}" for index, own in enumerate(names))
    rows = ", ".join(f"({index}, {_constant(value, engine)})" for index, value in enumerate(values))
    expected = parsed(_RESULT.substitute(key=key.name, beside=beside, told=told, rows=rows), engine.name)
    for clause in ("expressions", "joins"):
        require(total.args.get(clause) == expected.args.get(clause), "the result is not what it has to be")


def _in_place(names: list[str]) -> str:
    return " ".join(f"WHEN v.i = {index} THEN t.{name}" for index, name in enumerate(names))


def _same_packed(
    select: exp.Select, key: Key, values: tuple[Value, ...], bits: tuple[int, int], counts: list[str], engine: Facts
) -> exp.Select:
    """The SELECT by unit below this one, if this reads `counts` of the sums of units with a row in one of the keys, and
    that one adds them up."""
    only(select, "expressions", "from_", "where")
    sums = [f"s{index}" for index in range(-(-len(values) // bits[1]))]
    items = ", ".join(f"{count} AS {name}" for count, name in zip(counts, names_of(values), strict=True))
    test = "> 0" if bits == _APART else "IS NOT NULL"
    there = parsed(_FILTER.substitute(condition=" OR ".join(f"{name} {test}" for name in sums)), engine.name)
    expected = parsed(STEP.substitute(items=items, rows=ROWS + "q"), engine.name)
    require(select.args["from_"].this.alias == "q", "a step reads another one than it should")
    require(select.expressions == expected.expressions, "what is read of sums is not what it has to be")
    require(filtered(select) == filtered(there), "units are left out")
    packed = derived(select)
    items = ", ".join([UNIT, *_sums(key, values, bits, sums, engine)])
    same(packed, _GROUPED.substitute(items=items, rows=ROWS + "r", by=UNIT), "r", engine)
    return packed


def _sums(key: Key, values: tuple[Value, ...], bits: tuple[int, int], sums: list[str], engine: Facts) -> list[str]:
    each, size = bits
    require(each * (size - 1) <= 62, "a row adds more than a bigint has room for")
    cases = [
        f"WHEN {equal_text(key, value, engine)} THEN {2 ** (each * (index % size))}"
        for index, value in enumerate(values)
    ]
    function = "COUNT" if bits == _APART else "SUM"
    return [
        f"{function}(CASE {' '.join(cases[index * size : (index + 1) * size])} END) AS {name}"
        for index, name in enumerate(sums)
    ]


def conditions_of(key: Key, values: tuple[Value, ...], engine: Facts) -> list[exp.Expr]:
    """That the key is one of its values, as it would stand in WHERE."""
    condition = among_text(key, values, engine)
    return conjuncts(parsed(_FILTER.substitute(condition=condition), engine.name).args["where"].this)


def among_text(key: Key, values: tuple[Value, ...], engine: Facts) -> str:
    """The condition that the key has one of these values, or none where that is one of them."""
    written = [_constant(value, engine) for value in values if value is not None]
    tests = [f"{key.name} IN ({', '.join(written)})"] if written else []
    tests += [f"{key.name} IS NULL"] if None in values else []
    return " OR ".join(tests)


def equal_text(key: Key, value: Value, engine: Facts) -> str:
    """The condition that the key has this value, or none."""
    return f"{key.name} IS NULL" if value is None else f"{key.name} = {_constant(value, engine)}"


def _constant(value: Value, engine: Facts) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case str():
            return str(exp.Literal.string(value).sql(engine.name))
        case _:
            raise CheckFault(f"a key of {type(value).__name__} in one sum")


def _norm(numbers: list[str], signed: bool, clip: Norm, engine: Facts) -> str:
    if clip is Norm.L1:
        return " + ".join(f"ABS({name})" if signed else name for name in numbers)
    return " + ".join(_SQUARE.substitute(name=name, wide=engine.wide) for name in numbers)
