"""`python -m dpproxy.cli`."""

from __future__ import annotations

from dpproxy.cli import app

app(prog_name="dpproxy")
