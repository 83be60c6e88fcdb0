"""The mechanisms that may be applied in a release, and what they are asked for: two closed unions.

A new one joins both; the type checker then names each place that has to know it.
"""

from __future__ import annotations

from enum import Enum

from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.selection import Selection

Mechanism = Noise | Selection | NoisyMax


class Want(Enum):
    """What a release has to tell of integers. Which mechanism does, and for how much, the allocation says."""

    KEYS = "which private keys many units have"
    NUMBERS = "the numbers, with noise"
    LARGEST = "the public key of the largest, and nothing else"
