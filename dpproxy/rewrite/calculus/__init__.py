"""What each construct makes of its relations: Public, Private of a unit, or Released. One rule, one module.

  scans, own, arrays, constant_rows  what stands in FROM: tables, the analyst's own tables, lists of constants (series)
  from_clause, joins, ties           how sources are joined, and whose rows come out
  projection, grouped, per_unit      the SELECT list; GROUP BY the unit; aggregates of a unit's rows
  windowed, distinct                 windows and DISTINCT within a unit
  lengths                            intervals that are aggregated, or keys: by their seconds
  shifted_sums                       sums of one value with numbers added to it: of two of them
  pairs                              rows of two units
  samples, dealt                     a sample of the units; units that are dealt into blocks
  setops, tails                      UNION and its like; ORDER BY and LIMIT
  publics                            what values public columns have, whatever they are joined with
  weight                             how large expressions grow through derived tables
relations  the data that the rules hand on, around a tree of `algebra`

Checked by: tests/test_fixtures.py, tests/test_executed.py, tests/test_language.py.
"""
