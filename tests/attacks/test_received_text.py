"""No text that was received reaches an engine: what does was generated, and constants in it are what they were.

Everything that a proxy asks of its engine is overheard from outside: of DuckDB by a connection that writes down what it
is asked, of Postgres in the server's own log. The analyst's texts carry a word in comments, names, aliases and odd
blanks, which must not be heard; and all that is heard is what planning the text by itself makes.
"""

from __future__ import annotations

import ast
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import psycopg
import pytest
from clients.backends import Backend, made_world
from clients.served import Served, serving
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from mutations import tokens
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from test_text_fuzz import TEXTS
from worlds import fitted, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.config import load
from dpproxy.engines.duckdb.provider import DuckDBFile
from dpproxy.engines.postgres.provider import PostgresDatabase
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import FromPublic, Plan
from dpproxy.rewrite import Parameter
from dpproxy.session.postgres_parser import parse

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
SECONDS = sized(2.0, 3.0, 600.0)
WORD = "mk7f3c"
CHOSEN = (
    f"SELECT sum({WORD}.age) FROM people AS {WORD}",
    f"SELECT sum({WORD}_x) AS {WORD}_sum FROM (SELECT age AS {WORD}_x FROM people AS {WORD}_p) AS {WORD}_t",
    f"WITH {WORD} AS (SELECT sex AS {WORD}_s, age FROM people) SELECT {WORD}_s, count(*) FROM {WORD} GROUP BY 1",
    f'SELECT count(*) FROM people "{WORD} ""; DROP TABLE people; --"',
    f"SELECT count(*) FROM visits {WORD}1 JOIN people {WORD}2 ON {WORD}1.person_id = {WORD}2.person_id",
    f"SELECT count(*) FROM people WHERE EXISTS (SELECT 1 FROM visits {WORD} WHERE {WORD}.person_id = people.person_id)",
    f"SELECT sum({WORD}) FROM people p, LATERAL (SELECT p.age + 1 AS {WORD}) {WORD}_l",
    f"SELECT '{WORD}' AS c, count(*) AS n FROM people ORDER BY '{WORD}' || c",
    f"SELECT {WORD}.n FROM (SELECT dept, count(*) AS n FROM visits GROUP BY dept) AS {WORD}(d, n) WHERE d <> '{WORD}'",
    f"SELECT count(*) FROM visits WINDOW {WORD} AS (ORDER BY cost)",
)


@dataclass(frozen=True)
class Ear:
    """A proxy, what it has asked of its engine so far, and the policy's catalog."""

    served: Served
    dialect: str
    heard: Callable[[], list[str]]
    catalog: Catalog


@pytest.fixture(scope="module", params=list(Backend))
def ear(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ear]:
    directory: Path = tmp_path_factory.mktemp("heard")
    with made_world(request.param, directory) as policy:
        policy.write_text(policy.read_text() + (HERE / "world.toml").read_text().partition("[analysts.victor]")[0])
        text = policy.read_text()
        policy.write_text(text[: text.index("[tables.odds]")] + text[text.index("[analysts.mallory]") :])
        catalog = fitted(policy)[1]
        with pytest.MonkeyPatch.context() as patch:
            hear = _overhear(policy, directory, patch)
            with serving(policy, "demo") as served:
                yield Ear(served, "duckdb" if request.param is Backend.EMBEDDED else "postgres", hear, catalog)


def _overhear(policy: Path, directory: Path, patch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    match load(policy, {}).engine.url:
        case DuckDBFile():
            file = directory / "overheard"
            file.touch()
            patch.setenv("OVERHEARD", str(file))
            paths = [str(HERE / "overhearing"), os.environ.get("PYTHONPATH", "")]
            patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
            return lambda: [" ".join(ast.literal_eval(line)) for line in file.read_text().splitlines()]
        case PostgresDatabase(url):
            with psycopg.connect(make_conninfo(url, user="owner"), autocommit=True) as owner:
                owner.execute(b"ALTER SYSTEM SET log_line_prefix = '\x01%u|'")
                owner.execute("ALTER ROLE reader SET log_statement = 'all'")
                owner.execute("SELECT pg_reload_conf()")
            log = Path(str(conninfo_to_dict(url)["host"])) / "log"
            return lambda: [
                each.removeprefix("reader|") for each in log.read_text().split("\x01") if each.startswith("reader|")
            ]


def marked(sql: str, random: Random) -> str:
    """The text with the word in comments at its blanks, and around it."""
    comments = (f" /* {WORD} */ ", f" -- {WORD}\n", f"/*{WORD}/*{WORD}*/*/", f" --{WORD}\r ")
    words = [random.choice(comments) if word.isspace() and random.random() < 0.5 else word for word in tokens(sql)]
    return f"/* {WORD} */ {''.join(words)} -- {WORD}"


def _texts() -> list[str]:
    """Statements that the passes take, as many as there is time for."""
    random = Random("received")
    texts = [text for text in dict.fromkeys(TEXTS) if not re.search(r"now|current|local|mine|dp\.|\$\d", text)]
    return [marked(text, random) for text in random.sample(texts, min(len(texts), round(SECONDS * 15)))]


def test_no_engine_hears_what_was_received(ear: Ear) -> None:
    proof = ear.catalog.proof
    answered, made = 0, set[str]() if proof is None else {proof.sql, *filter(None, [proof.lock])}
    with ear.served.connect("mallory") as connection:
        connection.execute("SELECT count(*) FROM departments, nation")  # public tables are copied when first asked for
    time.sleep(0.2)
    before = len(ear.heard())
    with ear.served.connect("mallory") as connection:
        for sql in (*CHOSEN, *_texts()):
            try:
                connection.execute(sql.encode())
                answered += 1
            except psycopg.Error:
                connection.rollback()
            made |= _made(ear, sql)
    time.sleep(0.2)
    heard = ear.heard()[before:]
    assert answered > len(CHOSEN) / 2
    assert len(heard) > answered
    assert [text for text in heard if WORD in text] == []
    strangers = [text for text in heard if not any(each in _plain(text) for each in made) and not _OWN.match(text)]
    assert strangers == []


# What an engine of ours is asked besides: its transactions and settings.
_OWN = re.compile(
    r"(LOG:\s+(statement|execute [^:]*): )?"
    r"(BEGIN|COMMIT|ROLLBACK|SET|RESET|SELECT pg_catalog\.)|DETAIL:"
)


def _plain(text: str) -> str:
    """Postgres's log has a tab before each line but the first, and a number where the plan names a released column."""
    return re.sub(r"\$(\d+::text\[\]|r\d+c\d+(?:k\d+v\d+)?)", "$released", text.replace("\n\t", "\n"))


def _made(ear: Ear, sql: str) -> set[str]:
    try:
        made = plan(sql, ear.catalog, dialect=ear.dialect)
    except DPProxyError:
        return set()
    return {_plain(text) for text in texts_of(made)}


def texts_of(made: Plan) -> list[str]:
    """All texts for the engine."""
    domains = [key.domain for release in made.releases for key in release.bounded.keys]
    return [
        *(release.bounded.sql for release in made.releases),
        *(domain.sql for domain in domains if isinstance(domain, FromPublic)),
    ]


# Places of a constant in a statement. That of the last is a key, whose text goes on.
PLACES = (
    "SELECT count(*) FROM people WHERE city = {}",
    "SELECT count(*) FROM people WHERE city IN ('Delft', {})",
    "SELECT count(*) FROM people WHERE city || {} <> 'Delft'",
    "SELECT count(*) FROM people WHERE coalesce(city, {}) > 'Delft'",
    "SELECT sum(CASE WHEN city <> {} THEN age END) FROM people",
    "SELECT count(*) FROM people JOIN (VALUES ({})) AS v(x) ON v.x = city",
    "SELECT city || {} AS c, count(*) FROM people GROUP BY 1",
)
NASTY = (
    "'", "''", "\\", "\\'", "'\\", "\\\\''", '"', '""', "$$", "$x$", "$1", "$r0c0", "--", "/*", "*/", ";", "%", "_",
    "\n", "\r", "\t", "\x01", "\x7f", "\x85", "\xa0", "\u2028", "\ufeff", "\u200b", "\u212a", "\U0001f600",
    "e\u0301", "ſ", "İ", "{}", "{{x}}", "{%", "?", ":x", "@x", "#", "`", "E'x'", "U&'\\0041'", "\\x41", "\\101",
    "\\u0041", "'); DROP TABLE people; --", "' OR 1=1 --", "x" * 3000,
)  # fmt: skip


def quoted(text: str) -> str:
    """A constant of standard SQL."""
    return "'" + text.replace("'", "''") + "'"


def read_by(dialect: str, sql: str) -> Any:
    """The tree of a text as the engine's own parser makes it, without places."""
    match dialect:
        case "duckdb":
            ((tree,),) = duckdb.execute("SELECT json_serialize_sql($1)", [sql]).fetchall()
            return json.loads(tree)
        case _:
            return [each.body for each in parse(sql)]


_PLACE = re.compile(r"location|list_(start|end)|stmt_len")


def without(tree: Any, value: str) -> Any:
    """The tree with one word for a constant of that value, and without places."""
    match tree:
        case dict():
            return {name: without(part, value) for name, part in tree.items() if not _PLACE.search(name)}
        case list():
            return [without(part, value) for part in tree]
        case _:
            return "the constant" if tree == value else tree


# What looks like a word of a tree could be taken for one.
_VALUES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12).filter(
    lambda value: not re.fullmatch(r"[\w.,() -]*", value, re.ASCII)
)


_KEPT: dict[tuple[str, str], Any] = {}


def _constant(catalog: Catalog, value: str) -> None:
    """Written in one half of the places, and bound in the other."""
    for dialect in ("duckdb", "postgres"):
        for number, place in enumerate(PLACES, start=len(value)):
            bound = number % 2 == 1
            sql = place.format("$1" if bound else quoted(value))
            try:
                made = plan(sql, catalog, dialect=dialect, parameters=(Parameter("text", value),) if bound else ())
            except DPProxyError:
                continue
            found = [without(read_by(dialect, each), value) for each in texts_of(made)]
            assert found == _usual(catalog, dialect, place), (dialect, sql, value)


def _usual(catalog: Catalog, dialect: str, place: str) -> Any:
    """What the engine reads where the constant is a word."""
    if (dialect, place) not in _KEPT:
        made = plan(place.format(quoted("a word")), catalog, dialect=dialect)
        _KEPT[dialect, place] = [without(read_by(dialect, each), "a word") for each in texts_of(made)]
    return _KEPT[dialect, place]


def test_a_constant_reaches_the_engine_as_itself(catalog: Catalog) -> None:
    for value in NASTY:
        _constant(catalog, value)


def test_so_does_any_other(catalog: Catalog) -> None:
    @settings(max_examples=round(SECONDS * 5), deadline=None, database=None)
    @given(_VALUES)
    def each(value: str) -> None:
        _constant(catalog, value)

    each()
