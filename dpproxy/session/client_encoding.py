"""Client encodings, as Python knows them, and words of the proxy's own in each.

Checked by: tests/test_encodings_in_a_pipeline.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dpproxy.wire import SQL_ASCII, ProtocolViolation, UnknownEncoding, python_codec

_PLAIN: Final[Mapping[str, str]] = {"±": "+/-", "×": "x", "…": "...", "–": "-", "→": "->"}
"""What stands for a sign of the proxy's own where the client's encoding lacks it."""


def codec_of(encoding: str) -> str:
    """Python's codec for an encoding. Raises ProtocolViolation where there is none."""
    try:
        return python_codec(encoding)
    except UnknownEncoding as fault:
        raise ProtocolViolation(str(fault)) from fault


def encodable(text: str, codec: str) -> str:
    """The text with what the encoding does not have replaced, and no NUL: it always gets through."""
    if codec == "utf-8" and text.isascii() and "\0" not in text:
        return text
    for sign, plain in _PLAIN.items():
        if sign in text and not _has(codec, sign):
            text = text.replace(sign, plain)
    return text.replace("\0", "?").encode(codec, "replace").decode(codec)


def _has(codec: str, sign: str) -> bool:
    """Whether the client reads the sign. With SQL_ASCII it is not said what it makes of the bytes."""
    return codec != SQL_ASCII and bool(sign.encode(codec, "ignore"))
