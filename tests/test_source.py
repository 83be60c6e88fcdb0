"""The house rules, run as tests: linters, types, layers, sizes."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "dpproxy").rglob("*.py"))
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 400, 50


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
    ],
    ids=lambda command: " ".join(command),
)
def test_linters_and_types(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_layers() -> None:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command([])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sizes_and_docstrings(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    assert text.count("\n") <= MOST_LINES
    assert ast.get_docstring(tree), "a module says what it is for"
    assert path.stem not in ("utils", "helpers", "manager")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert _body_lines(node) <= MOST_LINES_OF_A_FUNCTION, node.name
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node) or _is_overload(node), node.name


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    docstring = ast.get_docstring(node, clean=False)
    return (node.end_lineno or 0) - node.lineno + 1 - (len(docstring.splitlines()) if docstring else 0)


def _is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)


def test_only_what_belongs_at_the_top() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    top = {name.split("/")[0] for name in listed}
    allowed = {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "dpproxy",
        "tests",
        "config",
        "docker-compose.yml",
        "sql_fixtures",
        ".ci",
    }
    assert {name for name in top if not name.startswith(".")} <= allowed
