"""What each construct makes of its relations: Public, Private of a unit, or Released. One rule, one module.

track      decides which rule applies (tracker: what the rules ask of it)
  scans, released, own             what stands in FROM: tables, released rows, the analyst's own tables
  from_clause, joins, ties         how sources are joined, and whose rows come out
  projection, grouped, per_unit    the SELECT list; GROUP BY the unit; aggregates of a unit's rows
  windowed, distinct, lateral      windows, DISTINCT and LATERAL within a unit
  subqueries, correlated           EXISTS, IN, ANY, ALL, scalars; those that are releases (correlation: what is outer)
  setops, tails, empty             UNION and its like; ORDER BY and LIMIT; what is empty whatever tables hold
  publics                          what values public columns have, whatever they are joined with
  weight                           how large expressions grow through derived tables
relations  the data that the rules hand on
"""
