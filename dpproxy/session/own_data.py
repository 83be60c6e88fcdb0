"""Statements that put data into tables of the analyst's own: where they may write, and what they may read.

Privileges are the front's: an analyst owns the tables of one schema, and may write nowhere else. What is refused here
by its name is refused with words that help.

Checked by: tests/test_gate.py, tests/test_own_data.py.
"""

from __future__ import annotations

from typing import Final

from dpproxy.errors import DPProxyError, InsufficientPrivilege
from dpproxy.session.postgres_parser import Parsed, Tree
from dpproxy.session.relations_read import StatementReads, relation
from dpproxy.session.verdicts import GateNames
from dpproxy.session.wrapping_statements import into_of

CHANGES: Final = frozenset({"InsertStmt", "UpdateStmt", "DeleteStmt"})
# What may make the analyst's schema larger. DELETE, TRUNCATE and DROP may not: they are how room is made.
_GROWS: Final = frozenset({"InsertStmt", "UpdateStmt", "CreateTableAsStmt", "CreateStmt", "AlterTableStmt"})
_NESTED: Final = "Write INSERT, UPDATE or DELETE as a statement of its own, and prepare it by your driver."


def nested_change() -> DPProxyError:
    """The refusal of a statement that changes rows inside of another one."""
    return InsufficientPrivilege(
        "permission denied", detail="Data cannot be changed inside of another statement.", hint=_NESTED
    )


def written_fault(target: Tree, names: GateNames) -> DPProxyError | None:
    """The refusal of a table that is written to, which is not in the analyst's own schema by what its name says.

    A bare `pg_…` is Postgres's own wherever there is one, whose catalog goes before all schemas: UPDATE of the view
    `pg_settings` sets a setting, which is for SET and its rules.

    Claim: no statement writes to a table of the policy, of the proxy or of another analyst. Because: the front's roles
    own one schema each and were granted SELECT alone elsewhere (`front/roles.py`); this only says it in better words.
    Checked by: tests/attacks/test_own_data.py.
    """
    found = relation(target)
    policys = found.written in names.private or found.written in names.public
    postgress = not found.schema and found.name.startswith("pg_")
    if not policys and not postgress and found.schema in ("", names.schema):
        return None
    return InsufficientPrivilege(
        f'permission denied for table "{found.written}"',
        detail="Its rows are the owner's.",
        hint=f'Write to tables of your own, in schema "{names.schema}", and join them with this one.',
    )


def settings_view_fault(parsed: Parsed, reading: StatementReads) -> DPProxyError | None:
    """The refusal of a view over `pg_settings`: through it an UPDATE would set a setting past the rules of SET."""
    if parsed.kind != "ViewStmt" or all(each.name != "pg_settings" for each in reading.relations):
        return None
    return InsufficientPrivilege(
        "permission denied for view pg_settings",
        detail="A view over it could be updated, which is for SET.",
        hint="Select from pg_settings itself, or CREATE TABLE … AS SELECT from it.",
    )


def grows(parsed: Parsed) -> bool:
    """Whether a statement may make the analyst's schema larger."""
    if parsed.kind == "CopyStmt":
        return copies_in(parsed)
    return parsed.kind in _GROWS or (parsed.kind == "SelectStmt" and into_of(parsed.body) is not None)


def copies_in(parsed: Parsed) -> bool:
    """Whether it is a COPY from the client."""
    return parsed.kind == "CopyStmt" and bool(parsed.body.get("is_from", False))
