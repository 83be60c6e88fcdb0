"""`dpproxy`, and `python -m dpproxy.cli`."""

from __future__ import annotations

import gc


def main() -> None:
    """Run a command. Modules come to stay: to look for garbage among them took a third of the time to start; it begins
    when they are there (`commands`). They are not looked at when the process ends either: that took as long again.
    """
    gc.disable()
    from dpproxy.cli.app import app

    app(prog_name="dpproxy")


if __name__ == "__main__":
    main()
