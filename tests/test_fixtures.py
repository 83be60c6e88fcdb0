"""sql_fixtures/: what each pass makes of a statement, compared as text and executed.

A case is a title, settings if any, a statement, `-- =>` and what comes out. Run with UPDATE_FIXTURES=1 to write what
comes out now into the files, and read the difference before believing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from worlds import FIXTURES, TERMS, fitted, make_world, names_of, plan

from dpproxy.catalog.model import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.plan.model import Plan
from dpproxy.rewrite.admit import admit
from dpproxy.rewrite.explain import explain_text
from dpproxy.rewrite.label import label
from dpproxy.rewrite.parse import parse_statement
from dpproxy.rewrite.resolve import resolve

UPDATE = "UPDATE_FIXTURES" in os.environ


@dataclass(frozen=True)
class Case:
    """One case of a fixture file."""

    path: Path
    title: str
    settings: dict[str, str]
    sql: str
    expected: str


def cases(path: Path) -> Iterator[Case]:
    for block in re.split(r"\n\s*\n", path.read_text().strip()):
        head, _, expected = block.partition("\n-- =>")
        comments = [line[3:] for line in head.splitlines() if line.startswith("-- ")]
        sql = "\n".join(line for line in head.splitlines() if not line.startswith("--"))
        settings = dict(re.findall(r"^set dp\.(\w+) = (\S+)$", "\n".join(comments), re.M))
        if sql.strip():
            yield Case(path, comments[0], settings, sql.rstrip().rstrip(";"), expected.strip("\n"))


def written(case: Case, result: str) -> str:
    settings = "".join(f"-- set dp.{name} = {value}\n" for name, value in case.settings.items())
    return f"-- {case.title}\n{settings}{case.sql};\n-- =>\n{result}\n"


def by_file(folder: str) -> list[Path]:
    return sorted((FIXTURES / folder).glob("*.sql"))


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return fitted(make_world(tmp_path_factory.mktemp("world")))[1]


def bounded_texts(made: Plan) -> str:
    return "\n".join(f"{release.bounded.sql};" for release in made.releases)


def outputs(case: Case, catalog: Catalog) -> str:
    """What the pass that the file is named after makes of the statement."""
    tree: dict[str, Callable[[], str]] = {
        "label": lambda: label(parse_statement(case.sql), case.sql).sql("postgres") + ";",
        "resolve": lambda: (
            resolve(admit(parse_statement(case.sql), case.sql), case.sql, catalog, names_of(catalog)).sql("postgres")
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
        case _:
            return bounded_texts(made)


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


def test_the_same_question_gives_the_same_text(catalog: Catalog) -> None:
    for path in by_file("rewrite"):
        for case in cases(path) if path.stem in ("bound", "joins", "keys", "aggregates") else ():
            assert plan(case.sql, catalog, case.settings) == plan(case.sql, catalog, case.settings)
