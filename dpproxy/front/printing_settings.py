"""Settings of the front that print statements, plans, statistics or traces: they are the operator's.

Found by their categories in the server's own list, so that a version's new ones, and those of its extensions, are among
them. What they print is dropped in any case (`session.shown_errors`): this is for telling who sets one that it has no
use.
"""

from __future__ import annotations

from typing import Any, Final

from psycopg import AsyncConnection

# One of each category, which is told in the server's language: what, when and where is logged, process titles,
# statistics, developers' options, the end of a session by an error, and libraries that trace what runs.
_OF_EACH_CATEGORY: Final = (
    "debug_print_plan",
    "log_min_messages",
    "log_destination",
    "update_process_title",
    "log_statement_stats",
    "track_activities",
    "post_auth_delay",
    "ignore_system_indexes",
    "exit_on_error",
    "local_preload_libraries",
)
# Of these categories, and harmless: tools say by it who they are.
_EVERYBODYS: Final = ("application_name",)
# A name with a dot is an extension's, which may be one that explains or counts. The proxy's own are the analyst's.
_PRINTING: Final = """
SELECT lower(name) FROM pg_settings
WHERE (category IN (SELECT category FROM pg_settings WHERE name = ANY(%s)) OR strpos(name, '.') > 0)
AND name !~ '^dp[.]'
AND context IN ('user', 'backend', 'superuser') AND name <> ALL(%s)
"""


async def printing_settings(connection: AsyncConnection[Any]) -> frozenset[str]:
    """Their names in lower case, as a session of this server has them."""
    cursor = await connection.execute(_PRINTING, (list(_OF_EACH_CATEGORY), list(_EVERYBODYS)))
    return frozenset(name for (name,) in await cursor.fetchall())
