"""What the checker says of a plan that it does not accept."""

from __future__ import annotations


class CheckFault(Exception):
    """A plan that does not prove its own guarantee. The reason is for the operator's log, never for the client."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def require(holds: object, reason: str) -> None:
    """Raises CheckFault with `reason` unless `holds`."""
    if not holds:
        raise CheckFault(reason)
