"""Where the parser's tokens are not the server's: a text that the two cut differently is refused.

The parser's tokenizer is one for many dialects. It ends a word at any blank of Unicode's, reads `1_000` as 1 with a
name, `>|/` as two operators and `croß` as CROSS, and keeps names whole that the server cuts off.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from postgast import PgQueryError, scan
from sqlglot import Token, TokenType, exp

from dpproxy.errors import DPProxyError, FeatureNotSupported

_LONGEST_NAME: Final = 63  # bytes in UTF-8, NAMEDATALEN - 1
_COMMENTS: Final = ("--", "/*")
_NAMES: Final = (258, 259)  # IDENT and UIDENT of Postgres's grammar
_STRING: Final = 261  # SCONST; two on two lines are one
_PARAMETER: Final = 267
_IN_PARTS: Final = (_STRING, _PARAMETER)
_TWO: Final = (".", "!~")  # the parser reads .5 as a dot and a number, !~ as a NOT and a match: it means the same
_SMALL: Final = str.maketrans(ascii_uppercase, ascii_lowercase)  # no other letters, which depend on the server's locale
_WORDS: Final = (TokenType.VAR, TokenType.IDENTIFIER)
# Words, numbers, parameters, texts, names in quotes and operators, none of which could be a part of what is beside it.
_PLAIN: Final = re.compile(
    r"""(?x) (?:
        [\ \t\n\r]++
        | [A-Za-z_][A-Za-z0-9_]*+ (?![$'"])
        | [0-9]++ (?:\.[0-9]++)? (?![A-Za-z0-9_.$'"])
        | \$[0-9]++ (?![A-Za-z0-9_.$'"])
        | '[^'\\]*+' (?! [\ \t\n\r]*+['"] | [A-Za-z0-9_] )
        | "[A-Za-z_][A-Za-z0-9_]*+" (?! [\ \t\n\r]*+['"] | [A-Za-z0-9_] )
        | \. (?=[A-Za-z_"])
        | (?: [<>]=? | <> | != | \|\| | :: | [=+*/-] ) (?![<>=!|:+*/~@\#%^&?`-])
        | [(),]
    )*+ ;?[\ \t\n\r]*+"""
)

_Cut = tuple[int, int, int]
"""A token of the server's: its first character and the one behind its last, and its kind in the grammar."""


def check_tokens(sql: str, tokens: Sequence[Token]) -> None:
    """Claim: `tokens` of `sql` begin and end where the server's do, and a name of the server's is one among them.

    Because: each is compared, unless the text is so plain that there is one way to cut it. More than one of the
    server's may be one here (GROUP BY), and the other way around only the parts of a string on several lines, and the
    two of `$1`, of `.5` and of `!~`.
    Checked by: tests/attacks/test_names.py, tests/fuzz; tests/test_plain_texts.py.
    Raises FeatureNotSupported at the first that differs.
    """
    if not is_plain(sql):
        _compare(sql, tokens)


def is_plain(sql: str) -> bool:
    """Whether a text is of words, numbers and operators that nobody could cut elsewhere."""
    return _PLAIN.fullmatch(sql) is not None


def _compare(sql: str, tokens: Sequence[Token]) -> None:
    """Raises FeatureNotSupported at the first token that differs."""
    starts = {token.start: token for token in tokens}
    edges = sorted([edge for token in tokens for edge in (token.start, token.end + 1)])
    alike = _one_by_one(tokens) if sql.isascii() else frozenset[tuple[int, int]]()
    covered = -1
    for cut in _cuts(sql):
        begin, end, kind = cut
        if (begin, end) in alike:
            covered = end - 1
            continue
        if sql.startswith(_COMMENTS, begin):
            continue
        token = starts.get(begin)
        if token is not None:
            covered = token.end
        elif begin > covered:
            raise _refused(sql, cut)
        if token is not None and kind in _NAMES and not _is_name(sql[begin:end], token):
            raise _refused(sql, cut)
        if end - begin > 1 and kind not in _IN_PARTS:
            inside = begin + 1 + sql.startswith(_TWO, begin)
            if _are_between(edges, inside, end):
                raise _refused(sql, cut)


def _one_by_one(tokens: Sequence[Token]) -> frozenset[tuple[int, int]]:
    """Where each token begins and ends, if none begins within another: one of the server's that is there is the same,
    and nothing of it has to be looked at, where names are ASCII."""
    apart = all(one.end < other.start for one, other in pairwise(tokens))
    return frozenset([(token.start, token.end + 1) for token in tokens] if apart else [])


def _are_between(edges: Sequence[int], first: int, behind: int) -> bool:
    """Whether one of the edges, which are in order, is at `first` or after it, and before `behind`."""
    at = bisect_left(edges, first)
    return at < len(edges) and edges[at] < behind


def keep_name(name: exp.Identifier) -> None:
    """A name as the server keeps it: its first characters, as many as 63 bytes hold whole; in small letters, unless it
    was quoted."""
    text = kept = str(name.this)
    if len(text) * 4 > _LONGEST_NAME:
        kept = text.encode()[:_LONGEST_NAME].decode(errors="ignore")
    if not name.args.get("quoted"):
        kept = kept.lower() if kept.isascii() else kept.translate(_SMALL)
    if kept != text:
        name.set("this", kept)


def _is_name(name: str, token: Token) -> bool:
    return name.isascii() or token.token_type in _WORDS


def _cuts(sql: str) -> list[_Cut]:
    """The server's tokens, comments among them, in characters."""
    try:
        found = scan(sql).tokens
    except PgQueryError as fault:
        raise FeatureNotSupported(str(fault), hint="Correct the text.") from None
    cuts = [(each.start, each.end, each.token) for each in found]
    return cuts if sql.isascii() else list(_in_characters(sql.encode(), cuts))


def _in_characters(raw: bytes, cuts: Sequence[_Cut]) -> Iterator[_Cut]:
    """The same tokens, whose places were counted in bytes."""
    done = at = 0
    for start, behind, kind in cuts:
        begin = at + len(raw[done:start].decode())
        end = begin + len(raw[start:behind].decode())
        at, done = end, behind
        yield begin, end, kind


def _refused(sql: str, cut: _Cut) -> DPProxyError:
    begin, end, _ = cut
    return FeatureNotSupported(
        f"{sql[begin:end]} is not understood in a statement over private tables",
        hint="Write numbers in digits alone, blanks between operators, and other names between double quotes.",
        position=begin + 1,
    )
