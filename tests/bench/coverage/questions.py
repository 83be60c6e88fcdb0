"""What is asked: each a number beside its interval, and the same words in plain SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_SEX = "FROM people GROUP BY sex"


@dataclass(frozen=True, slots=True)
class Question:
    """A number `x` of some rows, whose keys are the columns `by`. settings: of the session, beside its ε."""

    x: str
    rows: str
    by: str = ""
    epsilon: str = "1"
    settings: Mapping[str, str] = field(default_factory=dict)
    beside: str = ""

    @property
    def sql(self) -> str:
        """As an analyst asks it."""
        asked = (f"{self.x} AS x", f"dp.low({self.x}) AS low", f"dp.high({self.x}) AS high")
        return self._select(*asked, *((self.beside,) if self.beside else ()))

    @property
    def exact(self) -> str:
        """Of the rows themselves."""
        return self._select(self.x)

    @property
    def keys(self) -> int:
        """How many columns come before the number."""
        return len(self.by.split(", ")) if self.by else 0

    @property
    def title(self) -> str:
        """For the table."""
        more = [f"{name} {value}" for name, value in self.settings.items()]
        said = f"`{self.x} {self.rows}`" if self.epsilon == "1" else f"`{self.x} {self.rows}`, ε {self.epsilon}"
        return ", ".join([said.replace("|", "∣"), *more])

    def _select(self, *columns: str) -> str:
        return f"SELECT {', '.join([*([self.by] if self.by else []), *columns])} {self.rows}"


_QUARTILES = ", ".join(f"percentile_cont({each}) WITHIN GROUP (ORDER BY age)" for each in ("0.25", "0.5", "0.75"))
QUESTIONS = (
    # Counts, near zero too.
    Question("count(*)", "FROM people"),
    Question("count(*)", "FROM people", epsilon="0.1"),
    Question("count(*)", _SEX, "sex"),
    Question("count(*)", "FROM people WHERE age > 103"),
    Question("count(*)", "FROM people GROUP BY grade", "grade", "0.3"),
    Question("count(*)", "FROM people GROUP BY grade", "grade", "0.3", {"nonnegative": "on"}),
    Question("count(*)", "FROM people GROUP BY district", "district"),
    Question("count(*) FILTER (WHERE smoker)", _SEX, "sex"),
    Question("count(DISTINCT person_id)", "FROM visits"),
    Question("count(DISTINCT age)", "FROM people WHERE age < 90"),
    Question("count(*)", "FROM people GROUP BY ROLLUP (sex, smoker)", "sex, smoker"),
    # Sums and averages, with bounds and without.
    Question("sum(income)", "FROM people"),
    Question("sum(age)", _SEX, "sex"),
    Question("sum(weight)", "FROM people"),
    Question("sum(wealth)", "FROM people"),
    Question("avg(age)", "FROM people"),
    Question("avg(age)", "FROM people WHERE age > 88"),
    Question("avg(income)", _SEX, "sex"),
    Question("avg(income)", "FROM people GROUP BY district", "district"),
    Question("avg(weight)", "FROM people"),
    Question("avg(wealth)", "FROM people"),
    # Moments.
    Question("var_pop(age)", "FROM people"),
    Question("stddev(income)", _SEX, "sex"),
    Question("stddev(weight)", "FROM people"),
    Question("variance(wealth)", "FROM people"),
    Question("stddev(wealth)", "FROM people"),
    Question("covar_pop(income, age)", "FROM people"),
    Question("corr(income, age)", "FROM people"),
    Question("corr(weight, age)", "FROM people"),
    Question("regr_slope(income, age)", "FROM people"),
    Question("regr_slope(weight, age)", "FROM people"),
    # What is made of several.
    Question("sum(income) / count(*)::float8", _SEX, "sex"),
    Question("count(*) FILTER (WHERE smoker) / count(*)::float8", "FROM people"),
    Question("100.0 * count(*) / sum(count(*)) OVER ()", _SEX, "sex"),
    Question("count(*) FILTER (WHERE smoker) - count(*) FILTER (WHERE age > 60)", "FROM people"),
    Question("avg(income) FILTER (WHERE smoker) - avg(income) FILTER (WHERE NOT smoker)", "FROM people"),
    Question("round(avg(income))", "FROM people"),
    Question("avg(age)", f"{_SEX} HAVING count(*) > 100 ORDER BY count(*) DESC", "sex"),
    # Many rows of a unit, scaled down to a private clip.
    Question("count(*)", "FROM visits"),
    Question("count(*)", "FROM visits", epsilon="0.1"),
    Question("count(*)", "FROM visits GROUP BY extract(year FROM day)", "extract(year FROM day)"),
    Question("count(*)", "FROM visits GROUP BY dept", "dept"),
    Question("count(*)", "FROM visits JOIN departments USING (dept) GROUP BY building", "building"),
    Question("sum(cost)", "FROM visits JOIN people USING (person_id) GROUP BY sex", "sex"),
    Question("avg(cost)", "FROM visits GROUP BY dept", "dept"),
    Question("sum(fee)", "FROM visits"),
    Question("avg(fee)", "FROM visits"),
    Question("stddev(fee)", "FROM visits"),
    Question("sum(cost) / count(*)::float8", "FROM visits"),
    Question("avg(n)", "FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) AS t"),
    # The same within declared caps.
    Question("count(*)", "FROM calls GROUP BY kind", "kind"),
    Question("sum(minutes)", "FROM calls"),
    Question("avg(minutes)", "FROM calls GROUP BY kind", "kind"),
    # A tree of three quantiles.
    Question("percentile_cont(0.5) WITHIN GROUP (ORDER BY age)", "FROM people", beside=_QUARTILES),
)
