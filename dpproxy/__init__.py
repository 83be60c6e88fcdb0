"""dpproxy: a differentially private SQL proxy. This page is how it is built.

    client ── server ── session ── front      a Postgres with everything in it except the data
                           │
                         answer               plan, check, charge, run, release, post

*One idea.* Relations are Public, Private(unit) or Released. An aggregate over a Private relation is a release point,
the only door between them. A statement becomes *bounded* SQL, whose results are integers and which alone touches data,
and a *post* statement, the analyst's own with arrays where its release points were, which the front runs.

*One order.* `session` types the analyst's text in the front; `rewrite` plans it, purely; `rewrite.checker`, which
shares no code with the rest, verifies the bounded SQL; `ledger` charges, durably; `engines` runs; `release` adds noise,
and is the only reader of exact numbers; `post` makes arrays; the front runs the post statement, and its bytes are
relayed.

*One direction.* Rooms from top to bottom, none importing upwards (pyproject.toml, tests/test_source.py):

    cli        commands: demo, serve, check, init, explain, audit, budget, analyst
    audit      the whole proxy asked on neighbouring databases, and what its answers tell
    server     sockets, TLS, tasks, signals, metrics; nothing but bytes
    session    the relay of one client without IO, and the gate that tells statements apart
    recall     what was paid for is told again, the rest is answered
    answer     the whole product in a page; fit: the policy against the engine; draft: a policy from a schema
    repeats    what makes a release the one that it is
    rewrite    SQL -> plan, one pass = one file = one function = one fixture file; release, post
    engines    DuckDB, Postgres; front: ours or given, stubs, roles; ledger: the rules of charging; config
    plan       data only
    mechanisms noise and selection; catalog: the policy as frozen data; wire: PostgreSQL messages
    accounting privacy loss as values; rows: the only tabular type; errors: each owns its SQLSTATE

Where to put a line: a function that analysts may call over private rows goes into `rewrite/expressions/table.py` with
its total form, and what another engine needs of it into `rewrite/dialects`; a kind of statement into
`session/rules.py`; an aggregate into `rewrite/releases/aggregates.py`; a refusal next to what it refuses, with a case
in `sql_fixtures/refuse`; an engine into `engines`, behind its Protocol, with a dialect.
"""
