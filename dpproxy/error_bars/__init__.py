"""How sure released numbers are, from what was released and the plan alone: it costs nothing.

    design      the quantiles of a noise, dealt to rows
    replicates  what the exact numbers may be, by the noise around the released ones
    statistics  formulas over replicates of their totals
    bars        intervals and standard deviations of released columns

Claim: nothing of it loses anything. Because: it is a function of released rows and of the plan (post-processing); its
draws are from a fixed design, not from the noise's generator.
Checked by: tests/test_error_bars.py, tests/test_modules.py (no entropy is imported).
"""

from dpproxy.error_bars.bars import Margins, bars, clipped_share, margins
from dpproxy.error_bars.replicates import MOST_REPLICATED, ToldRows, replicated_texts

__all__ = ["MOST_REPLICATED", "Margins", "ToldRows", "bars", "clipped_share", "margins", "replicated_texts"]
