"""`dpproxy serve`, struck at an await of its event loop: `python -m attacks.struck_proxy serve --config FILE`.

Nothing of the product is another but the loop's task factory. Awaits are counted from the Bind of a statement whose
text says so in a comment: how it is struck, and at which await.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Callable
from typing import Any

import uvloop

import dpproxy.session.relay
from attacks.steps import Steps
from dpproxy.cli.app import app

COMMENT = re.compile(r"/\* (kill|gone|cancel) at (\d+) \*/")
_steps = Steps()
_new_event_loop, _bind_private = uvloop.new_event_loop, dpproxy.session.relay.bind_private


def _counted() -> Any:
    loop = _new_event_loop()
    loop.set_task_factory(_steps.task)
    return loop


async def _struck(session: Any, prepared: Any, *more: Any) -> bool:
    _steps.end()
    if (found := COMMENT.search(prepared.statement.sql)) is not None:
        strike, at = _strike(found[1], session, asyncio.current_task()), int(found[2])
        _steps.strike = lambda number: strike() if number == at else None
        _steps.begin()
    return await _bind_private(session, prepared, *more)


def _strike(kind: str, session: Any, task: Any) -> Callable[[], object]:
    """The process ends; the client has gone, which ends its session's task; or its cancel request comes in."""
    return {
        "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "gone": task.cancel,
        "cancel": session.backend.cancel,
    }[kind]


if __name__ == "__main__":
    uvloop.new_event_loop = _counted
    dpproxy.session.relay.bind_private = _struck
    app(prog_name="dpproxy")
