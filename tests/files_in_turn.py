"""Which worker runs which file: xdist's own way, `--dist loadfile`, that forgets a file when all of its tests have run.

With each message of a worker xdist counts what is left of all that the worker was ever given: of ten thousand tests,
several seconds of a core that the tests could have.
"""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class FilesInTurn(LoadFileScheduling):
    """See above."""

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """As xdist does."""
        super().mark_test_complete(node, item_index, duration)
        files = self.assigned_work[node]
        file = self._split_scope(self.registered_collections[node][item_index])
        if all(files[file].values()):
            del files[file]
