"""What a session remembers: the client's statements and swapped portals, and the relay's own statements.

What a message changes is changed when it is sent, and undone if it turns out to fail or to be skipped.

Checked by: tests/test_relay.py, tests/test_pipelined_names.py.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, assert_never

from dpproxy.session.front_facts import KeptLookup
from dpproxy.session.passing_messages import PassingMessages
from dpproxy.session.pipelined_names import PipelinedNames, Undo
from dpproxy.session.verdicts import (
    ClosesCursor,
    Deallocates,
    Effect,
    Executes,
    Fetches,
    Nothing,
    Prepares,
    Private,
    Sets,
    Statement,
)
from dpproxy.wire import Frame, ParameterDescription, ResultField, RowDescription, decode_backend

MOST_OWN: Final = 200
# An unknown setting is an error at the next private statement, so there is no need to know of many.
MOST_SETTINGS: Final = 100
_RECORD: Final = 500  # about the bytes of a small record, its name and its place in a table


@dataclass(frozen=True, slots=True)
class StatementTypes:
    """What Describe says of a statement: parameter types and columns (None: it returns no rows)."""

    parameters: tuple[int, ...]
    fields: tuple[ResultField, ...] | None


@dataclass(slots=True)
class PreparedStatement:
    """A statement of the client's that may be private. `tap`: frames of a Describe of the client's own, if any came.

    told: whether the client has asked for its columns, which are the same from then on.
    """

    statement: Statement
    types: tuple[int, ...]
    typed: StatementTypes | None = None
    tap: list[Frame] = field(default_factory=list)
    told: bool = False


@dataclass(slots=True)
class Portal:
    """A swapped portal or a cursor: the columns of the client's own text (None: it returns no rows), the notice that
    goes with the end of its first Execute, and the command tag that it ends with, if not the swapped text's.

    binary: whether it is a cursor whose rows are binary unless a Bind says otherwise. stored: see `Swapped`.
    """

    fields: tuple[ResultField, ...] | None
    notice: bytes = b""
    tag: bytes | None = None
    binary: bool = False
    stored: bool = False


class SessionState:
    """Names of the session. Statements that just pass are not kept: what is not here is forwarded."""

    def __init__(self, settled: Callable[[], bool] = lambda: False) -> None:
        """settled: whether the front owes no reply."""
        self.passing = PassingMessages()
        forget = self.passing.forget
        self.statements: PipelinedNames[PreparedStatement] = PipelinedNames(
            settled, lambda each: _RECORD + len(each.statement.sql), forget
        )
        self.portals: PipelinedNames[Portal] = PipelinedNames(
            settled, lambda each: _RECORD * (1 + len(each.fields or ())), forget
        )
        self.settings: set[str] = set()
        self.looked: KeptLookup | None = None  # what the front said last, where that is kept
        self.unseen = 0  # statements that may go on before it is looked how much room there is
        self.room = 0  # bytes that a COPY from the client may have
        self._effects: dict[str, Effect] = {}
        self._own: OrderedDict[tuple[str, tuple[int, ...]], str] = OrderedDict()
        self._described: dict[str, StatementTypes] = {}
        self._made = 0
        self._own_size = 0

    @property
    def held(self) -> int:
        """About how many bytes it takes. Only names that the client chooses can be many."""
        names = self.statements.held + self.portals.held + _RECORD * len(self._effects)
        return names + self._own_size + self.passing.held

    def prepare(self, name: str, prepared: PreparedStatement | None) -> Undo | None:
        """The client's Parse: `prepared` (None: it just passes) under a name."""
        return self.statements.put(name, prepared)

    def end_unnamed(self) -> Undo | None:
        """A simple Query ends the statement and the portal that have no name, unless the front skips it."""
        effect = self._effects.get("")
        undos = [undo for undo in (self.prepare("", None), self.close_portal("")) if undo is not None]
        if effect is None and not undos:
            return None

        def undo_all() -> None:
            for undo in undos:
                undo()
            if effect is not None:
                self.bind("", effect)

        return undo_all

    def open_portal(self, name: str, portal: Portal) -> Undo | None:
        """A swapped portal, or a cursor: both have their names from one store."""
        return self.portals.put(name, portal)

    def close_portal(self, name: str) -> Undo | None:
        """A portal of that name is no swapped one any more."""
        self._effects.pop(name, None)
        return self.portals.put(name, None)

    def bind(self, name: str, effect: Effect) -> None:
        """The client's Bind of a statement that leaves a trace, when it is executed."""
        self._effects[name] = effect
        self.passing.forget()

    def execute(self, name: str) -> Undo | None:
        """The client's Execute of a portal that is not swapped."""
        effect = self._effects.get(name)
        return None if effect is None else self.apply(effect)

    def leaves_no_trace(self, name: str) -> bool:
        """Whether an Execute of a portal that is not swapped changes nothing, whatever fails of what is under way."""
        return name not in self._effects and not self.portals.unsure(name)

    def may_be_private(self, statement: Statement) -> bool:
        """Whether it may read private tables: by itself, or by EXECUTE of a statement that may."""
        executed = self.executed(statement)
        return any(isinstance(each.verdict, Private) for each in (statement, executed) if each)

    def just_passes(self, statement: Statement) -> bool:
        """Whether EXECUTE goes to the front as it stands: nothing private is read, and no argument names a setting."""
        executed = self.executed(statement)
        return not self.may_be_private(statement) and (executed is None or not executed.setters)

    def executed(self, statement: Statement) -> Statement | None:
        """What EXECUTE executes, where that is kept."""
        effect = statement.effect
        prepared = self.statements.get(effect.name) if isinstance(effect, Executes) else None
        return None if prepared is None else prepared.statement

    def fetched(self, statement: Statement) -> Portal | None:
        """The swapped cursor that a FETCH reads; None for any other statement."""
        effect = statement.effect
        return self.portals.get(effect.cursor) if isinstance(effect, Fetches) else None

    def apply(self, effect: Effect) -> Undo | None:
        """What a statement of SQL changes."""
        match effect:
            case Nothing() | Fetches():
                return None
            case Executes(name=name):
                return self._apply_prepared(name)
            case Sets(names):
                if len(self.settings) < MOST_SETTINGS:
                    self.settings.update(names)
                return None
            case Prepares(name, select):
                return self.statements.put(name, None if select is None else PreparedStatement(select, ()))
            case Deallocates(name=name):
                return self._deallocate_all() if name is None else self.statements.put(name, None)
            case ClosesCursor(name=name):
                return self.portals.clear() if name is None else self.portals.put(name, None)
            case _:
                assert_never(effect)

    def _apply_prepared(self, name: str) -> Undo | None:
        """EXECUTE of what the client prepared by the protocol does what that does."""
        prepared = self.statements.get(name)
        effect = Nothing() if prepared is None else prepared.statement.effect
        return None if isinstance(effect, Executes) else self.apply(effect)

    def _deallocate_all(self) -> Undo:
        self._own.clear()
        self._own_size = 0
        self._described.clear()
        return self.statements.clear()

    def own(self, sql: str, types: tuple[int, ...]) -> str | None:
        """The name under which the relay's own statement is prepared, or None."""
        name = self._own.get((sql, types))
        if name is not None:
            self._own.move_to_end((sql, types))
        return name

    def make_own(self, sql: str, types: tuple[int, ...]) -> tuple[str, Undo]:
        """A new name for a statement of the relay's own. Names are never used again."""
        self._made += 1
        key, name = (sql, types), f"dpproxy_{self._made}"
        self._own[key] = name
        self._own_size += _RECORD + len(sql)
        return name, lambda: self._unmake(key)

    def _unmake(self, key: tuple[str, tuple[int, ...]]) -> None:
        if self._own.pop(key, None) is not None:
            self._own_size -= _RECORD + len(key[0])

    def described(self, name: str) -> StatementTypes | None:
        """What Describe said of an own statement."""
        return self._described.get(name)

    def describe(self, name: str, described: StatementTypes) -> None:
        """What Describe says of an own statement."""
        self._described[name] = described

    def forget(self, sql: str, types: tuple[int, ...]) -> str | None:
        """The name of an own statement, now forgotten, or None."""
        name = self._own.get((sql, types))
        if name is not None:
            self._unmake((sql, types))
            self._described.pop(name, None)
        return name

    def surplus(self) -> str | None:
        """The name of the own statement unused for longest, now forgotten, if there are too many."""
        if len(self._own) <= MOST_OWN:
            return None
        key, name = next(iter(self._own.items()))
        self._unmake(key)
        self._described.pop(name, None)
        return name


def typed(frames: tuple[Frame, ...] | list[Frame], codec: str) -> StatementTypes:
    """What the reply to Describe S says."""
    first, second = (decode_backend(frame, codec) for frame in frames)
    assert isinstance(first, ParameterDescription)
    return StatementTypes(first.types, second.fields if isinstance(second, RowDescription) else None)
