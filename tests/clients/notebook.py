"""docs/notebook.ipynb, executed before a demo.

`python -m tests.clients.notebook` writes what comes out of it now into it, and its second plot to docs/pictures.
"""

from __future__ import annotations

import base64
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

DOCS = Path(__file__).parents[2] / "docs"
PATH, PICTURE = DOCS / "notebook.ipynb", DOCS / "pictures" / "notebook.png"
_KEPT = ("cells", "nbformat", "nbformat_minor", "metadata")


@contextmanager
def demo(temporary: Path) -> Iterator[str]:
    """How the analyst of a demo connects, on a free port. temporary: where its files are."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dpproxy.cli", "demo", "--port", "0"],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            line = next(each for each in process.stdout if each.startswith("Now you: "))
            yield shlex.split(line)[-1]
        finally:
            process.terminate()
            process.wait(60)


def executed(conninfo: str) -> Any:
    """The notebook with what comes out of its cells, asked of a demo. Raises CellExecutionError."""
    os.environ["DPPROXY"] = conninfo
    try:
        found = nbformat.read(PATH, as_version=4)
        NotebookClient(found, timeout=120, kernel_name="python3").execute()
    finally:
        del os.environ["DPPROXY"]
    return found


def outputs(cell: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What came out of a cell: kinds, such as text/plain or image/png, and contents."""
    for each in cell.get("outputs", ()):
        match each["output_type"]:
            case "stream":
                yield "stream", each["text"]
            case "error":
                yield "error", "\n".join(each["traceback"])
            case _:
                yield from each["data"].items()


def _plain(found: Any) -> dict[str, Any]:
    """The notebook without what is new each time."""
    for cell in found.cells:
        cell.metadata.pop("execution", None)
    found.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return {each: found[each] for each in _KEPT}


def main(temporary: Path) -> None:
    """Write both."""
    temporary.mkdir(exist_ok=True)
    with demo(temporary) as conninfo:
        found = executed(conninfo)
    plots = [content for cell in found.cells for kind, content in outputs(cell) if kind == "image/png"]
    PICTURE.write_bytes(base64.b64decode(plots[1]))
    text = json.dumps(_plain(found), indent=1, ensure_ascii=False)
    PATH.write_text(f"{text}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
