"""What reads and writes texts of SQL, made once for each thread: making it takes as long as a short text itself.

Checked by: tests/test_kept_parsers.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import local

from sqlglot import Dialect, Generator, Token, exp


class KeptParsers(local):
    """sqlglot's tokenizer, parser and generator of a dialect. Each call begins anew, whatever came of the one before:
    the first two say so of themselves, and a generator that failed is left."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._tokenizer = dialect.tokenizer()
        self._parser = dialect.parser()
        self._generator: Generator | None = None

    def tokens(self, sql: str) -> list[Token]:
        """The words of a text."""
        return self._tokenizer.tokenize(sql)

    def trees(self, tokens: Sequence[Token], sql: str) -> list[exp.Expr | None]:
        """The statements of a text, of which these are the words."""
        return self._parser.parse(list(tokens), sql)

    def text(self, tree: exp.Expr) -> str:
        """The text of a tree, which nobody else has: it may be changed."""
        generator, self._generator = self._generator or self._dialect.generator(), None
        made = generator.generate(tree, copy=False)
        self._generator = generator
        return made
