"""sql_fixtures/: what each pass makes of a statement, compared as text and executed.

A case is a title, settings if any, a statement, `-- =>` and what comes out. Between a statement that is refused and its
`-- =>` stands `-- instead:` and one that is answered, as the hint tells. Run with UPDATE_FIXTURES=1 to write what comes
out now into the files, and read the difference before believing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

import pytest
from worlds import FIXTURES, OWN, TERMS, fitted, make_world, names_of, plan

from dpproxy.catalog.model import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.plan.model import Bounded, FromPublic, FromRelease, Key, Literals, Plan, PrivateKeys
from dpproxy.rewrite.explain import explain_text
from dpproxy.rewrite.reading.admit import admit
from dpproxy.rewrite.reading.label import label
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.reading.resolve import resolve

UPDATE = "UPDATE_FIXTURES" in os.environ
# Files whose cases show the bounded SQL alone.
BARE = ("aggregates", "bound", "keys", "projection")


@dataclass(frozen=True)
class Case:
    """One case of a fixture file. `instead`: of one that is refused, the statement that is answered."""

    path: Path
    title: str
    settings: dict[str, str]
    sql: str
    expected: str
    instead: Case | None = None


def cases(path: Path) -> Iterator[Case]:
    for block in re.split(r"\n\s*\n", path.read_text().strip()):
        head, _, expected = block.partition("\n-- =>")
        asked, instead, form = head.partition("\n-- instead:")
        case = _case(path, asked, expected.strip("\n"))
        if case.sql:
            works = _case(path, f"-- {case.title}, instead{form}", "")
            yield replace(case, instead=works if instead else None)


def _case(path: Path, head: str, expected: str) -> Case:
    comments = [line[3:] for line in head.splitlines() if line.startswith("-- ")]
    sql = "\n".join(line for line in head.splitlines() if not line.startswith("--"))
    settings = dict(re.findall(r"^set dp\.(\w+) = (\S+)$", "\n".join(comments), re.M))
    return Case(path, comments[0] if comments else "", settings, sql.strip().rstrip(";"), expected)


def written(case: Case, result: str) -> str:
    instead = "" if case.instead is None else f"-- instead:\n{_text(case.instead)}"
    return f"-- {case.title}\n{_text(case)}{instead}-- =>\n{result}\n"


def _text(case: Case) -> str:
    return "".join(f"-- set dp.{name} = {value}\n" for name, value in case.settings.items()) + f"{case.sql};\n"


def by_file(folder: str) -> list[Path]:
    return sorted((FIXTURES / folder).glob("*.sql"))


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return fitted(make_world(tmp_path_factory.mktemp("world")))[1]


def bounded_texts(made: Plan) -> str:
    return "\n".join(f"{release.bounded.sql};" for release in made.releases)


def described(made: Plan) -> str:
    """The bounded SQL of each release with what it claims, and the statement for the front."""
    releases = [line for release in made.releases for line in _described(release.bounded)]
    return "\n".join([*releases, f"-- post: {made.post.sql}"])


def _described(bounded: Bounded) -> Iterator[str]:
    yield f"{bounded.sql};"
    yield f"-- unit {bounded.unit}: {bounded.rows} rows, {bounded.groups} keys ({bounded.limit.name})"
    for key in bounded.keys:
        yield f"-- {key.name}: {_domain(key)}"
    for measure in bounded.measures:
        yield f"-- {measure.name}: {measure.kind.name} {measure.lower}..{measure.upper} step {measure.step}"
    if bounded.inputs:
        yield f"-- inputs: {', '.join(each.name for each in bounded.inputs)}"
    for note in bounded.notes:
        yield f"-- note: {note}"


def _domain(key: Key) -> str:
    match key.domain:
        case Literals(values):
            return f"values {', '.join(map(repr, values))}"
        case FromPublic(sql, column, inputs, nullable):
            read = "".join(f", {each.name}" for each in inputs)
            return f"column {column} of {sql}{read}{' or NULL' if nullable else ''}"
        case FromRelease(release, column):
            return f"column {column} of release {release}"
        case PrivateKeys():
            return "private"
        case _:
            assert_never(key.domain)


def outputs(case: Case, catalog: Catalog) -> str:
    """What the pass that the file is named after makes of the statement."""
    tree: dict[str, Callable[[], str]] = {
        "label": lambda: label(parse_statement(case.sql), case.sql).sql("postgres") + ";",
        "resolve": lambda: (
            resolve(admit(parse_statement(case.sql), case.sql), case.sql, catalog, names_of(catalog), OWN).sql(
                "postgres"
            )
            + ";"
        ),
    }
    if case.path.stem in tree:
        return tree[case.path.stem]()
    made = plan(case.sql, catalog, case.settings)
    match case.path.stem:
        case "swap" | "release_point":
            return f"{made.post.sql};\n-- {', '.join(made.post.input_types)}"
        case "explain" | "allocate":
            return "\n".join(
                f"-- {line}"
                for line in explain_text(made, TERMS.epsilon, TERMS.limit.delta)
                if not line.startswith(("  Bounded SQL:", "    "))
            )
        case name if name in BARE:
            return bounded_texts(made)
        case _:
            return described(made)


def refusal(case: Case, catalog: Catalog) -> str:
    with pytest.raises(DPProxyError) as caught:
        plan(case.sql, catalog, case.settings)
    fault = caught.value
    place = f" at {fault.position} ({case.sql[fault.position - 1 :][:12]!r})" if fault.position else ""
    return f"-- {fault.sqlstate}{place}: {fault.message}\n-- HINT: {fault.hint}"


def compare(path: Path, catalog: Catalog, made: Callable[[Case, Catalog], str]) -> None:
    found = [(case, made(case, catalog)) for case in cases(path)]
    assert found
    if UPDATE:
        path.write_text("\n".join(written(case, result) for case, result in found))
    for case, result in found:
        assert result == case.expected or UPDATE, case.title


# Expressions have a runner of their own: test_expressions.py.
@pytest.mark.parametrize(
    "path", [path for path in by_file("rewrite") if path.stem != "expressions"], ids=lambda path: path.stem
)
def test_passes(path: Path, catalog: Catalog) -> None:
    compare(path, catalog, outputs)


@pytest.mark.parametrize("path", by_file("refuse"), ids=lambda path: path.stem)
def test_refusals(path: Path, catalog: Catalog) -> None:
    compare(path, catalog, refusal)


@pytest.mark.parametrize("path", by_file("refuse"), ids=lambda path: path.stem)
def test_what_to_write_instead_is_answered(path: Path, catalog: Catalog) -> None:
    for case in cases(path):
        assert case.instead is not None, case.title
        assert plan(case.instead.sql, catalog, case.instead.settings).post.sql


@pytest.mark.parametrize("path", by_file("refuse"), ids=lambda path: path.stem)
def test_a_refusal_names_nothing_of_the_proxys_own(path: Path) -> None:
    for case in cases(path):
        assert "dpproxy" not in case.expected, case.title


def test_the_same_question_gives_the_same_text(catalog: Catalog) -> None:
    for path in by_file("rewrite"):
        for case in cases(path) if path.stem in ("bound", "joins", "keys", "aggregates") else ():
            assert plan(case.sql, catalog, case.settings) == plan(case.sql, catalog, case.settings)
