"""When garbage is looked for: after a plan, and hardly ever while one is made.

Garbage is mostly trees, whose nodes hold one another: up to 25,000 objects of one plan. All of them live until it is
made. Who looks meanwhile finds nothing, and what was looked at is looked at more and more seldom: it gathers, until a
hundred thousand are freed at once, in a fifth of a second, in the middle of somebody's plan.

Checked by: tests/test_planning_thread.py.
"""

from __future__ import annotations

import gc
from typing import Final

_MANY_OBJECTS: Final = 200_000  # some tens of megabytes, for what makes more than any plan
_SELDOM: Final = 20  # plans, after which what was kept from one to the next is looked at, too


def collect_seldom() -> None:
    """Hold the collector of garbage back, for a process that has loaded all that it will, and plans.

    What was loaded stays: the collector would look at all of it again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS, 5, 5)


def collect_after_plan() -> None:
    """Free what plans have left."""
    gc.collect(2 if gc.get_count()[2] >= _SELDOM else 1)
