"""How sure released numbers are, from what was released and the plan alone: it costs nothing.

    design      the quantiles of a noise, dealt to rows
    clip_bias   what a clip takes away, as far as what was released tells
    replicates  what the exact numbers may be, by the noise around the released ones
    statistics  formulas over replicates of their totals
    bars        intervals and standard deviations of released columns
    clipped_shares  how many units are scaled down
    typical     an answer's columns in one number each
    foreseen    how sure a statement's numbers will be

Claim: nothing of it loses anything. Because: it is a function of released rows and of the plan (post-processing); its
draws are from a fixed design, not from the noise's generator.
Checked by: tests/test_error_bars.py, tests/test_modules.py (no entropy is imported).
"""

from dpproxy.error_bars.bars import Margins, all_bars, bars, margins
from dpproxy.error_bars.clipped_shares import clipped_share, cut_at, rounded_to
from dpproxy.error_bars.quantile_intervals import anywhere
from dpproxy.error_bars.replicates import MOST_REPLICATED, ToldRows, replicated_texts
from dpproxy.error_bars.typical import TypicalColumn, first_rows, typical_columns

__all__ = [
    "MOST_REPLICATED", "Margins", "ToldRows", "TypicalColumn", "all_bars", "anywhere", "bars", "clipped_share",
    "cut_at", "first_rows", "margins", "replicated_texts", "rounded_to", "typical_columns",
]  # fmt: skip
