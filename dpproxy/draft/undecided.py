"""What the file says of a table whose rows are somebody's, where a schema cannot tell whose: what its owner may write.

All of it is comments, so that nobody is asked about before it is decided.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.draft.belonging import Links, Undecided
from dpproxy.draft.names import a
from dpproxy.draft.toml import key, shown, text
from dpproxy.draft.units import DraftUnit
from dpproxy.engines.described import ForeignKey


def whose_it_may_be(table: str, undecided: Undecided) -> Iterator[str]:
    """Sentences, and what to write."""
    yield f"TODO: {shown(table)} is left out until you decide whose its rows are. By what they refer to they are of"
    yield from (f"  {a(unit.name)}: {_ends(link)}" for unit, link in undecided.links)
    yield from undecided.blocked
    if not undecided.choices:
        yield "A link leads to a table whose rows are of one unit, and these do not: a policy cannot have this table,"
        yield "unless its rows hold a unit's own key, or a view of it does."
        return
    yield "A row is private for two at most, and for nobody else whom it names. If one of these has all whom you"
    yield "protect, write it below the table's name, and take the # away from what is below:"
    for place, choice in enumerate(undecided.choices):
        yield from ("  or", *_indented(choice)) if place else _indented(choice)


def _indented(choice: Links) -> list[str]:
    return [f"  {line}" for line in said_of(choice)]


def said_of(links: Links) -> list[str]:
    """The lines of a table's section that have these links: one, or two."""
    if len(links) == 1:
        ((unit, link),) = links
        return [f"unit = {text(unit.name)}", f"link = {{ {_link(link)} }}"]
    units = dict.fromkeys(unit for unit, _ in links)
    return [f"units = {{ {', '.join(_links_of(unit, links) for unit in units)} }}"]


def _links_of(unit: DraftUnit, links: Links) -> str:
    return f"{key(unit.name)} = {{ {', '.join(_link(link) for each, link in links if each == unit)} }}"


def _link(link: ForeignKey) -> str:
    return f"{key(link.columns[0])} = {text(f'{link.table}.{link.targets[0]}')}"


def _ends(link: ForeignKey) -> str:
    return f"{shown(link.columns[0])} -> {shown(f'{link.table}.{link.targets[0]}')}"
