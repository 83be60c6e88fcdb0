"""`dpproxy audit` of a policy over Spark: a Sail of its own, files that are made, and what answers tell."""

from __future__ import annotations

import asyncio
import subprocess
import sysconfig
from pathlib import Path

import pytest
from test_spark_check import POLICY

from dpproxy.audit.engine_databases import databases, held
from dpproxy.audit.neighbouring_data import BASE, TARGETS, make_world
from dpproxy.config import load
from dpproxy.engines import EngineQuery, Ticket, in_turn
from dpproxy.engines.spark import making
from dpproxy.errors import ConfigFault
from dpproxy.schema_fit import opened

pytestmark = pytest.mark.long


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """That of `test_spark_check`; its own server is none, and never opened."""
    (tmp_path / "policy.toml").write_text(POLICY.format(url="sc://127.0.0.1:1"))
    return tmp_path / "policy.toml"


def test_databases_hold_what_was_made(policy: Path, tmp_path: Path) -> None:
    config = load(policy, {})

    async def counts() -> list[tuple[int, int]]:
        world, found = make_world(config, [], held("spark")), []
        places = (BASE, *TARGETS)
        async with databases("spark", tmp_path, world, places) as stands:
            for place, each in stands.items():
                text = policy.read_text().replace("sc://127.0.0.1:1", each.url)
                for name, source in each.sources.items():
                    text = text.replace(f'"{name}/*.parquet"', f'"{source}"')
                (tmp_path / "made.toml").write_text(text)
                engine = await opened(load(tmp_path / "made.toml", {}))
                query = EngineQuery("SELECT COUNT(*) AS n FROM `visits`")
                (told,) = await engine.run(in_turn(query), Ticket())
                rows = next(table for table in world if table.name == "visits").of(place)
                found.append((int(str(told.rows[0][0])), len(rows)))
                await engine.close()
        return found

    found = asyncio.run(counts())
    assert len(found) == 3 and all(one == two > 0 for one, two in found), found


def test_an_audit_is_held_against_the_charge(policy: Path) -> None:
    program = Path(sysconfig.get_path("scripts")) / "dpproxy"
    ask = "SELECT count(*) FROM visits"
    words = [program, "audit", "--config", policy, "--epsilon", "1", "--runs", "30", ask]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "nothing above the charge" in done.stdout, done.stdout + done.stderr


def test_without_a_sail_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "find_spec", lambda _: None)

    async def begun() -> None:
        async with making.sail():
            pass

    with pytest.raises(ConfigFault, match="asks a Sail of its own") as fault:
        asyncio.run(begun())
    assert fault.value.detail == "pip install pysail"
