"""Errors that reach a person. Each class owns its SQLSTATE, given as a class keyword.

An error's text never holds anything that came out of the data: messages are made from the SQL text, the policy and
fixed words only.
"""

from __future__ import annotations

from typing import ClassVar


class DPProxyError(Exception):
    """An error as Postgres shows it: message, DETAIL, HINT and POSITION (1-based, in characters of the statement)."""

    sqlstate: ClassVar[str] = "XX000"

    def __init__(
        self, message: str, *, detail: str | None = None, hint: str | None = None, position: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position

    def __init_subclass__(cls, sqlstate: str | None = None) -> None:
        if sqlstate is not None:
            cls.sqlstate = sqlstate


class PrivacyBudgetExceeded(DPProxyError, sqlstate="DP001"):
    """The statement costs more than is left."""


class NotPrivate(DPProxyError, sqlstate="DP002"):
    """The statement cannot be made private; carries a hint saying what to write instead."""


class RowsOfUnits(NotPrivate):
    """The statement would return rows of single units, as a tool's preview of a table does."""


class RowPerUnit(NotPrivate):
    """The statement groups by what settles the unit. `shared`: the places in GROUP BY of keys that many units share."""

    def __init__(self, message: str, *, hint: str, position: int | None, shared: frozenset[int]) -> None:
        super().__init__(message, hint=hint, position=position)
        self.shared = shared


class KeysOfPairs(NotPrivate):
    """Rows of two units are grouped by private keys. `shared`: the places in GROUP BY of the others."""

    def __init__(self, message: str, *, hint: str, position: int | None, shared: frozenset[int]) -> None:
        super().__init__(message, hint=hint, position=position)
        self.shared = shared


class SubqueryBesidePairs(NotPrivate):
    """A subquery over private rows stands beside rows of two units."""


class BoundsRequired(DPProxyError, sqlstate="DP003"):
    """A measure has no finite bounds, or its sum could pass 2**63 grid steps; carries a hint."""


class InvalidPrivacySetting(DPProxyError, sqlstate="DP004"):
    """A `dp.*` setting is unknown or out of range."""


class InvalidSettingValue(DPProxyError, sqlstate="22023"):
    """A setting cannot have that value: told where it is set."""


class UndefinedSetting(DPProxyError, sqlstate="42704"):
    """There is no setting of that name."""


class EngineFailure(DPProxyError, sqlstate="DP005"):
    """The engine failed on a bounded statement. The text is fixed: what failed may depend on a row."""

    TEXT: ClassVar[str] = "the statement could not be completed"
    HINT: ClassVar[str] = (
        "It was charged. Private statements stay stopped for this account until the operator has looked into it."
    )

    def __init__(self) -> None:
        super().__init__(self.TEXT, hint=self.HINT)


class EngineUnavailable(DPProxyError, sqlstate="08006"):
    """The engine could not be reached before any query of the statement was sent, which no row has a part in."""

    CHARGED: ClassVar[str] = "The statement was charged and did not run. Try again later."

    def __init__(self) -> None:
        super().__init__("the database behind dpproxy cannot be reached", hint="Nothing was charged. Try again later.")


class EngineChanged(DPProxyError, sqlstate="55000"):
    """A constraint that the policy's tables had when it was read is gone: what leant on it would not be private."""

    CHARGED: ClassVar[str] = "The statement was charged and did not run. Ask the operator to look, and to reload."

    def __init__(self) -> None:
        super().__init__(
            "the tables behind dpproxy have changed since its policy was read",
            hint="Nothing was charged. Ask the operator to look, and to reload.",
        )


class SyntaxFault(DPProxyError, sqlstate="42601"):
    """The text is not SQL."""


class UndefinedColumn(DPProxyError, sqlstate="42703"):
    """No such column (a hidden one does not exist either)."""


class UndefinedTable(DPProxyError, sqlstate="42P01"):
    """No such table."""


class InsufficientPrivilege(DPProxyError, sqlstate="42501"):
    """Not allowed to this analyst."""


class FeatureNotSupported(DPProxyError, sqlstate="0A000"):
    """Understood, and not supported."""


class DivisionByZero(DPProxyError, sqlstate="22012"):
    """A divisor that is written as 0."""


class OutOfRange(DPProxyError, sqlstate="22003"):
    """A number that is written in the statement, and that its type does not hold."""


class InvalidPassword(DPProxyError, sqlstate="28P01"):
    """Authentication failed; the same text whether the role exists or not."""


class InvalidAuthorization(DPProxyError, sqlstate="28000"):
    """The connection is refused before a password is asked for."""


class QueryCanceled(DPProxyError, sqlstate="57014"):
    """Cancelled on the client's request, or by its own timeout."""


class StatementTimeout(DPProxyError, sqlstate="57014"):
    """The statement did not end within its time limit, to which noise was added: an ordinary outcome of it."""

    def __init__(self) -> None:
        super().__init__(
            "canceling statement due to statement timeout",
            hint="It was charged. Ask for less at once, or ask the operator for a longer statement_timeout.",
        )


class ProtocolFault(DPProxyError, sqlstate="08P01"):
    """The client broke the protocol; the connection is closed."""


class FrontUnavailable(DPProxyError, sqlstate="08006"):
    """The front Postgres cannot be reached or started."""


class LedgerUnavailable(DPProxyError, sqlstate="57P03"):
    """The ledger cannot be reached: nothing is answered."""


class TooManyConnections(DPProxyError, sqlstate="53300"):
    """A limit on connections is reached."""


class InternalFault(DPProxyError, sqlstate="XX000"):
    """A fault of dpproxy's own. The text is fixed, and says whether the statement was charged before."""

    UNCHARGED: ClassVar[str] = "Nothing was charged. The operator's log has the details."
    CHARGED: ClassVar[str] = "The statement was charged. The operator's log has the details."
    ENDED: ClassVar[str] = (
        "What was at work may have been charged: see dp.statements. The operator's log has the details."
    )

    def __init__(self, hint: str = UNCHARGED) -> None:
        super().__init__("internal error", hint=hint)


class ConfigFault(DPProxyError, sqlstate="F0000"):
    """Everything wrong with a configuration, all faults at once: one line each in `detail`."""
