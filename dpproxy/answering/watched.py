"""Work of the engine, whose time is told to who watches."""

from __future__ import annotations

from time import perf_counter

from dpproxy.answering.resources import Resources
from dpproxy.engines import Result, Ticket, Work


async def run_watched(resources: Resources, work: Work[Result], ticket: Ticket, seconds: float | None = None) -> Result:
    """The work done in the engine, and its time told to who watches."""
    begun = perf_counter()
    try:
        return await resources.engine.run(work, ticket, seconds)
    finally:
        resources.observer.engine(perf_counter() - begun)
