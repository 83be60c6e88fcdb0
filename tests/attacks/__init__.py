"""The hostile analyst: a file for each door of the proxy, and in it a test for each way through that was thought of.

Every attack runs over two neighbouring databases, with and without Zelda, whose rows are as odd as their types allow.
It runs against the plain engine first, where it has to tell the two apart, and then against the proxy, where it must
not: see `duel.py`. `world.sql` and `world.toml` are what is added to the world of sql_fixtures, `zelda.sql` is Zelda.
"""
