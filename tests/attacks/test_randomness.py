"""Randomness: where noise comes from, and that none is drawn twice for one charge or told for two values.

The generator is OpenSSL's inside of OpenDP: seeded by the operating system, once for each thread, and anew after a
fork. tests/test_mechanisms.py shows that the noise has its distribution, test_budget.py that a charge draws each once,
whatever happens, test_sampling.py that nothing is random where it must not be.
"""

from __future__ import annotations

import ast
import itertools
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from clients.backends import Backend

import dpproxy
from attacks.duel import Duel, Pair
from dpproxy.config import Config
from dpproxy.mechanisms.noise import add_noise, gaussian, laplace
from dpproxy.mechanisms.selection import laplace_selection
from dpproxy.mechanisms.sensitivity import Sensitivity

pytestmark = pytest.mark.long

PACKAGE = Path(dpproxy.__file__).parent
ONE = Sensitivity(1, 1)
# So wide that two draws are equal once in a million million times.
WIDE = {
    "laplace": laplace(Sensitivity(1, 10**9), Decimal("1e-3")),
    "gaussian": gaussian(Sensitivity(1, 10**9), Decimal("1e-6")),
}
PLAIN = {"laplace": laplace(ONE, Decimal("0.1")), "gaussian": gaussian(ONE, Decimal("0.005"))}
DRAWS = """
import os, sys
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.noise import add_noise
noises = [Noise(Distribution(name), 1e12, Sensitivity(1, 1)) for name in ("laplace", "gaussian")]
def show(who):
    told = [(*add_noise(noise, [0] * 3), *noise.release([0]), *noise.release([0] * 2)) for noise in noises]
    print(who, *[value for each in told for value in each], flush=True)
"""
FORKS = """
show("before")
for child in range(4):
    pid = os.fork()
    if not pid:
        show(f"child{child}")
        if child == 3 and not (pid := os.fork()):
            show("grandchild")
        elif child == 3:
            os.waitpid(pid, 0)
        os._exit(0)
    os.waitpid(pid, 0)
    show(f"parent{child}")
"""


# Who else may read entropy, and for what.
SECRETS = {
    "front/roles.py": "passwords of the analysts' roles in the front",
    "front/embedded_front.py": "the password of the front's owner",
    "front/migrations.py": "the front's own name",
    "audit/asking.py": "the order in which databases are asked",
    "dashboard/visitors.py": "who has signed in to the budget page, and each of its forms",
    "engines/spark/sessions.py": "the mark by which a session of Spark is known again",
    "engines/spark/driver.py": "the tag by which a query of Spark is cancelled",
    "answering/run.py": "the secret by which a statement's sample of units is drawn",
}
MAKES_THE_DEMO = "cli/demo_data.py"
# In which order points of a fixed design stand, the same each time: no noise is drawn by it.
DEALS_A_DESIGN = "error_bars/design.py"


@cache
def imports(path: str) -> frozenset[str]:
    """Modules, and names from modules, that a module imports anywhere in it; and those of numpy that it reads."""
    found = set[str]()
    for node in ast.walk(trees()[path]):
        match node:
            case ast.Import(names):
                found |= {each.name for each in names}
            case ast.ImportFrom(module=module, names=names) if module is not None:
                found |= {module, *(f"{module}.{each.name}" for each in names)}
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name):
                found.add(f"numpy.{name}")
            case ast.Attribute(value=ast.Name(id="os"), attr="urandom" | "getrandom"):
                found.add("secrets")
            case _:
                pass
    return frozenset(found)


@cache
def trees() -> dict[str, ast.Module]:
    return {str(path.relative_to(PACKAGE)): ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}


def users(generator: str) -> set[str]:
    return {path for path in trees() if any(f"{each}.".startswith(f"{generator}.") for each in imports(path))}


def test_no_other_generator_is_there() -> None:
    """Of the whole package by its syntax: noise is OpenDP's, secrets are those of `secrets`, and nothing is seeded but
    the made-up data of the demo, and the order of a fixed design."""
    assert users("random") == set()
    assert users("numpy.random") == {MAKES_THE_DEMO, DEALS_A_DESIGN}
    assert users("secrets") == SECRETS.keys()
    assert users("opendp") == {"mechanisms/noise.py", "mechanisms/noisy_max.py", "mechanisms/quantile_choice.py"}
    assert not {f"uuid.uuid{version}" for version in range(1, 9)} & set().union(*map(imports, trees()))


def test_nothing_is_called_a_seed() -> None:
    """No name, parameter, key of the configuration or environment variable."""
    for path, tree in trees().items():
        nodes = [] if path == MAKES_THE_DEMO else list(ast.walk(tree))
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        assert not {name for name in names if "seed" in name.lower()}, path
    assert "seed" not in str(Config.model_json_schema()).lower()


def drawn(script: str, **environment: str) -> dict[str, tuple[str, ...]]:
    """What a process of its own draws, by who drew it."""
    done = subprocess.run(
        [sys.executable, "-c", DRAWS + script], capture_output=True, text=True, timeout=120,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {who: tuple(values) for who, *values in map(str.split, done.stdout.splitlines())}


def test_after_a_fork_all_draw_their_own() -> None:
    """A generator that is copied by a fork draws the same in both, for different values: their difference is exact."""
    found = drawn(FORKS)
    assert len(found) == 10
    every = Counter(value for values in found.values() for value in values)
    assert len(every) == 120 and set(every.values()) == {1}, found


def test_two_processes_that_start_alike_draw_their_own() -> None:
    """The same text, environment and hash seed."""
    alike = {"PYTHONHASHSEED": "0", "RANDFILE": "/dev/zero", "OPENSSL_ia32cap": "~0x4000000000000000"}
    one, other = (drawn('show("one")', **alike)["one"] for _ in range(2))
    assert len({*one, *other}) == 24


CONFIGURED = "openssl_conf = init\n[init]\nrandom = drawing\n[drawing]\nrandom = {}\nseed = {}\n"


@pytest.mark.parametrize(
    ("random", "seed"), [("TEST-RAND", "TEST-RAND"), ("CTR-DRBG", "TEST-RAND"), ("HASH-DRBG", "no")]
)
def test_a_generator_of_openssls_configuration_is_not_weaker(tmp_path: Path, random: str, seed: str) -> None:
    """Whoever writes the proxy's environment can stop it, and cannot make it draw the same again."""
    (tmp_path / "openssl.cnf").write_text(CONFIGURED.format(random, seed))
    told = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", DRAWS + 'show("one")'], capture_output=True, text=True, timeout=120,
            env={**os.environ, "OPENSSL_CONF": str(tmp_path / "openssl.cnf")},
        )  # fmt: skip
        assert done.returncode == 0 or "OpenSSL error" in done.stderr, done.stderr
        told += done.stdout.split()[1:]
    assert len(set(told)) == len(told)


@pytest.mark.parametrize("few", [3, 10], ids=["drawn ahead", "drawn at once"])
@pytest.mark.parametrize("name", WIDE)
def test_threads_draw_their_own(name: str, few: int) -> None:
    """DuckDB's releases are made in threads of a pool: each has a generator."""
    with ThreadPoolExecutor(8) as pool:
        found = list(itertools.chain(*pool.map(lambda _: WIDE[name].release([0] * few), range(320 // few))))
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("ahead", [True, False], ids=["drawn ahead", "drawn at once"])
@pytest.mark.parametrize("name", PLAIN)
def test_cells_and_answers_have_noise_of_their_own(name: str, ahead: bool) -> None:
    """Of 10,000 answers of three cells: neither cells of one, nor those of the next answer, nor sizes, nor signs go
    together. A correlation of n independent pairs is normal with deviation 1/√n: six of them are exceeded once in five
    hundred million times."""
    answers = 10_000
    draw = PLAIN[name].release if ahead else partial(add_noise, PLAIN[name])
    found = np.array([draw([0, 5, -7]) for _ in range(answers)], dtype=float) - (0, 5, -7)
    cells = {f"cell {each}": found[:-1, each] for each in range(3)} | {
        f"next {each}": found[1:, each] for each in range(3)
    }
    for measured in (lambda cell: cell, abs, np.sign):
        for (one, left), (other, right) in itertools.combinations(cells.items(), 2):
            together = float(np.corrcoef(measured(left), measured(right))[0, 1])
            assert abs(together) < 6 / math.sqrt(answers - 1), (one, other, together)


def test_the_noise_of_a_selection_is_its_own() -> None:
    """What is compared with the threshold, and told, is drawn for the units of the keys alone, each time anew."""
    wide = laplace_selection(1, 1, 1, Decimal("1e-9"), Decimal("1e-6"))
    counts = [wide.threshold * 2] * 20
    first, second = wide.release(counts), wide.release(counts)
    assert len({*first.values(), *second.values()}) == len(first) + len(second)


SEEDED = (
    # What a session may say to steer a generator; and, where there is one, the number that it then gives.
    "SELECT setseed(0.5)",
    "SELECT setseed(0.5) FROM generate_series(1, 3)",
    "SET seed = 0.5",
    "SELECT set_config('seed', '0.5', false)",
    "PRAGMA seed = 0.5",
    "DO $$ BEGIN PERFORM setseed(0.5); END $$",
)
NUMBER = "SELECT random()"
PRIVATE = "SELECT sum(age) FROM people WHERE income < 1e6"


def test_a_seed_steers_a_plain_engine_and_no_noise(duel: Duel, asking: Callable[[str], Pair]) -> None:
    """Noise by SQL, as some would add it, is the same for who seeds it alike, and of the proxy never."""
    plain = []
    for _ in range(2):
        duel.plain.here.ask("SELECT setseed(0.5)")
        plain.append(duel.plain.here.ask(NUMBER).rows)
    assert plain[0] == plain[1]
    sessions, told, front = [asking("mallory").here for _ in range(2)], [], []
    for session in sessions:
        session.ask("SET dp.epsilon = 1e-9")
        for seeded in SEEDED:
            session.ask(seeded)
            told.append(session.ask(PRIVATE).rows)
            session.ask(seeded)
            told.append(session.ask(f"SELECT n FROM ({PRIVATE}) AS t (n), (SELECT setseed(0.5)) AS s").rows)
        session.ask("SELECT setseed(0.5)")
        front.append(session.ask(NUMBER).rows)
    assert front[0] == front[1], "the front's own generator is the analyst's"
    answered = [rows for rows in told if rows]
    assert len(answered) >= 12
    assert len(set(answered)) == len(answered)


def test_no_noise_can_be_asked_for(duel: Duel, mallory: Pair) -> None:
    """An engine's own random numbers over private rows are refused: their seed is a setting."""
    for call in (
        "random()",
        "random() * age",
        "gen_random_uuid()::text",
        "setseed(0.5)",
        "uuidv4()::text",
        "hash(age)",
    ):
        seen = mallory.here.ask(f"SELECT count({call}) FROM people")
        assert seen.state is not None and seen.charged is None, call
    assert duel.backend in Backend
