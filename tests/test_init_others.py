"""`dpproxy init`: tables about other people than the unit are drafted as a question, what tells who they are hidden."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from test_init import Command, command
from test_init_guesses import made
from worlds import fitted, plan

__all__ = ["command"]

CLINIC = """
CREATE TABLE wards (ward INTEGER PRIMARY KEY, floor INTEGER);
CREATE TABLE doctors (doctor INTEGER PRIMARY KEY, last_name VARCHAR, specialty VARCHAR, salary INTEGER, notes VARCHAR,
  ward INTEGER REFERENCES wards, boss INTEGER REFERENCES doctors (doctor));
CREATE TABLE shifts (shift INTEGER PRIMARY KEY, doctor INTEGER REFERENCES doctors, hours INTEGER);
CREATE TABLE person (id INTEGER PRIMARY KEY, name VARCHAR, birth_year INTEGER);
CREATE TABLE cast_info (film INTEGER, person INTEGER REFERENCES person (id));
CREATE TABLE company (id INTEGER PRIMARY KEY, city VARCHAR);
CREATE TABLE clients (client INTEGER PRIMARY KEY, city VARCHAR);
CREATE TABLE calls (client INTEGER REFERENCES clients, minutes INTEGER);
CREATE TABLE patients (patient INTEGER PRIMARY KEY, doctor INTEGER REFERENCES doctors, city VARCHAR,
  employer INTEGER REFERENCES company (id));
CREATE TABLE visits (visit INTEGER PRIMARY KEY, patient INTEGER NOT NULL REFERENCES patients,
  doctor INTEGER REFERENCES doctors, cost INTEGER NOT NULL);
CREATE TABLE lines (visit INTEGER NOT NULL REFERENCES visits, line INTEGER NOT NULL, PRIMARY KEY (visit, line));
CREATE TABLE refunds (visit INTEGER NOT NULL, line INTEGER NOT NULL, amount INTEGER NOT NULL,
  FOREIGN KEY (visit, line) REFERENCES lines (visit, line));
"""
ASKED = ("cast_info", "doctors", "person", "shifts")
SECTION = re.compile(r"(?m)^# \[tables\..*\n(?:# .*\n)*")
QUESTIONS = (
    "SELECT d.specialty, count(*), avg(v.cost) FROM visits v JOIN doctors d ON d.doctor = v.doctor GROUP BY 1",
    "SELECT b.specialty, count(DISTINCT v.patient) FROM visits v JOIN doctors d ON d.doctor = v.doctor"
    " JOIN doctors b ON b.doctor = d.boss GROUP BY b.specialty",
    "SELECT w.floor, sum(v.cost) FROM visits v JOIN doctors d ON d.doctor = v.doctor JOIN wards w ON w.ward = d.ward"
    " GROUP BY w.floor",
)


def test_other_people_are_a_question(command: Command, tmp_path: Path) -> None:
    """Doctors, and what refers to them; persons to whom no patient's row leads. Not those who could be a unit. What
    patients' own rows name, a company, several may share (`shared_rows`)."""
    status, out, err = command("init", made(tmp_path, CLINIC), "--unit", "patients")
    assert status == 0, err
    assert set(tomllib.loads(out)["tables"]) == {"patients", "visits", "lines", "refunds"}
    sections = {match[0].split("]")[0].removeprefix("# [tables."): match[0] for match in SECTION.finditer(out)}
    assert set(sections) == {*ASKED, "wards", "company"}
    (line,) = [line for line in err.splitlines() if "about other people" in line]
    assert line.endswith(f" in {', '.join(ASKED)}")
    hidden = re.findall(r"(?m)^# (\w+) +=.*hidden = true", sections["doctors"])
    assert hidden == ["last_name", "salary", "notes"]
    assert "hidden" not in sections["shifts"] + sections["cast_info"] and "# name " in sections["person"]
    text = " ".join(out.replace("\n# ", " ").split())
    assert "doctors: its rows are about an employee, as its name says, and not about a patient" in text
    assert "`dpproxy init --unit patients.patient --unit person.id` protects each person, too." in text
    assert "--unit doctors" not in text  # a patient's own row names one: no policy protects both
    assert "calls: its rows are about a client, by what they refer to" in text


def test_the_line_that_an_owner_takes_makes_them_answered(command: Command, tmp_path: Path) -> None:
    """Public with what is not hidden: joined, and grouped by; a hidden column does not exist."""
    file = tmp_path / "clinic.toml"
    status, out, err = command("init", made(tmp_path, CLINIC), "--unit", "patients")
    assert status == 0, err
    file.write_text(SECTION.sub(lambda section: re.sub("(?m)^# ", "", section[0]), out))
    _, catalog = fitted(file)
    for sql in QUESTIONS:
        assert plan(sql, catalog, {"epsilon": "1", "delta": "1e-7"}).releases
    assert catalog.tables["doctors"].public and catalog.tables["doctors"].column("salary") is None


@pytest.mark.parametrize("unit", ["doctors", "clients"])
def test_of_their_own_unit_they_are_private(unit: str, command: Command, tmp_path: Path) -> None:
    status, out, err = command("init", made(tmp_path, CLINIC), "--unit", unit)
    assert status == 0, err
    assert unit in tomllib.loads(out)["tables"] and f"# [tables.{unit}]" not in out


def test_the_way_by_a_part_of_a_composite_key(command: Command, tmp_path: Path) -> None:
    """Of one unit, too: a refund's visit is that of the line which it names."""
    status, out, err = command("init", made(tmp_path, CLINIC), "--unit", "patients")
    assert status == 0, err
    assert tomllib.loads(out)["tables"]["refunds"]["link"] == {"visit": "visits.visit"}
