"""Which settings a client's startup packet sets, in its options or by themselves, as Postgres reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dpproxy.session.allowed_statements import printing
from dpproxy.wire import StartupMessage

_NO_SETTINGS: Final = frozenset({"user", "database", "options", "replication"})
# The words of Postgres's command line that take a value, which may be the next word.
_WITH_VALUE: Final = frozenset("BCcDdfhkNprStvW-")
_NAMED: Final = frozenset("c-")


def settings_of(client: StartupMessage) -> frozenset[str]:
    """The names of the `dp.*` settings that a startup packet sets, without the prefix."""
    return frozenset(name.removeprefix("dp.") for name in _named(client) if name.startswith("dp."))


def check_settings(client: StartupMessage, operators: frozenset[str]) -> None:
    """Raises InsufficientPrivilege where one of these is set."""
    for name in sorted(operators.intersection(_named(client))):
        raise printing(name)


def _named(client: StartupMessage) -> Iterator[str]:
    given = dict(client.parameters)
    yield from (name.lower() for name in given if name not in _NO_SETTINGS)
    for option in _options(iter(_words(given.get("options", "")))):
        yield option.partition("=")[0].replace("-", "_").lower()


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
