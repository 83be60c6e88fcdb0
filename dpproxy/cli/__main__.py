"""`dpproxy`, and `python -m dpproxy.cli`."""

from __future__ import annotations

import atexit
import gc


def main() -> None:
    """Run a command. Modules come to stay: to look for garbage among them took a third of the time to start."""
    gc.disable()
    from dpproxy.cli.app import app

    gc.freeze()
    atexit.register(gc.unfreeze)  # at the end the engines' modules are taken apart as ever
    gc.enable()
    app(prog_name="dpproxy")


if __name__ == "__main__":
    main()
