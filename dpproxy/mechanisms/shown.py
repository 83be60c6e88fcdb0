"""Numbers of mechanisms for people."""

from __future__ import annotations


def shown(value: object) -> str:
    """Seven digits at most, no exponent for ordinary sizes."""
    return f"{float(str(value)):.7g}"
