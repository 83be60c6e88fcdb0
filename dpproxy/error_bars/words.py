"""Numbers as they are said: with as many digits as count.

Checked by: tests/test_noise_notices.py.
"""

from __future__ import annotations

import math


def short(value: float) -> str:
    """Two or three digits that count, with commas."""
    if value >= 1000:
        unit = 10 ** (math.floor(math.log10(value)) - 1)
        return f"{round(value / unit) * unit:,}"
    return f"{value:.2g}" if value < 99.5 else f"{value:.0f}"
