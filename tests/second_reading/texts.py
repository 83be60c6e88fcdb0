"""The texts that are read twice: what plans hold for an engine, and expressions by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from expression_world import IN_POSTGRES, SCOPE, engine_text, parse
from neighbours.dice import Dice
from neighbours.grammar import statement
from sql_cases import Case
from test_executed import CASES, MORE
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.engines.dialects import dialect_of
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import Bounded, FromPublic, Plan
from dpproxy.plan.samples import COIN
from dpproxy.rewrite.expressions import total
from second_reading.read import Text

DIALECTS = ("duckdb", "postgres")


@dataclass(frozen=True, slots=True)
class Asked:
    """What an analyst asks: a statement and settings."""

    sql: str
    settings: Mapping[str, str | None]


def fixtures() -> list[Asked]:
    """Every statement of sql_fixtures that is answered, what a refusal says to write instead, and those that
    test_executed adds."""
    cases: list[Case] = list(CASES.values())
    return [*(Asked(case.sql, case.settings) for case in cases), *(Asked(sql, {}) for sql in MORE)]


def random_statements(seed: str, count: int) -> Iterator[Asked]:
    """Statements of the whole grammar, each a function of the seed and its number."""
    for number in range(count):
        made = statement(Dice.seeded(f"{seed} {number}"))
        yield Asked(made.sql, made.settings)


def planned(asked: Asked, catalog: Catalog, dialect: str) -> Plan | None:
    """The plan; None for what is refused."""
    try:
        return plan(asked.sql, catalog, asked.settings, dialect=dialect)
    except DPProxyError:
        return None


def texts_of(made: Plan, dialect: str) -> Iterator[Text]:
    """Each text of a plan that the engine runs: of its releases, and of their public keys."""
    for release in made.releases:
        bounded = release.bounded
        yield Text(dialect, bounded.sql, read_by(bounded))
        for key in bounded.keys:
            if isinstance(key.domain, FromPublic):
                yield Text(dialect, key.domain.sql, tuple(each.name for each in key.domain.inputs))


def read_by(bounded: Bounded) -> tuple[str, ...]:
    """The names of a text's parameters; the secret of a sample comes last."""
    return (*(each.name for each in bounded.inputs), *(() if bounded.sample is None else (COIN,)))


def of_expression(written: str) -> Iterator[Text]:
    """An expression over the table of expression_world, as each engine is given it; none where it is refused."""
    for dialect, scope in (("duckdb", SCOPE), ("postgres", IN_POSTGRES)):
        try:
            typed = total(parse(written), scope)
        except DPProxyError:
            continue
        form = dialect_of(dialect).typed(typed.sql, typed.fact.engine)
        yield Text(dialect, f"SELECT {engine_text(form, dialect)} AS m0 FROM t")
