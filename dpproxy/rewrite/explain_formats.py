"""EXPLAIN's documents: JSON, XML and YAML, shaped as Postgres shapes its own.

Checked by: tests/clients/test_ways.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

_NAMESPACE = "http://www.postgresql.org/2009/explain"
_STEP = "  "


def document(format_: str, plan: Mapping[str, object]) -> str:
    """A list of one plan. Raises KeyError for a format that there is none of."""
    return {"json": _json, "xml": _xml, "yaml": _yaml}[format_](plan)


def _json(plan: Mapping[str, object]) -> str:
    return json.dumps([plan], indent=2)


def _xml(plan: Mapping[str, object]) -> str:
    root = ElementTree.Element("explain", xmlns=_NAMESPACE)
    _add(root, "Query", plan)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _add(parent: ElementTree.Element, name: str, value: object) -> None:
    """An element of that name; the items of a list are elements of its name without the s."""
    element = ElementTree.SubElement(parent, name.replace(" ", "-"))
    match value:
        case Mapping():
            for key, each in value.items():
                _add(element, key, each)
        case list():
            for each in value:
                _add(element, name.removesuffix("s") if name != "Reads" else "Input", each)
        case _:
            element.text = value if isinstance(value, str) else _scalar(value)


def _yaml(plan: Mapping[str, object]) -> str:
    return "\n".join(_lines([plan], ""))


def _lines(value: object, indent: str) -> Iterator[str]:
    match value:
        case Mapping():
            for key, each in value.items():
                yield from _entry(f"{indent}{key}:", each, indent + _STEP)
        case list():
            for each in value:
                first, *rest = _lines(each, indent + _STEP)
                yield f"{indent}- {first.lstrip()}"
                yield from rest
        case _:
            yield f"{indent}{_scalar(value)}"


def _entry(key: str, value: object, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping | list) and value:
        yield key
        yield from _lines(value, indent)
    else:
        yield f"{key} {_scalar(value)}"


def _scalar(value: object) -> str:
    """Numbers, texts, null and what is empty are written in YAML as in JSON."""
    return json.dumps(value)
