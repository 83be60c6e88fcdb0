"""The analysts' part of a configuration's text: changed in place, and only to what is a good configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, MutableMapping
from decimal import Decimal
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, cast

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.items import Item

from dpproxy.cli.policy_file import loaded
from dpproxy.errors import ConfigFault


def rewritten(path: Path, change: Callable[[TOMLDocument], None]) -> None:
    """Put the changed text in the file's place at once, with the file's mode and owner.

    Raises ConfigFault, the file untouched, where what was there or what would be there is no good configuration.
    """
    loaded(path)
    path = path.resolve()
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    change(document)
    with NamedTemporaryFile("w", encoding="utf-8", newline="", dir=path.parent, suffix=".toml", delete=False) as new:
        new.write(tomlkit.dumps(document))
        new.flush()
        os.fsync(new.fileno())
    try:
        _check(Path(new.name), path)
        _like(Path(new.name), path)
        Path(new.name).replace(path)
    finally:
        Path(new.name).unlink(missing_ok=True)


def added(document: TOMLDocument, name: str, values: Mapping[str, object]) -> None:
    """A section for an analyst at the end of the others'. Raises ConfigFault where there is one already."""
    if name in document.get("analysts", {}):
        raise ConfigFault(f'there is an analyst "{name}" already', hint="Remove that one first, or edit the file.")
    section = tomlkit.table()
    for key, value in values.items():
        section.add(key, _item(value))
    if "analysts" not in document:
        document.add("analysts", tomlkit.table(is_super_table=True))
    _analysts(document)[name] = section


def removed(document: TOMLDocument, name: str) -> None:
    """The document without an analyst's section."""
    del _analysts(document)[name]


def _analysts(document: TOMLDocument) -> MutableMapping[str, Any]:
    """The sections of all analysts, wherever in the file they are."""
    return cast(MutableMapping[str, Any], document["analysts"])


def _item(value: object) -> Item:
    """Numbers as they were written: no float comes in between."""
    if isinstance(value, Decimal):
        return tomlkit.value(str(value))
    return tomlkit.item(value)


def _check(new: Path, path: Path) -> None:
    try:
        loaded(new)
    except ConfigFault as fault:
        detail = (fault.detail or "").replace(str(new), str(path))
        raise ConfigFault(f"{path} was not changed; it would have been at fault", detail=detail) from None


def _like(new: Path, path: Path) -> None:
    status = path.stat()
    new.chmod(status.st_mode & 0o7777)
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        os.chown(new, status.st_uid, status.st_gid)
