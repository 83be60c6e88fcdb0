"""Records that are made by the hundred for one plan, in a fifth of the time that a frozen dataclass takes.

They are frozen for the type checker alone, which is shown every line of the package: that a frozen class refuses at run
time what nobody writes costs a call for each field of each record. What outlives the making of a plan (plans, losses,
policies) is a frozen dataclass.

Checked by: tests/test_records.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

_Record = TypeVar("_Record")


@dataclass_transform(frozen_default=True)
def record(kind: type[_Record]) -> type[_Record]:
    """A dataclass with slots and a hash, to whose fields the type checker lets nobody assign."""
    return dataclass(slots=True, unsafe_hash=True)(kind)
