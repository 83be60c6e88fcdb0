"""What all steps of a private statement work with.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.session.front_pipeline import FrontPipeline
from dpproxy.session.private_backend import PrivateBackend
from dpproxy.session.session_state import SessionState


@dataclass(frozen=True, slots=True)
class SessionContext:
    """One client's session: its line to the front, what it remembers, and the backend that answers."""

    pipeline: FrontPipeline
    state: SessionState
    backend: PrivateBackend
