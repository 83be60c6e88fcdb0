"""README, docs/ and their neighbours at the top: a site that builds, links that lead somewhere, tables that are true.

Tables are written by hand and compared with the code: keys of the policy, settings of a session, errors, functions.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from base64 import b64encode
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Annotated, Any

import pytest
from markdown.extensions.toc import slugify
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from sqlglot import exp
from worlds import plan

import dpproxy
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.config import load, sections, table_sections
from dpproxy.config.section import Section
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.expressions.table import NAMED, RULES
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.settings import NAMES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES = sorted(DOCS.rglob("*.md"))
_FENCE = re.compile(r"^([ \t]*)```.*?^\1```", re.M | re.S)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in PAGES:
        built = (
            tmp_path / "site" / ("" if page.stem == "index" else page.relative_to(DOCS).with_suffix("")) / "index.html"
        )
        assert "<h1" in built.read_text(), page
    assert broken(tmp_path / "site") == []


class _Seen(HTMLParser):
    """Where a page's links lead, and what in it has a name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.names.update(filter(None, [given.get("id")]))
        target = given.get("href" if tag in ("a", "link") else "src")
        if target is not None:
            self.links.append(target)


def broken(site: Path) -> list[str]:
    """Links of a built site, also those of its frame, that lead to no file of it, or to no name there."""
    seen = {path: _Seen(path.read_text()) for path in site.rglob("*.html") if path.name != "404.html"}
    return [f"{path}: {link}" for path, page in seen.items() for link in page.links if not _leads(path, link, seen)]


def _leads(path: Path, link: str, seen: dict[Path, _Seen]) -> bool:
    if re.match(r"[a-z]+:", link):
        return True
    way, _, name = link.partition("#")
    target = (path.parent / way.partition("?")[0]).resolve() if way else path
    target = target / "index.html" if target.is_dir() else target
    return target.is_file() and (not name or target not in seen or name in seen[target].names)


def prose(path: Path) -> str:
    """A page without its blocks of code."""
    return _FENCE.sub("", path.read_text())


def anchors(path: Path, slug: Callable[[str], str]) -> set[str]:
    """The names of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.M)
    return {slug(re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))) for heading in headings}


def on_the_site(heading: str) -> str:
    return slugify(heading, "-")


def on_github(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("path", [*TOP, *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    """Relative ones, and their anchors, which are the same on the site and where files are read as they are."""
    for link in _LINK.findall(prose(path)):
        if re.match(r"[a-z]+:", link):
            assert link.startswith("https://"), link
            continue
        way, _, name = link.partition("#")
        target = (path.parent / way).resolve() if way else path
        assert target.exists(), link
        assert path.parent != DOCS or target.is_relative_to(DOCS), f"{link}: not on the site"
        if name:
            assert name in anchors(target, on_the_site) & anchors(target, on_github), link


def test_a_link_to_nothing_is_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<h1 id="a">A</h1><a href="#a">a</a><a href="#b">b</a><a href="c.html">c</a>')
    assert [each.rpartition(": ")[2] for each in broken(tmp_path)] == ["#b", "c.html"]


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = re.findall(r"\b((?:[a-z]+/)?[a-z]+\.md)\b", (ROOT / "mkdocs.yml").read_text())
    assert sorted(listed) == sorted(str(page.relative_to(ROOT / "docs")) for page in PAGES)
    assert {f"docs/{name}" for name in listed} - {"docs/index.md"} <= set(_LINK.findall(prose(TOP[0])))


_PATH = re.compile(r"(?<![\w/.-])(?:dpproxy|tests|config|sql_fixtures|docs)/[\w./*-]*[\w*]")


@pytest.mark.parametrize("path", [*TOP, *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_are_named_are_there(path: Path) -> None:
    gone = [name for name in _PATH.findall(prose(path)) if "NAME" not in name and not list(ROOT.glob(name))]
    assert gone == []


def test_readme_is_short() -> None:
    assert TOP[0].read_text().count("\n") <= 260


# Tables.


def rows(path: Path, heading: str) -> list[list[str]]:
    """The cells of the rows of the tables below a heading, up to the next of the same level or above."""
    level, _, _ = heading.partition(" ")
    text = f"\n{path.read_text()}"
    assert f"\n{heading}\n" in text, heading
    part = re.split(rf"\n#{{1,{len(level)}}} ", text.split(f"\n{heading}\n", 1)[1])[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    cells = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row[0].startswith("`")]


def literal(cell: str) -> str:
    return cell.strip("`")


SECTIONS: dict[str, type[BaseModel]] = {
    "## [server]": sections.ServerSection,
    "## [server.limits]": sections.LimitsSection,
    "## [front]": sections.FrontSection,
    "## [engine]": sections.EngineSection,
    "## [ledger]": sections.LedgerSection,
    "## [privacy]": sections.PrivacySection,
    "## [units.NAME]": table_sections.UnitSection,
    "## [tables.NAME]": table_sections.TableSection,
    "## [tables.NAME.columns]": table_sections.ColumnSection,
    "## [analysts.NAME]": sections.AnalystSection,
    "## [analysts.NAME.defaults]": sections.DefaultsSection,
    "## [budgets.everyone]": sections.BudgetCap,
}
SETTINGS = DOCS / "settings.md"


def test_every_section_of_a_policy_has_a_table() -> None:
    every = (*vars(sections).values(), *vars(table_sections).values())
    known = {each for each in every if isinstance(each, type) and issubclass(each, Section)}
    whole = {Section, sections.Policy, sections.Config, sections.BudgetsSection}
    assert set(SECTIONS.values()) == known - whole


@pytest.mark.parametrize("heading", SECTIONS, ids=lambda heading: heading.strip("# "))
def test_every_key_of_a_policy_is_in_the_settings(heading: str) -> None:
    section = SECTIONS[heading]
    told = {literal(key): literal(default) for key, default, *_ in rows(SETTINGS, heading)}
    # [server.limits] has a table of its own.
    assert set(told) == set(section.model_fields) - ({"limits"} if section is sections.ServerSection else set())
    for key, default in told.items():
        assert read(section.model_fields[key], default) == of(section.model_fields[key]), key


def of(field: FieldInfo) -> Any:
    """What a field is where it is left out; "required" where it cannot be."""
    return "required" if field.is_required() else field.get_default(call_default_factory=True)


def read(field: FieldInfo, default: str) -> Any:
    """What the table says of it, as the field would read it."""
    if default in ("none", "required"):
        return {"none": None, "required": "required"}[default]
    kind: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    return TypeAdapter(kind).validate_python(tomllib.loads(f"x = {default}")["x"])


def test_every_setting_of_a_session_is_in_the_settings() -> None:
    told = [literal(row[0]) for row in rows(SETTINGS, "## Settings of a session")]
    assert told == [f"dp.{name}" for name in NAMES]


def errors() -> Iterator[type[DPProxyError]]:
    """All classes of errors of the package."""
    for each in pkgutil.walk_packages(dpproxy.__path__, "dpproxy."):
        if not each.name.endswith("__main__"):
            importlib.import_module(each.name)
    todo = [DPProxyError]
    while todo:
        found = todo.pop()
        todo.extend(found.__subclasses__())
        if found.__module__.startswith("dpproxy."):
            yield found


def test_every_error_is_in_the_table_of_errors() -> None:
    headings = re.findall(r"^## .*$", (DOCS / "errors.md").read_text(), re.M)
    told = [(literal(row[0]), row[1]) for heading in headings for row in rows(DOCS / "errors.md", heading)]
    assert len(set(told)) == len(told)
    assert set(told) == {(each.sqlstate, each.__name__) for each in errors()}


def test_every_table_of_the_schema_dp_is_told() -> None:
    told = {re.findall(r"dp\.\w+", row[0])[0]: re.findall(r"`(\w+)`", row[1]) for row in rows(SQL, "## The schema dp")}
    assert told == {f"dp.{name}": [each.name for each in columns] for name, columns in VIEWS.items()}


# Statements and functions.

SQL = DOCS / "sql.md"
KINDS = ("### Logic", "### Numbers", "### Texts", "### Dates, times and intervals")
# Nodes that are no function, and need no example.
_OTHERS = {exp.Column, exp.Parameter, exp.Paren, exp.Literal, exp.Boolean, exp.Null}


def examples() -> list[str]:
    """The examples of functions."""
    return [each for kind in KINDS for row in rows(SQL, kind) for each in re.findall(r"`([^`]+)`", row[1])]


@pytest.mark.parametrize("example", examples())
def test_examples_of_functions_are_planned(example: str, catalog: Catalog) -> None:
    assert plan(f"SELECT count({example}) FROM people", catalog, {}).releases


def test_every_function_has_an_example() -> None:
    nodes = [node for each in examples() for node in parse_statement(f"SELECT {each} FROM people").walk()]
    assert set(RULES) - _OTHERS - {type(node) for node in nodes} == {exp.Anonymous} - {type(node) for node in nodes}
    called = {str(node.this).lower() for node in nodes if isinstance(node, exp.Anonymous)}
    assert set(NAMED) <= called


@pytest.mark.parametrize("row", rows(SQL, "## Refusals, and what to write instead"), ids=lambda row: literal(row[0]))
def test_refusals_are_refused_and_what_to_write_instead_is_answered(row: list[str], catalog: Catalog) -> None:
    refused, sqlstate, instead = map(literal, row)
    with pytest.raises(DPProxyError) as caught:
        plan(refused, catalog, {})
    assert caught.value.sqlstate == sqlstate
    assert plan(instead, catalog, {}).releases


# Policies.


def policies() -> list[tuple[str, str]]:
    """Blocks of TOML that are whole policies."""
    blocks = [
        (path, text) for path in [*TOP, *PAGES] for text in re.findall(r"```toml\n(.*?)```", path.read_text(), re.S)
    ]
    return [(path.name, text) for path, text in blocks if "[front]" in text and "[engine]" in text]


def test_whole_policies_are_good(tmp_path: Path) -> None:
    found = policies()
    assert [name for name, _ in found] == ["README.md"]
    (tmp_path / "shop.duckdb").touch()
    (tmp_path / "policy.toml").write_text(found[0][1])
    key = b64encode(bytes(32)).decode()
    verifier = f"SCRAM-SHA-256$4096:{b64encode(bytes(16)).decode()}${key}:{key}"
    assert load(tmp_path / "policy.toml", {"ALICE_VERIFIER": verifier}).analysts
