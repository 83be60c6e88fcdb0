"""Norms of a unit's contributions to a measure, and the buckets that the engine sorts units into by them.

A unit's contributions are a vector over the keys of the answer. Bucket b holds the units whose norm is `edge(b)` at
most and lies beyond about the edge before; eight buckets double it. The engine finds a bucket by a logarithm in
floating point, so that an edge lies a billionth beyond its power of two.
"""

from __future__ import annotations

import math
from enum import Enum
from fractions import Fraction
from functools import cache

BUCKETS_TO_A_DOUBLING = 8
LAST_BUCKET = 8 * 62
"""Of a norm of 2**62 steps. What is beyond would be scaled down to nothing of worth, and is told to nobody."""
_BITS = 64
_BEYOND = Fraction(2**30 + 1, 2**30)


class Norm(Enum):
    """What a unit's vector is scaled down to: the sum of its sizes, or its Euclidean length."""

    L1 = "L1"
    L2 = "L2"


@cache
def edge(bucket: int) -> Fraction:
    """At least the norm of every unit in the bucket, in steps.

    Claim: a norm is at most edge(b) if b, or less, is what the engine makes of it: the least whole number that is not
    below 8·log2(norm) as its floating point has it.
    Because: that is off by less than 2**-33 while the norm has less than 128 digits of two (one logarithm, or two for a
    square, and a product of doubles, each right to one part in 2**45 at least), and 2**(2**-36) < 1 + 2**-30.
    Checked by: tests/test_norms.py.
    """
    power = 1 << (bucket + BUCKETS_TO_A_DOUBLING * _BITS)
    root = math.isqrt(math.isqrt(math.isqrt(power)))
    return Fraction(root + 1, 1 << _BITS) * _BEYOND
