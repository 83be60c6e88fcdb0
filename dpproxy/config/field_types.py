"""The kinds of values that keys take. Each refuses with what was expected; `wrong` says more than the value does."""

from __future__ import annotations

import base64
import binascii
import glob
import re
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, StrictBool, StrictInt, StrictStr, ValidationInfo
from pydantic_core import PydanticCustomError

from dpproxy.catalog.types import SqlType, parse_type
from dpproxy.engines.libpq import parts
from dpproxy.engines.providers import VERSIONED, Location, WrongUrl, forms, located

_MOST_DIGITS = 1_000
_EPSILONS = Decimal("1e-12"), Decimal("1e15")  # what a statement may ask for at least; what a ledger adds up
_STEPS = Decimal("1e-300"), Decimal("1e300")
_UNITS = {"ms": Decimal("0.001"), "s": Decimal(1), "m": Decimal(60), "h": Decimal(3600)}


def unfit(expected: str, wrong: str | None = None) -> PydanticCustomError:
    """The refusal of a value. `wrong` is left out where the value itself says it."""
    return PydanticCustomError("fault", "{expected}", {"expected": expected, "wrong": wrong})


def _seconds(value: Any) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", value) if isinstance(value, str) else None
    if match is None or not Decimal(match[1]):
        raise unfit('a duration above zero such as "500ms", "60s", "5m" or "1h"')
    return float(Decimal(match[1]) * _UNITS[match[2]])


def _pause(value: Any) -> float:
    if isinstance(value, str) and re.fullmatch(r"0+(\.0+)?(ms|s|m|h)", value):
        return 0.0
    try:
        return _seconds(value)
    except PydanticCustomError:
        raise unfit('a duration such as "0s", "500ms", "60s" or "5m"') from None


def exact(value: Any) -> Decimal | None:
    """The number that `value` is, exactly, or None where it is no finite number, or one with more digits than any
    engine has: those of 1e-999999999 could not be written out."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    number = Decimal(value)
    return number if number.is_finite() and (not number or abs(number.adjusted()) <= _MOST_DIGITS) else None


def _epsilon(value: Any) -> Decimal:
    number = exact(value)
    if number is None or number <= 0:
        raise unfit("a number above 0")
    if not _EPSILONS[0] <= number <= _EPSILONS[1]:
        raise unfit("a number from 1e-12 to 1e15")
    return number


def _delta(value: Any) -> Decimal:
    number = exact(value)
    if number is None or not 0 <= number < 1:
        raise unfit("a number from 0 to below 1")
    return number


def _step(value: Any) -> Decimal:
    number = exact(value)
    if number is None or number <= 0:
        raise unfit("a number above 0, the grid that sums are rounded to")
    if not _STEPS[0] <= number <= _STEPS[1]:
        raise unfit("a number from 1e-300 to 1e300")
    return number


def _type(value: Any) -> SqlType:
    if not isinstance(value, str):
        raise unfit('a type\'s name such as "integer" or "numeric(15,2)"')
    try:
        kind = parse_type(value)
    except ValueError as cause:
        raise unfit("one of " + str(cause).partition("known are ")[2], f'unknown type "{value}"') from None
    match kind:
        case SqlType("numeric", (precision,)):
            kind = SqlType("numeric", (precision, 0))
        case SqlType(_, ()) | SqlType("numeric", (_, _)) | SqlType("character varying", (_,)):
            pass
        case _:
            raise unfit(f'"{kind.name}"', f'"{value}" takes no such numbers')
    return kind


def _resolved(path: str, info: ValidationInfo) -> Path:
    directory: Path = (info.context or {}).get("directory", Path.cwd())
    return directory / path


def _existing(value: Any, info: ValidationInfo) -> Path:
    if not isinstance(value, str) or not _resolved(value, info).is_file():
        raise unfit("the path of a file that exists, relative to this one's directory")
    return _resolved(value, info)


def _new(value: Any, info: ValidationInfo) -> Path:
    if not isinstance(value, str) or not value or not _resolved(value, info).parent.is_dir():
        raise unfit("the path of a file, relative to this one's directory, in a directory that exists")
    return _resolved(value, info)


def _source(value: Any, info: ValidationInfo) -> str:
    """A pattern as the engine's files are found by: the directory in it stands for itself. Or a format that has
    versions and its directory, or its URL."""
    format_, _, place = value.partition(":") if isinstance(value, str) else ("", "", "")
    if format_ in VERSIONED and place:
        return value if "://" in place else f"{format_}:{_resolved(place, info).absolute()}"
    if not isinstance(value, str) or not value.endswith(".parquet"):
        raise unfit(
            'a pattern of Parquet files such as "visits/*.parquet", or a table such as "delta:visits", relative to this'
            " file's directory"
        )
    directory = glob.escape(str(_resolved("", info).absolute()))
    return str(Path(directory) / value)


@dataclass(frozen=True, slots=True)
class Embedded:
    """A front of our own: its data in `directory`."""

    directory: Path


@dataclass(frozen=True, slots=True)
class Postgres:
    """A database of a Postgres server, as libpq's URL names it. It may hold a password and is never shown."""

    url: str = field(repr=False)


def _front(value: Any, info: ValidationInfo) -> Embedded | Postgres:
    if isinstance(value, str) and (match := re.fullmatch("embedded:(.+)", value)):
        return Embedded(_resolved(match[1], info))
    return _postgres(value, '"embedded:DIRECTORY" or "postgresql://OWNER@HOST/DATABASE"')


def _engine(value: Any, info: ValidationInfo) -> Location:
    """A URL of an engine's. The value is not shown: there may be a password in it."""
    try:
        return located(value if isinstance(value, str) else "", _resolved("", info))
    except WrongUrl as fault:
        raise unfit(forms(), fault.wrong) from None


def _ledger(value: Any) -> Postgres:
    return _postgres(value, '"postgresql://OWNER@HOST/DATABASE"')


def _postgres(value: Any, expected: str) -> Postgres:
    """A URL of libpq's that names its database. The value is not shown: there may be a password in it."""
    try:
        parts(value)
    except WrongUrl as fault:
        raise unfit(expected, fault.wrong) from None
    return Postgres(value)


def _web_address(value: Any) -> str:
    """A page's address as browsers send its origin: no path behind it, small letters."""
    match = re.fullmatch(
        r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?/?", value if isinstance(value, str) else ""
    )
    if match is None:
        raise unfit('an address of a scheme, a host and perhaps a port, such as "https://budgets.example.org"')
    default = {"http": ":80", "https": ":443"}[match[1]]
    return f"{match[1]}://{match[2]}{'' if match[3] in (None, default) else match[3]}"


_FEWEST_ITERATIONS, _SHORTEST_SALT = 4096, 12  # as RFC 7677 and the library that logins are checked by want it


def _password(value: Any) -> str:
    """A verifier as Postgres stores it. The value is never shown: it may be somebody's password."""
    expected = "a SCRAM-SHA-256$… verifier as `dpproxy analyst password` prints it"
    match = re.fullmatch(
        r"SCRAM-SHA-256\$([1-9]\d{0,8}):([^$:]+)\$([^$:]+):([^$:]+)", value if isinstance(value, str) else ""
    )
    if match is None:
        raise unfit(expected, "is not a password's verifier")
    try:
        salt, stored, server = (base64.b64decode(part, validate=True) for part in match.groups()[1:])
    except binascii.Error:
        raise unfit(expected, "is not base64 in each part") from None
    if not salt or len(stored) != 32 or len(server) != 32:
        raise unfit(expected, "is cut short")
    if int(match[1]) < _FEWEST_ITERATIONS or len(salt) < _SHORTEST_SALT:
        raise unfit(expected, "is weaker than any client's library takes")
    return value if isinstance(value, str) else ""


def _reset(value: Any) -> str:
    if value not in ("never", "daily", "weekly", "monthly", "data_version"):
        raise unfit('"never", "daily", "weekly", "monthly" or "data_version"')
    return str(value)


def _columns(value: Any) -> tuple[str, ...]:
    columns = [value] if isinstance(value, str) else value
    if not isinstance(columns, list) or not columns or not all(isinstance(each, str) for each in columns):
        raise unfit('a column, or a list of columns such as ["store", "receipt"]')
    return tuple(columns)


def _named(text: str) -> str:
    if not text or "\0" in text or len(text.encode()) > 63:
        raise unfit("a name of 1 to 63 bytes")
    return text


Seconds = Annotated[float, PlainValidator(_seconds)]
Pause = Annotated[float, PlainValidator(_pause)]
Epsilon = Annotated[Decimal, PlainValidator(_epsilon)]
Delta = Annotated[Decimal, PlainValidator(_delta)]
Step = Annotated[Decimal, PlainValidator(_step)]
Type = Annotated[SqlType, PlainValidator(_type)]
File = Annotated[Path, PlainValidator(_existing)]
NewFile = Annotated[Path, PlainValidator(_new)]
FrontUrl = Annotated[Embedded | Postgres, PlainValidator(_front)]
EngineUrl = Annotated[Location, PlainValidator(_engine)]
LedgerUrl = Annotated[Postgres, PlainValidator(_ledger)]
Source = Annotated[str, PlainValidator(_source)]
Password = Annotated[str, PlainValidator(_password)]
WebAddress = Annotated[str, PlainValidator(_web_address)]
Reset = Annotated[str, PlainValidator(_reset)]
Columns = Annotated[tuple[str, ...], PlainValidator(_columns)]
Text = StrictStr
Name = Annotated[StrictStr, AfterValidator(_named)]
Flag = StrictBool
Positive = Annotated[StrictInt, Field(ge=1, le=2**62)]
Bytes = Annotated[StrictInt, Field(ge=0, le=2**62)]
Port = Annotated[StrictInt, Field(ge=0, le=65535)]
