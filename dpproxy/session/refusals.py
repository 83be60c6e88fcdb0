"""Refusals that need what the session remembers."""

from __future__ import annotations

from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.session.memory import Memory
from dpproxy.session.verdicts import Executes, Pass, Statement


def unusable(statement: Statement, memory: Memory) -> DPProxyError | None:
    """EXECUTE of a statement that the client prepared by the protocol and that may be private."""
    effect = statement.effect
    if (
        not isinstance(statement.verdict, Pass)
        or not isinstance(effect, Executes)
        or effect.name not in memory.statements
    ):
        return None
    hint = "Bind it by the extended protocol, or run its SELECT by itself."
    return FeatureNotSupported("EXECUTE of a private statement is not supported yet", hint=hint)
