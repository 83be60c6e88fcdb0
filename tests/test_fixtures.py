"""sql_fixtures/: what each pass makes of a statement, compared as text and executed.

Each case is a test, named by its file and its title: `pytest -k "the title"` runs one. Run with UPDATE_FIXTURES=1 to
write what comes out now into the files, and read the difference before believing it.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import assert_never

import pytest
from sql_cases import FIXTURES, Case, Outcomes, by_file, cases, each_of, rewritten
from worlds import OWN, TERMS, names_of, plan, uncapped

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.mechanisms.clipped_max import ClippedMax
from dpproxy.mechanisms.kinds import Quantiles
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.plan.private_plan import FromPublic, FromRelease, Key, Literals, Plan, PrivateKeys, Release
from dpproxy.rewrite.explain import explain_text
from dpproxy.rewrite.reading.admit import admit
from dpproxy.rewrite.reading.label import label
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.reading.resolve import resolve

Compare = Callable[[Case, str], None]
# Files whose cases show the bounded SQL alone.
BARE = ("aggregates", "bound", "keys", "projection")


def bounded_texts(made: Plan) -> str:
    return "\n".join(f"{release.bounded.sql};" for release in made.releases)


def described(made: Plan) -> str:
    """The bounded SQL of each release with what it claims, and the statement for the front."""
    releases = [line for release in made.releases for line in _described(release)]
    before = [] if made.post.before is None else [f"-- before the charge: {made.post.before}"]
    return "\n".join([*releases, *before, f"-- post: {made.post.sql}"])


def _described(release: Release) -> Iterator[str]:
    bounded = release.bounded
    yield f"{bounded.sql};"
    yield f"-- unit {bounded.unit}: {bounded.rows} rows, {bounded.groups} keys ({bounded.limit.name})"
    if bounded.pair is not None:
        yield f"-- of pairs: {', '.join(bounded.pair)}"
    if bounded.clip is not None:
        spread = "" if bounded.spread is None else f", keys selected by weights of {bounded.spread.value} norm one"
        up_to = "" if bounded.caps is None else f", of {bounded.caps.rows} rows in {bounded.caps.groups} keys at most"
        yield f"-- scaled down to a clip of the {bounded.clip.value} norm{up_to}{spread}"
    for key in bounded.keys:
        yield f"-- {key.name}: {_domain(key)}"
    for measure in bounded.measures:
        yield f"-- {measure.name}: {measure.kind.name} {measure.lower}..{measure.upper} step {measure.step}"
    for applied in release.mechanisms:
        if isinstance(applied.mechanism, NoisyMax | ClippedMax):
            several = f"the {applied.mechanism.places} keys" if applied.mechanism.places > 1 else "the key"
            yield f"-- told: {several} of the largest m{applied.measure}"
            told = [f"m{each.measure}" for each in release.mechanisms[1:]]
            if told:
                yield f"-- told of what was chosen: {', '.join(told)}"
        if isinstance(applied.mechanism, ModeChoice):
            yield f"-- told: the largest of m{applied.measure} among {applied.mechanism.buckets}"
        if isinstance(applied.mechanism, Quantiles):
            ranks = ", ".join(f"{each.numerator}/{each.denominator}" for each in applied.mechanism.ranks)
            of = f"m{applied.measure} among {applied.mechanism.buckets}"
            yield f"-- told: {type(applied.mechanism).__name__} {ranks} of {of}"
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


# Expressions have a runner of their own: test_expressions.py.
@each_of(path for path in by_file("rewrite") if path.stem != "expressions")
def test_passes(case: Case, catalog: Catalog, compare: Compare) -> None:
    compare(case, outputs(case, catalog))


@each_of(by_file("uncapped"))
def test_without_caps(case: Case, catalog: Catalog, compare: Compare) -> None:
    compare(case, described(plan(case.sql, uncapped(catalog), case.settings)))


@each_of(by_file("capped"))
def test_with_caps_that_a_clip_ends_at(case: Case, catalog: Catalog, compare: Compare) -> None:
    compare(case, described(plan(case.sql, replace(catalog, caps_hold=False), case.settings)))


@each_of(by_file("refuse"))
def test_refusals(case: Case, catalog: Catalog, compare: Compare) -> None:
    compare(case, refusal(case, catalog))


@each_of(by_file("refuse"))
def test_what_to_write_instead_is_answered(case: Case, catalog: Catalog) -> None:
    assert case.instead is not None
    assert plan(case.instead.sql, catalog, case.instead.settings).post.sql


def test_a_refusal_names_nothing_of_the_proxys_own() -> None:
    assert [case.title for path in by_file("refuse") for case in cases(path) if "dpproxy" in case.expected] == []


@each_of(path for path in by_file("rewrite") if path.stem in ("bound", "joins", "keys", "aggregates"))
def test_the_same_question_gives_the_same_text(case: Case, catalog: Catalog) -> None:
    assert plan(case.sql, catalog, case.settings) == plan(case.sql, catalog, case.settings)


FILES = [*by_file("rewrite"), *by_file("uncapped"), *by_file("capped"), *by_file("refuse"), FIXTURES / "work.sql"]


def test_a_title_is_there_once_in_its_file() -> None:
    titles = Counter((path, case.title) for path in FILES for case in cases(path))
    assert [title for title, times in titles.items() if times > 1 or title[1] == ""] == []


def test_a_file_is_written_as_it_was_read() -> None:
    for path in FILES:
        assert rewritten(path, {}) == path.read_text(), path


def test_what_comes_out_is_written_in_its_case_alone(tmp_path: Path) -> None:
    path = tmp_path / "two.sql"
    path.write_text("-- one\nSELECT 1;\n-- =>\n-- a\n\n-- two\n-- set dp.epsilon = 2\nSELECT 2;\n-- =>\n-- b\n")
    outcomes = Outcomes()
    for case in cases(path):
        if case.title == "two":
            outcomes.keep(case, "-- new")
    before = path.read_text()
    outcomes.write()
    assert path.read_text() == before.replace("-- b", "-- new")


TITLE, FILE = "upper case folds, quoted does not", "aliases"


@pytest.mark.long
def test_a_title_runs_its_case_alone() -> None:
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "--collect-only", __file__, "-k", TITLE]
    done = subprocess.run(command, capture_output=True, text=True)
    found = [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]
    assert found == [f"test_passes[{FILE}: {TITLE}]"], done.stdout + done.stderr
