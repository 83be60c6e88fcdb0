"""Each pass of the rewriter leaves the tree that it is given as it was, whatever becomes of the statement.

A pass is found by its signature. What it was given is looked at when the statement is planned: so whatever else comes
later in the pipeline, found or not, has left it alone too.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from complete_engines import COMPLETE
from sql_cases import FIXTURES, Case, by_file, cases
from sqlglot import exp
from worlds import plan

from dpproxy import rewrite
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.rewrite import planning
from dpproxy.rewrite.reading.parse import parse_statement

Pass = Callable[..., Any]
# What is found, and is given a tree by some fixture: a new pass has its name here, and a statement in a fixture.
PASSES = {
    *("tell_extracts", "admit", "without_unread", "set_recursion_apart", "clock", "set_apart", "resolve", "label"),
    *("unique_aliases", "without_unread_windows", "group_by_settled", "inlined", "anti_joins", "one_row_for_each_key"),
    *("branches_aggregated", "totals_by_row", "rows_of_listed_series", "semi_joined", "first_rows_joined"),
    *("adjacent_rows_windowed", "days_counted"),
    *("strangers_apart", "strangers_counted", "strangers_absent", "keys_chosen"),
    *("strangers_exist", "strangers_met_once", "strangers_never_met", "strangers_surely_met"),
    *("correlated_derived_tables", "check_object_keys", "fields_of_rows", "laterals_as_scalars", "rows_of_columns"),
    *("rows_of_text_parts", "rows_of_aggregates", "text_arrays"),
    *("own_tables", "unreadable", "is_empty", "without_rows", "track", "swap", "place", "joined_on"),
    *("add_columns", "place_error_bars", "may_filter", "kinds_of"),
}
# The rules of `track` that edit the copy which is that pass's own. All others leave what they are given as it was, and
# give something new. Take names away from here, and add none but another point of release. (`become` puts clauses into
# a pass's own copy, of which the root has no parent to be replaced in.)
EDITING = {
    *("unfold_laterals", "unfold", "group_instead", "name_windows", "derived", "bind"),
    *("as_release", "lookup", "grouped", "windowed", "substitute", "read_from"),
    *(
        "release_point",
        "choice_point",
        "mode_point",
        "list_point",
        "looked_up_point",
        "sample_point",
        "set_point",
        "point",
    ),
    *("readable", "visible", "pair_release", "pair_point", "become"),
    *("read_again", "export", "compute_outside", "compute_in_place"),
}
RULES = tuple(f"{rewrite.__name__}.{each}" for each in ("expressions", "calculus", "releases", "statement"))
FIRST, *OTHERS = COMPLETE
# Expressions are no statements, and have a world of their own.
FILES = [
    path for path in (*by_file("rewrite"), *by_file("refuse"), FIXTURES / "work.sql") if path.stem != "expressions"
]


@cache
def public() -> frozenset[Pass]:
    """The public functions of the rewriter but the checker's, which reads texts and is no part of the pipeline."""
    names = [each.name for each in walk_packages(rewrite.__path__, f"{rewrite.__name__}.")]
    modules = [import_module(name) for name in names if not name.startswith(f"{rewrite.__name__}.checker")]
    return frozenset(
        each
        for module in modules
        for name, each in vars(module).items()
        if name[0] != "_" and inspect.isfunction(each) and each.__module__.startswith(rewrite.__name__)
    )


def passes() -> set[Pass]:
    """Those whose first argument is a statement's tree, and those that planning itself calls with any tree."""
    first = {each for each in public() if arguments(each)[:1] == ["tree: exp.Query"]}
    return first | {each for each in public() & called_by_planning() if "exp." in str(arguments(each))}


def test_the_architecture_names_each_pass() -> None:
    page = (Path(__file__).parents[1] / "docs/architecture.md").read_text()
    assert [each.__name__ for each in called_by_planning() & passes() if f"`{each.__name__}`" not in page] == []


def called_by_planning() -> set[Pass]:
    return {each for each in vars(planning).values() if inspect.isfunction(each)}


def rules() -> set[Pass]:
    """Those that are given a part of a tree: of an expression only those that give its whole total form."""
    of_trees = {each for each in public() - passes() if "exp." in str(arguments(each))}
    below = f"{rewrite.__name__}.expressions."
    return {each for each in of_trees if each.__module__.startswith(RULES) and not each.__module__.startswith(below)}


def arguments(function: Pass) -> list[str]:
    """Names and types, as written."""
    return [f"{each.name}: {each.annotation}" for each in inspect.signature(function).parameters.values()]


def content(tree: exp.Expr) -> list[object]:
    """Each node of a tree, itself and not one like it, with all that it holds."""
    return [(id(node), held(node.args)) for node in tree.walk()]


def shape(tree: exp.Expr) -> list[object]:
    """The same with what is noted on each node, and its place: who makes a new node of one takes it away from there."""
    notes = [
        (id(node.parent), node.arg_key, node.index, dict(node.meta), tuple(node.comments or ())) for node in tree.walk()
    ]
    return [*content(tree), *notes]


def held(value: object) -> object:
    """What an argument is: of a node, which one."""
    match value:
        case exp.Expr():
            return id(value)
        case dict():
            return {name: held(each) for name, each in value.items()}
        case list():
            return [held(each) for each in value]
        case _:
            return value


@dataclass
class Given:
    """A tree that passes were given. Its nodes are kept, so that no other has the identity of one."""

    tree: exp.Expr
    nodes: list[exp.Expr]
    shape: list[object]
    names: list[str] = field(default_factory=list)


@dataclass
class Watch:
    """The trees that passes were given for one statement, by identity; the names of passes, for all statements."""

    given: dict[int, Given] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def over(self, function: Pass) -> Pass:
        @wraps(function)
        def watched(*arguments: Any, **named: Any) -> Any:
            for tree in trees_of(arguments, named):
                if id(tree) not in self.given:
                    self.given[id(tree)] = Given(tree, list(tree.walk()), shape(tree))
                self.given[id(tree)].names.append(function.__name__)
                self.seen.add(function.__name__)
            return function(*arguments, **named)

        return watched

    def end(self) -> list[list[str]]:
        """Who was given a tree that is not what it was, now that the statement is planned."""
        changed = [each.names for each in self.given.values() if shape(each.tree) != each.shape]
        self.given = {}
        return changed


@contextmanager
def replaced(functions: set[Pass], over: Callable[[Pass], Pass]) -> Iterator[None]:
    """Others in their places, wherever a module of the rewriter has imported them."""
    watched = {each: over(each) for each in functions}
    modules = [module for name, module in sys.modules.items() if name.startswith(rewrite.__name__)]
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            for name, each in list(vars(module).items()):
                if inspect.isfunction(each) and each in watched:
                    patch.setattr(module, name, watched[each])
        yield


def trees_of(arguments: tuple[Any, ...], named: dict[str, Any]) -> list[exp.Expr]:
    return [each for each in (*arguments, *named.values()) if isinstance(each, exp.Expr)]


def statements(path: Path) -> Iterator[Case]:
    """The cases of a file, and what may be written instead of them."""
    for case in cases(path):
        yield case
        if case.instead is not None:
            yield case.instead


@dataclass
class Edits:
    """The rules that were seen to change what they were given."""

    names: set[str] = field(default_factory=set)

    def over(self, function: Pass) -> Pass:
        @wraps(function)
        def watched(*arguments: Any, **named: Any) -> Any:
            before = [(tree, list(tree.walk()), content(tree)) for tree in trees_of(arguments, named)]
            try:
                return function(*arguments, **named)
            finally:
                if any(content(tree) != was for tree, _, was in before):
                    self.names.add(function.__name__)

        return watched


def planned_all(dialect: str, catalog: Catalog, watch: Watch) -> dict[tuple[str, str], list[str]]:
    """The passes that changed what they were given, by statement, when all are planned."""
    changed = {}
    with replaced(passes(), watch.over):
        for case in (each for path in FILES for each in statements(path)):
            with suppress(DPProxyError):
                plan(case.sql, catalog, case.settings, dialect=dialect)
            if names := watch.end():
                changed[case.path.stem, case.title] = names
    return changed


@pytest.mark.long
def test_passes_leave_their_arguments_as_they_were_and_rules_that_edit_are_named(catalog: Catalog) -> None:
    """Both are looked for while all statements are planned once."""
    watch, edits = Watch(), Edits()
    with replaced(rules(), edits.over):
        assert planned_all(FIRST, catalog, watch) == {}
    assert watch.seen == PASSES
    assert edits.names == EDITING


@pytest.mark.long
@pytest.mark.parametrize("dialect", OTHERS)
def test_each_pass_leaves_its_argument_as_it_was(dialect: str, catalog: Catalog) -> None:
    watch = Watch()
    assert planned_all(dialect, catalog, watch) == {}
    assert watch.seen == PASSES


class EveryKind(frozenset[type[exp.Expr]]):
    """Kinds that have each kind among them."""

    def __contains__(self, kind: object) -> bool:
        return True

    def isdisjoint(self, kinds: object) -> bool:
        return False


def test_a_pass_that_is_left_out_would_have_changed_nothing(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planned with all passes, and with those alone whose kinds of nodes are there: the same plan, or refusal."""
    for case in (each for path in FILES for each in list(statements(path))[::3]):
        few = outcome(case, catalog)
        with monkeypatch.context() as patch:
            patch.setattr(planning, "kinds_of", lambda tree: EveryKind())
            assert outcome(case, catalog) == few, case.title


def outcome(case: Case, catalog: Catalog) -> object:
    try:
        return plan(case.sql, catalog, case.settings, dialect=FIRST)
    except DPProxyError as fault:
        return type(fault), fault.message, fault.hint, fault.position


def test_every_pass_that_is_found_is_named() -> None:
    assert sorted(each.__name__ for each in passes()) == sorted(PASSES)


CARELESS: dict[str, Pass] = {
    "takes a clause away": lambda tree: tree.set("where", None),
    "takes a node away": lambda tree: exp.Paren(this=tree.expressions[0]),
    "puts one like it in its place": lambda tree: tree.expressions[0].replace(tree.expressions[0].copy()),
    "changes a text": lambda tree: tree.find(exp.Literal).set("this", "2"),
    "takes a note": lambda tree: tree.find(exp.Literal).meta.update(noted=True),
    "moves the tree": lambda tree: exp.Subquery(this=tree),
    "works on a part": lambda tree: tree.args["where"].this.pop(),
}


@pytest.mark.parametrize("careless", CARELESS.values(), ids=CARELESS)
def test_a_pass_that_changes_its_argument_is_caught(careless: Pass) -> None:
    watch, tree = Watch(), parse_statement("SELECT a FROM t WHERE b = 1")
    watch.over(lambda tree: tree.copy())(tree)
    assert watch.end() == []
    watch.over(careless)(tree)
    assert watch.end() == [["<lambda>"]]
