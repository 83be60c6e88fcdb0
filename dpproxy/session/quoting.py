"""Identifiers as they stand in a text for the front.

Checked by: tests/attacks/test_received_text.py.
"""

from __future__ import annotations


def quoted(*names: str) -> str:
    """Each in quotes, with dots between; what is empty is left out."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names if name)
