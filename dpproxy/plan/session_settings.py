"""The settings of class `dp` that a session has, and what each means: their one list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MEANINGS: Final[Mapping[str, str]] = {
    "epsilon": "What a private statement costs.",
    "delta": "What a statement over private keys spends of delta.",
    "max_groups_per_unit": "Groups that one unit appears in.",
    "max_rows_per_unit": "Rows of one unit that count.",
    "mechanism": "Which noise: auto, laplace, gaussian or sample_aggregate.",
    "fresh": "Whether new noise is paid for where a stored release would be told again.",
    "nonnegative": "Whether counts that noise took below 0 are 0.",
    "blocks": "Into how many blocks sample_aggregate deals units.",
    "weights": "How much each column counts when the price is split.",
    "confidence": "How often the intervals of dp.low(x) and dp.high(x) hold the exact number.",
    "error_columns": "Whether the ends of its interval stand behind each noisy column.",
    "target_half_width": "How far numbers may be off; epsilon is chosen for it.",
}
