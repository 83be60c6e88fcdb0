"""Which of some public keys have the largest totals, where nobody said how much one unit adds: a clip that is chosen
privately, and report noisy max among what it leaves.

The clip is of the norm of all that a unit adds. So it is one of what it adds to each key, and that is all that a choice
has to know: its noise is that of one key, however many the unit is in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from dpproxy.accounting.account import part
from dpproxy.accounting.dominating_pairs import Pairs, together
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.clipped_noise import Clipping, TotalsByNorm, choice_share, clip_choice, clipped
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.noise_at_a_clip import PARTS
from dpproxy.mechanisms.noisy_max import NoisyMax, noisy_max
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown

MOVED: Final = PARTS + 1
"""How far one unit moves a key's total at the clip, cut off to whole parts."""
_DEVIATION: Final = math.pi / math.sqrt(6)
"""Of Gumbel noise of scale one; exponential noise has less."""


@dataclass(frozen=True, slots=True)
class ClippedMax(Clipping, Contract[TotalsByNorm, tuple[int, ...]]):
    """A chosen clip, and the places of the largest totals at it. The rest is as in `ClippedNoise`."""

    norm: Norm
    choice: NoisyMax
    best: NoisyMax
    start: int | NoisyMax
    most: int | None = None

    @property
    def made_for(self) -> Sensitivity:
        """Of the totals in parts of the clip."""
        return self.best.sensitivity

    @property
    def tells_keys(self) -> bool:
        """Some of them."""
        return True

    @property
    def places(self) -> int:
        """How many keys are told."""
        return self.best.places

    def loss(self, accounting: Accounting) -> Loss:
        """Of all choices together. Raises ValueError for Gumbel noise in pure accounting."""
        return self.loss_of_clip(accounting) + self.best.loss(accounting)

    @property
    def pairs(self) -> Pairs:
        """Of all choices."""
        return together((self.pairs_of_clip, self.best.pairs))

    def worth(self, keys: int) -> float:
        """Half as many as the standard deviations, in clips, of the noise that keys are chosen by."""
        return keys * self.best.scale * _DEVIATION / PARTS / 2

    def release(self, exact: TotalsByNorm) -> tuple[int, ...]:
        """The places of the largest.

        Claim: loses `loss`, where each unit is in one bucket, with all of its contributions, of a norm up to its edge;
        and all of one sign where `best.one_sided`.
        Because: at any one clip what is left of a unit has a norm of PARTS at most, so no entry of more; cut off to
        whole parts, a total moves by less than one more, and in the same direction. What each choice loses holds
        whatever was told before.
        Checked by: tests/test_clipped_max.py. Raises ValueError for more than MOST_KEYS keys.
        """
        return self.best.release(clipped(exact.totals, self.clip(exact)))

    @property
    def error(self) -> Error | None:
        """None: it depends on the clip."""
        return None

    @property
    def total_noise(self) -> None:
        """It tells no totals."""

    def described(self, step: float, unit: str) -> Description:
        """The norm, and how much noise it means."""
        del step
        own, scale = self.best.described(1 / PARTS, unit), shown(self.best.scale / PARTS)
        text = f"each {unit} scaled down to a clip of its {self.norm.value} norm, chosen privately "
        text += f"({self.choice.noise.value} noisy max); then, in clips, {own.text}"
        facts: dict[str, object] = {"Clip": self.norm.value, "Choice": self.choice.noise.value, "Scale in Clips": scale}
        return Description(own.name, own.role, text, {"Mechanism": own.facts["Mechanism"], **facts})


def clipped_max(
    norm: Norm,
    one_sided: bool,
    accounting: Accounting,
    loss: Decimal,
    row: int | None,
    most: int | None = None,
    among: int | None = None,
    places: int = 1,
) -> ClippedMax:
    """The choice of keys at a clip of that norm. row: in steps, how much a row adds at most; None: nobody knows.

    Claim: `release` of the result loses at most `loss`: ε, or ρ. Because: all choices are built for shares of it that
    add up to no more. Checked by: tests/test_clipped_max.py.
    Raises ValueError where `loss` is too small to be cut.
    """
    share = part(loss, choice_share(accounting, 1))
    choice, start = clip_choice(accounting, share, row)
    best = noisy_max(Sensitivity(1, MOVED), one_sided, accounting, loss - share, among, places)
    return ClippedMax(norm, choice, best, start, most)
