"""Private relations for test_checker_relations.py: forms that are proved, each with changes that are not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
_HEAD = re.compile(r"-- (define|rows|steady|single)( customer)?: (.+)")
_CHANGE = re.compile(r"-- ! (.+?) => (.*?) :: (.+)")


@dataclass(frozen=True)
class Change:
    """The first `old` in a form's text becomes `new`, and the checker's reason matches `reason`."""

    old: str
    new: str
    reason: str


@dataclass(frozen=True)
class Form:
    """A private relation with the items u and k0.

    proved: what it is proved to be: `rows` of units; `steady`, where also k0 is a function of the unit; `single`, where
    also each unit has one row.
    """

    name: str
    proved: str
    unit: str
    sql: str
    changes: tuple[Change, ...]


def forms() -> Iterator[Form]:
    """All forms of the .sql files beside this one; {name} stands for a relation of common.sql."""
    known = {form.name: form.sql for form in _forms(HERE / "common.sql", {})}
    for path in sorted(HERE.glob("*.sql")):
        if path.name != "common.sql":
            yield from _forms(path, known)


def _forms(path: Path, known: dict[str, str]) -> Iterator[Form]:
    for block in path.read_text().split("\n\n"):
        lines = block.strip().splitlines()
        head = _HEAD.fullmatch(lines[0])
        if head is None:
            assert all(line.startswith("-- ") for line in lines), lines[0]
            continue
        sql = _filled(" ".join(line for line in lines if not line.startswith("-- ")), known)
        changes = tuple(_change(line, known) for line in lines[1:] if line.startswith("-- "))
        form = Form(head[3], head[1], (head[2] or " person").strip(), sql, changes)
        known = known | {form.name: sql} if form.proved == "define" else known
        yield form


def _change(line: str, known: dict[str, str]) -> Change:
    found = _CHANGE.fullmatch(line)
    assert found is not None, line
    return Change(_filled(found[1], known), _filled(found[2], known), found[3])


def _filled(text: str, known: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: known[found[1]], text)
