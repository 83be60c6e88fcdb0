"""Names whose changes may turn out to have failed, when later changes were made already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")
Undo = Callable[[], None]
_FEW: Final = 64


@dataclass(slots=True)
class _Change(Generic[_T]):
    value: _T | None
    before: _Change[_T] | None
    failed: bool = False
    shows: bool = False
    """Whether there is something of the name, or was before, and comes back if all changes since failed."""

    def __post_init__(self) -> None:
        self.shows = self.value is not None or (self.before is not None and self.before.shows)

    def fail(self) -> None:
        self.failed = True


class PipelinedNames(Generic[_T]):
    """What is known under each name: the latest change that did not fail.

    Messages of several Syncs may be under way at once, so failures are told in whatever order; each takes back its own
    change and no other. `settled`: whether nothing is under way, so that what was before can be forgotten.
    held: about how many bytes all that is known takes, `weigh` being asked of each. changed: called whenever something
    else may be known under a name than before, or sure of it.
    """

    def __init__(
        self,
        settled: Callable[[], bool],
        weigh: Callable[[_T], int] = lambda _: 0,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._settled = settled
        self._changed = changed
        self._weigh = weigh
        self._latest: dict[str, _Change[_T]] = {}
        self._most = _FEW
        self.held = 0

    def get(self, name: str) -> _T | None:
        """None if there is nothing of that name."""
        change = self._latest.get(name)
        while change is not None and change.failed:
            change = change.before
        return None if change is None else change.value

    def unsure(self, name: str) -> bool:
        """Whether nothing is known under the name for a change's sake that may turn out to have failed."""
        change = self._latest.get(name)
        while change is not None and change.failed:
            change = change.before
        return change is not None and change.value is None and change.shows and not self._settled()

    def put(self, name: str, value: _T | None) -> Undo | None:
        """From now on. The undo is for the case that it fails; there is none where nothing changes."""
        if len(self._latest) > self._most and self._settled():
            self._forget_gone()
        before = self._latest.get(name)
        if before is not None and self._settled():
            known = self.get(name)
            before = None if known is None else _Change(known, None)
        if value is None and before is None:
            self._latest.pop(name, None)
            return None
        change = _Change(value, before)
        self.held += self._weight(value) - self._weight(self.get(name))
        self._latest[name] = change
        self._changed()
        return lambda: self._fail(name, change)

    def _forget_gone(self) -> None:
        """Drivers count their names up: those that nothing has any more are dropped whenever all have doubled."""
        self._latest = {name: change for name, change in self._latest.items() if self.get(name) is not None}
        self._most = max(_FEW, 2 * len(self._latest))

    def _fail(self, name: str, change: _Change[_T]) -> None:
        before = self._weight(self.get(name))
        change.fail()
        self._changed()
        self.held += self._weight(self.get(name)) - before

    def _weight(self, value: _T | None) -> int:
        return 0 if value is None else self._weigh(value)

    def clear(self) -> Undo:
        """Nothing of any name from now on."""
        if self._settled():
            self._forget_gone()
        undos = [undo for name in list(self._latest) if (undo := self.put(name, None)) is not None]

        def undo_all() -> None:
            for undo in undos:
                undo()

        return undo_all
