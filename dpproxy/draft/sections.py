"""The file: a complete policy, commented, and the same for the same schema."""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.catalog.policy_names import is_name, reads_as_secret, unsayable
from dpproxy.draft.columns import Told
from dpproxy.draft.example_budget import DELTA, EPSILON, EVERYONE_DELTA, EVERYONE_EPSILON, largest_statement
from dpproxy.draft.names import any_of
from dpproxy.draft.tables import LeftOut, PrivateTable, Sorted, UndecidedTable
from dpproxy.draft.toml import commented, inline, key, names, shown, text
from dpproxy.draft.undecided import said_of, whose_it_may_be
from dpproxy.draft.units import DraftUnit
from dpproxy.engines.described import Database

_MOST_NAMED = 30

_HEAD = """\
# A policy drafted by `dpproxy init` from the schema of {name}. Only the catalog was read, and no row of any table:
# so bounds are not the least and the greatest of the data, which are private, but what you know without looking.
# Nothing is public by itself. Decide each TODO; a draft with none decided is a sound policy too, and allows less{but}.
#   dpproxy check --config {file}
#   dpproxy analyst add NAME --config {file} --epsilon {epsilon} --delta {delta}
#   dpproxy serve --config {file}
# A line `# COLUMN: note = …` has the database's comment: put the note between the braces, if analysts may read it.

[server]
host = "127.0.0.1"              # the address to listen on
port = 6432
database = {database}
# tls_cert = "server.crt"       # a certificate and its key turn TLS on: have it before analysts come over a network
# tls_key = "server.key"

[front]                         # the Postgres that analysts talk to: it holds no private row
url = "embedded:front"          # one of our own, in this directory; or postgresql://OWNER@HOST/DATABASE

[engine]                        # the database that holds the data
{engine}
max_concurrency = 4             # statements that run at once
statement_timeout = "60s"

# [ledger]                      # charges are kept in the front's database, unless several proxies share one ledger
# url = "postgresql://OWNER@HOST/DATABASE"

[privacy]
accounting = "zcdp"             # how loss adds up: "zcdp", or "pure" (no delta needed, fewer statements)
data_version = "1"              # a label of the data; change it when the data changes
"""

_ANALYSTS = """\
# Who may ask, each with a budget. `dpproxy analyst add` writes such a section, with the password's verifier.
# [analysts.alice]
# password = "${{ALICE_VERIFIER}}"  # as `dpproxy analyst password` prints it
# epsilon = {epsilon}                     # the whole budget: what alice learns of one {unit} in all is bounded by it
# delta = {delta}                    # far less than one in the number of {unit}s; above 0 for zcdp and for private keys
# [analysts.alice.defaults]
# epsilon = 0.1                   # what one statement costs unless SET dp.epsilon says otherwise
# max_epsilon = {most}               # the most that one statement may ask for; the whole budget allows hardly more

# [budgets.everyone]              # what all analysts spend together, since they may collude
# epsilon = {everyone_epsilon}
# delta = {everyone_delta}
"""


def written(database: Database, units: tuple[DraftUnit, ...], tables: Sorted, file: str) -> str:
    """The whole text; `file` is its name."""
    head = _HEAD.format(
        name=shown(database.name),
        file=file,
        epsilon=EPSILON,
        delta=DELTA,
        but=_but(units, tables),
        database=text(_served_as(database)),
        engine="\n".join(_engine(database)),
    )
    parts = [head.rstrip(), *("\n".join(_unit(unit)) for unit in units)]
    parts += ["\n".join(_private(each)) for each in tables.private]
    parts += ["\n".join(_undecided(each)) for each in tables.undecided]
    if tables.left_out:
        parts.append("\n".join(_why_left_out(units)))
    parts += ["\n".join(_left_out(each)) for each in tables.left_out]
    if database.others:
        parts.append("\n".join(_others(database.others)))
    parts.append(_analysts(units).rstrip())
    return "\n\n".join(parts) + "\n"


def _analysts(units: tuple[DraftUnit, ...]) -> str:
    return _ANALYSTS.format(
        unit=units[0].name if len(units) == 1 else "unit",
        epsilon=EPSILON,
        delta=DELTA,
        most=largest_statement(),
        everyone_epsilon=EVERYONE_EPSILON,
        everyone_delta=EVERYONE_DELTA,
    )


def _but(units: tuple[DraftUnit, ...], tables: Sorted) -> str:
    """What the guarantee rests on where keys or links are guessed."""
    links = [of.way.link for each in tables.private for of in each.of]
    guessed = any(unit.by_name for unit in units) or any(link is not None and link.by_name for link in links)
    return ",\n# if the keys and links are true that it guessed by names" if guessed else ""


def _served_as(database: Database) -> str:
    """The name that clients connect to: the database's own, without a file's suffix."""
    name = database.name.rpartition(".duckdb")[0] or database.name
    return name if is_name(name) and not reads_as_secret(name) else "dpproxy"


def _engine(database: Database) -> Iterator[str]:
    url = f"url = {text(database.url)}"
    if ":///" in database.url:
        yield f"{url}   # an absolute path has a fourth slash"
        return
    yield "# Give dpproxy a role that can SELECT from the tables below and do nothing else."
    if "${PGPASSWORD}" in database.url:
        yield "# The password is taken from the environment; there a % or @ in it is written %25 or %40."
    yield url


def _unit(unit: DraftUnit) -> Iterator[str]:
    yield f"# Whose presence is hidden: all rows of one {unit.name} together."
    if not unit.asked:
        yield "# TODO: is this whose privacy you protect? `dpproxy init --unit TABLE.COLUMN` drafts it for another."
    if unit.others:
        yield f"# It could also be {_list(unit.others)}."
    yield f"[units.{key(unit.name)}]"
    yield f"table = {text(unit.table)}"
    yield f"key = {text(unit.key)}"


def _private(each: PrivateTable) -> Iterator[str]:
    table, links = each.table, tuple((of.unit, of.way.link) for of in each.of if of.way.link is not None)
    yield from commented(list(each.remarks))
    yield f"[tables.{key(table.name)}]"
    yield from said_of(links) if links else (f"unit = {text(each.of[0].unit.name)}",)
    if each.primary_key:
        yield f"primary_key = {names(each.primary_key)}"
    if table.comment is not None:
        yield _note(table.comment)
    yield f"[tables.{key(table.name)}.columns]"
    yield from _columns(each.columns)


def _undecided(each: UndecidedTable) -> Iterator[str]:
    table = each.table
    yield from commented([*whose_it_may_be(table.name, each.undecided), *table.remarks])
    if not each.undecided.choices:
        return
    yield from commented([f"[tables.{key(table.name)}]"])
    if each.primary_key:
        yield from commented([f"primary_key = {names(each.primary_key)}"])
    yield from commented([f"[tables.{key(table.name)}.columns]", *_columns(each.columns)])


def _note(comment: str) -> str:
    return f"# note = {text(comment)}   # the database's comment; a note is told to analysts"


def _columns(lines: tuple[Told, ...]) -> Iterator[str]:
    """A line each, names and values below each other."""
    width = max((len(key(line.name)) for line in lines), default=0)
    for line in lines:
        name = key(line.name).ljust(width)
        if line.entry is None:
            yield f"# {shown(line.name)}: {'; '.join(line.remarks)}"
            continue
        remarks = f"   # {'; '.join(line.remarks)}" if line.remarks else ""
        yield f"{name} = {inline(line.entry)}{remarks}"
        if line.comment is not None:
            yield f"# {shown(line.name)}: note = {text(line.comment)}"


def _why_left_out(units: tuple[DraftUnit, ...]) -> Iterator[str]:
    anybody = any_of(tuple(unit.name for unit in units))
    yield f"# No link leads from the tables below to {anybody}: they are left out, analysts do not see them."
    yield "# TODO: public = true, if a table's rows are about nobody: take the # away. It is then answered exactly."
    yield f"# One whose rows are about {anybody} takes unit and link like those above, where a column leads there."


def _left_out(each: LeftOut) -> Iterator[str]:
    table = each.table
    yield from commented([each.like, *each.remarks])
    if each.offered is None:
        return
    section = [f"[tables.{key(table.name)}]", "public = true"]
    if table.primary_key and not any(map(unsayable, table.primary_key)):
        section.append(f"primary_key = {names(table.primary_key)}")
    yield from commented(section)
    if table.comment is not None:
        yield _note(table.comment)
    yield from commented([f"[tables.{key(table.name)}.columns]", *_columns(each.offered)])


def _others(others: tuple[str, ...]) -> Iterator[str]:
    yield "# A policy names tables only. Not in it:"
    yield from (f"#   {_line(other)}" for other in others)


def _line(text_: str) -> str:
    """Something that ends no line of comment."""
    return text_ if text_.isprintable() else text(text_)


def _list(items: tuple[str, ...]) -> str:
    more = f" and {len(items) - _MOST_NAMED} more" if len(items) > _MOST_NAMED else ""
    return ", ".join(map(shown, items[:_MOST_NAMED])) + more
