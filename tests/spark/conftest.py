"""A server of Spark Connect that the tests start: Sail, one process without a JVM."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from spark_servers import Sail

from dpproxy.engines.spark.sessions import Session


@pytest.fixture(scope="module")
def sail() -> Iterator[Sail]:
    """One for the tests of a file."""
    with Sail.started() as server:
        yield server


@pytest.fixture(scope="module")
def session(sail: Sail) -> Iterator[Session]:
    """One at that server, for the tests of a file."""
    made = Session(sail.url)
    made.begin({})
    yield made
    made.end()
