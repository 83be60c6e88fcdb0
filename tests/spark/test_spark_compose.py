"""config/compose-spark.yml, as far as it can be tried without a container: its files, its policy, its question."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import psycopg
import pytest
import yaml
from clients.served import serving
from spark_servers import Sail
from test_packaging import ROOT, compose_schema, interpolated

pytestmark = pytest.mark.long
TEXT = (ROOT / "config" / "compose-spark.yml").read_text()
COMPOSE = interpolated(yaml.safe_load(TEXT))
SERVICES, CONFIGS = COMPOSE["services"], COMPOSE["configs"]


@pytest.mark.skipif(compose_schema() is None, reason="needs dclint in NODE_PATH")
def test_it_is_by_the_schema_of_compose() -> None:
    schema = json.loads((compose_schema() or Path()).read_text())
    assert [fault.message for fault in jsonschema.Draft7Validator(schema).iter_errors(yaml.safe_load(TEXT))] == []


def test_what_it_names_is_there() -> None:
    for service in SERVICES.values():
        assert {each["source"] for each in service.get("configs", [])} <= set(CONFIGS)
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        assert {each.split(":")[0] for each in service["volumes"]} <= set(COMPOSE["volumes"])
        assert set(service.get("depends_on", {})) <= set(SERVICES)
    assert SERVICES["sail"]["networks"] == ["inside"] and COMPOSE["networks"]["inside"]["internal"]
    assert SERVICES["sail"]["volumes"] == ["lake:/lake:ro"] and "ports" not in SERVICES["sail"]


def test_its_question_is_answered(sail: Sail, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the files that it writes, and by the Sail that its entrypoint starts, here on another port."""
    script = tmp_path / "lake.py"
    script.write_text(CONFIGS["lake"]["content"])
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    words = SERVICES["sail"]["entrypoint"]
    helped = subprocess.run([Path(sys.executable).with_name(words[0]), *words[1:3], "--help"], capture_output=True)
    assert all(each.encode() in helped.stdout for each in words if each.startswith("--"))
    for name, value in SERVICES["proxy"]["environment"].items():
        monkeypatch.setenv(name, value)
    text = CONFIGS["policy"]["content"]
    for old, new in (
        ("embedded:/var/lib/dpproxy/front", f"embedded:{tmp_path}/front"),
        ("sc://sail:50051", sail.url),
        ('host = "0.0.0.0"', 'host = "127.0.0.1"\nport = 0'),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    policy = tmp_path / "policy.toml"
    policy.write_text(text.replace('"/lake/', f'"{tmp_path}/'))
    asked = TEXT.partition('-c "')[2].partition('"')[0]
    with (
        serving(policy, "city") as proxy,
        psycopg.connect(proxy.conninfo(password="wonderland"), autocommit=True) as analyst,
    ):
        counts = dict(analyst.execute(asked).fetchall())
        assert counts.keys() == {"female", "male"} and all(abs(each - 10_000) < 1_000 for each in counts.values())
