"""A statement with other values where they are bare, as somebody would ask it again."""

from __future__ import annotations

import random
from datetime import date, timedelta

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite import Parameter
from dpproxy.rewrite import bare_values as bare_values_module
from dpproxy.rewrite.bare_values import BarePlace
from dpproxy.rewrite.written_values import candidates, parameter_of, taken_out


def varied(sql: str, catalog: Catalog, rng: random.Random) -> str:
    """The text with other values where they are bare."""
    places = bare_values_module._bare_in(taken_out(sql, 0, frozenset())[0])
    found, at = list[str](), 0
    for number, match in enumerate(candidates(sql)):
        if number in places:
            value = parameter_of(match)
            found += (
                sql[at : match.start()],
                match[0].replace(value.text or "", other(value, places[number], catalog, rng)),
            )
            at = match.end()
    return "".join([*found, sql[at:]])


def other(value: Parameter, place: BarePlace, catalog: Catalog, rng: random.Random) -> str:
    """A value near another; of a text one that the policy lists, or one as long."""
    text = value.text or ""
    match value.type:
        case "integer":
            return str(max(0, int(text) + rng.randint(-3 if int(text) > 3 else 0, 3)))
        case "numeric":
            return f"{text[:-1]}{rng.randint(1, 9)}"
        case "date":
            return (date.fromisoformat(text) + timedelta(days=rng.randint(-20, 20))).isoformat()
        case _:
            columns = (each for table in catalog.tables.values() for each in table.columns if each.name == place.column)
            listed = [value for each in columns for value in each.values or ()]
            return str(rng.choice(listed)) if listed else "".join(rng.choice("xyz") if c.isalpha() else c for c in text)
