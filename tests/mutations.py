"""Texts made wrong, or odd, token by token."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

_TOKEN = re.compile(
    r"""\s+ | --[^\n]* | /\*.*?\*/ | '(?:[^']|'')*' | "(?:[^"]|"")*" | \$\w*\$.*?\$\w*\$ | \d+(?:\.\d+)? | \w+ | ::
    | <= | >= | <> | \|\| | .""",
    re.X | re.S,
)
_BLANKS = ["\t", "\n", "\f", "\v", "\r", "\u00a0", "\u2003", "\u3000", "\ufeff", "  ", ""]
_COMMENTS = ["/**/", "/* FROM people */", "/* a /* nested */ one */", "-- people\n", "/* ' */", "/* $$ */", "--\r\n"]
_KEYWORDS = ["select", "from", "user", "order", "left", "lateral", "only", "table", "end", "all", "default", "between"]
_NAMES = [
    *(
        "people",
        "visits",
        "departments",
        "person_id",
        "dept",
        "age",
        "cost",
        "PEOPLE",
        '"people"',
        '"People"',
        "p",
        "v",
    ),
    *("public.people", "public.visits", '"public"."people"', 'U&"peopl\\0065"', "demo.public.people", "dp.budget"),
    *("größe", "ａｇｅ", "ſex", '"a""b"', '"select"', "people.age", "*", "people.*", "person_id::text", "oid", "ctid"),
]
_PIECES = [
    *(
        " FROM people",
        " JOIN visits USING (person_id)",
        " NATURAL JOIN people",
        ", LATERAL (SELECT 1) l",
        " UNION ALL ",
    ),
    *(" WHERE EXISTS (SELECT 1 FROM visits)", " ORDER BY 1", " LIMIT 1", " FOR UPDATE", " GROUP BY 1", " HAVING TRUE"),
    *(
        " OFFSET 1",
        " FETCH FIRST 1 ROW ONLY",
        " INTO t",
        " TABLESAMPLE SYSTEM (10)",
        " AS people(a, b)",
        "[1]",
        "::int",
    ),
    *(" IS NULL", ' COLLATE "C"', " AT TIME ZONE 'UTC'", " OVER ()", " FILTER (WHERE TRUE)", "(", ")", ";", " AND "),
    *("'", '"', "$$", "/*", "*/", "\\", "E'\\n'", "B'1'", "$1", ":x", "?", "{", "0x1F", "1_000", "1e999", "NaN"),
    *(" WITH TIES", " WINDOW w AS ()", " CROSS JOIN departments", " EXCEPT SELECT 1", " RETURNING 1", " ANALYZE "),
]
_NUMBERS = ["0", "-1", "1e308", "99999999999999999999", "0.1", "NULL", "'x'", "1/0", "2147483648", "CAST(1 AS text)"]
Change = Callable[[list[str], Random, Sequence[str]], None]


def tokens(text: str) -> list[str]:
    """The text in pieces; together they are the text."""
    return _TOKEN.findall(text)


def mutated(random: Random, texts: Sequence[str]) -> str:
    """One of the texts after a few changes."""
    return changed(random.choice(texts), random, texts)


def changed(text: str, random: Random, texts: Sequence[str]) -> str:
    """The text after a few changes, with pieces of the others."""
    words = tokens(text)
    for _ in range(random.choice([1, 1, 1, 2, 2, 3, 5])):
        random.choice(_CHANGES)(words, random, texts)
        words = tokens("".join(words)) or ["SELECT"]
    return "".join(words)[:4000].encode("utf-8", "replace").decode().replace("\0", "")


def _place(words: list[str], random: Random) -> int:
    """A token that is no blank, where there is one."""
    places = [at for at, word in enumerate(words) if not word.isspace()]
    return random.choice(places) if places else 0


def _word(words: list[str], random: Random) -> int:
    places = [at for at, word in enumerate(words) if word.isidentifier()]
    return random.choice(places) if places else 0


def _delete(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    at = _place(words, random)
    del words[at : at + random.choice([1, 1, 2, 5])]


def _double(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    at = _place(words, random)
    words[at:at] = [*words[at : at + random.choice([1, 2, 6])], " "]


def _swap(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    one, other = _place(words, random), _place(words, random)
    words[one], words[other] = words[other], words[one]


def _splice(words: list[str], random: Random, texts: Sequence[str]) -> None:
    other = tokens(random.choice(texts))
    start = random.randrange(len(other))
    at = _place(words, random)
    words[at : at + random.choice([0, 1, 1000])] = [" ", *other[start : start + random.choice([1, 3, 10, 1000])], " "]


def _nest(words: list[str], random: Random, texts: Sequence[str]) -> None:
    """One text as a subquery of another, in place of a token."""
    other = random.choice(texts)
    form = random.choice(["({})", "({}) AS people", "EXISTS ({})", "(SELECT count(*) FROM ({}) t)", "ARRAY({})"])
    words[_place(words, random)] = form.format(other)


def _wrap(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    form = random.choice(
        [
            *(
                "WITH people AS (SELECT 1 AS age) {}",
                "WITH x AS ({}) SELECT count(*) FROM x",
                "SELECT * FROM ({}) AS people",
            ),
            *(
                "({})",
                "{} UNION ALL {}",
                "EXPLAIN {}",
                "WITH visits AS (SELECT * FROM people) {}",
                "SELECT ({})",
                "{};",
            ),
            *("WITH RECURSIVE people AS ({}) SELECT * FROM people", "SELECT count(*) FROM ({}) t", "{} -- people"),
            *("SELECT 1 WHERE EXISTS ({})", "WITH p AS MATERIALIZED ({}) TABLE p", "(((((((((({}))))))))))"),
        ]
    )
    words[:] = tokens(form.replace("{}", "".join(words)))


def _quote(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    at = _word(words, random)
    words[at] = random.choice(['"{}"', "{}.{}", "public.{}", 'U&"{}"', '"{}".{}', "{}*"]).replace("{}", words[at])


def _case(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    at = _word(words, random)
    words[at] = random.choice([words[at].upper(), words[at].title(), words[at].swapcase(), words[at].replace("s", "ſ")])


def _blank(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    places = [at for at, word in enumerate(words) if word.isspace()]
    if places:
        words[random.choice(places)] = random.choice([*_BLANKS, *_COMMENTS])


def _comment(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    words.insert(_place(words, random), random.choice(_COMMENTS))


def _rename(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    words[_word(words, random)] = random.choice(random.choice([_NAMES, _NAMES, _KEYWORDS]))


def _add(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    words.insert(random.choice([_place(words, random), len(words)]), random.choice(_PIECES))


def _number(words: list[str], random: Random, _texts: Sequence[str]) -> None:
    places = [at for at, word in enumerate(words) if word[0].isdigit() or word[0] == "'"]
    if places:
        words[random.choice(places)] = random.choice([*_NUMBERS, "$$x$$", "$t$it's$t$", "E'a\\'b'", "U&'\\0061'"])


_CHANGES: list[Change] = [
    *(_delete, _double, _swap, _splice, _nest, _wrap, _quote, _case, _blank, _comment, _rename, _rename, _add, _number)
]
