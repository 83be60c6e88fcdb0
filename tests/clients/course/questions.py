"""What every client asks: statements over private and public tables whose noise is priced away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement with at most one parameter, `$1`, of the type that is named; the value is in Postgres's text form."""

    name: str
    sql: str
    kind: Literal["", "integer", "text", "date", "boolean", "float"] = ""
    value: str = ""

    def written(self, placeholder: str) -> str:
        """The statement with another mark for its parameter."""
        return self.sql.replace("$1", placeholder)

    @property
    def literal(self) -> str:
        """The statement with its value written out."""
        quoted = f"'{self.value}'" if self.kind in ("text", "date") else self.value
        return self.sql.replace("$1", f"date {quoted}" if self.kind == "date" else quoted)


# Over tables with one row for each unit, within their bounds: answers are a plain Postgres's, too.
QUESTIONS = (
    Asked("by sex", "SELECT sex, count(*) AS n, sum(age) AS years FROM people GROUP BY sex ORDER BY sex"),
    Asked("older", "SELECT count(*) AS n FROM people WHERE age > $1", "integer", "30"),
    Asked("cities", "SELECT city, count(*) FROM people WHERE sex = $1 GROUP BY city ORDER BY city", "text", "F"),
    Asked("joined", "SELECT count(*) FROM people WHERE joined >= $1", "date", "2022-06-01"),
    Asked(
        "smokers",
        "SELECT smoker, avg(age)::numeric(6,2) FROM people WHERE smoker = $1 GROUP BY smoker",
        "boolean",
        "true",
    ),
    Asked(
        "segments",
        "WITH s AS (SELECT segment, count(*) AS n FROM customer GROUP BY 1) SELECT * FROM s WHERE n > 0 ORDER BY n, 1",
    ),
    Asked("departments", "SELECT dept, building, beds FROM departments WHERE beds > $1 ORDER BY dept", "integer", "0"),
)
BY_SEX = QUESTIONS[0]
PREVIEW = "SELECT * FROM people LIMIT 100"
UNKNOWN_COLUMN = "SELECT count(*) FROM people WHERE shoe_size > 40"
SLEEP = "SELECT pg_sleep(60)"
TIMES = 8  # runs of one prepared statement: drivers that change to binary results have changed by then
