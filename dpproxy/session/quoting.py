"""Identifiers as they stand in a text for the front."""

from __future__ import annotations


def quoted(*names: str) -> str:
    """Each in quotes, with dots between; what is empty is left out."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names if name)
