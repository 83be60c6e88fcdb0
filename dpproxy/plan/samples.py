"""A sample of units: which share of them a release reads, as the coins that let a unit in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpproxy.accounting.loss import Loss

COINS: Final = 2**64
"""How many coins there are, all of them equally likely."""
COIN: Final = "coin"
"""The parameter of a text of the engine that holds the secret of a run."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Each unit by itself, with all its rows or with none: where its coin is one of the first so many of COINS.

    Samples of one statement that are alike are one sample: a unit has one coin in all of them.
    """

    coins: int

    @property
    def rate(self) -> Fraction:
        """The probability that a unit is in it."""
        return Fraction(self.coins, COINS)

    @property
    def first_out(self) -> str:
        """The first coin that lets nobody in, in hexadecimal digits."""
        return f"{self.coins:016x}"

    @property
    def shown(self) -> str:
        """The rate in percent, for people."""
        return f"{float(100 * self.rate):.6g} %"


@dataclass(frozen=True, slots=True)
class SampleLoss:
    """What the releases that read one sample lose. within: ε and δ of whom is in it, that are amplified to the price;
    None where nothing is amplified."""

    sample: Sample
    releases: tuple[int, ...]
    within: Loss | None
    price: Loss


def sample_of(percent: Fraction) -> Sample | None:
    """The sample of that many percent, rounded down to whole coins; None of all of them.

    Raises ValueError where it is below one coin, or above 100.
    """
    coins = percent * COINS // 100
    if not 1 <= coins <= COINS or percent > 100:
        raise ValueError(f"no sample has {percent} percent")
    return Sample(int(coins)) if coins < COINS else None
