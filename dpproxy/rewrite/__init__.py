"""SQL -> Plan. One pass = one file = one function = one fixture file. Pure: a pass leaves the tree that it is given.

planning   the passes in order
reading    text -> a tree whose every name is bound
statement  the walk over it: which rule applies where, and where private rows are released
calculus   Public / Private / Released: a rule for each construct
releases   aggregates over private rows become releases: keys, measures, contribution bounding
algebra    bounded SQL as a tree of values, and the one place where it is written
expressions total forms of expressions, and what is known of their values
work       what of an engine's time hangs on one unit; multiplying: where in the text that stands
swap       the statement for the front, with arrays where release points were
divisions  of released numbers, NULL where the divisor came out as 0
bare_values  what of a question is compared with a column and nothing else
plans_alike  a plan that is filled from two that differ in values alone; nearest: the nearest question that is answered
allocate   noise and cost
preview    the empty answer to who asks for rows, where the policy says so
checker    independent: verifies the plan, knowing nothing of the above
explain    a plan for a person
"""

from dpproxy.rewrite.planning import plan_statement, recursive_queries
from dpproxy.rewrite.question import Parameter, Question
from dpproxy.rewrite.settings import read_settings

__all__ = ["Parameter", "Question", "plan_statement", "read_settings", "recursive_queries"]
