"""What is asked of an engine for its owner's eyes."""

from __future__ import annotations

from dpproxy.engines import Engine, EngineQuery
from dpproxy.engines.dialects import dialect_of


def asked(text: str, engine: Engine) -> EngineQuery:
    """The text, which has words that DuckDB and Postgres have in common, as a query of the engine's."""
    return EngineQuery(dialect_of(engine.dialect).reworded(text))
