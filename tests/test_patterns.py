"""Regular expressions: what is admitted matches and replaces the same in Postgres and in the engine.

Each pattern is put to Postgres as the analyst wrote it, and to both engines as it was written anew.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import psycopg
import pytest
from expression_world import engine_text, parse
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from lanes import sized
from scratch_postgres import INSTALLATIONS, scratch_postgres
from sqlglot import exp

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import TEXT
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions import Scope, Typed, column_fact, total
from dpproxy.rewrite.expressions.patterns.regex_extents import Place, ends_soon, reaches_alike, takes_alike
from dpproxy.rewrite.expressions.patterns.regex_extents import _after as after_letter
from dpproxy.rewrite.expressions.patterns.regex_extents import _compiled as compiled
from dpproxy.rewrite.expressions.patterns.regex_extents import _reached as reached
from dpproxy.rewrite.expressions.patterns.regex_reading import Unreadable, read_regex
from dpproxy.rewrite.expressions.patterns.regexes import may_be_empty

SCOPE: Scope = {("t", "v"): Typed(exp.column("v", "t", quoted=True), column_fact(TableColumn("v", TEXT), True))}
_TEXT = column_fact(TableColumn("v", TEXT), True)
_PAIRS = """
FROM (SELECT a.v AS v, b.w AS w, a.n, b.m FROM t AS a CROSS JOIN (
    SELECT v AS w, n AS m FROM t UNION ALL SELECT repeat('%', 2000), -1 UNION ALL SELECT '_%_', -2
    UNION ALL SELECT 'a\\', -3 UNION ALL SELECT '#%', -4
) AS b WHERE bit_length(a.v || b.w) = 8 * length(a.v || b.w)) AS t ORDER BY n, m
"""
SAMPLES = [
    *("", "a", "b", "ab", "ba", "aab", "abb", "abc", "ABC", "aBc", "a\nb", "\n", "a\n", "\nb", "é", "aéb", "1", "a1"),
    *("12", " ", "\t", "a b", "_", "a_b", "-", "a-b", ".", "a.b", "*", "(a)", "[a]", "{2}", "a{2}", "\\", "a\\b", "^"),
    *("$", "|", "a|b", "aaa", "bbb", "abab", "ababab", "\x0b", "\x01", "😀", "\u2028", "Z", "x=1", "a,b", "]", "a]"),
    *("K", "ü", "ab12-34cd", "12-34", "a@b@c", "foo bar  baz", "aab ab b", "%", "a%b", "e\u0301"),
]
ATOMS = [
    *("a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", "(a|b)", "(?:ab)", "(a)", "[a-c]"),
    *("[^a-c]", "[[:alpha:]]", "[[:space:]x]", r"\.", r"\-", "é", "[é-ü]", "[]a]", "[^]a]", "[a-]", "[-a]", r"[\d_]"),
    *(
        r"[\]]",
        "(|a)",
        "()",
        "^",
        "$",
        r"\A",
        r"\Z",
        "B",
        "[A-B]",
        "{",
        "}",
        "]",
        "_",
        "-",
        " ",
        r"\\",
        r"\_",
        "(?:a|)",
    ),
    *("(a|ab)", r"[\n]", r"\n", r"\t", "[[:upper:]]", "[[:punct:]]", "1", "\n", "K", ".*", r"\d+", r"(\w+)", "(.*)"),
]
COUNTS = ["", "", "", "", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?", "+?", "{1,2}?"]


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (n integer, v varchar)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(SAMPLES)))
        yield connection


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection]:
    with (
        scratch_postgres(next(iter(INSTALLATIONS.values()))) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        connection.execute("CREATE TABLE t (n integer, v text)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO t VALUES (%s, %s)", list(enumerate(SAMPLES)))
        yield connection


def patterns(depth: int = 1) -> st.SearchStrategy[str]:
    atom = st.sampled_from(ATOMS)
    if depth:
        atom = atom | patterns(depth - 1).map(lambda inner: f"({inner})")
    row = st.lists(st.builds(lambda a, count: a + count, atom, st.sampled_from(COUNTS)), min_size=0, max_size=4)
    return st.lists(row.map("".join), min_size=1, max_size=2).map("|".join)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def same_everywhere(expression: str, duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection) -> bool:
    """Whether it is admitted; if so, all three answers are the same."""
    try:
        tree = total(parse(expression), SCOPE).sql
    except FeatureNotSupported as fault:
        assert fault.hint
        return False
    mine = duck.execute(f"SELECT {tree.sql('duckdb')} FROM t ORDER BY n").fetchall()
    rewritten = postgres.execute(f"SELECT {tree.sql('postgres')} FROM t ORDER BY n").fetchall()  # type: ignore[arg-type]
    theirs = postgres.execute(f"SELECT {expression} FROM t ORDER BY n").fetchall()  # type: ignore[arg-type]
    for sample, left, right, expected in zip(SAMPLES, mine, rewritten, theirs, strict=True):
        assert left == right == expected, (expression, sample)
    return True


@pytest.mark.larger
@settings(max_examples=sized(40, 120, 1200), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(patterns(), st.sampled_from(["~", "~*", "!~", "!~*"]))
def test_matches_are_those_of_postgres(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, pattern: str, sign: str
) -> None:
    event("admitted" if same_everywhere(f"v {sign} {quoted(pattern)}", duck, postgres) else "refused")


@pytest.mark.larger
@settings(max_examples=sized(40, 120, 1200), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(patterns(), st.sets(st.sampled_from([r"\1", r"\2", r"\&", r"\\", r"\x"])), st.sampled_from(["", "g", "i", "gi"]))
def test_replacements_are_those_of_postgres(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, pattern: str, new: set[str], flags: str
) -> None:
    expression = f"regexp_replace(v, {quoted(pattern)}, {quoted('<' + ','.join(sorted(new)) + '>')}, '{flags}')"
    event("admitted" if same_everywhere(expression, duck, postgres) else "refused")


@pytest.mark.larger
@settings(max_examples=sized(40, 120, 1200), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from([*"ab%_|.^$*+?()[]-{}\\#1\n", "[a-c]", "[^a]", "{2}", "(a|b)", r"\d", "[[:digit:]]"])),
    st.sampled_from(["", " ESCAPE '#'", " ESCAPE ''"]),
)
def test_similar_to_is_that_of_postgres(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, pieces: list[str], escape: str
) -> None:
    expression = f"v SIMILAR TO {quoted(''.join(pieces))}{escape}"
    try:
        admitted = same_everywhere(expression, duck, postgres)
    except psycopg.Error as fault:
        raise AssertionError(expression) from fault
    event("admitted" if admitted else "refused")


@pytest.mark.parametrize("made", ["w", "w || '%'", "'%' || w || '%'", "concat('_', w)"])
@pytest.mark.parametrize("test", ["LIKE", "NOT LIKE", "ILIKE"])
@pytest.mark.parametrize("escape", ["", " ESCAPE ''", " ESCAPE '#'"])
def test_patterns_that_a_row_makes(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, made: str, test: str, escape: str
) -> None:
    """As Postgres has them, of letters that both engines fold alike; NULL with an escape, and where they are long."""
    letter = {"": "\\", " ESCAPE ''": "", " ESCAPE '#'": "#"}[escape]
    sql = f"v {test} {made}{escape}"
    typed = total(parse(sql), {("t", name): Typed(exp.column(name, "t", quoted=True), _TEXT) for name in "vw"})
    known = f"length({made}) <= 100" + (f" AND strpos({made}, '{letter}') = 0" if letter else "")
    mine = duck.execute(f"SELECT {engine_text(typed.sql, 'duckdb')} {_PAIRS}").fetchall()
    rewritten = postgres.execute(f"SELECT {engine_text(typed.sql, 'postgres')} {_PAIRS}").fetchall()  # type: ignore[arg-type]
    theirs = postgres.execute(f"SELECT CASE WHEN {known} THEN {sql} END {_PAIRS}").fetchall()  # type: ignore[arg-type]
    assert mine == rewritten == theirs
    assert {value for (value,) in mine} == {None, True, False}


@pytest.mark.parametrize(
    ("pattern", "new", "flags"),
    [
        (r"[^0-9]", "", "g"),
        (r"\s+", " ", "g"),
        (r"^(\w+)-(\w+)$", r"\2 \1", ""),
        (r"^(.*)@(.*)$", r"\1", ""),
        (r"^\s+|\s+$", "", "g"),
        (r"-.*$", "", ""),
        (r"(\d)(\d)", r"\2\1", "g"),
        (r"foobar|foo", "x", "g"),
        (r"([A-Z])", r"<\1>", "gi"),
        (r"(?:,\s*)?b$", "", ""),
        (r"^Dr\.? |^Mr\.? ", "", ""),
    ],
)
def test_what_analysts_replace(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, pattern: str, new: str, flags: str
) -> None:
    assert same_everywhere(f"regexp_replace(v, {quoted(pattern)}, {quoted(new)}, '{flags}')", duck, postgres)


@pytest.mark.larger
@settings(max_examples=sized(40, 120, 1200), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(patterns())
def test_parts_that_patterns_take_are_those_of_postgres(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, pattern: str
) -> None:
    event("admitted" if same_everywhere(f"substring(v from {quoted(pattern)})", duck, postgres) else "refused")


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "@(.*)$",
            "https?://[^/]+/(.*)",
            "^(\\w+)-",
            "[0-9]+",
            "b.*",
            "(a)(b)",
            "a(b*)",
            "(?:a|b)(.)",
            "[^a]+$",
            "(@)",
        ),
        *("^[0-9]*", "^a*(b?)", "^", "(?i)[a-c]+", "\\((.*)\\)", "^(.)$", ".$", "(\\w+)\\s*$", "x=([0-9]+)"),
    ],
)
def test_parts_that_analysts_take(duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, pattern: str) -> None:
    assert same_everywhere(f"substring(v from {quoted(pattern)})", duck, postgres)


@pytest.mark.parametrize("pattern", ["[0-9]*", "a(b)?", "(ab|a)c?(.*)", "a*?b", "(a|bc)+"])
def test_parts_that_engines_do_not_share_are_refused(pattern: str) -> None:
    with pytest.raises(FeatureNotSupported) as caught:
        total(parse(f"substring(v from {quoted(pattern)})"), SCOPE)
    assert caught.value.hint


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(a)\1", "(?=a)b", "(?!a)b", "(?<=a)b", r"\mfoo\M", r"\yfoo", r"\bfoo", r"a\B", "***:a", "(?n)a", "[[.a.]]"),
        *(
            "[[=a=]]",
            r"\x41",
            r"\u0041",
            "a**",
            "*a",
            "(",
            "a)",
            "[a",
            "a{2,1}",
            "a{300}",
            "[b-a]",
            "^*",
            r"[\D]",
            "a\\",
        ),
        *("(?:a{20}){30}", "(" * 50 + ")" * 50, r"\Q", "[a-c-e]", r"[a-\d]", "[[:foo:]]", "a{1,2}{3}"),
    ],
)
def test_what_engines_do_not_share_is_refused(pattern: str) -> None:
    with pytest.raises(FeatureNotSupported) as caught:
        total(parse(f"v ~ {quoted(pattern)}"), SCOPE)
    assert caught.value.hint


@pytest.mark.parametrize("pattern", [")|(", "a)|(b", "(a", "a)", "[a", "a\\"])
def test_an_order_of_brackets_that_leaves_the_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(FeatureNotSupported) as caught:
        total(parse(f"v SIMILAR TO {quoted(pattern)}"), SCOPE)
    assert caught.value.hint


@pytest.mark.parametrize("pattern", ["a|ab", ".*?-", "(foo|foobar)x?", "(a*)*", "(a|)+b"])
def test_matches_of_different_length_are_not_replaced(pattern: str) -> None:
    assert not reaches_alike(read_regex(pattern, False))


def letters_read(pattern: str, text: str) -> int:
    """How many letters are read to replace all matches, where each search reads on until it is sure of its match.

    A search of its own, a thread for each place that a match may begin at, to compare with the claim of `ends_soon`.
    """
    steps, count, begin = compiled(read_regex(pattern, False)), 0, 0
    while begin <= len(text):
        threads: dict[int, tuple[int, ...]] = {}
        best: tuple[int, int] | None = None
        for at in range(begin, len(text) + 1):
            if best is None:
                threads[at] = (0,)
            place = Place(at == 0, at == len(text))
            there = {first: reached(steps, states, place) for first, states in threads.items()}
            for first, states in there.items():
                if any(not steps[state].following for state in states) and (best is None or first <= best[0]):
                    best = (first, at)
            if at == len(text):
                break
            after = {first: after_letter(steps, states, ord(text[at])) for first, states in there.items()}
            threads = {first: each for first, each in after.items() if each and (best is None or first <= best[0])}
            count += 1
            if best is not None and not threads:
                break
        if best is None:
            return count
        begin = max(best[1], begin + 1)
    return count


QUADRATIC = [
    ("x([^~]*~)?", "x"),
    ("x[^~]*~|[xy]", "xy"),
    ("xx*~|x", "x"),
    ("a[^~]*~|b", "ab"),
    ("[ab](.*~)?", "ab"),
    ("a.*b|c", "ac"),
    ("(a+b)+|a", "a"),
]


@pytest.mark.long
@pytest.mark.parametrize(("pattern", "word"), QUADRATIC)
def test_replacing_that_takes_the_square_of_the_text_is_refused(pattern: str, word: str) -> None:
    few, many = (letters_read(pattern, word * times) for times in (25, 200))
    assert many > 30 * few
    regex = read_regex(pattern, False)
    assert reaches_alike(regex) and not ends_soon(regex)
    with pytest.raises(FeatureNotSupported, match="could take very long"):
        total(parse(f"regexp_replace(v, {quoted(pattern)}, '', 'g')"), SCOPE)
    total(parse(f"regexp_replace(v, {quoted(pattern)}, '')"), SCOPE)


@pytest.mark.long
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(patterns(), st.text("ab1 -x", min_size=1, max_size=5), st.text("ab1 -x", max_size=3))
def test_replacing_all_takes_time_as_the_text_grows(pattern: str, word: str, end: str) -> None:
    """Eight times the text is read in eight times the steps, not sixty-four."""
    try:
        regex = read_regex(pattern, False)
    except Unreadable:
        return
    if not may_be_empty(regex) and reaches_alike(regex) and ends_soon(regex):
        few, many = (letters_read(pattern, word * times + end) for times in (25, 200))
        event(f"read {round(many / max(few, 1))} times as often")
        assert many <= 12 * few + 100


USUAL = ["[0-9]+", "[^-]*-", '"[^"]*"', r"\(.*\)", r"\s+$", "(foo|bar)+", "<[^>]*>", "a{2,80}"]


@pytest.mark.parametrize("pattern", USUAL)
def test_what_analysts_replace_everywhere_ends_soon(pattern: str) -> None:
    assert ends_soon(read_regex(pattern, False))


def test_groups_that_engines_fill_differently_are_not_taken() -> None:
    assert takes_alike(read_regex(r"(\d+)-(a|b)$", False), {1, 2})
    assert not takes_alike(read_regex("(a|ab)(c|bcd)(d*)", False), {1})
    assert not takes_alike(read_regex("(a)*b", False), {1})
    assert not takes_alike(read_regex("(a)|(b)", False), {2})


@given(st.text(alphabet=st.sampled_from(r"ab\()[]{}|*+?^$.-:,0123dwsDx=!<é"), max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_regex(text, True)
    except Unreadable:
        event("refused")
