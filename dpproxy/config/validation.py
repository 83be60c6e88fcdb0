"""From plain data to a model: what pydantic finds, in the file's words; and what can still be read beside it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from dpproxy.config.faults import Fault, Key, nearest, shown
from dpproxy.config.toml_source import Data

Model = TypeVar("Model", bound=BaseModel)


def structural_faults(model: type[BaseModel], data: Data, written: Data, context: Data) -> tuple[Fault, ...]:
    """A fault for each key that does not fit `model`, with the value as it is written in the file."""
    try:
        model.model_validate(data, context=context)
    except ValidationError as cause:
        return tuple(_fault(model, written, error) for error in cause.errors(include_url=False))
    return ()


def salvaged(model: type[Model], data: Data, context: Data) -> Model:
    """What is left of `data` without all that does not fit `model`: one fault after the other is taken away."""
    left = deepcopy(data)
    while True:
        try:
            return model.model_validate(left, context=context)
        except ValidationError as cause:
            _without(left, _named(cause.errors(include_url=False)[0]["loc"]))


def _fault(model: type[BaseModel], written: Data, error: ErrorDetails) -> Fault:
    key = error["loc"]
    if error["type"] == "fault":
        return Fault(key, error["ctx"]["wrong"] or _is(written, key), error["ctx"]["expected"])
    field = _field(model, _named(key)) or _field(model, key[:-1])
    if error["type"] == "extra_forbidden":
        section = _section(model, key[:-1])
        return Fault(key, "unknown key", nearest(str(key[-1]), section.model_fields if section else ()))
    expected = field.description if field and field.description else error["msg"].lower()
    return Fault(key, "missing" if error["type"] == "missing" else _is(written, key), expected)


def _is(written: Data, key: Key) -> str:
    found: Any = written
    for part in key:
        if not isinstance(found, dict | list) or (isinstance(found, dict) and part not in found):
            return "missing"
        found = found[part]  # type: ignore[index]
    return f"is {shown(found)}"


def _named(key: Key) -> Key:
    """`key` without positions in an array: an array is left out as a whole."""
    return key[: next((place for place, part in enumerate(key) if isinstance(part, int)), len(key))]


def _without(data: Data, key: Key) -> None:
    """Take away what is at `key`; where it is missing, the section that misses it."""
    found: Any = data
    for place, part in enumerate(key):
        if place == len(key) - 1 and part in found:
            del found[part]
        elif part in found:
            found = found[part]
        else:
            _without(data, key[:place])
            return


def _section(model: type[BaseModel], key: Key) -> type[BaseModel] | None:
    """The model of the section at `key`: fields by name, members of a dictionary by any name."""
    parts = list(key)
    section: type[BaseModel] | None = model
    while parts and section is not None:
        field = section.model_fields.get(str(parts.pop(0)))
        section = _model_in(field.annotation) if field else None
        if field and parts and get_origin(field.annotation) is dict:
            parts.pop(0)
    return section


def _field(model: type[BaseModel], key: Key) -> FieldInfo | None:
    if not key:
        return None
    section = _section(model, key[:-1])
    return section.model_fields.get(str(key[-1])) if section else None


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation such as `dict[str, TableSection]` or `BudgetCap | None` is about."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
