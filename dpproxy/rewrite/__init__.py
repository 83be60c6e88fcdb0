"""SQL -> Plan. One pass = one file = one function = one fixture file. Pure.

parse      text -> tree of one SELECT (dialect, extracts: where the parser would say something else)
admit      only listed nodes
clock      now() and its like are told the time
constants  VALUES, generate_series and unnest of constants, set apart (series, constant_rows: their rows)
resolve    every name bound to the policy (label gives unnamed columns the names that Postgres gives them)
track      Public / Private / Released; joins, projections and release points (own: the analyst's own tables)
  joins, units     whose rows a join's rows are
  keys, aggregates what is released, with which bounds (expressions: total forms and facts)
  bound            contribution bounding, as SQL text
swap       the statement for the front, with arrays where release points were
allocate   noise and cost
checker    independent: verifies the bounded SQL against the plan, knowing nothing of the above
explain    a plan for a person
"""

from dpproxy.rewrite.planning import plan_statement
from dpproxy.rewrite.question import Parameter, Question
from dpproxy.rewrite.settings import read_settings

__all__ = ["Parameter", "Question", "plan_statement", "read_settings"]
