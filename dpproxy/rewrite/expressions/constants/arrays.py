"""Arrays of constants: ARRAY[…], '{…}' and parameters, as the list of their elements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from dpproxy.rewrite.expressions.trees.refusals import refused

_HINT = "Write ARRAY[1, 2], '{1,2}' or a parameter of an array type, of one dimension."
_ELEMENT = re.compile(r'(?:\s*"((?:[^"\\]|\\.)*)"\s*|([^",{}\\]+))(,|$)', re.DOTALL)


def elements(array: exp.Expression) -> Sequence[exp.Expression] | None:
    """The elements, each cast to the array's type if it has one; None for a NULL array.

    Raises FeatureNotSupported for what is no array of one dimension.
    """
    match array:
        case exp.Paren():
            return elements(array.this)
        case exp.Null():
            return None
        case exp.Array() if not any(isinstance(each, exp.Array) for each in array.expressions):
            return [each.copy() for each in array.expressions]
        case exp.Literal() if array.is_string:
            return [_constant(text) for text in read_array(array, str(array.this))]
        case exp.Cast() if array.to.this == exp.DataType.Type.ARRAY:
            found, type_ = elements(array.this), array.to.expressions[0]
            return None if found is None else [exp.Cast(this=each, to=type_.copy()) for each in found]
        case exp.Cast():
            return elements(array.this)
    raise refused(array, "this is no constant array", _HINT)


def read_array(node: exp.Expression, text: str) -> list[str | None]:
    """The elements that Postgres reads in the text of an array. Raises FeatureNotSupported where it is not plain."""
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}")):
        raise refused(node, "this is no plain array", _HINT)
    inner = inner[1:-1].strip()
    found: list[str | None] = []
    at = 0
    while inner:
        element = _ELEMENT.match(inner, at)
        if element is None or not (element[1] is not None or element[2].strip()):
            raise refused(node, "this is no plain array", _HINT)
        found.append(_element(element))
        if not element[3]:
            break
        at = element.end()
    return found


def _element(found: re.Match[str]) -> str | None:
    quoted, bare = found[1], found[2]
    if quoted is not None:
        return re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
    return None if bare.strip().upper() == "NULL" else bare.strip()


def _constant(text: str | None) -> exp.Expression:
    return exp.Null() if text is None else exp.Literal.string(text)
