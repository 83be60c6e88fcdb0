"""The most frequent of some known values, for each key: report noisy max over the buckets of its histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dpproxy.accounting.account import share
from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.histograms import histograms
from dpproxy.mechanisms.noisy_max import NoisyMax, noisy_max
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown


@dataclass(frozen=True, slots=True)
class ModeChoice(Contract[Sequence[int], list[int]]):
    """For each key a bucket of its histogram, by the same choice.

    sensitivity: in at most l0 histograms, each moved by at most linf in sum over its buckets, all one way.
    """

    choice: NoisyMax
    buckets: int
    sensitivity: Sensitivity

    @property
    def made_for(self) -> Sensitivity:
        """Of the histograms; linf is in sum over one histogram's buckets."""
        return self.sensitivity

    @property
    def tells_keys(self) -> bool:
        """Buckets of known keys."""
        return False

    def loss(self, accounting: Accounting) -> Loss:
        """Of the choices in all histograms that one unit is in."""
        one, groups = self.choice.loss(accounting), self.sensitivity.l0
        return Loss(one.main * groups, one.delta * groups)

    @property
    def pairs(self) -> Pairs:
        """One for each histogram."""
        return tuple((pair, count * self.sensitivity.l0) for pair, count in self.choice.pairs)

    def release(self, exact: Sequence[int]) -> list[int]:
        """For each histogram a bucket.

        Claim: loses `loss`, for histograms that one unit moves by `made_for`.
        Because: one unit moves each count of l0 histograms by linf at most, all one way, and no count of the others;
        each histogram has a choice of its own, and losses add up.
        Checked by: tests/test_modes.py.
        """
        counts = ([cells.get(bucket, 0) for bucket in range(self.buckets)] for cells in histograms(exact, self.buckets))
        return [self.choice.release(each)[0] for each in counts]

    @property
    def error(self) -> Error | None:
        """How far what the chosen bucket counts may lie below the largest, in one histogram."""
        return self.choice.error

    @property
    def total_noise(self) -> None:
        """It tells no totals."""

    def described(self, step: float, unit: str) -> Description:
        """The choice, for each key, and how wrong it may be."""
        own, groups, scale = self.choice, self.sensitivity.l0, shown(self.choice.scale * step)
        text = f"noisy max of {self.buckets:,} known values by {own.noise.value} noise of scale {scale}, for each key: "
        text += f"charged as {groups} choice{'s'[: groups - 1]}, each of which tells one value and nothing else"
        facts: dict[str, object] = {"Mechanism": "noisy max", "Noise": own.noise.value, "Scale": own.scale * step}
        if own.error is not None:
            below = own.error.half_width * step
            text += f"; below the most frequent by {shown(below)} at most in 95 of 100 cases, "
            text += f"where each {unit} counts as one"
            facts["Below the Largest"] = below
        return Description("noisy max", "Mode", text, facts | {"Values": self.buckets, "Choices": groups})


def mode_choice(buckets: int, sensitivity: Sensitivity, accounting: Accounting, loss: Decimal) -> ModeChoice:
    """The choices of the smallest scale that lose at most `loss` together: ε, or ρ.

    Claim, because: as `noisy_max`, for an l0th of the loss each. Checked by: tests/test_modes.py.
    Raises ValueError where `loss` is not above 0.
    """
    own = share(loss, sensitivity.l0)
    return ModeChoice(noisy_max(Sensitivity(1, sensitivity.linf), True, accounting, own, buckets), buckets, sensitivity)
