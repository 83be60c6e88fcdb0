"""Codecs of the fields that messages are made of.

A `Codec` reads one field and writes it back; a `Shape` is a message as a row of codecs. Reading and writing come from
one description, so they cannot drift apart, and whatever is wrong with the bytes ends in `ProtocolViolation`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from dpproxy.wire.errors import ProtocolViolation, UndecodableText

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")


class PayloadReader:
    """A cursor over one payload. `message` is the name that errors speak of, `encoding` a Python codec."""

    __slots__ = ("_at", "_payload", "encoding", "message")

    def __init__(self, message: str, payload: bytes, encoding: str) -> None:
        self.message, self.encoding = message, encoding
        self._payload, self._at = payload, 0

    def fault(self, what: str) -> ProtocolViolation:
        return ProtocolViolation(f"{self.message} message, offset {self._at}: {what}")

    def take(self, size: int) -> bytes:
        """The next `size` bytes; ProtocolViolation if there are fewer."""
        end = self._at + size
        if end > len(self._payload):
            raise self.fault(f"{size} bytes expected, {len(self._payload) - self._at} left")
        taken = self._payload[self._at : end]
        self._at = end
        return taken

    def number(self, layout: struct.Struct) -> int:
        """The next number; ProtocolViolation if there are too few bytes for one."""
        at = self._at
        if at + layout.size > len(self._payload):
            self.take(layout.size)
        self._at = at + layout.size
        value: int = layout.unpack_from(self._payload, at)[0]
        return value

    def rest(self) -> bytes:
        return self.take(len(self._payload) - self._at)

    def text(self) -> str:
        """Text up to the next NUL; ProtocolViolation if there is none, UndecodableText if the encoding forbids it."""
        end = self._payload.find(b"\0", self._at)
        if end < 0:
            raise self.fault("text without its closing NUL")
        raw = self._payload[self._at : end]
        try:
            decoded = raw.decode(self.encoding)
        except UnicodeError as fault:
            raise UndecodableText(
                f"{self.message} message, offset {self._at}: text is not valid {self.encoding}"
            ) from fault
        self._at = end + 1
        return decoded

    def at_terminator(self) -> bool:
        """Whether the next byte is the zero that closes a list; steps over it if so."""
        if self._at >= len(self._payload):
            raise self.fault("list without its closing zero byte")
        closed = self._payload[self._at] == 0
        self._at += closed
        return closed

    def end(self) -> None:
        if self._at != len(self._payload):
            raise self.fault(f"{len(self._payload) - self._at} bytes too many")


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """One field: `read` takes it off a payload, `write` gives its bytes in an encoding."""

    read: Callable[[PayloadReader], T]
    write: Callable[[T, str], bytes]


def _integer(layout: str) -> Codec[int]:
    packed = struct.Struct(layout)

    def read(reader: PayloadReader) -> int:
        return reader.number(packed)

    def write(value: int, _encoding: str) -> bytes:
        try:
            return packed.pack(value)
        except struct.error as fault:
            raise ProtocolViolation(f"the number {value} does not fit into {packed.size} bytes") from fault

    return Codec(read, write)


UINT8 = _integer(">B")
INT16 = _integer(">h")
UINT16 = _integer(">H")
INT32 = _integer(">i")
UINT32 = _integer(">I")


def _write_text(value: str, encoding: str) -> bytes:
    try:
        raw = value.encode(encoding)
    except UnicodeError as fault:
        raise UndecodableText(f"text has characters that {encoding} does not have") from fault
    # A NUL would end the text early and make its tail the next field: an injection.
    if b"\0" in raw:
        raise ProtocolViolation("text with a NUL in it cannot be sent")
    return raw + b"\0"


TEXT = Codec(PayloadReader.text, _write_text)


def _write_bytes(value: bytes, _encoding: str) -> bytes:
    return value


REST = Codec(PayloadReader.rest, _write_bytes)


def sized(least: int, most: int) -> Codec[bytes]:
    """All that is left of the payload, which must be `least` to `most` bytes."""

    def read(reader: PayloadReader) -> bytes:
        value = reader.rest()
        if not least <= len(value) <= most:
            raise reader.fault(f"{len(value)} bytes where {least} to {most} are allowed")
        return value

    def write(value: bytes, _encoding: str) -> bytes:
        if not least <= len(value) <= most:
            raise ProtocolViolation(f"{len(value)} bytes where {least} to {most} are allowed")
        return value

    return Codec(read, write)


_NULL: Final = b"\xff\xff\xff\xff"
_LENGTH: Final = struct.Struct(">i")


def _read_value(reader: PayloadReader) -> bytes | None:
    length = reader.number(_LENGTH)
    if length < -1:
        raise reader.fault(f"a value of length {length}")
    return None if length == -1 else reader.take(length)


def _write_value(value: bytes | None, encoding: str) -> bytes:
    return _NULL if value is None else INT32.write(len(value), encoding) + value


VALUE = Codec(_read_value, _write_value)


def letter(allowed: str) -> Codec[str]:
    """One ASCII character out of `allowed`."""

    def read(reader: PayloadReader) -> str:
        value = chr(UINT8.read(reader))
        if value not in allowed:
            raise reader.fault(f"{value!r} where one of {allowed!r} is allowed")
        return value

    def write(value: str, _encoding: str) -> bytes:
        if len(value) != 1 or value not in allowed:
            raise ProtocolViolation(f"{value!r} where one of {allowed!r} is allowed")
        return value.encode("ascii")

    return Codec(read, write)


def counted(size: Codec[int], item: Codec[T]) -> Codec[tuple[T, ...]]:
    """A count and as many items. Counts are unsigned, as the server reads them: a Bind has up to 65535 parameters."""

    def read(reader: PayloadReader) -> tuple[T, ...]:
        return tuple([item.read(reader) for _ in range(size.read(reader))])

    def write(values: tuple[T, ...], encoding: str) -> bytes:
        return size.write(len(values), encoding) + b"".join([item.write(value, encoding) for value in values])

    return Codec(read, write)


def _numbers(size: Codec[int], code: str) -> Codec[tuple[int, ...]]:
    """A count and as many integers of one layout, all at once: what `counted` of them is."""
    width = struct.calcsize(f">{code}")

    def read(reader: PayloadReader) -> tuple[int, ...]:
        count = size.read(reader)
        return struct.unpack(f">{count}{code}", reader.take(count * width)) if count else ()

    def write(values: tuple[int, ...], encoding: str) -> bytes:
        try:
            return size.write(len(values), encoding) + struct.pack(f">{len(values)}{code}", *values)
        except struct.error as fault:
            raise ProtocolViolation(f"a number of {values} does not fit into {width} bytes") from fault

    return Codec(read, write)


FORMATS = _numbers(UINT16, "h")
OIDS = _numbers(UINT16, "I")


def _read_values(reader: PayloadReader) -> tuple[bytes | None, ...]:
    return tuple([_read_value(reader) for _ in range(UINT16.read(reader))])


def _write_values(values: tuple[bytes | None, ...], encoding: str) -> bytes:
    parts = [UINT16.write(len(values), encoding)]
    for value in values:
        parts += (_NULL,) if value is None else (INT32.write(len(value), encoding), value)
    return b"".join(parts)


VALUES = Codec(_read_values, _write_values)


def terminated(item: Codec[T]) -> Codec[tuple[T, ...]]:
    """Items up to a zero byte; so no item may begin with one."""

    def read(reader: PayloadReader) -> tuple[T, ...]:
        values: list[T] = []
        while not reader.at_terminator():
            values.append(item.read(reader))
        return tuple(values)

    def write(values: tuple[T, ...], encoding: str) -> bytes:
        written = [item.write(value, encoding) for value in values]
        if any(raw.startswith(b"\0") for raw in written):
            raise ProtocolViolation("an empty name would end the list that it stands in")
        return b"".join(written) + b"\0"

    return Codec(read, write)


def pair(first: Codec[A], second: Codec[B]) -> Codec[tuple[A, B]]:
    """Two fields in a row."""

    def read(reader: PayloadReader) -> tuple[A, B]:
        return first.read(reader), second.read(reader)

    def write(value: tuple[A, B], encoding: str) -> bytes:
        return first.write(value[0], encoding) + second.write(value[1], encoding)

    return Codec(read, write)


def record(make: Callable[..., T], *codecs: Codec[Any]) -> Codec[T]:
    """A dataclass, its fields in their order."""
    names: tuple[str, ...] = make.__match_args__  # type: ignore[attr-defined]

    def read(reader: PayloadReader) -> T:
        return make(*[codec.read(reader) for codec in codecs])

    def write(value: T, encoding: str) -> bytes:
        fields = [getattr(value, name) for name in names]
        return b"".join([codec.write(field, encoding) for codec, field in zip(codecs, fields, strict=True)])

    return Codec(read, write)


@dataclass(frozen=True, slots=True)
class Shape(Generic[T]):
    """A message: its class, its kind byte, a fixed beginning of the payload that tells variants apart, its fields."""

    make: type[T]
    kind: bytes
    prefix: bytes
    body: Codec[T]

    def decode(self, payload: bytes, encoding: str) -> T:
        """The message in a payload; ProtocolViolation unless it is there exactly."""
        reader = PayloadReader(self.make.__name__, payload, encoding)
        if reader.take(len(self.prefix)) != self.prefix:
            raise reader.fault("wrong beginning")
        message = self.body.read(reader)
        reader.end()
        return message

    def encode(self, message: T, encoding: str) -> bytes:
        """The whole message as on the wire; ProtocolViolation if a field cannot be sent."""
        body = self.body.write(message, encoding)
        return self.kind + INT32.write(4 + len(self.prefix) + len(body), encoding) + self.prefix + body


def shape(make: type[T], kind: bytes, *codecs: Codec[Any], prefix: bytes = b"") -> Shape[T]:
    """The message `make`, whose fields are written by `codecs` in their order."""
    return Shape(make, kind, prefix, record(make, *codecs))
