"""What `dpproxy check` warns of by the policy alone."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from proxies import write_policy

from dpproxy.config.doubts import doubts

EVERYONE = "[budgets.everyone]\nepsilon = 5\ndelta = 1e-6\n\n[analysts.alice]"


def warned(directory: Path, changes: dict[str, str]) -> set[str]:
    """The keys that are warned of."""
    with TemporaryDirectory(dir=directory) as place:
        return {line.partition(":")[0] for line in doubts(write_policy(Path(place), changes))}


def test_the_policy_of_the_tests_has_what_it_has(tmp_path: Path) -> None:
    before = warned(tmp_path, {})
    assert "budgets.everyone" in before
    assert warned(tmp_path, {"[analysts.alice]": EVERYONE}) == before - {"budgets.everyone"}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"delta = 1e-5": "delta = 0.001"}, "analysts.alice.delta"),
        ({"[analysts.alice]": EVERYONE.replace("1e-6", "0.5")}, "budgets.everyone.delta"),
        ({"delta = 1e-5": "delta = 0.0005"}, "analysts.alice.delta"),
        ({"delta = 1e-5": "delta = 0.9"}, "analysts.alice.delta"),
        ({"port = 0": 'port = 0\nhost = "0.0.0.0"'}, "analysts.alice.trust"),
        ({"port = 0": 'port = 0\nhost = "db.example"'}, "analysts.bob.trust"),
        ({"[tables.departments.columns]": "[tables.departments.columns]\nperson_id = { type = \"bigint\" }"},
         "tables.departments.public"),
        ({"[tables.visits.columns]": "[tables.visits.columns]\nreferred_person_id = { type = \"bigint\" }"},
         "tables.visits.columns.referred_person_id"),
    ],
)  # fmt: skip
def test_what_voids_or_weakens_is_told(tmp_path: Path, changes: dict[str, str], key: str) -> None:
    assert key not in warned(tmp_path, {})
    assert key in warned(tmp_path, changes)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_nobody_else_reaches_this_machines_own_addresses(tmp_path: Path, host: str) -> None:
    assert not {each for each in warned(tmp_path, {"port = 0": f'port = 0\nhost = "{host}"'}) if "trust" in each}


def test_a_delta_is_held_against_the_units_that_there_may_be(tmp_path: Path) -> None:
    """People have max_rows = 2000, a row each."""
    told = [
        next(line for line in doubts(write_policy(tmp_path / delta, {"delta = 1e-5": f"delta = {delta}"})))
        for delta in ("0.0005", "0.9")
    ]
    assert told == [
        "analysts.alice.delta: 0.0005 is not below 1 / 2,000 (tables.people.max_rows): it would allow that all rows of"
        " one of them are told; write delta = 1e-5",
        "analysts.alice.delta: 0.9 is near 1, so that nothing is promised; write one such as 1e-6",
    ]
    below = write_policy(tmp_path / "below", {"delta = 1e-5": "delta = 0.0004"})
    assert not [line for line in doubts(below) if line.startswith("analysts.alice.delta")]
