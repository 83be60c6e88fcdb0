"""The steps from a unit's contributions to totals by its norm, proved by what they have to be.

They hang on nothing but the names and numbers of keys and measures. So the text of each is made here once more, from
the templates below, and what the engine is asked must be that, node by node.
"""

from __future__ import annotations

from string import Template
from typing import Final

from sqlglot import exp

from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import Bounded, Limit, Measure, PrivateKeys
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.relations import UNIT
from dpproxy.rewrite.checker.syntax import derived, only, source_of

MOST_STEPS: Final = 2**45
WIDE_STEPS: Final = 2**80
ROWS: Final = "(SELECT 1 AS x) AS "
STEP: Final = Template("SELECT $items FROM $rows")
_GROUPED: Final = Template("SELECT $items FROM $rows GROUP BY $by")
_SETS: Final = Template("GROUPING SETS ($sets)")
_SET: Final = Template("($columns)")
_NORMS: Final = {
    Norm.L1: Template("SUM(ABS($measure))$over AS s$index"),
    Norm.L2: Template("SUM(CAST($measure AS $wide) * $measure)$over AS s$index"),
}
_SUM_AND_LARGEST: Final = Template("SUM(ABS($measure))$over AS s$index, MAX(ABS($measure))$over AS t$index")
_OVER_UNIT: Final = " OVER (PARTITION BY u)"
_SHARED: Final = "a"
_JOINED: Final = Template(
    "SELECT $items FROM a AS a JOIN (SELECT $units FROM (SELECT $norms FROM a AS a GROUP BY u) AS n) AS g ON a.u = g.u"
)
_FIRST_OF_ALL: Final = "CASE WHEN a.r = g.r THEN 1 ELSE 0 END AS c"
_NUMBER: Final = Template("ROW_NUMBER() OVER (PARTITION BY u$order) AS r")
_HOW_MANY: Final = "COUNT(*) OVER (PARTITION BY u) AS d"
_FIRST: Final = "CASE WHEN r = 1 THEN 1 ELSE 0 END AS c"
_WEIGHTS: Final = {
    Norm.L1: "CASE WHEN d > 4096 THEN 0 ELSE CAST(FLOOR(1048576 / CAST(d AS DOUBLE PRECISION)) AS BIGINT) END AS w",
    Norm.L2: "CASE WHEN d > 4096 THEN 0 "
    "ELSE CAST(FLOOR(1048576 / SQRT(CAST(d AS DOUBLE PRECISION))) AS BIGINT) END AS w",
}
_BUCKET: Final = Template("CAST(CEIL(LN(CAST(GREATEST($size, 1) AS DOUBLE PRECISION)) * $factor) AS INT) AS b$index")
_BUCKET_OF_BOTH: Final = Template(
    "CAST(CEIL((LN(CAST(GREATEST(s$index, 1) AS DOUBLE PRECISION))"
    " + LN(CAST(GREATEST(t$index, 1) AS DOUBLE PRECISION))) * $factor) AS INT) AS b$index"
)
_FACTORS: Final = {Norm.L1: "11.541560327111707", Norm.L2: "5.7707801635558535"}
_TOTAL: Final = Template(
    "CAST(LEAST(GREATEST(COALESCE(SUM($measure), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS $measure"
)
_WIDE_TOTAL: Final = Template(
    "CAST(LEAST(GREATEST(COALESCE(SUM($measure), 0), -1329227995784915872903807060280344576), "
    "1329227995784915872903807060280344576) AS $wide) AS $measure"
)


def most_of(measure: Measure) -> int:
    """The most that a unit may add to a key of it; squares of more than MOST_STEPS have no room in 128 bits, and sums
    of more than WIDE_STEPS over as many keys, or units, as there could be."""
    return WIDE_STEPS if _is_wide(measure) else MOST_STEPS


def _is_wide(measure: Measure) -> bool:
    return max(-measure.lower, measure.upper) > MOST_STEPS


def unbucketed(total: exp.Select, bounded: Bounded, engine: Facts) -> exp.Expr:
    """The source of contributions under the steps.

    Claim: if nothing is raised, `bounded` with its clip says the truth of the result, if it does so of contributions:
    that a unit has one for each of its keys, or one in all where `limit` is not NORM_CLIPPED, of `most_of` at most.
    Because: over all contributions of a unit the norms are the same, sums of whole numbers, exact in `wide`; so are its
    buckets, which are a function of them; one of the contributions is numbered 1. Σm² <= Σ|m|·max|m| stands for the
    squares of what is wide, 2^80·2^31 at most for a unit, and its totals are held to 2^120. ⌈8·log2(norm)⌉ in floating
    point is not so much below the true one that the norm would pass its bucket's edge (`mechanisms.norms.edge`). d
    weights of ⌊2^20/d⌋ come to 2^20 at most, and so do the squares of d weights of ⌊2^20/√d⌋ to 2^40: with d up to
    4096, what a double rounds is too little to reach the next whole number.
    Where contributions are shared (`_unjoined`), it is the same.
    Checked by: tests/test_checker_clipped.py, tests/test_clipped_neighbours.py.
    Raises CheckFault where a step is anything else.
    """
    clip, several = bounded.clip, bounded.limit is Limit.NORM_CLIPPED
    if clip is None:
        raise CheckFault("steps of a clip where there is none")
    require(all(measure.bound <= most_of(measure) for measure in bounded.measures), "a contribution has no room")
    _check_spread(bounded, several)
    same(total, _totals(bounded, several, engine), "t", engine)
    bucketed = derived(total)
    if several and bucketed.args.get("with_"):
        return _unjoined(bucketed, bounded, clip, engine)
    if several:
        same(bucketed, _buckets_of_many(bounded, clip), "w", engine)
        bucketed = derived(bucketed)
        same(bucketed, _numbered(bounded, clip, engine), "c", engine)
    else:
        same(bucketed, _buckets_of_one(bounded), "c", engine)
    return bucketed


def _check_spread(bounded: Bounded, several: bool) -> None:
    """Units are spread where they may have several private keys; by L2 where each of those is one key of the answer."""
    require((bounded.spread is not None) == (several and bounded.counts_units), "a spread where none belongs")
    private = all(isinstance(key.domain, PrivateKeys) for key in bounded.keys)
    require(private or bounded.spread is not Norm.L2, "weights of several keys add up in one private part")


def _carried(bounded: Bounded) -> list[str]:
    return [*(key.name for key in bounded.keys), *(measure.name for measure in bounded.measures)]


def _unjoined(bucketed: exp.Select, bounded: Bounded, clip: Norm, engine: Facts) -> exp.Select:
    """The source of contributions that are made once, numbered, and joined with what is aggregated by unit of them.

    Claim: if nothing is raised, what comes out is what windows over a unit would have beside each contribution, and one
    of a unit's is the first. Because: the rows are there once (`Facts.shares_rows`), so that each has one number, and
    no other has it; a unit is one group of them, and its least number is that of one of its contributions; a
    contribution meets the row of its own unit, and no other.
    Checked by: tests/test_checker_clipped.py, tests/test_clipped_neighbours.py.
    """
    require(engine.shares_rows, "rows that are made again wherever they are read")
    only(bucketed, "expressions", "from_", "joins", "with_")
    expected = parsed(_joined(bounded, clip, engine), engine.name)
    for clause in ("expressions", "from_", "joins"):
        require(bucketed.args.get(clause) == expected.args.get(clause), "a step of the clip is not what it has to be")
    (shared,) = bucketed.args["with_"].expressions
    require(shared.alias == _SHARED and not shared.args["alias"].args.get("columns"), "rows of another name")
    require(shared.args.get("materialized") is True, "rows that are not made once")
    numbered: exp.Expr = shared.this
    if type(numbered) is not exp.Select:
        raise CheckFault("shared rows that are no SELECT")
    items = ", ".join([UNIT, *_carried(bounded), "ROW_NUMBER() OVER () AS r"])
    same(numbered, STEP.substitute(items=items, rows=ROWS + "c"), "c", engine)
    return numbered


def _joined(bounded: Bounded, clip: Norm, engine: Facts) -> str:
    numbers = [f"b{index}" for index in range(len(bounded.measures))]
    weights = [] if bounded.spread is None else ["w"]
    of_rows, of_units = (
        (f"a.{name} AS {name}" for name in _carried(bounded)),
        (f"g.{name} AS {name}" for name in numbers),
    )
    items = [*of_rows, *(f"g.{name} AS {name}" for name in weights), _FIRST_OF_ALL, *of_units]
    norms = [UNIT, *_norms(bounded, clip, engine, ""), "MIN(r) AS r", *(["COUNT(*) AS d"] if weights else [])]
    units = [UNIT, "r", *_weights(bounded), *_buckets(bounded, clip)]
    return _JOINED.substitute(items=", ".join(items), units=", ".join(units), norms=", ".join(norms))


def _norms(bounded: Bounded, clip: Norm, engine: Facts, over: str) -> list[str]:
    return [
        _norm_of(measure, clip).substitute(measure=measure.name, index=index, wide=engine.wide, over=over)
        for index, measure in enumerate(bounded.measures)
    ]


def bucket_text(size: str, clip: Norm, index: int) -> str:
    """A measure's bucket, by its norm, or the square of it, of one row."""
    return _BUCKET.substitute(size=size, factor=_FACTORS[clip], index=index)


def total_text(name: str) -> str:
    """The total of whole numbers of one name."""
    return _TOTAL.substitute(measure=name)


def _numbered(bounded: Bounded, clip: Norm, engine: Facts) -> str:
    norms = _norms(bounded, clip, engine, _OVER_UNIT)
    number = _NUMBER.substitute(order=" ORDER BY u NULLS LAST" if engine.ranks_need_an_order else "")
    rest = [number] if bounded.spread is None else [number, _HOW_MANY]
    return STEP.substitute(items=", ".join([*_carried(bounded), *norms, *rest]), rows=ROWS + "c")


def _norm_of(measure: Measure, clip: Norm) -> Template:
    return _SUM_AND_LARGEST if clip is Norm.L2 and _is_wide(measure) else _NORMS[clip]


def _bucket_of(measure: Measure, clip: Norm) -> Template:
    return _BUCKET_OF_BOTH if clip is Norm.L2 and _is_wide(measure) else _BUCKET


def _weights(bounded: Bounded) -> list[str]:
    return [] if bounded.spread is None else [_WEIGHTS[bounded.spread]]


def _buckets(bounded: Bounded, clip: Norm) -> list[str]:
    return [
        _bucket_of(measure, clip).substitute(size=f"s{index}", factor=_FACTORS[clip], index=index)
        for index, measure in enumerate(bounded.measures)
    ]


def _buckets_of_many(bounded: Bounded, clip: Norm) -> str:
    items = [*_carried(bounded), *_weights(bounded), _FIRST, *_buckets(bounded, clip)]
    return STEP.substitute(items=", ".join(items), rows=ROWS + "w")


def _buckets_of_one(bounded: Bounded) -> str:
    """One contribution: its size is its norm, of either kind."""
    sizes = Template("ABS($measure)")
    buckets = [
        _BUCKET.substitute(size=sizes.substitute(measure=measure.name), factor=_FACTORS[Norm.L1], index=index)
        for index, measure in enumerate(bounded.measures)
    ]
    return STEP.substitute(items=", ".join([*_carried(bounded), *buckets]), rows=ROWS + "c")


def _totals(bounded: Bounded, several: bool, engine: Facts) -> str:
    keys = [key.name for key in bounded.keys]
    buckets = [f"b{index}" for index in range(len(bounded.measures))]
    weights = ["SUM(w) AS n" if several else "COUNT(*) AS n"] if bounded.counts_units else []
    units = ["SUM(c) AS c" if several else "COUNT(*) AS c"]
    totals = [
        (_WIDE_TOTAL if _is_wide(measure) else _TOTAL).substitute(measure=measure.name, wide=engine.wide)
        for measure in bounded.measures
    ]
    items = ", ".join([*keys, *weights, *units, *buckets, *totals])
    match buckets:
        case []:
            by = ", ".join(keys)
        case [bucket]:
            by = ", ".join([*keys, bucket])
        case _:
            sets = [_SET.substitute(columns=", ".join([*keys, bucket])) for bucket in buckets]
            by = _SETS.substitute(sets=", ".join(sets))
    made = _GROUPED if by else STEP
    return made.safe_substitute(items=items, rows=ROWS + "t", by=by)


def same(select: exp.Select, text: str, source: str, engine: Facts) -> None:
    """Raises CheckFault unless the SELECT is what the text says, but for what stands in FROM, under that name."""
    expected = parsed(text, engine.name)
    only(select, "expressions", "from_", "group")
    require(source_of(select).alias == source, "a step reads another one than it should")
    require(select.expressions == expected.expressions, "a step of the clip is not what it has to be")
    require(select.args.get("group") == expected.args.get("group"), "a step of the clip is grouped by other columns")
