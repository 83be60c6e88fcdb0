"""pgjdbc, with Gson for the course's JSON: jars of CLASSPATH, or Debian's."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import which

from ..client import DRIVERS, Client, Part
from ..compiled import compiled

DEBIAN = ["/usr/share/java/postgresql.jar", "/usr/share/java/gson.jar"]
JARS = [Path(each) for each in (*os.environ.get("CLASSPATH", "").split(":"), *DEBIAN) if each]
_PATH = ":".join(map(str, JARS))
run = compiled(lambda target: ["javac", "-d", str(target), "-cp", _PATH, str(DRIVERS / "Pgjdbc.java")])(
    lambda target: ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{target}:{_PATH}", "Pgjdbc"]
)
OWN = ("metadata", "described", "savepoints", "modes")


def lacks() -> str | None:
    """The JDK, or a jar."""
    if which("javac") is None:
        return "JDK"
    found = [each.name for each in JARS if each.exists()]
    return next(
        (f"{name}*.jar" for name in ("postgresql", "gson") if not any(jar.startswith(name) for jar in found)), None
    )


CLIENTS = (Client("pgjdbc", lacks, {part: run(part) for part in (*Part, *OWN)}),)
