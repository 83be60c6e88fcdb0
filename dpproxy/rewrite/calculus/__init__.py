"""What each construct makes of its relations: Public, Private of a unit, or Released. One rule, one module.

  scans, own, arrays, constant_rows  what stands in FROM: tables, the analyst's own tables, lists of constants (series)
  from_clause, joins, ties           how sources are joined, and whose rows come out (one_row: that a unit has one;
                                     determinations: by what the policy says determines the unit)
  projection, grouped, per_unit      the SELECT list; GROUP BY the unit; aggregates of a unit's rows
  windowed, distinct                 windows and DISTINCT within a unit
  lengths                            intervals that are aggregated, or keys: by their seconds
  shifted_sums, distinct_aggregates  sums of one value with numbers added to it; DISTINCT where it changes nothing
                                     (aggregates_of: where a SELECT aggregates)
  pairs, strangers                   rows of two units; those of one kind that a key puts together
  samples, dealt                     a sample of the units; units that are dealt into blocks
  setops, tails                      UNION and its like; ORDER BY and LIMIT
  publics                            what values public columns have, whatever they are joined with
  weight                             how large expressions grow through derived tables
relations  the data that the rules hand on, around a tree of `algebra`

Checked by: tests/test_fixtures.py, tests/test_executed.py, tests/test_language.py.
"""
