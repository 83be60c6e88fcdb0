"""What is made of released rows before the analyst sees them: it costs nothing.

Claim: it loses nothing. Because: it is a function of released rows and of the plan alone, none of which was read from
the data but through mechanisms (post-processing). Checked by: tests/test_post_processing.py.

Rows are stored as they were released, and a later release of the same statement reads them so: asked again, with other
settings, or beside other grouping sets, a release is the same one.
"""

from dpproxy.post_processing.accuracy import narrowed
from dpproxy.post_processing.steps import post_processed, told_of

__all__ = ["narrowed", "post_processed", "told_of"]
