"""What every mechanism owns: what it is made for, its loss, its release, its error, and how people read it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.sensitivity import Sensitivity

Draws = NDArray[np.float64]

Read = TypeVar("Read", contravariant=True)
"""What a mechanism reads: integers, maybe by key or by bucket."""
Told = TypeVar("Told", covariant=True)
"""What a mechanism tells of the integers that it reads: noised ones, those of some keys, a place among them."""


@dataclass(frozen=True, slots=True)
class Error:
    """How far a number that was told lies from the exact one, in the steps of what was read.

    half_width: of the central 95 %. stddev: None where there is no bound on it.
    """

    stddev: float | None
    half_width: float


class TotalNoise(Protocol):
    """The noise that a total was told with, in steps: symmetric, and of another draw for each."""

    @property
    def stddev(self) -> float:
        """Its standard deviation, or a little more."""

    def reach(self, outside: float) -> float:
        """The least t >= 0 with P(|Z| > t) <= 2 · outside, for 0 < outside <= 1/2."""

    @property
    def parts(self) -> Sequence[TotalNoise]:
        """The noises that it is made of, each of a draw of its own: itself, where it is one. Two totals may share
        theirs."""

    def made_of(self, draws: Sequence[Draws]) -> Draws:
        """What draws of its parts come to."""

    def __hash__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Description:
    """For people. name: in a word or two, as in `dp.last_statement`. role: what it does in a release. text: a line of
    EXPLAIN. facts: the same for EXPLAIN's documents."""

    name: str
    role: str
    text: str
    facts: Mapping[str, object] = field(default_factory=dict)


class Contract(ABC, Generic[Read, Told]):
    """A mechanism as a value. It is data until `release` is called, which alone draws from the system's entropy.

    Which mechanisms there are is a closed union (`kinds.Mechanism`): where they must be told apart, `match` with
    `assert_never` makes the type checker name what a new one is missing.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def made_for(self) -> Sensitivity:
        """How far one unit may move the vector that it reads."""

    @property
    @abstractmethod
    def tells_keys(self) -> bool:
        """Whether which keys the answer has depends on what it tells."""

    @abstractmethod
    def loss(self, accounting: Accounting) -> Loss:
        """What the built mechanism itself says it loses at `made_for`, rounded up to the grid; whatever mechanisms
        before it told. Raises ValueError where no loss of that accounting bounds it."""

    @property
    @abstractmethod
    def pairs(self) -> Pairs:
        """Pairs of distributions that dominate what it tells, but for what the δ of `loss` pays for; whatever
        mechanisms before it told."""

    @abstractmethod
    def release(self, exact: Read) -> Told:
        """What is told of the exact integers. Claim: it loses `loss`, for vectors that one unit moves by `made_for`."""

    @property
    @abstractmethod
    def error(self) -> Error | None:
        """How far a number that it tells lies from the exact one; None where it tells none."""

    @property
    @abstractmethod
    def total_noise(self) -> TotalNoise | None:
        """What a total has that it tells, which error bars draw again; in parts of a clip where one was chosen. None
        where it tells no totals, or what they have is not known."""

    @abstractmethod
    def described(self, step: float, unit: str) -> Description:
        """For people. step: the width of a step of what it reads. unit: whose privacy it is for."""
