"""What runs in a process of its own.

`python -m fuzz.child sow TARGET DIRECTORY SEED MOST`: files to begin with, at most so many of those that are there.
`python -m fuzz.child fuzz TARGET FLAGS`: libFuzzer, which is told by dpproxy's bytecode where it goes.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

from fuzz.corpus import kept
from fuzz.found import FOUND
from fuzz.target import Target


def main() -> None:
    """See above."""
    match sys.argv[1:]:
        case ["sow", name, directory, seed, most]:
            _sow(name, Path(directory), Random(seed), int(most))
        case ["fuzz", name, *flags]:
            with atheris.instrument_imports(include=["dpproxy"]):
                target = _target(name)
            _fuzz(target, flags)
        case _:
            sys.exit(__doc__)


def _target(name: str) -> Target:
    made: Target = importlib.import_module(f"fuzz.{name}").target()
    return made


def _sow(name: str, directory: Path, random: Random, most: int) -> None:
    found = {f"kept{number:06}": each for number, each in enumerate([*kept(name), *FOUND[name]])}
    found |= {f"seed{number:06}": each for number, each in enumerate(importlib.import_module(f"fuzz.{name}").seeds())}
    for file in random.sample(sorted(found), min(most, len(found))):
        (directory / file).write_bytes(found[file])


def _fuzz(target: Target, flags: list[str]) -> None:
    """Never returns: libFuzzer ends the process."""
    with tempfile.NamedTemporaryFile("w", suffix=".dict") as words:
        words.write("".join(f'"{_escaped(word)}"\n' for word in target.words))
        words.flush()
        flags = [f"-max_len={target.longest}", *([f"-dict={words.name}"] if target.words else []), *flags]
        atheris.Setup([sys.argv[0], *flags], target.try_, custom_mutator=lambda *given: _changed(target, *given))
        atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\x{c:02x}" for c in word)


def _changed(target: Target, data: bytes, longest: int, seed: int) -> bytes:
    random = Random(seed)
    if random.random() < target.blind:
        changed: bytes = atheris.Mutate(data, longest)
        return changed
    return target.change(data, random, atheris.Mutate)[:longest]


if __name__ == "__main__":
    main()
