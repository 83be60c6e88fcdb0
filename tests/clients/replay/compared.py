"""A recording, played to both sides step by step; what differs, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .essence import Mark, Part, essence
from .exceptions import Answered, Apart, Early, Forbidden, Kinder, More, Refused, Tied, exception_of
from .naming import RECORDED_BY_15, RECORDED_BY_18, Names, readdressed
from .player import Player
from .recording import Extended, Simple, Startup, Step, pipelines, sessions
from .sides import Side
from .verdict import differences

_BY_15 = frozenset({"psql15"})
_SHOWN = 200  # characters of a statement
_FAILED = "E"
_ENDS = re.compile(r"\s*(rollback|abort|commit|end)\b", re.I)
Pipeline = Sequence[Simple | Extended]


@dataclass
class Compared:
    """How many statements were played, and what each that differs has to say."""

    statements: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, steps: Sequence[Step], told: list[str]) -> None:
        """The outcome of one pipeline."""
        self.statements += len(steps)
        if told:
            sql = " ".join(" | ".join(step.sql for step in steps).split())
            self.faults.append("\n    ".join([f"{self.statements} [{steps[-1].mark}] {sql[:_SHOWN]}", *told]))


@dataclass
class Pair:
    """The same client, connected to both."""

    ours: Side
    theirs: Side
    recorded: Mapping[int, str]
    players: list[Player]

    def opened(self) -> list[str]:
        """What differs in what the servers say when a connection is opened; the order of settings is theirs."""
        seen, expected = (essence(player.opening, side.names) for player, side in self._both())
        return differences("", sorted(seen, key=repr), sorted(expected, key=repr), self.ours.names)

    def step(self, pipeline: Pipeline) -> list[str]:
        """What differs in the answers to a pipeline.

        Where the recording goes on in a transaction that has failed here, for want of what the policy cannot say or
        because rows of people are refused, a new one is begun.
        """
        if all(player.status == _FAILED for player in self.players) and not _ENDS.match(pipeline[0].sql):
            for player in self.players:
                player.begin_anew()
        exception = exception_of(pipeline[-1].sql) if self._is_run(pipeline[-1]) else None
        refused = isinstance(exception, Refused | Forbidden)
        answers = [
            player.play(
                [readdressed(step, self.recorded, side.names) for step in pipeline], refused and side is self.theirs
            )
            for player, side in self._both()
        ]
        seen, expected = (essence(answer, side.names) for answer, (_, side) in zip(answers, self._both(), strict=True))
        match exception:
            case Refused(sqlstate):
                return _refusal(seen, expected, sqlstate)
            case Forbidden(sqlstate):
                return _refusal(seen, expected[-1:], sqlstate)
            case Answered():
                return differences("", _shape(seen), _shape(expected), self.ours.names)
            case Early():
                return differences("", _in_short(seen), _in_short(expected), self.ours.names)
            case Kinder(sqlstate):
                return [] if not _codes(seen) and _codes(expected) == [sqlstate] else [f"{seen}, {expected}"]
            case More():
                return _less(seen, expected, self.ours.names)
            case Tied():
                return differences("", seen, expected, self.ours.names)
            case Apart():
                seen, expected = _without(seen, exception), _without(expected, exception)
                return differences(pipeline[-1].sql, seen, expected, self.ours.names)
            case None:
                return differences(pipeline[-1].sql, seen, expected, self.ours.names)

    def close(self) -> None:
        """Close both connections."""
        for player in self.players:
            player.close()

    def _both(self) -> list[tuple[Player, Side]]:
        return list(zip(self.players, (self.ours, self.theirs), strict=True))

    def _is_run(self, step: Simple | Extended) -> bool:
        """In a failed transaction nothing is, and what is only described is not."""
        return self.players[1].status != _FAILED and (isinstance(step, Simple) or step.bound is not None)


def compare(steps: tuple[Step, ...], name: str, ours: Side, theirs: Side) -> Compared:
    """Play the recording `name` to both."""
    compared = Compared()
    recorded = RECORDED_BY_15 if name in _BY_15 else RECORDED_BY_18
    for startup, *rest in sessions(steps):
        assert isinstance(startup, Startup)
        players = [Player.connect(side.address, side.parameters(startup.parameters)) for side in (ours, theirs)]
        pair = Pair(ours, theirs, recorded, players)
        try:
            compared.add([startup], pair.opened())
            for pipeline in pipelines([step for step in rest if not isinstance(step, Startup)]):
                compared.add(pipeline, pair.step(pipeline))
        finally:
            pair.close()
    return compared


def _shape(parts: list[Part]) -> list[Part]:
    """The answer without its values: noise makes them differ."""
    return [part if isinstance(part, Mark) else tuple(tuple(None for _ in row) for row in part) for part in parts]


def _less(seen: list[Part], expected: list[Part], own: Names) -> list[str]:
    """What Postgres says and the proxy does not, but for how many rows there were."""
    rows = {row for part in seen if not isinstance(part, Mark) for row in part}
    others = {row for part in expected if not isinstance(part, Mark) for row in part} - rows
    missing = [row for row in others if not any(map(own.is_of_the_proxy, row))]
    ours, theirs = (
        [part for part in parts if isinstance(part, Mark) and part.kind != "done"] for parts in (seen, expected)
    )
    return [f"only Postgres: {row}" for row in missing] + ([] if ours == theirs else [f"{ours}, {theirs}"])


def _is(part: Part, *kinds: str) -> bool:
    return isinstance(part, Mark) and part.kind in kinds


def _codes(parts: list[Part]) -> list[object]:
    """The SQLSTATEs of the errors in an answer."""
    return [part.what[0] for part in parts if isinstance(part, Mark) and _is(part, "error")]


def _in_short(parts: list[Part]) -> list[Part]:
    """The answer without what only says that a message was taken."""
    return [part for part in parts if not _is(part, "BindComplete", "NoData")]


def _without(parts: list[Part], apart: Apart) -> list[Part]:
    """The answer without the values of the columns that may differ."""
    kept: list[Part] = []
    covered: tuple[bool, ...] = ()
    for part in parts:
        if isinstance(part, Mark):
            kept.append(part)
            covered = (
                tuple(apart.covers(str(column[0])) for column in part.what if isinstance(column, tuple))
                if part.kind == "columns"
                else covered
            )
        else:
            kept.append(tuple(tuple(map(lambda value, over: None if over else value, row, covered)) for row in part))
    return kept


def _refusal(seen: list[Part], expected: list[Part], sqlstate: str) -> list[str]:
    """A refused statement is described like any other, fails with its own SQLSTATE, and leaves the same status."""
    told = [] if _codes(seen) == [sqlstate] else [f"the proxy: {_codes(seen) or 'no error'}, expected {sqlstate}"]
    ours, theirs = ([part for part in parts if not _is(part, "error")] for parts in (seen, expected))
    return told if ours == theirs else [*told, f"the proxy: {ours}", f"Postgres:  {theirs}"]
