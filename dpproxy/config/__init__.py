"""The one declared configuration model, and how a TOML file becomes it.

toml_source               the file's text, and secrets from the environment, in plain data
sections, table_sections  the model: what each key may be on its own, or beside its neighbours (section: any of them)
field_types               the kinds of values: durations, paths, numbers, names
column_values             bounds and values of columns, typed by the column
validation                all faults of a file at once, and what of it is good
consistency               what must hold between units, tables, links, analysts and budgets; doubts: what is only
                          warned of
faults                    a fault as a line, and which of them to tell

Checked by: tests/test_config.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dpproxy.config.consistency import rule_faults
from dpproxy.config.faults import Fault, lines, told
from dpproxy.config.sections import Config, Policy
from dpproxy.config.toml_source import filled, parsed
from dpproxy.config.validation import salvaged, structural_faults
from dpproxy.errors import ConfigFault

__all__ = ["Config", "Fault", "load", "refuse"]


def load(path: Path, environ: Mapping[str, str]) -> Config:
    """The configuration in the TOML file at `path`, with `${NAME}` taken from `environ`.

    Relative paths in it are relative to the file's directory. Raises ConfigFault whose `detail` has all faults, a line
    each: `FILE: key.path: what was wrong; expected …`.
    """
    written = parsed(path)
    data, secret_faults = filled(written, environ)
    context = {"directory": path.resolve().parent}
    structural = structural_faults(Config, data, written, context)
    policy = salvaged(Policy, {key: data[key] for key in Policy.model_fields if key in data}, context)
    refuse(path, told((*secret_faults, *structural, *rule_faults(policy, data)), written))
    return Config.model_validate(data, context=context).at(path)


def refuse(path: Path, faults: tuple[Fault, ...]) -> None:
    """Nothing where there are no faults; else raises ConfigFault with a line for each."""
    if faults:
        number = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise ConfigFault(f"{path} has {number}", detail=lines(path, faults))
