"""The mechanisms that may be applied in a release, and what they are asked for: two closed unions.

A new one joins both; the type checker then names each place that has to know it.
"""

from __future__ import annotations

from enum import Enum

from dpproxy.mechanisms.clipped_max import ClippedMax
from dpproxy.mechanisms.clipped_noise import ClippedNoise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.paired_noise import PairedNoise
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets
from dpproxy.mechanisms.quantile_choice import QuantileChoice
from dpproxy.mechanisms.quantile_tree import QuantileTree
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.spread_selection import SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection

Choice = NoisyMax | ClippedMax
"""What chooses keys, which the mechanisms after it are told of."""
Counted = QuantileBrackets | QuantileTree
"""What counts the buckets of a histogram, and tells how far off a quantile may be."""
Quantiles = QuantileChoice | Counted
"""What reads quantiles off a histogram."""
AtAClip = ClippedNoise | PairedNoise | DistinctNoise
"""What tells numbers at a clip that it chose."""
Spread = SpreadSelection | TruncatedSelection
"""What selects keys by weights."""
Mechanism = Noise | JointNoise | AtAClip | Selection | Spread | Choice | Quantiles | ModeChoice


class Want(Enum):
    """What a release has to tell of integers. Which mechanism does, and for how much, the allocation says."""

    KEYS = "which private keys many units have"
    NUMBERS = "the numbers, with noise"
    LARGEST = "the public keys of the largest, and nothing else"
    MODE = "the bucket of the largest, and nothing else"
    QUANTILES = "the buckets within which some ranks lie, and nothing else"
