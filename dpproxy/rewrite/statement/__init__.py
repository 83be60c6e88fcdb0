"""The walk over a whole statement: which rule applies where, and where private rows are released.

track                            decides which rule of `calculus` applies (tracker: what the rules ask of it)
with_clause                      the names that WITH gives to queries
for_the_engine                   public or released queries that are read together with private rows
subqueries, correlated, lateral  queries inside of expressions, those that are releases, and LATERAL (quantified: IN,
                                 ANY, ALL; correlation: what is outer)
released                         released rows as a source of later releases
derived_correlation              derived tables that read what is around the query that they stand in
inlined                          derived tables of rows of several units, put into the SELECT that reads them
strangers_apart                  what LEFT JOIN adds of others, apart (strangers_counted: how many each row meets;
                                 met_rows: which rows these are, level by level; absent: what is NULL without a row;
                                 strangers_meet: whether rows of two units do)
keys_chosen                      private keys of rows of two units, chosen by those of one side (read_apart: groups of
                                 one query, aggregates of others)
empty                            what is empty whatever tables hold

Checked by: tests/test_fixtures.py, tests/test_executed.py, tests/test_language.py.
"""
