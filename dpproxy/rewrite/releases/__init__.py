"""The door from Private to Released: keys with their domains, measures with their bounds, contribution bounding.

release_point  the only door; grouping sets are several (sets_together: their rows as one relation)
pair_point     the same for rows of two units; list_point: beside lists, and what is made of the values that there are
choice         which public key has the most: one key is told, and no number (choosing: whether that errs less)
mode_point     the most frequent value; quantiles: ranks of values by their bucket (placed, histograms)
sample_aggregate  the median of what blocks of units answer (block_answers)
hierarchies    which released numbers are parts of which totals
keys           GROUP BY -> keys and where their values come from (naming_keys: those that name single units)
aggregates     COUNT, SUM and AVG; moments and statistics, decisions (asked, measured: what they share)
distinct_counts COUNT(DISTINCT x), a release beside the others (distinct_at_a_clip: where nobody said how many)
bound          one SQL text whose every result is an integer
draft          a release without its noise; released_rows: its rows, as the statement for the front reads them

Checked by: tests/test_fixtures.py, tests/test_executed.py, tests/test_neighbours.py.
"""
