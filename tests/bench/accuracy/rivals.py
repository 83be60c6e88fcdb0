"""Programs that ask other libraries the same, each in an environment of its own: they print answers as JSON.

Each is told the file, the price and how often. What a library has no answer for is left out.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory


@dataclass(frozen=True, slots=True)
class Rival:
    """What pip installs, and the program; instead: what is put in the place of what those packages brought."""

    packages: tuple[str, ...]
    program: str
    instead: tuple[str, ...] = ()


def asked_alone(rival: Rival, *arguments: str) -> str:
    """What its program prints last, told the arguments, in an environment that is made for it, and in its folder."""
    with TemporaryDirectory() as name:
        subprocess.run([sys.executable, "-m", "venv", name], check=True, capture_output=True)
        python = str(Path(name) / "bin" / "python")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *rival.packages], check=True, capture_output=True)
        if rival.instead:
            subprocess.run([*install, "--no-deps", "--upgrade", *rival.instead], check=True, capture_output=True)
        program = [python, "-c", rival.program, *arguments]
        done = subprocess.run(program, check=True, capture_output=True, text=True, cwd=name)
    return done.stdout.splitlines()[-1]


_BEGIN = """
import csv, json, sys, warnings
warnings.simplefilter("ignore")
path, epsilon, runs = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
with open(path) as file:
    rows = [(float(row["age"]), float(row["hours_per_week"])) for row in csv.DictReader(file)]
age, hours = [row[0] for row in rows], [row[1] for row in rows]
answers = {}
def ask(name, question):
    answers[name] = [float(question()) for _ in range(runs)]
"""
_END = """
print(json.dumps(answers))
"""
_DIFFPRIVLIB = """
import numpy
from diffprivlib import tools
from diffprivlib.models import LinearRegression
age, hours = numpy.array(age), numpy.array(hours)
ask("avg(age)", lambda: tools.mean(age, epsilon=epsilon, bounds=(0, 120)))
ask("var_pop(age)", lambda: tools.var(age, epsilon=epsilon, bounds=(0, 120)))
ask("median(age)", lambda: tools.median(age, epsilon=epsilon, bounds=(0, 120)))
ask("third quartile(hours)", lambda: tools.quantile(hours, 0.75, epsilon=epsilon, bounds=(0, 100)))
def slope():
    model = LinearRegression(epsilon=epsilon, bounds_X=(0, 120), bounds_y=(0, 100))
    return model.fit(age.reshape(-1, 1), hours).coef_.ravel()[0]
ask("regr_slope(hours, age)", slope)
"""
_OPENDP = """
import polars
import opendp.prelude as dp
dp.enable_features("contrib")
frame = polars.LazyFrame({"age": age, "hours": hours})
def released(expression):
    context = dp.Context.compositor(
        data=frame, privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1, margins=[dp.polars.Margin(max_length=100_000)])
    return context.query().select(expression).release().collect().item()
def averaged():
    context = dp.Context.compositor(
        data=frame, privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1, margins=[dp.polars.Margin(max_length=100_000)])
    told = context.query().select(
        polars.col("age").fill_null(0).fill_nan(0).dp.sum((0.0, 120.0)), dp.len()).release().collect()
    return told["age"][0] / told["len"][0]
column = lambda name, most: polars.col(name).fill_null(0).fill_nan(0)
ask("avg(age)", averaged)
ask("median(age)", lambda: released(column("age", 120).dp.median([float(x) for x in range(121)])))
ask("third quartile(hours)", lambda: released(column("hours", 100).dp.quantile(0.75, [float(x) for x in range(101)])))
"""
_SMARTNOISE = """
import pandas
from snsql import Privacy, from_connection
frame = pandas.DataFrame({"id": range(len(age)), "age": age, "hours": hours})
about = {"": {"s": {"person": {
    "row_privacy": True, "rows": len(age),
    "age": {"type": "float", "lower": 0.0, "upper": 120.0}, "hours": {"type": "float", "lower": 0.0, "upper": 100.0}}}}}
def asked(sql):
    whole = from_connection(frame, privacy=Privacy(epsilon=1.0, delta=1e-7), metadata=about).get_privacy_cost(sql)[0]
    reader = from_connection(frame, privacy=Privacy(epsilon=epsilon / whole, delta=1e-7), metadata=about)
    return reader.execute(sql)[1][0]
ask("avg(age)", lambda: asked("SELECT AVG(age) AS x FROM s.person"))
ask("var_pop(age)", lambda: asked("SELECT VAR(age) AS x FROM s.person"))
"""
RIVALS: Mapping[str, Rival] = {
    "SmartNoise SQL": Rival(("smartnoise-sql",), _BEGIN + _SMARTNOISE + _END),
    "diffprivlib": Rival(("diffprivlib", "scikit-learn<1.6"), _BEGIN + _DIFFPRIVLIB + _END),
    "OpenDP, polars": Rival(("opendp[polars]",), _BEGIN + _OPENDP + _END),
}
