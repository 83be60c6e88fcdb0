"""URLs as libpq reads them.

Checked by: tests/test_config.py, tests/test_init.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from dpproxy.engines.providers import WrongUrl


def parts(url: object) -> Mapping[str, str]:
    """What a URL says, by libpq's keywords; a database is among it. Raises WrongUrl, which shows nothing of it: there
    may be a password in it."""
    if not isinstance(url, str) or not re.match("postgres(ql)?://", url):
        raise WrongUrl("is no URL that is known here")
    try:
        said = {key: str(value) for key, value in conninfo_to_dict(url).items() if value not in (None, "")}
    except ProgrammingError:
        raise WrongUrl("is no URL of a Postgres (a % or @ in a password is written %25 or %40)") from None
    if "dbname" not in said:
        raise WrongUrl("names no database")
    return said
