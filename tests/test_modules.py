"""Each module of the package has a test that is found: its docstrings name one, one has its name, or one imports it.

A package whose own docstring says *Checked by* says it of the modules inside that name none themselves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
# A file, a function of the file before, or either without what is plain from its name.
_NAMED = re.compile(r"tests/[\w/]+(?:\.py)?|::\w+|\btest_\w+(?:\.py)?")
_CHECKED_BY = re.compile(r"Checked by\*?:\s(.*?)(?:\n\s*\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Named:
    """A test that a docstring names. `function` is empty where the whole file, or a folder, is named."""

    file: str
    function: str = ""

    def exists(self) -> bool:
        path = ROOT / self.file
        return path.exists() if not self.function else path.is_file() and self.function in functions(path)


def named(docstring: str) -> Iterator[Named]:
    """The tests that a docstring names behind `Checked by:`, up to the end of the paragraph."""
    for paragraph in _CHECKED_BY.findall(docstring):
        file = ""
        for word in _NAMED.findall(paragraph):
            if word.startswith("tests/") or word.endswith(".py"):
                file = word if word.startswith("tests/") else f"tests/{word}"
                yield Named(file)
            else:
                yield Named(file, word.removeprefix("::"))


@cache
def functions(path: Path) -> frozenset[str]:
    """The functions at the top of a file of tests."""
    tree = ast.parse(path.read_text())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def docstrings(path: Path) -> tuple[str, ...]:
    """The module's own, and those of its functions and classes."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    module = ast.parse(path.read_text())
    nodes = [node for node in (module, *statements(module)) if isinstance(node, documented)]
    return tuple(text for node in nodes if (text := ast.get_docstring(node)))


def statements(module: ast.Module) -> list[ast.AST]:
    """Of all blocks. Expressions, which are most of a tree, hold none."""
    found: list[ast.AST] = [*module.body]
    for node in found:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            within = getattr(node, block, None)
            found.extend(within if isinstance(within, list) else ())
    return found


def imports(path: Path) -> Iterator[str]:
    """Each module that a file may import, by name; names that are imported from one among them."""
    for node in statements(ast.parse(path.read_text())):
        match node:
            case ast.Import(names):
                yield from (each.name for each in names)
            case ast.ImportFrom(str() as module, names, 0):
                yield module
                yield from (f"{module}.{each.name}" for each in names)


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "dpproxy").rglob("*.py"))
}
FILES = sorted(TESTS.rglob("test_*.py"))


@cache
def imported() -> frozenset[str]:
    """What the tests import themselves."""
    return frozenset(name for path in FILES for name in imports(path))


def has_test(module: str) -> bool:
    return names_one(docstrings(MODULES[module])) or is_found(module) or package_names_one(module)


def names_one(texts: tuple[str, ...]) -> bool:
    return any(True for text in texts for _ in named(text))


def is_found(module: str) -> bool:
    return module in imported() or any(path.stem == f"test_{MODULES[module].stem}" for path in FILES)


def package_names_one(module: str) -> bool:
    """The nearest package's own docstring; that of the whole, `dpproxy`, says nothing of its parts."""
    package = module.rpartition(".")[0]
    return "." in package and names_one((ast.get_docstring(ast.parse(MODULES[package].read_text())) or "",))


def test_every_module_has_a_test() -> None:
    assert [name for name in MODULES if not has_test(name)] == []


def test_every_test_that_is_named_exists() -> None:
    found = {(name, each) for name, path in MODULES.items() for text in docstrings(path) for each in named(text)}
    assert len(found) > 150
    assert sorted(f"{name}: {each.file}::{each.function}" for name, each in found if not each.exists()) == []


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("No test.", []),
        ("*Checked by*: tests/test_a.py.", [Named("tests/test_a.py")]),
        ("Checked by:\ntests/test_a.py, ::test_b.", [Named("tests/test_a.py"), Named("tests/test_a.py", "test_b")]),
        (
            "Checked by: tests/fuzz, test_a.py (x).\n\nSee tests/test_b.py.",
            [Named("tests/fuzz"), Named("tests/test_a.py")],
        ),
        ("Checked by: `rewrite.checker`.", []),
        ("Checked by: test_b.", [Named("", "test_b")]),
    ],
)
def test_names_are_read_out_of_docstrings(docstring: str, expected: list[Named]) -> None:
    assert list(named(docstring)) == expected


def test_what_is_named_and_is_not_there_is_found() -> None:
    here = "tests/test_modules.py"
    assert Named(here, "test_every_module_has_a_test").exists() and Named("tests/attacks").exists()
    assert not any(each.exists() for each in (Named("tests/test_gone.py"), Named(here, "gone"), Named("", "test_b")))
