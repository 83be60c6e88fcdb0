"""Caps that a policy declares, and the norm of a unit that reaches them. Checked by: tests/test_caps.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import assert_never

from dpproxy.mechanisms.norms import Norm


@dataclass(frozen=True, slots=True)
class Caps:
    """Rows of a unit that count in a key, and keys of a unit, where the policy declares both."""

    rows: int
    groups: int

    def in_norm(self, norm: Norm) -> int:
        """The norm of a unit that has so many rows in each of so many keys: in rows, rounded up."""
        match norm:
            case Norm.L1:
                return self.rows * self.groups
            case Norm.L2:
                return math.isqrt(self.rows**2 * self.groups - 1) + 1
            case _:
                assert_never(norm)
