"""Texts that are plain: the parser's tokens are the server's, as `check_tokens` would find by comparing them."""

from __future__ import annotations

import random

import pytest
from sql_cases import by_file, cases
from sqlglot.errors import TokenError

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.reading import lexis
from dpproxy.rewrite.reading.parse import _ASKED, _QUOTE, _QUOTED

# Pieces that are plain by themselves, or together with some others, or never.
PIECES = (
    *(
        "a",
        "SELECT",
        "_b1",
        "GROUP BY",
        "not null",
        "E",
        "U",
        "N",
        "x",
        "date",
        "interval",
        "is",
        "1",
        "007",
        "1.5",
        "$1",
    ),
    *("$12", "'a'", "'it is -- a /* b */'", "''", '"a"', '"B_1"', "(", ")", ",", ".", "<", ">", "<=", "<>", "!=", "||"),
    *(
        "::",
        "=",
        "+",
        "*",
        "/",
        "-",
        ";",
        " ",
        " ",
        " ",
        "\n",
        "\t",
        "|",
        ":",
        "!",
        "&",
        "$",
        "$$",
        "$a$",
        "1e5",
        "0x1",
    ),
    *(
        "#",
        "~",
        "@",
        "%",
        "?",
        "^",
        "`",
        "[",
        "]",
        "{",
        "}",
        "{%",
        "\\",
        "'",
        '"',
        "é",
        "\u00a0",
        "\f",
        "\v",
        "--",
        "/*",
    ),
)


def is_cut_alike(sql: str) -> bool:
    dialect = _QUOTED if _QUOTE.search(sql) else _ASKED
    try:
        lexis._compare(sql, dialect.tokens(sql))
    except (FeatureNotSupported, TokenError):
        return False
    return True


def test_most_statements_are_plain_and_cut_alike() -> None:
    texts = [case.sql for path in by_file("rewrite") for case in cases(path)]
    plain = [sql for sql in texts if lexis.is_plain(sql)]
    assert len(plain) > len(texts) * 0.8
    assert all(map(is_cut_alike, plain))


def test_whatever_is_plain_is_cut_alike() -> None:
    series, found = random.Random(3), 0
    for _ in range(60_000):
        sql = "".join(series.choices(PIECES, k=series.randint(1, 7)))
        if lexis.is_plain(sql):
            found += 1
            assert is_cut_alike(sql), repr(sql)
    assert found > 5_000


@pytest.mark.parametrize(
    "sql",
    [
        *(
            "1_000",
            "U&'a'",
            "E'a'",
            "a>|/b",
            "croß",
            "1a",
            "$1a",
            "'a' 'b'",
            "'a'\n'b'",
            "a -- b",
            "/* a */ 1",
            "'a''b'",
        ),
        *("a\u00a0b", "$$a$$", ".5", "1.", "'a\\b'", "a!~b", "1; SELECT 2", "a<-1", "1e5", "a[1]", "x$1"),
    ],
)
def test_others_are_compared(sql: str) -> None:
    assert not lexis.is_plain(f"SELECT {sql}")
