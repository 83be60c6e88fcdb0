"""The notebook in the documentation, run as it stands before a demo."""

from __future__ import annotations

from pathlib import Path

import pytest

from .notebook import demo, executed, outputs

pytestmark = pytest.mark.long


def test_the_notebook_of_the_documentation(tmp_path: Path) -> None:
    with demo(tmp_path) as conninfo:
        found = executed(conninfo)
    told = [content for cell in found.cells for content in outputs(cell)]
    said = [content for kind, content in told if kind == "stream"]
    assert sum("dpproxy: charged epsilon" in each for each in said) == 3
    assert "charged epsilon 0, delta 0 (stored release" in said[-1]
    assert any(each.startswith("Cost: epsilon 0.05,") for each in said)
    assert sum(kind == "image/png" for kind, _ in told) == 2
    assert sum("people_low" in content for kind, content in told if kind == "text/html") == 1
    (refused,) = [content for kind, content in told if kind == "error"]
    assert refused.startswith("StatementError DP002: ")
    assert "HINT:  Select aggregates" in refused and "Traceback" not in refused
