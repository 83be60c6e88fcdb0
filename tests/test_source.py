"""The house rules, run as tests: linters, types, layers, sizes."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest
import yaml

from dpproxy.engines.dialects import folders

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "dpproxy").rglob("*.py"))
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 400, 50


@cache
def tree_of(path: Path) -> ast.Module:
    """Parsed once for all that look at it."""
    return ast.parse(path.read_text())


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


@pytest.fixture(scope="module", autouse=True)
def forgotten_after_the_last() -> Iterator[None]:
    """A million nodes are nothing that the collector of garbage should look at in tests of other files."""
    yield
    nodes_of.cache_clear()
    tree_of.cache_clear()


LINTERS = [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]]


@pytest.mark.parametrize("command", LINTERS, ids=lambda command: " ".join(command))
def test_linters_and_types(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_layers() -> None:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command([])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_module_is_part_of_a_circle_of_imports() -> None:
    """Those for annotations alone included (TYPE_CHECKING), those of a package's own module, and those between packages
    that contracts allow."""
    graph = grimp.build_graph("dpproxy", cache_dir=None)
    TopologicalSorter({each: graph.find_modules_directly_imported_by(each) for each in graph.modules}).prepare()


def test_the_same_linters_run_before_a_commit_and_by_just() -> None:
    expected = [f"python -m {' '.join(command)}" for command in LINTERS] + ["lint-imports"]
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [hook["entry"] for hook in repository["hooks"]] == expected
    recipe = (ROOT / "justfile").read_text().split("\nlint:\n")[1].split("\n\n")[0]
    lines = recipe.replace("{{python}}", "python").replace(".venv/bin/", "").splitlines()
    assert [line.strip() for line in lines] == expected


def test_sizes_and_docstrings() -> None:
    found = {str(path.relative_to(ROOT)): list(unlike_others(path)) for path in MODULES}
    assert {name: faults for name, faults in found.items() if faults} == {}


def unlike_others(path: Path) -> Iterator[str]:
    """What a module breaks of the rules of size, names and docstrings."""
    tree = tree_of(path)
    if path.read_text().count("\n") > MOST_LINES:
        yield "too many lines"
    if not ast.get_docstring(tree):
        yield "a module says what it is for"
    if path.stem in ("utils", "helpers", "manager"):
        yield "its name tells nothing"
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _body_lines(node) > MOST_LINES_OF_A_FUNCTION:
            yield f"{node.name} is too long"
    documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    public = [node for node in tree.body if isinstance(node, documented) and not node.name.startswith("_")]
    yield from (
        f"{node.name} has no docstring" for node in public if not ast.get_docstring(node) and not _is_overload(node)
    )


def test_what_is_unlike_others_is_found(tmp_path: Path) -> None:
    path = tmp_path / "helpers.py"
    long = ["def f():", '    """Long."""', *["    pass"] * 50, "class C: ...", *[""] * 400]
    path.write_text("\n".join(long))
    assert [*unlike_others(path)] == [
        "too many lines",
        "a module says what it is for",
        "its name tells nothing",
        "f is too long",
        "C has no docstring",
    ]


def test_notes_of_nodes_are_given_by_note_alone() -> None:
    """Copies of a tree share them: what is written into one would be lost, or be in all."""
    found = [path.name for path in MODULES if re.search(r"\.meta\b(?!_get)", path.read_text())]
    assert found == []


ENGINES = tuple(sorted(folders()))
OWN_PLACES = (*(f"engines/{name}/" for name in ENGINES), *(f"rewrite/checker/engines/{name}.py" for name in ENGINES))
NAMED: dict[str, str] = {
    "config/consistency.py": "names that roles and databases of a front may not have",
    "front/binaries.py": "the server's program, of the front's own Postgres",
    "front/front_directory.py": "the account that runs the front's own Postgres",
    "front/embedded_front.py": "the database that a new Postgres has",
    "front/orphans.py": "the name of the server's process",
}
"""Where a text is no engine's name, or may be: each with its reason."""


def test_engines_are_asked_for_facts_and_not_by_name() -> None:
    """Outside of its own folders an engine is not named, but as the parser's dialect of what analysts write."""
    found = {
        str(path.relative_to(ROOT / "dpproxy"))
        for path in MODULES
        if not str(path.relative_to(ROOT / "dpproxy")).startswith(OWN_PLACES) and _names_an_engine(path)
    }
    assert found == set(NAMED)


DRIVERS = ("duckdb", "asyncpg", "pyspark")
LOADED = {
    "audit/asking.py": "the audit's own client of the proxy",
    "audit/audit_proxy.py": "the audit's own client of the proxy",
    "cli/demo_data.py": "the demo makes its data itself, and is of one engine",
    "cli/tour.py": "the demo's true answers, beside those of the proxy",
}
"""Where a driver is imported outside of an engine's folder: each with its reason."""


def test_drivers_and_folders_are_imported_within_the_folders_alone() -> None:
    """So that a process loads the driver of the engine that it opens, and no code is written for one of them."""
    outside = [path for path in MODULES if not str(path.relative_to(ROOT / "dpproxy")).startswith(OWN_PLACES)]
    folders_ = tuple(f"dpproxy.engines.{name}" for name in ENGINES)
    found = {path: {*imported(path)} for path in outside}
    assert not [path for path, names in found.items() if any(name.startswith(folders_) for name in names)]
    loading = {path for path, names in found.items() if any(name.partition(".")[0] in DRIVERS for name in names)}
    assert {str(path.relative_to(ROOT / "dpproxy")) for path in loading} == set(LOADED)


def imported(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _names_an_engine(path: Path) -> bool:
    nodes = nodes_of(path)
    parsed = {id(value) for node in nodes if isinstance(node, ast.Call) for value in _analysts_dialect(node)}
    return any(isinstance(node, ast.Constant) and node.value in ENGINES and id(node) not in parsed for node in nodes)


def _analysts_dialect(node: ast.Call) -> Iterator[ast.expr]:
    """Postgres's as the dialect of a text that is parsed or written; DuckDB's is no analyst's."""
    written = [node.args[0]] if isinstance(node.func, ast.Attribute) and node.func.attr == "sql" and node.args else []
    for value in (*written, *(each.value for each in node.keywords if each.arg in ("dialect", "read"))):
        if isinstance(value, ast.Constant) and value.value == "postgres":
            yield value


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    docstring = ast.get_docstring(node, clean=False)
    return (node.end_lineno or 0) - node.lineno + 1 - (len(docstring.splitlines()) if docstring else 0)


def _is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)


_SQL = re.compile(r"\b(SELECT|FROM|WHERE|JOIN|CASE WHEN|GROUP BY|ORDER BY|PARTITION BY|UNNEST|CAST)\b")


def test_no_sql_is_put_together_from_texts() -> None:
    """Bounded SQL is a tree until it is written (`rewrite.algebra`). What people are told in an error is none."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        if path.is_relative_to(ROOT / "dpproxy" / "rewrite")
        for node in _unsaid(nodes_of(path))
        if any(isinstance(part, ast.Constant) and _SQL.search(str(part.value)) for part in node.values)
    ]
    assert found == []


def _unsaid(nodes: tuple[ast.AST, ...]) -> Iterator[ast.JoinedStr]:
    """The f-strings of a module that are in no error, and no hint of one."""
    told = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Raise)
        or (isinstance(node, ast.Call) and any(each.arg in ("hint", "detail", "position") for each in node.keywords))
        for part in ast.walk(node)
    }
    return (node for node in nodes if isinstance(node, ast.JoinedStr) and id(node) not in told)


def test_no_class_has_the_name_of_another() -> None:
    found: dict[str, list[str]] = {}
    for path in MODULES:
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_a_module_is_called_by_what_it_holds() -> None:
    assert [
        str(path.relative_to(ROOT)) for path in MODULES if path.stem in ("model", "utils", "helpers", "manager")
    ] == []


def test_only_what_belongs_at_the_top() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    top = {name.split("/")[0] for name in listed}
    allowed = {
        "pyproject.toml",
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "mkdocs.yml",
        "justfile",
        "LICENSE",
        "docs",
        "dpproxy",
        "tests",
        "config",
        "docker-compose.yml",
        "sql_fixtures",
        ".ci",
    }
    assert {name for name in top if not name.startswith(".")} <= allowed
