"""What it is delivered with: docker-compose.yml and the systemd unit, as far as they can be tried without a container.

Compose's file is checked against the schema of the Compose specification; the steps of its Dockerfile are run in a bare
directory, without dependencies; its scripts, configuration, health check and the commands of its comment are run on a
Postgres of the test's own. No container is built or started here.
"""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import psycopg
import pytest
import yaml
from psycopg import sql
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres

from dpproxy.cli.app import app
from dpproxy.config.field_types import Seconds
from dpproxy.config.sections import ServerSection

from clients.served import Served, serving  # isort: skip

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docker-compose.yml").read_text()
COMPOSE = yaml.safe_load(TEXT)
UNIT = ROOT / "config" / "dpproxy.service"


def interpolated(value: Any) -> Any:
    """The file's data as Compose fills it in an empty environment: ${NAME:-default}, and $$ for a dollar."""
    match value:
        case dict():
            return {key: interpolated(each) for key, each in value.items()}
        case list():
            return [interpolated(each) for each in value]
        case str():
            return re.sub(r"\$(?:(\$)|\{\w+:-([^}]*)\})", lambda found: found[1] or found[2], value)
        case _:
            return value


FILLED = interpolated(COMPOSE)
SERVICES = FILLED["services"]


def compose_schema() -> Path | None:
    """The Compose specification's schema, which npm's dclint brings along."""
    modules = [Path(each) for each in os.environ.get("NODE_PATH", "").split(os.pathsep) if each]
    found = [each / "dclint" / "schemas" / "compose.schema.json" for each in modules]
    return next((path for path in found if path.exists()), None)


@pytest.mark.skipif(compose_schema() is None, reason="needs dclint in NODE_PATH")
def test_compose_is_by_its_schema() -> None:
    schema = json.loads((compose_schema() or Path()).read_text())
    validator = jsonschema.Draft7Validator(schema)
    assert [fault.message for fault in validator.iter_errors(COMPOSE)] == []
    COMPOSE["services"]["proxy"]["helthcheck"] = {}
    try:
        assert not validator.is_valid(COMPOSE)
    finally:
        del COMPOSE["services"]["proxy"]["helthcheck"]


def test_what_compose_names_is_there() -> None:
    """Configs, networks, volumes and services that are named are defined, and no dollar is left to fill."""
    for service in SERVICES.values():
        assert {each["source"] for each in service.get("configs", [])} <= set(FILLED["configs"])
        assert set(service["networks"]) <= set(FILLED["networks"])
        assert {each.split(":")[0] for each in service.get("volumes", [])} <= set(FILLED["volumes"])
        for other, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"} and "healthcheck" in SERVICES[other]
    assert set(SERVICES["psql"]["networks"]).isdisjoint(SERVICES["data"]["networks"])
    assert "$" not in re.sub(r"\$\$|\$\{\w+:-[^}]*\}", "", TEXT.partition("\nname:")[2])
    assert seconds(SERVICES["proxy"]["stop_grace_period"]) > ServerSection().drain_delay + ServerSection().drain_timeout


def seconds(text: str) -> float:
    """A duration such as 45s."""
    return float(Seconds.__metadata__[0].func(text))  # type: ignore[attr-defined]


def dockerfile() -> list[tuple[str, str]]:
    """The instructions of the inline Dockerfile: (RUN, its command) and so on."""
    lines = SERVICES["proxy"]["build"]["dockerfile_inline"].splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_can_be_built_of_what_is_copied(tmp_path: Path) -> None:
    """The COPY and RUN steps in a bare directory, the install without dependencies; dpproxy runs from there.

    (What needs root in an image of its own, useradd, is not run.)
    """
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    for word, rest in dockerfile():
        if word == "COPY":
            copied(rest.split(), source)
        elif word == "RUN" and rest.startswith("pip"):
            words = [sys.executable, "-m", *shlex.split(rest), "--quiet", "--no-deps", "--target", str(target)]
            subprocess.run(words, check=True, cwd=source)
        else:
            assert word != "RUN" or rest.startswith("useradd --system ")
    instructions = dict(dockerfile())
    assert instructions["USER"] == "dpproxy"
    command = json.loads(instructions["ENTRYPOINT"]) + json.loads(instructions["CMD"])
    assert command == ["dpproxy", "serve", "--config", SERVICES["proxy"]["configs"][0]["target"]]
    environ = {**os.environ, "PYTHONPATH": str(target)}
    script = "import dpproxy, dpproxy.cli.demo_data as data; print(dpproxy.__file__)"
    said = subprocess.run([sys.executable, "-c", script], env=environ, cwd=tmp_path, capture_output=True, text=True)
    assert said.stdout == f"{target}/dpproxy/__init__.py\n", said.stderr
    assert (target / "dpproxy" / "cli" / "demo.toml").exists() and (target / "bin" / "dpproxy").exists()


def copied(words: list[str], source: Path) -> None:
    """COPY of files or of one directory into `source`."""
    *given, place = words
    for each in given:
        if (ROOT / each).is_dir():
            shutil.copytree(ROOT / each, source / place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / each, source / place)


@dataclass
class Image(ScratchPostgres):
    """As the image has it: the superuser postgres and a database of that name."""

    owner: str = "postgres"
    database: str = "postgres"


@pytest.fixture(scope="module")
def servers() -> Iterator[Mapping[str, Path]]:
    """The directories of a Postgres for each service that is one, loaded as the image loads it."""
    names = [name for name, service in SERVICES.items() if "POSTGRES_DB" in service["environment"]]
    with ExitStack() as running:
        yield {name: _loaded(SERVICES[name], running) for name in names}


def _loaded(service: Mapping[str, Any], running: ExitStack) -> Path:
    major = int(service["image"].partition(":")[2])
    server = running.enter_context(scratch_postgres(MAJORS.get(major, MAJORS[max(MAJORS)]), Image))
    database = service["environment"]["POSTGRES_DB"]
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET password_encryption = 'scram-sha-256'")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
    (script,) = service["configs"]
    assert script["target"].startswith("/docker-entrypoint-initdb.d/")
    conninfo = f"host={server.directory} user={server.owner} dbname={database}"
    words = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", conninfo]
    loaded = psql(words, service["environment"], config(script["source"]))
    assert (loaded.returncode, loaded.stderr) == (0, "")
    return server.directory


def config(name: str) -> str:
    """The content of an inline config."""
    return str(FILLED["configs"][name]["content"])


def psql(words: list[str], environment: Mapping[str, str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    found = shutil.which("psql")
    assert found is not None, "psql is needed, of Postgres 14 or newer"
    environ = {**os.environ, "PSQLRC": "", **environment}
    return subprocess.run([found, *words], env=environ, input=stdin, capture_output=True, text=True, timeout=60)


@pytest.fixture
def policy(servers: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file's configuration, at the addresses of the test's servers; its secrets are in the environment."""
    text = config("policy")
    changes = {
        "@front/city": f"@/city?host={servers['front']}",
        "@data/city": f"@/city?host={servers['data']}",
        'host = "0.0.0.0"': 'host = "127.0.0.1"\nport = 0',
        "metrics_port = 9432": "metrics_port = 0",
    }
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    for name, value in SERVICES["proxy"]["environment"].items():
        monkeypatch.setenv(name, value)
    (tmp_path / "policy.toml").write_text(text)
    return tmp_path / "policy.toml"


def dpproxy(capture: pytest.CaptureFixture[str], *words: str) -> str:
    """What `dpproxy …`, in this process, writes to stdout where all is well; it writes nothing to stderr."""
    capture.readouterr()
    with pytest.raises(SystemExit) as ended:
        app(words, prog_name="dpproxy")
    out, err = capture.readouterr()
    assert (ended.value.code or 0, err) == (0, "")
    return out


def test_the_configuration_fits_the_data(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a warning: the role of the engine can do nothing but SELECT."""
    assert "is good" in dpproxy(capsys, "check", "--config", str(policy))


def test_the_commands_of_the_comment(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each psql line as written, and the budget afterwards; the health check finds the proxy."""
    lines = re.findall(r"(?m)^#   docker compose (run --rm psql -c .*)$", TEXT)
    assert len(lines) == 3
    with serving(policy, "city") as served:
        answers = [asked(shlex.split(line)[3:], served) for line in lines]
        assert re.search(r"(?m)^ female +\| +\d+ \| +\d+$", answers[0]) and "(2 rows)" in answers[0]
        assert len(re.findall(r"(?m)^ (cardiology|neurology|surgery|eyes) +\| +-?[\d.]+$", answers[1])) == 4
        assert re.search(r"(?m)^ +5(\.0)? \| +4\.\d+$", answers[2])
        healthy(served)
    (line,) = re.findall(r"(?m)^#   docker compose exec proxy dpproxy (.*)$", TEXT)
    words = [str(policy) if word == SERVICES["proxy"]["configs"][0]["target"] else word for word in shlex.split(line)]
    assert re.search(r"alice\W.*\W5\W", dpproxy(capsys, *words))


def asked(words: list[str], served: Served) -> str:
    """The output of the psql service for `words`."""
    service = SERVICES["psql"]
    assert service["entrypoint"] == ["psql"]
    environment = service["environment"] | {"PGHOST": served.host, "PGPORT": str(served.port), "PAGER": ""}
    said = psql(words, environment)
    assert said.returncode == 0, said.stderr
    return said.stdout


def healthy(served: Served) -> None:
    found = re.search(r"operator's port.*?port=(\d+)", served.log.read_text())
    assert found is not None
    kind, program, *words = SERVICES["proxy"]["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "python")
    words = [word.replace(":9432/", f":{found[1]}/") for word in words]
    subprocess.run([sys.executable, *words], check=True)
    refused = [word.replace("/healthz", "/nothing") for word in words]
    assert subprocess.run([sys.executable, *refused], capture_output=True).returncode != 0


SALES = """
CREATE SCHEMA crm;
CREATE TYPE crm.kind AS ENUM ('person', 'company');
CREATE TABLE countries (country varchar(2) PRIMARY KEY, name text);
CREATE TABLE crm.customers (customer_id uuid PRIMARY KEY, name text, email varchar(320), kind crm.kind NOT NULL,
  since date NOT NULL, country varchar(2) NOT NULL REFERENCES countries);
CREATE TABLE orders (order_id bigint PRIMARY KEY, customer_id uuid NOT NULL REFERENCES crm.customers,
  placed timestamptz NOT NULL, discount numeric(4,3));
CREATE TABLE order_lines (order_id bigint NOT NULL REFERENCES orders, quantity integer NOT NULL,
  price numeric(12,2) NOT NULL, product text NOT NULL);
"""


def test_the_example_for_postgres(
    servers: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """config/postgres.toml after the statements of its comment, on a database as it tells of."""
    text = (ROOT / "config" / "postgres.toml").read_text()
    granted = re.findall(r"(?m)^#   ([A-Z].*;)", text)
    assert len(granted) == 10
    administrate(servers["data"], "postgres", ["CREATE DATABASE sales"])
    administrate(servers["data"], "sales", [*SALES.strip().split(";\n"), *granted[:4]])
    administrate(servers["front"], "postgres", granted[4:])
    for place, server in {"data.internal/sales": "data", "front.internal/sales": "front"}.items():
        text = text.replace(f"@{place}?sslmode=verify-full", f"@/sales?host={servers[server]}")
    text = text.replace("@front.internal/ledger?sslmode=verify-full", f"@/ledger?host={servers['front']}")
    text = re.sub(r"(?m)^(tls_|require_tls).*\n", "", text)
    environ = SERVICES["proxy"]["environment"] | {
        "DASHBOARD_VERIFIER": SERVICES["proxy"]["environment"]["ALICE_VERIFIER"]
    }
    for name, value in {**environ, "LEDGER_PASSWORD": "…"}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "sales.toml").write_text(text)
    assert "is good" in dpproxy(capsys, "check", "--config", str(tmp_path / "sales.toml"))


def administrate(directory: Path, database: str, statements: list[str]) -> None:
    """Each statement by the superuser; a role that is there already stays as it is."""
    with psycopg.connect(f"host={directory} user=postgres dbname={database}", autocommit=True) as connection:
        for statement in statements:
            with suppress(psycopg.errors.DuplicateObject):
                connection.execute(statement.encode())


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",), strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(UNIT.read_text())
    return parser


def test_the_unit() -> None:
    """It waits for a drain, reloads by SIGHUP, and starts the command that there is."""
    service = unit()["Service"]
    assert unit().sections() == ["Unit", "Service", "Install"]
    assert seconds(service["TimeoutStopSec"]) > ServerSection().drain_delay + ServerSection().drain_timeout
    assert (service["Type"], service["ExecReload"]) == ("notify", "/bin/kill -HUP $MAINPID")
    assert (service["User"], service["ProtectSystem"], service["NoNewPrivileges"]) == ("dpproxy", "strict", "yes")
    assert shlex.split(service["ExecStart"])[1:-1] == ["serve", "--config"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """By its own word: no unknown key, and an exposure that it calls OK (below 2.5 of 10)."""
    path = tmp_path / "dpproxy.service"
    path.write_text(UNIT.read_text().replace("/opt/dpproxy/bin/dpproxy", sys.executable))
    said = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
    assert (said.returncode, said.stderr) == (0, "")
    words = ["systemd-analyze", "security", "--offline=yes", "--threshold=25", "--no-pager", path]
    assert subprocess.run(words, capture_output=True).returncode == 0
