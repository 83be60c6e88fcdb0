"""Random statements of the supported grammar over the tables of world.toml, as text.

An expression is drawn by its type: n(umber), t(ext), d(ate), b(oolean). A scope is what a FROM offers: the columns
that can be named, with their types. Unit keys are not among them, but for joins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

Scope = tuple[tuple[str, str], ...]

_COLUMNS = {
    "people": {"age": "n", "sex": "t", "income": "n", "city": "t", "smoker": "b", "joined": "d"},
    "visits": {"visit_id": "n", "day": "d", "cost": "n", "dept": "t"},
    "departments": {"dept": "t", "building": "t", "beds": "n"},
    "customer": {"segment": "t", "nationkey": "n", "acctbal": "n"},
    "nation": {"nationkey": "n", "nation": "t"},
    "orders": {"orderdate": "d", "priority": "t", "orderkey": "n"},
    "lineitem": {"linenumber": "n", "quantity": "n", "price": "n", "discount": "n", "flag": "t", "shipdate": "d"},
}
_UNIT = {"p": "person_id", "v": "person_id", "c": "custkey", "o": "custkey"}
_TABLE = {"p": "people", "v": "visits", "d": "departments", "c": "customer", "n": "nation", "o": "orders"} | {
    "l": "lineitem", "w": "visits", "q": "people",
}  # fmt: skip

# FROM texts with their aliases; after `|` a condition that belongs into WHERE.
_FROMS = (
    ("people p", "p"),
    ("visits v", "v"),
    ("lineitem l", "l"),
    ("orders o", "o"),
    ("customer c", "c"),
    ("visits v JOIN people p ON v.person_id = p.person_id", "vp"),
    ("people p JOIN visits v USING (person_id)", "pv"),
    ("visits v, people p | v.person_id = p.person_id", "vp"),
    ("visits v JOIN departments d ON v.dept = d.dept", "vd"),
    ("visits v, departments d | v.dept = d.dept AND d.beds > 10", "vd"),
    ("visits v JOIN departments d ON v.cost > d.beds", "vd"),
    ("visits v CROSS JOIN departments d", "vd"),
    ("visits v JOIN people p ON p.person_id = v.person_id JOIN departments d ON d.dept = v.dept", "vpd"),
    ("people p JOIN departments d ON p.city = d.dept", "pd"),
    ("people p JOIN departments d ON p.age > d.beds", "pd"),
    ("people p JOIN people q ON q.person_id = p.person_id", "pq"),
    ("visits v JOIN visits w ON w.person_id = v.person_id", "vw"),
    ("orders o JOIN customer c ON o.custkey = c.custkey", "oc"),
    ("orders o JOIN lineitem l ON l.orderkey = o.orderkey", "ol"),
    ("customer c JOIN orders o ON c.custkey = o.custkey JOIN lineitem l ON l.orderkey = o.orderkey", "col"),
    ("lineitem l, orders o, customer c | o.custkey = c.custkey AND l.orderkey = o.orderkey", "loc"),
    ("customer c JOIN nation n ON c.nationkey = n.nationkey", "cn"),
    ("customer c JOIN nation n ON c.nationkey < n.nationkey", "cn"),
    ("orders o JOIN customer c ON o.custkey = c.custkey JOIN nation n ON n.nationkey = c.nationkey", "ocn"),
    ("lineitem l CROSS JOIN nation n", "ln"),
    ("lineitem l JOIN nation n ON n.nationkey = l.linenumber", "ln"),
)
_NUMBERS = ["0", "1", "2", "-3", "10", "2.5", "100", "0.05", "1e3"]
_TEXTS = ["''", "'F'", "'cardio'", "'A'", "'1-URGENT'", "'BUILDING'", "'Delft'", "'é'"]
_DATES = ["DATE '2024-01-01'", "DATE '1995-01-01'", "DATE '2024-02-29'"]
_PATTERNS = ["'%'", "'c%'", "'%o'", "'_'", "'a b'", "'%e%'"]
_FIELDS = ["year", "month", "quarter", "dow", "day", "doy", "week", "isodow"]
_ELSE = " ELSE 'x'"
_SPREADS = ["VAR_POP", "VAR_SAMP", "VARIANCE", "STDDEV_POP", "STDDEV"]
_PAIRS = ["CORR", "COVAR_POP", "REGR_SLOPE", "REGR_R2", "REGR_SXX", "REGR_SYY", "REGR_AVGX", "REGR_COUNT"]
_OF_BLOCKS = ["CORR", "COVAR_POP", "COVAR_SAMP", "REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2", "REGR_AVGY"]
_DECISIONS = ["BOOL_OR", "BOOL_AND", "EVERY"]
_UNITS = ["year", "quarter", "month", "week", "day"]


@dataclass(frozen=True)
class Statement:
    """A statement and its settings. many: whether public tables have too many keys for an answer."""

    sql: str
    settings: dict[str, str | None]
    many: bool = False


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    """SELECT keys and aggregates FROM tables, joins, derived tables or CTEs."""
    settings = {
        "max_rows_per_unit": draw(st.sampled_from([None, None, "1", "2", "7", "1000"])),
        "max_groups_per_unit": draw(st.sampled_from([None, None, "1", "2", "5", "50"])),
        "mechanism": draw(st.sampled_from(["auto", "laplace", "auto", "laplace", "sample_aggregate"])),
        "blocks": draw(st.sampled_from([None, "2", "3", "20"])),
    }
    start, source, where, scope = _source(draw)
    if settings["mechanism"] == "sample_aggregate":
        answers = draw(st.lists(_answer(scope), min_size=1, max_size=2))
        return Statement(f"{start}SELECT {', '.join(answers)} FROM {source}{_where(draw, where, scope)}", settings)
    keys = list(dict.fromkeys(draw(st.lists(_key(scope), max_size=3))))
    items = [*keys, *draw(st.lists(_aggregate(scope), min_size=0 if keys else 1, max_size=3))]
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return Statement(f"{start}SELECT {', '.join(items)} FROM {source}{_where(draw, where, scope)}{group}", settings)


def _source(draw: st.DrawFn, depth: int = 2) -> tuple[str, str, str, Scope]:
    """WITH, FROM, a condition that WHERE must hold, and what can be named."""
    if depth == 0 or draw(st.integers(0, 2)):
        text, aliases = draw(st.sampled_from(_FROMS))
        source, _, where = text.partition(" | ")
        return "", source, where, _scope(aliases)
    start, source, where, scope = _source(draw, depth - 1)
    kinds = draw(st.lists(st.sampled_from("ntdbnt"), min_size=1, max_size=3))
    columns = [(f"x{i}", kind, draw(_expression(kind, scope, draw(st.integers(0, 1))))) for i, kind in enumerate(kinds)]
    name, unit = f"t{depth}", _unit(scope)
    joined, more = _joined(draw, name, unit)
    items = [f"{text} AS {column}" for column, _, text in columns] + [f"{unit} AS who"] * bool(more)
    query = f"{start}SELECT {', '.join(items)} FROM {source}{_where(draw, where, scope)}"
    outer = (*((f"{name}.{column}", kind) for column, kind, _ in columns), *more)
    if draw(st.booleans()):
        return f"WITH {name} AS ({query}) ", f"{name}{joined}", "", outer
    return "", f"({query}) {name}{joined}", "", outer


def _unit(scope: Scope) -> str | None:
    """The unit's key of the first table, where it has one."""
    alias = scope[0][0].partition(".")[0]
    return f"{alias}.{_UNIT[alias]}" if alias in _UNIT else None


def _joined(draw: st.DrawFn, name: str, unit: str | None) -> tuple[str, Scope]:
    """Sometimes a join of the derived table with another one of its unit."""
    if unit is None or draw(st.booleans()):
        return "", ()
    other = draw(st.sampled_from("pv" if unit.endswith("person_id") else "co"))
    return f" JOIN {_TABLE[other]} {other} ON {other}.{_UNIT[other]} = {name}.who", _scope(other)


def _scope(aliases: str) -> Scope:
    return tuple((f"{a}.{name}", kind) for a in aliases for name, kind in _COLUMNS[_TABLE[a]].items())


def _where(draw: st.DrawFn, where: str, scope: Scope) -> str:
    conditions = [where] * bool(where)
    conditions += [draw(_expression("b", scope, 2))] if draw(st.booleans()) else []
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _named(scope: Scope, kind: str) -> list[str]:
    return [name for name, its in scope if its == kind]


@st.composite
def _aggregate(draw: st.DrawFn, scope: Scope) -> str:
    numbers = _named(scope, "n") or ["1"]
    match draw(st.integers(0, 11)):
        case 0 | 1:
            text = "COUNT(*)"
        case 11:
            exact = [name for name, kind in scope if kind in "tdb"] or ["1"]
            text = f"COUNT(DISTINCT {draw(st.sampled_from(exact))})"
        case 2:
            text = f"COUNT({draw(_expression(draw(st.sampled_from('ntdb')), scope, 1))})"
        case 3 | 4:
            text = f"{draw(st.sampled_from(['SUM', 'AVG']))}({draw(st.sampled_from(numbers))})"
        case 5:
            text = f"{draw(st.sampled_from(_SPREADS))}({draw(_expression('n', scope, draw(st.integers(0, 1))))})"
        case 6:
            one, other = draw(st.sampled_from(numbers)), draw(_expression("n", scope, draw(st.integers(0, 1))))
            text = f"{draw(st.sampled_from(_PAIRS))}({one}, {other})"
        case 7:
            text = f"{draw(st.sampled_from(_DECISIONS))}({draw(_expression('b', scope, 1))})"
        case 10:
            text = f"ARRAY_AGG(DISTINCT {draw(_expression(draw(st.sampled_from('ntdb')), scope, 1))})"
        case _:
            text = f"{draw(st.sampled_from(['SUM', 'AVG']))}({draw(_expression('n', scope, 2))})"
    if draw(st.integers(0, 4)) == 0:
        text += f" FILTER (WHERE {draw(_expression('b', scope, 1))})"
    return text


@st.composite
def _answer(draw: st.DrawFn, scope: Scope) -> str:
    """What a block can answer."""
    match draw(st.integers(0, 5)):
        case 0:
            exact = [name for name, kind in scope if kind in "tdb"] or ["1"]
            text = f"COUNT(DISTINCT {draw(st.sampled_from(exact))})"
        case 1:
            both = [draw(_expression("n", scope, draw(st.integers(0, 1)))) for _ in range(2)]
            text = f"{draw(st.sampled_from(_OF_BLOCKS))}({', '.join(both)})"
        case 2:
            kind = draw(st.sampled_from("nd"))
            text = f"{draw(st.sampled_from(['MIN', 'MAX']))}({draw(_expression(kind, scope, 1))})"
        case _:
            text = f"{draw(st.sampled_from([*_SPREADS, 'AVG']))}({draw(_expression('n', scope, 2))})"
    if draw(st.integers(0, 4)) == 0:
        text += f" FILTER (WHERE {draw(_expression('b', scope, 1))})"
    return text


@st.composite
def _key(draw: st.DrawFn, scope: Scope) -> str:
    """Keys of few values are likelier: declared values, months, CASE over constants, public columns."""
    dates, texts = _named(scope, "d"), _named(scope, "t")
    match draw(st.integers(0, 6)):
        case 0 | 1 if texts:
            return draw(st.sampled_from(texts))
        case 2 if dates:
            return f"EXTRACT({draw(st.sampled_from(_FIELDS))} FROM {draw(st.sampled_from(dates))})"
        case 3:
            condition, rest = draw(_expression("b", scope, 1)), draw(st.sampled_from(["", " ELSE NULL", " ELSE 'no'"]))
            return f"CASE WHEN {condition} THEN 'yes'{rest} END"
        case 4:
            return draw(_expression("b", scope, 1))
        case 5:
            return draw(st.sampled_from([name for name, _ in scope]))
        case _:
            return draw(_expression(draw(st.sampled_from("ntd")), scope, 1))


@st.composite
def _expression(draw: st.DrawFn, kind: str, scope: Scope, depth: int) -> str:
    """An expression of that kind; at depth 0 a column or a constant."""
    constants = {"n": _NUMBERS, "t": _TEXTS, "d": _DATES, "b": ["TRUE", "FALSE"]}[kind]
    if depth <= 0:
        return draw(st.sampled_from(_named(scope, kind) * 4 + constants))
    form = draw(st.sampled_from(_FORMS[kind]))

    def part(of: str) -> str:
        return draw(_expression(of, scope, depth - 1))

    return form(part, lambda options: draw(st.sampled_from(options)))


Part = Callable[[str], str]
One = Callable[[Sequence[str]], str]
_FORMS: dict[str, list[Callable[[Part, One], str]]] = {
    "n": [
        lambda part, one: part("n"),
        lambda part, one: f"({part('n')} {one(['+', '-', '*', '*'])} {part('n')})",
        lambda part, one: f"({part('n')} {one(['+', '-', '*', '/', '%'])} {part('n')})",
        lambda part, one: f"(- {part('n')})",
        lambda part, one: f"CASE WHEN {part('b')} THEN {part('n')}{one(['', ' ELSE 0', ' ELSE ' + part('n')])} END",
        lambda part, one: f"COALESCE({part('n')}, {part('n')})",
        lambda part, one: f"NULLIF({part('n')}, {part('n')})",
        lambda part, one: f"LEAST(GREATEST({part('n')}, 0), 100)",
        lambda part, one: f"GREATEST({part('n')}, {part('n')})",
        lambda part, one: f"EXTRACT({one(_FIELDS)} FROM {part('d')})",
        lambda part, one: f"CAST({part('n')} AS {one(['integer', 'bigint', 'numeric(12,2)', 'double precision'])})",
        lambda part, one: f"{one(['abs', 'floor', 'ceil', 'round', 'sign'])}({part('n')})",
        lambda part, one: f"length({part('t')})",
        lambda part, one: f"({part('d')} - {part('d')})",
    ],
    "t": [
        lambda part, one: part("t"),
        lambda part, one: f"CASE WHEN {part('b')} THEN {part('t')}{one(['', _ELSE])} END",
        lambda part, one: f"COALESCE({part('t')}, {part('t')})",
        lambda part, one: f"{one(['lower', 'upper', 'trim'])}({part('t')})",
        lambda part, one: f"substring({part('t')}, 1, 2)",
        lambda part, one: f"({part('t')} || {part('t')})",
        lambda part, one: f"CAST({part('n')} AS text)",
    ],
    "d": [
        lambda part, one: part("d"),
        lambda part, one: f"date_trunc('{one(_UNITS)}', {part('d')})",
        lambda part, one: (
            f"({part('d')} {one(['+', '-'])} INTERVAL '{one(['1 month', '7 days', '1 year', '10 years'])}')"
        ),
        lambda part, one: f"CASE WHEN {part('b')} THEN {part('d')} END",
    ],
    "b": [
        lambda part, one: part("b"),
        lambda part, one: f"({part('n')} {one(['=', '<>', '<', '<=', '>', '>='])} {part('n')})",
        lambda part, one: f"({part('t')} {one(['=', '<>', '<', '>='])} {part('t')})",
        lambda part, one: f"({part('d')} {one(['=', '<', '>='])} {part('d')})",
        lambda part, one: f"({part('n')} BETWEEN {part('n')} AND {part('n')})",
        lambda part, one: f"({part('n')} {one(['IN', 'NOT IN'])} (1, 20, {one(['121', 'NULL', '0.05'])}))",
        lambda part, one: f"({part('n')} IN ({one(['2', '9007199254740992'])}::float8, {one(['1', '0.5', '20'])}))",
        lambda part, one: f"({part('t')} IN ('F', 'cardio', 'A'))",
        lambda part, one: f"({part('t')} {one(['LIKE', 'NOT LIKE'])} {one(_PATTERNS)})",
        lambda part, one: f"({part(one('ntdb'))} IS {one(['', 'NOT '])}NULL)",
        lambda part, one: f"({part('b')} {one(['AND', 'OR'])} {part('b')})",
        lambda part, one: f"(NOT {part('b')})",
    ],
}
