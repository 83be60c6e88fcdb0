"""The cases of sql_fixtures: read, shown as parameters of a test, and written again.

A case is a title, settings if any, a statement, `-- =>` and what comes out. Between a statement that is refused and its
`-- =>` stands `-- instead:` and one that is answered, as the hint tells. A title is there once in its file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[1] / "sql_fixtures"
UPDATE = "UPDATE_FIXTURES" in os.environ


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
    settings = dict(re.findall(r"^set dp\.(\w+) = (\S.*)$", "\n".join(comments), re.M))
    return Case(path, comments[0] if comments else "", settings, sql.strip().rstrip(";"), expected)


def by_file(folder: str) -> list[Path]:
    return sorted((FIXTURES / folder).glob("*.sql"))


def each_of(paths: Iterable[Path]) -> pytest.MarkDecorator:
    """A test for each case, `case`, whose id is `file: title`. Above other parameters, so that the title comes last."""
    found = [case for path in paths for case in cases(path)]
    assert found
    return pytest.mark.parametrize("case", found, ids=[f"{case.path.stem}: {case.title}" for case in found])


@dataclass
class Outcomes:
    """What came out of cases, by file and title, for UPDATE_FIXTURES."""

    found: dict[Path, dict[str, str]] = field(default_factory=dict)

    def keep(self, case: Case, result: str) -> None:
        self.found.setdefault(case.path, {})[case.title] = result

    def write(self) -> None:
        """Write each file in one go. Cases that did not run stay as they are."""
        for path, results in self.found.items():
            path.write_text(rewritten(path, results))


def rewritten(path: Path, results: Mapping[str, str]) -> str:
    """The text of a file, with what came out of its cases now."""
    return "\n".join(_written(case, results.get(case.title, case.expected)) for case in cases(path))


def _written(case: Case, result: str) -> str:
    instead = "" if case.instead is None else f"-- instead:\n{_text(case.instead)}"
    return f"-- {case.title}\n{_text(case)}{instead}-- =>\n{result}\n"


def _text(case: Case) -> str:
    return "".join(f"-- set dp.{name} = {value}\n" for name, value in case.settings.items()) + f"{case.sql};\n"
