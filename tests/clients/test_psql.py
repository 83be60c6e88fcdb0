r"""psql, the front's and the machine's: every command of the \d family, and every way that psql has to ask.

The commands about the catalog are judged by a plain Postgres of the same version before which an ordinary user sits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import pytest
from scratch_postgres import ScratchPostgres

from .backends import COMMANDS_REFUSED_WHERE_GIVEN, OWNERS, Backend
from .course.client import Address
from .course.drivers.psql import THEIRS, conninfo, machines
from .served import Said, psql

PROGRAMS = pytest.mark.parametrize("program", [THEIRS, machines()], ids=["the front's", "the machine's"])
KEPT = (
    "CREATE TABLE gina.kept AS SELECT sex, count(*) FROM people GROUP BY sex;\nCOMMENT ON TABLE gina.kept IS 'mine';\n"
)


def commands(text: str) -> list[str]:
    """The commands of a text, in which a colon stands for a blank."""
    return [each.replace(":", " ") for each in text.split()]


# What these show is Postgres's own: the same words as on the plain one.
POSTGRES = commands(
    r"""
    \dTS \dF \dF+:english \dFd \dFd+ \dFp \dFp+ \dFt \dFt+ \dA \dA+ \dAc:btree \dAf:btree \dAo:btree \dAo+:btree
    \dAp:btree \dAp+:btree \dC \dC+ \dcS \da:count \do:= \df:lower \dfa:sum \dfw:rank \dX \dx \dy \dO \dD \dd
    \dm \ds \dP \dPti \det \deu \ddp \dRp \dRs \dl \sf:col_description \sf+:col_description \sv:pg_tables
    \sv+:pg_views
    """
)
# What these show is the policy's, and who is whose: only that they work is the same.
OURS = commands(
    r"""
    \d \d+ \d:people \d+:people \d+:visits \d+:gina.kept \d:dp.budget \d:people_pkey \dS+:pg_class \dt \dt+
    \dt:*.* \dtvmsE+ \dv \dv:*.* \di \di+ \dE+:*.* \dn \dn+ \du \du+ \dg \df \df+:lower \df:*.* \dfn \dft \dfp
    \dT \dT+ \dp \dp:people \z \z:*.* \dD+ \dx+ \dy+ \des \des+ \det+ \deu+ \dew \dew+ \dL \dL+ \dOS \dO+ \dc+
    \dP+ \dRp+ \dRs+ \dconfig \dconfig+:work_mem \drds \drg \db \db+ \l \l+ \l:demo \dAf+:btree \lo_list
    \encoding \conninfo
    """
)
NOT_FOR_ANYONE = {r"\dRs+", r"\db+"}  # an ordinary user may not read what these ask for


@pytest.fixture(scope="module")
def ordinary(plain: ScratchPostgres) -> Iterator[str]:
    """How an ordinary user connects to the plain Postgres, with a schema of her own and a grant to read."""
    with psycopg.connect(plain.conninfo, autocommit=True) as connection:
        connection.execute("CREATE ROLE gina LOGIN PASSWORD 'g'; CREATE SCHEMA gina AUTHORIZATION gina")
        connection.execute("GRANT SELECT ON people, visits TO gina")
        yield plain.conninfo_of("gina", "g")
        connection.execute("DROP OWNED BY gina; DROP ROLE gina")


def shown(program: Path, where: str, asked: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What each command writes, and the errors of those that fail, all in one session."""
    script = "".join(f"\\echo '@@{escaped(each)}'\n\\warn '@@{escaped(each)}'\n{each}\n" for each in asked)
    said = psql(
        program, where, "-v", "ON_ERROR_STOP=0", "-P", "footer=on", script=f"{KEPT}{script}\nDROP TABLE gina.kept;\n"
    )
    assert said.status == 0, said.err
    errors = {name: text for name, text in blocks(said.err).items() if "ERROR" in text or "invalid" in text}
    return blocks(said.out), errors


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\")


def blocks(text: str) -> dict[str, str]:
    """What stands after each mark, NOTICEs apart."""
    pieces = (piece.partition("\n") for piece in text.split("@@")[1:])
    return {name: "".join(line for line in rest.splitlines(True) if "NOTICE" not in line) for name, _, rest in pieces}


@PROGRAMS
def test_the_catalog(program: Path | None, gina: Address, ordinary: str, backend: Backend) -> None:
    if program is None:
        pytest.skip("there is no psql")
    told, errors = shown(program, conninfo(program, gina), POSTGRES + OURS)
    judged, expected = shown(program, ordinary, POSTGRES + OURS)
    if backend is Backend.GIVEN:
        for command, name in COMMANDS_REFUSED_WHERE_GIVEN.items():
            assert f"permission denied for {name}\n" in errors.pop(command)
    assert errors.items() <= expected.items()
    assert program != THEIRS or {*errors} <= NOT_FOR_ANYONE
    for command in POSTGRES:
        assert told[command] == judged[command], command
    assert "age|integer||not null||plain|||bounds 0 to 120\n" in told[r"\d+ people"]
    assert f"public|people|table|{OWNERS[backend]}|permanent|heap|" in told[r"\dt+"]
    assert told[r"\d people"] == judged[r"\d people"].replace("name|text|||\n", "")
    assert f"gina=r/{OWNERS[backend]}" in told[r"\dp people"]
    assert "gina|kept|table|gina|permanent|heap|16 kB|mine\n" in told[r"\dt+"]
    assert f"public|people_pkey|index|{OWNERS[backend]}|people\n" in told[r"\di"]
    assert f"demo|{OWNERS[backend]}|UTF8|" in told[r"\l demo"] or r"\l demo" in errors


BY_SEX = "SELECT sex, count(*) AS n FROM people GROUP BY sex ORDER BY sex"
PIVOT = "SELECT sex, smoker, count(*) FROM people GROUP BY sex, smoker ORDER BY sex, smoker"
PREVIEW = "SELECT * FROM people LIMIT 100"
# Scripts, and what each writes.
WAYS = [
    (f"{BY_SEX} \\gdesc", "sex|text\nn|bigint\n"),
    (f"{BY_SEX} \\gx", "sex|F\nn|200\n\nsex|M\nn|200\n"),
    (
        f"\\x on\n{BY_SEX};\n\\x off",
        "Expanded display is on.\nsex|F\nn|200\n\nsex|M\nn|200\nExpanded display is off.\n",
    ),
    ("SELECT count(*) AS n FROM people WHERE sex = 'F' \\gset all_\n\\echo :all_n", "200\n"),
    ("SELECT count(*) AS n FROM people WHERE age > 30 \\gset\nSELECT :n + 1;", "315\n"),
    (f"{PIVOT} \\crosstabview", "F|100|100\nM|200|0\n"),
    (f"\\copy ({BY_SEX}) TO STDOUT WITH (FORMAT csv, HEADER)", "sex,n\nF,200\nM,200\n"),
    (f"COPY ({BY_SEX}) TO STDOUT;", "F\t200\nM\t200\n"),
    (f"{BY_SEX} \\g (format=csv tuples_only=off)", "sex,n\nF,200\nM,200\n"),
    (f"{BY_SEX} \\g | cat", "F|200\nM|200\n"),
    ("SELECT 'SELECT ' || count(*) FROM people \\gexec", "400\n"),
    (f"{BY_SEX}\\; SELECT 1;", "F|200\nM|200\n1\n"),
    (f"\\set FETCH_COUNT 1\n{BY_SEX};\n\\unset FETCH_COUNT", "F|200\nM|200\n"),
    (f"\\set AUTOCOMMIT off\n{BY_SEX};\nCOMMIT;\n\\set AUTOCOMMIT on", "F|200\nM|200\nCOMMIT\n"),
    (f"\\set ON_ERROR_ROLLBACK on\nBEGIN;\n{PREVIEW};\n{BY_SEX};\nCOMMIT;", "BEGIN\nF|200\nM|200\nCOMMIT\n"),
    (f"{PREVIEW};\n\\echo :SQLSTATE :ERROR", "DP002 true\n"),
    (f"{BY_SEX};\n\\echo :ROW_COUNT :SQLSTATE", "F|200\nM|200\n2 00000\n"),
    (
        "PREPARE p(int) AS SELECT count(*) FROM people WHERE age > $1;\nEXECUTE p(30);\nDEALLOCATE p;",
        "PREPARE\n314\nDEALLOCATE\n",
    ),
    (
        f"BEGIN;\nDECLARE c SCROLL CURSOR FOR {BY_SEX};\nFETCH LAST c;\nFETCH FIRST c;\nCOMMIT;",
        "BEGIN\nDECLARE CURSOR\nM|200\nF|200\nCOMMIT\n",
    ),
    ("TABLE departments ORDER BY 1 LIMIT 1;\nVALUES (1), (2);", "cardio|north|20\n1\n2\n"),
    ("SHOW dp.epsilon;", "100000\n"),
    ("\\timing on\n\\timing off", "Timing is on.\nTiming is off.\n"),
]
# Those that came after psql 15.
WAYS_OF_18 = [
    (f"{BY_SEX} \\watch c=2 i=0.1", "F|200\nM|200\n" * 2),
    ("SELECT count(*) FROM people WHERE age > $1 \\bind 30 \\g", "314\n"),
    ("SELECT count(*) FROM people WHERE age > $1 \\parse old\n\\bind_named old 30 \\g\n\\close_prepared old", "314\n"),
    (
        f"\\startpipeline\n{BY_SEX} \\bind \\sendpipeline\nSELECT $1::int \\bind 7 \\sendpipeline\n"
        f"\\flushrequest\n\\getresults\n{BY_SEX} \\bind \\sendpipeline\n\\endpipeline",
        "F|200\nM|200\n7\nF|200\nM|200\n",
    ),
    (
        f"\\startpipeline\nSELECT 1 \\bind \\sendpipeline\n{PREVIEW} \\bind \\sendpipeline\n"
        "SELECT 2 \\bind \\sendpipeline\n\\syncpipeline\nSELECT 3 \\bind \\sendpipeline\n\\endpipeline",
        "1\n3\n",
    ),
]


def said_to(program: Path, gina: Address, scripts: Sequence[str]) -> Said:
    """All scripts in one session, a mark before each one's lines."""
    script = "".join(f"\\echo '@@{number}'\n{each}\n" for number, each in enumerate(scripts))
    return psql(program, conninfo(program, gina), "-v", "ON_ERROR_STOP=0", script=script)


@PROGRAMS
def test_ways_to_ask(program: Path | None, gina: Address) -> None:
    if program is None:
        pytest.skip("there is no psql")
    ways = WAYS + (WAYS_OF_18 if program == THEIRS else [])
    said = said_to(program, gina, [script for script, _ in ways])
    assert said.status == 0, said.err
    told = blocks(said.out)
    for number, (script, expected) in enumerate(ways):
        assert told[str(number)].strip("\n") == expected.strip("\n"), script


@PROGRAMS
def test_errors_are_told_in_full(program: Path | None, gina: Address, tmp_path: Path) -> None:
    if program is None:
        pytest.skip("there is no psql")
    copied = tmp_path / "by_sex.csv"
    said = said_to(
        program, gina, [f"{PREVIEW};", "\\errverbose", f"\\copy ({BY_SEX}) TO '{copied}'", "SELECT shoe FROM people;"]
    )
    assert "HINT:  Select aggregates" in said.err
    assert "ERROR:  DP002: this statement would return rows of private tables" in said.err
    assert "LINE 1: SELECT shoe FROM people;\n               ^" in said.err
    assert copied.read_text() == "F\t200\nM\t200\n"
