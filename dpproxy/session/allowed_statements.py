"""The allow-list: for each class of statement that may run, what must hold of it. All others are refused.

Checked by: tests/test_gate.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from dpproxy.errors import DPProxyError, FeatureNotSupported, InsufficientPrivilege
from dpproxy.session.own_data import written_fault
from dpproxy.session.postgres_parser import Tree
from dpproxy.session.set_settings import set_fault
from dpproxy.session.verdicts import GateNames
from dpproxy.session.wrapping_statements import into_of

RESERVED: Final = "dpproxy"


class ReservedName(DPProxyError, sqlstate="42939"):
    """Prepared statements and cursors of that name are the proxy's own."""


Rule = Callable[[Tree, GateNames], DPProxyError | None]

_OWN_OBJECTS: Final = frozenset(f"OBJECT_{each}" for each in ("TABLE", "VIEW", "MATVIEW", "COLUMN", "TABCONSTRAINT"))
_TRANSACTION: Final = frozenset(
    f"TRANS_STMT_{each}" for each in ("BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "ROLLBACK_TO")
)
_SETTING: Final = frozenset(("VAR_SET_VALUE", "VAR_SET_CURRENT"))
_OWN_SCHEMA: Final = 'Objects can be made and changed in your own schema "{schema}" only.'


def denied(detail: str, hint: str | None = None) -> DPProxyError:
    """42501 for a statement that only an owner may run."""
    return InsufficientPrivilege("permission denied", detail=detail, hint=hint)


def not_allowed(kind: str) -> DPProxyError:
    """The refusal of a class without a rule."""
    if kind in _OWNERS_ONLY:
        return denied(_OWNERS_ONLY[kind], hint="Select, or make tables of your own from public or released rows.")
    name = "".join(f" {c}" if c.isupper() else c for c in kind.removesuffix("Stmt")).strip().upper()
    return FeatureNotSupported(f"{_CALLED.get(kind, name)} is not supported")


def reserved(name: str) -> DPProxyError | None:
    """The refusal of a prepared statement's or cursor's name, if it is one of the proxy's own."""
    if not name.startswith(RESERVED):
        return None
    return ReservedName(f'the name "{name}" is reserved', hint=f"Names must not begin with {RESERVED}.")


def _free(_body: Tree, _names: GateNames) -> None:
    return None


def _transaction(body: Tree, _names: GateNames) -> DPProxyError | None:
    if body.get("kind") in _TRANSACTION:
        return None
    return FeatureNotSupported("two-phase commit is not supported", hint="Use BEGIN and COMMIT.")


def printing(name: str) -> DPProxyError:
    """42501 for a setting that prints what the server does with statements, in the words that Postgres has for one."""
    return InsufficientPrivilege(
        f'permission denied to set parameter "{name}"',
        detail="It prints what the server does with statements, which is for the operator's log.",
        hint="Leave it out. EXPLAIN tells what a statement costs, and dp.last_statement how exact it was.",
    )


def computed(position: int | None = None) -> DPProxyError:
    """0A000 for a call of set_config() whose setting only the server would know."""
    return FeatureNotSupported(
        "set_config() is called with a name that is computed",
        detail="Whether a setting may be changed is told by its name, before the statement runs.",
        hint="Write the name out, as in set_config('search_path', …), or bind it as a parameter of its own, a text.",
        position=position,
    )


def _set(body: Tree, names: GateNames) -> DPProxyError | None:
    if body.get("name", "").lower() in names.printing and body.get("kind") in _SETTING:
        return printing(body["name"].lower())
    if body.get("name", "").lower() in ("role", "session_authorization") and body.get("kind") != "VAR_RESET":
        return denied("The role of a session cannot be changed.", hint="Connect as that analyst.")
    return set_fault(body, names.terms)


def _named(body: Tree, _names: GateNames) -> DPProxyError | None:
    return reserved(body.get("name", ""))


def _cursor(body: Tree, names: GateNames) -> DPProxyError | None:
    fault = reserved(body.get("portalname", ""))
    return fault or (_inner(body, names) if "query" in body else None)


def _inner(body: Tree, names: GateNames) -> DPProxyError | None:
    ((kind, inner),) = body["query"].items()
    return RULES[kind](inner, names) if kind in RULES else not_allowed(kind)


def _prepare(body: Tree, names: GateNames) -> DPProxyError | None:
    return _named(body, names) or _inner(body, names)


def _copy(body: Tree, names: GateNames) -> DPProxyError | None:
    loads = body.get("is_from", False)
    if "filename" in body or body.get("is_program", False):
        if loads:
            return denied("COPY reads from the client only.", hint="Write COPY … FROM STDIN, or \\copy in psql.")
        return denied("COPY writes to the client only.", hint="Write COPY … TO STDOUT, or \\copy in psql.")
    return written_fault(body["relation"], names) if loads else None


def _change(body: Tree, names: GateNames) -> DPProxyError | None:
    return written_fault(body["relation"], names)


def _truncate(body: Tree, names: GateNames) -> DPProxyError | None:
    targets = (each["RangeVar"] for each in body["relations"])
    return next((fault for each in targets if (fault := written_fault(each, names))), None)


def _own(schema: str, names: GateNames) -> DPProxyError | None:
    """Unqualified names are left to the front: nobody can create anything but in their own schema there."""
    if schema in ("", names.schema):
        return None
    return InsufficientPrivilege(f"permission denied for schema {schema}", hint=_OWN_SCHEMA.format(schema=names.schema))


def _own_relation(key: str) -> Rule:
    def rule(body: Tree, names: GateNames) -> DPProxyError | None:
        return _own(body.get(key, {}).get("schemaname", ""), names)

    return rule


def _select(body: Tree, names: GateNames) -> DPProxyError | None:
    return _own((into_of(body) or {}).get("schemaname", ""), names)


def _create_as(body: Tree, names: GateNames) -> DPProxyError | None:
    return _own(body["into"]["rel"].get("schemaname", ""), names) or _inner(body, names)


def _schemas(tree: object) -> Iterator[str]:
    """Schemas of a DROP's or COMMENT's names, which are lists of identifiers."""
    match tree:
        case {"List": {"items": [*items]}} | [*items]:
            parts = [each["String"]["sval"] for each in items if isinstance(each, dict) and "String" in each]
            if parts:
                yield ".".join(parts[:-1])
            for each in items:
                yield from _schemas(each)
        case _:
            return


def _drop(body: Tree, names: GateNames) -> DPProxyError | None:
    if body.get("removeType") not in _OWN_OBJECTS:
        return denied("Tables and views of your own can be dropped.")
    return next((fault for schema in _schemas(body.get("objects", [])) if (fault := _own(schema, names))), None)


def _comment(body: Tree, names: GateNames) -> DPProxyError | None:
    kind = body.get("objtype")
    if kind not in _OWN_OBJECTS:
        return denied("Tables, views and columns of your own can have comments.")
    schemas = list(_schemas(body.get("object")))
    if kind in ("OBJECT_COLUMN", "OBJECT_TABCONSTRAINT"):
        schemas = [each.rpartition(".")[0] for each in schemas]
    return next((fault for schema in schemas if (fault := _own(schema, names))), None)


def _alter(body: Tree, names: GateNames) -> DPProxyError | None:
    kind = body.get("objtype", body.get("renameType"))
    if kind not in _OWN_OBJECTS:
        return denied("Tables and views of your own can be altered.")
    return _own(body.get("relation", {}).get("schemaname", ""), names)


_CALLED: Final[Mapping[str, str]] = {
    "VacuumStmt": "VACUUM or ANALYZE",
    "IndexStmt": "CREATE INDEX",
    "RuleStmt": "CREATE RULE",
    "CheckPointStmt": "CHECKPOINT",
    "CreateTrigStmt": "CREATE TRIGGER",
    "CreateSeqStmt": "CREATE SEQUENCE",
    "CreateEnumStmt": "CREATE TYPE",
    "CompositeTypeStmt": "CREATE TYPE",
    "CreateDomainStmt": "CREATE DOMAIN",
}
_ROLES: Final = "Roles and privileges are the owner's."
_OWNERS_ONLY: Final[Mapping[str, str]] = {
    "MergeStmt": "Rows are not merged here: write INSERT … ON CONFLICT, UPDATE and DELETE.",
    "LockStmt": "Tables cannot be locked here.",
    **dict.fromkeys(
        (
            "GrantStmt",
            "GrantRoleStmt",
            "CreateRoleStmt",
            "AlterRoleStmt",
            "AlterRoleSetStmt",
            "DropRoleStmt",
            "AlterDefaultPrivilegesStmt",
            "ReassignOwnedStmt",
            "DropOwnedStmt",
            "AlterOwnerStmt",
        ),
        _ROLES,
    ),
    **dict.fromkeys(
        (
            "CreateSchemaStmt",
            "CreatedbStmt",
            "DropdbStmt",
            "AlterDatabaseStmt",
            "AlterDatabaseSetStmt",
            "AlterSystemStmt",
        ),
        "Databases, schemas and the server are the owner's.",
    ),
}

# Statements that read relations when they run: PREPARE does not.
READERS: Final = frozenset(
    (
        *("SelectStmt", "ExplainStmt", "DeclareCursorStmt", "CopyStmt", "CreateTableAsStmt", "ViewStmt"),
        *("InsertStmt", "UpdateStmt", "DeleteStmt"),
    )
)

RULES: Final[Mapping[str, Rule]] = {
    "SelectStmt": _select,
    "ExplainStmt": _inner,
    "DeclareCursorStmt": _cursor,
    "PrepareStmt": _prepare,
    "CopyStmt": _copy,
    "InsertStmt": _change,
    "UpdateStmt": _change,
    "DeleteStmt": _change,
    "TruncateStmt": _truncate,
    "CreateTableAsStmt": _create_as,
    "ViewStmt": _own_relation("view"),
    "CreateStmt": _own_relation("relation"),
    "DropStmt": _drop,
    "AlterTableStmt": _alter,
    "RenameStmt": _alter,
    "CommentStmt": _comment,
    "VariableSetStmt": _set,
    "VariableShowStmt": _free,
    "TransactionStmt": _transaction,
    "FetchStmt": _cursor,
    "ClosePortalStmt": _cursor,
    "ExecuteStmt": _named,
    "DeallocateStmt": _named,
    "DiscardStmt": _free,
    "UnlistenStmt": _free,
}
