"""Client encodings, as Python knows them.

Checked by: tests/test_encodings_in_a_pipeline.py.
"""

from __future__ import annotations

from dpproxy.wire import ProtocolViolation, UnknownEncoding, python_codec


def codec_of(encoding: str) -> str:
    """Python's codec for an encoding. Raises ProtocolViolation where there is none."""
    try:
        return python_codec(encoding)
    except UnknownEncoding as fault:
        raise ProtocolViolation(str(fault)) from fault
