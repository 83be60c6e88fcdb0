"""Named parameters of a query as Postgres takes them: `CAST($r0c1 AS BIGINT[])` becomes `CAST($1::text[] AS BIGINT[])`.

Values go in as text, which the query's own cast reads: no type is guessed from values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sqlglot import Token, TokenType, tokenize

from dpproxy.rows import Value
from dpproxy.wire import text_array

Texts = list[str | None]
NO_SECRETS: Mapping[str, str] = MappingProxyType({})
_DOUBLES = ("DOUBLE PRECISION", "DOUBLE", "FLOAT8")


def numbered(
    sql: str, inputs: Mapping[str, tuple[Value, ...]], secrets: Mapping[str, str] = NO_SECRETS
) -> tuple[str, tuple[Texts | str, ...]]:
    """The text with `$1`, `$2` …, and what each is: arrays first, then texts, `$3::text`.

    Raises ValueError where the text's parameters are not those of `inputs` and `secrets`, or one is not cast to an
    array, or to a text.
    """
    if not inputs and not secrets and "$" not in sql:
        return sql, ()
    found = _parameters(sql)
    if {name for _, name, _ in found} != {*inputs, *secrets}:
        raise ValueError("the parameters of a query are not its inputs")
    order = {name: number for number, name in enumerate((*inputs, *secrets), start=1)}
    kinds = {name: kind for _, name, kind in found}
    if any(kinds[name] != kind for _, name, kind in found):
        raise ValueError("a parameter is cast to two types")
    if any((kinds[name] is None) != (name in secrets) for name in order):
        raise ValueError("a parameter is not cast to an array, or is not one")
    for start, name, kind in reversed(found):
        type_ = "text" if kind is None else "text[]"
        sql = f"{sql[:start]}${order[name]}::{type_}{sql[start + 1 + len(name) :]}"
    return sql, (*(_texts(values, kinds[name] or "") for name, values in inputs.items()), *secrets.values())


def written_out(text: str, arguments: Sequence[Texts | str]) -> str:
    """The text of `numbered` with what its parameters are in their place, for COPY, which takes none.

    Because: only parameters are replaced, each by one literal, in which quotes and backslashes are doubled. What a
    literal of the text is alike to does not count: asyncpg's own `$1` is one within a literal, too.
    Checked by: tests/test_engine_postgres.py.
    """
    tokens = tokenize(text, read="postgres") if arguments else []
    marks = [place for place, token in enumerate(tokens) if token.token_type == TokenType.PARAMETER]
    for mark, number in reversed([(tokens[place], tokens[place + 1].text) for place in marks]):
        literal = _literal(arguments[int(number) - 1])
        text = f"{text[: mark.start]}{literal}{text[mark.start + 1 + len(number) :]}"
    return text


def _literal(argument: Texts | str) -> str:
    told = argument if isinstance(argument, str) else text_array(argument).decode()
    return "E'" + told.replace("\\", "\\\\").replace("'", "''") + "'"


def _parameters(sql: str) -> list[tuple[int, str, str | None]]:
    """Where each parameter stands, its name, and the type that it is cast to an array of; None: it is cast to TEXT."""
    tokens = tokenize(sql, read="postgres")
    marks = [place for place, token in enumerate(tokens) if token.token_type == TokenType.PARAMETER]
    return [(tokens[place].start, tokens[place + 1].text, _element(tokens, place)) for place in marks]


def _element(tokens: Sequence[Token], mark: int) -> str | None:
    """BIGINT of `CAST($name AS BIGINT[])`, where `mark` is the place of the `$`."""
    before = [token.text.upper() for token in tokens[max(mark - 2, 0) : mark]]
    after = [token.text.upper() for token in tokens[mark + 2 : mark + 12]]
    if before == ["CAST", "("] and after[:3] == ["AS", "TEXT", ")"]:
        return None
    if before != ["CAST", "("] or after[:1] != ["AS"] or "[" not in after:
        raise ValueError("a parameter is not cast to an array")
    return " ".join(after[1 : after.index("[")])


def _texts(values: tuple[Value, ...], kind: str) -> Texts:
    written = _double if kind in _DOUBLES else str
    return [None if value is None else written(value) for value in values]


def _double(value: object) -> str:
    """Postgres raises for a numeric beyond the range of double precision, or too near to zero: here it is ±∞, or 0."""
    number = float(str(value))
    return "NaN" if math.isnan(number) else repr(number)
