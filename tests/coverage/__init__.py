"""How many questions that nobody here wrote are answered: `python -m tests.coverage FOLDER`. Run by hand.

A folder has the tables (`schema.sql`, as Postgres reads it), statements (every other `.sql` file, `;` between them),
and perhaps the policy (`policy.toml`); else one is drafted by `dpproxy init`.
"""
