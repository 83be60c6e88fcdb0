"""dpproxy: a differentially private SQL proxy. This page is how it is built.

    client ── server ── session ── front      a Postgres with everything in it except the data
                           │
                       answering              plan, check, charge, run, release, post

*One idea.* Relations are Public, Private(unit) or Released. An aggregate over a Private relation is a release point,
the only door between them. A statement becomes *bounded* SQL, whose results are integers and which alone touches data,
and a *post* statement, the analyst's own with arrays where its release points were, which the front runs.

*One order.* `session` types the analyst's text in the front; `rewrite` plans it, purely; `rewrite.checker`, which
shares no code with the rest, verifies the bounded SQL; `ledger` charges, durably; `engines` runs; `release` adds noise,
and is the only reader of exact numbers; `post_arrays` makes arrays; the front runs the post statement, and its bytes
are relayed.

*One way.* A private statement, file by file:

    session: relay ─ gate ─ private_bind ─ swapped_statement ─ analyst_backend ─┬─ made_plans: rewrite, checker
                                                                                └─ answering.answer ─┬─ stored
                                                                                                     └─ run

*One direction.* Packages from top to bottom, none importing upwards (pyproject.toml, tests/test_source.py):

    cli         commands: demo, serve, check, init, explain, audit, budget, analyst
    audit       the whole proxy asked on neighbouring databases, and what its answers tell
    dashboard   the budget page, for browsers
    server      sockets, TLS, tasks, signals, metrics; nothing but bytes
    session     the relay of one client without IO, and the gate that tells statements apart
    answering   what is stored, a turn, the charge, a place in the engine, its deadline, noise, the outcome
                schema_fit: the policy against the engine; draft: a policy from a schema;
                inspection: the policy against the rows, for `check --data` alone
    release_identity   what makes a release the one that it is; keys: which are unique, by a constraint or a record
    rewrite     SQL -> plan, one pass = one file = one function = one fixture file; release, post_arrays
    front       ours or given, stubs, roles; ledger: the rules of charging; config
    engines     a folder each: DuckDB, Postgres, Spark; their dialects are pure, and are what rewrite knows of them
    plan        data only
    mechanisms  noise and choices, each a value with one contract; catalog: the policy as frozen data; wire: messages
    accounting  privacy loss as values; rows: the only tabular type; errors: each owns its SQLSTATE
    observer    what those who work say to those who measure; nobody asks back
    interruption   whether anybody waits for what a thread does

Beside them, for who asks: `client` (psycopg alone) and `pandas` (frames and plots over it). They know nothing of the
above, nor that of them.

Where to put a line: a function that analysts may call over private rows is a row in `rewrite/expressions`, and one in
`rewrite/checker` (CONTRIBUTING.md has the walk); a kind of statement into `session/allowed_statements.py`; an aggregate
into `rewrite/releases/aggregates.py`; a refusal next to what it refuses, with a case in `sql_fixtures/refuse`; an
engine into a folder of `engines`, behind its Protocol, with a record of facts in `rewrite/checker/engines`.
"""
