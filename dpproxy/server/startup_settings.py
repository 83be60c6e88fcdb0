"""Which settings a client's startup packet sets, in its options or by themselves, as Postgres reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dpproxy.accounting.account import Terms
from dpproxy.session.allowed_statements import printing
from dpproxy.session.set_settings import fault_of
from dpproxy.wire import StartupMessage

_NO_SETTINGS: Final = frozenset({"user", "database", "options", "replication"})
# The words of Postgres's command line that take a value, which may be the next word.
_WITH_VALUE: Final = frozenset("BCcDdfhkNprStvW-")
_NAMED: Final = frozenset("c-")


def settings_of(client: StartupMessage) -> frozenset[str]:
    """The names of the `dp.*` settings that a startup packet sets, without the prefix."""
    return frozenset(name.removeprefix("dp.") for name, _ in _given(client) if name.startswith("dp."))


def check_settings(client: StartupMessage, operators: frozenset[str], terms: Terms) -> None:
    """Raises InsufficientPrivilege where one of these is set, UndefinedSetting and InvalidSettingValue for a name or a
    value of class `dp` that there is not."""
    for name, value in sorted(_given(client)):
        if name in operators:
            raise printing(name)
        if (fault := fault_of(name, value, terms)) is not None:
            raise fault


def _given(client: StartupMessage) -> Iterator[tuple[str, str]]:
    """Names in lower case, and values."""
    given = dict(client.parameters)
    yield from ((name.lower(), value) for name, value in given.items() if name not in _NO_SETTINGS)
    for option in _options(iter(_words(given.get("options", "")))):
        name, _, value = option.partition("=")
        yield name.replace("-", "_").lower(), value


def _options(words: Iterator[str]) -> Iterator[str]:
    """`name=value` of each -c name=value, -cname=value, --name=value, also behind other letters of one word."""
    for word in words:
        letters = iter(word[1:]) if word.startswith("-") else iter("")
        for at, letter in enumerate(letters, 2):
            if letter in _WITH_VALUE:
                value = word[at:] or next(words, "")
                if letter in _NAMED:
                    yield value
                break


def _words(text: str) -> list[str]:
    """The words of `options`: divided by white space, a backslash taking the next character as it is."""
    words, word, taken = [], "", False
    for character in text:
        if taken or not (character.isspace() or character == "\\"):
            word, taken = word + character, False
        elif character == "\\":
            taken = True
        elif word:
            words.append(word)
            word = ""
    return [*words, word] if word else words
