"""How a private statement is answered, in one line:

    stored releases ── turn ── charge ── place ── [ deadline: releases in the engine, with noise ] ── outcome ── store

`answer.answer` is that line; each of its parts is a module beside it:

    stored            releases that were paid for before are told again
    queue             whose statement is next: whose turn it is to be charged, and then to have a place in the engine
    public_keys       how many keys public tables give, before anything is charged
    run               the releases of a plan, one after the other, in the engine
    deadlines         how long that may take, and when what comes of it leaves
    failures          who is stopped when the engine fails
    resources         what all of it works with
    planning_thread   where the plan was made before, apart from the event loop
    watched           how long the engine takes is told to who watches
    garbage           when what plans have left is freed

`answer`, `run`, `stored` and `failures` do no IO of their own: what waits on an event loop (`queue`, `deadlines`) is
handed to them in `resources`.

Checked by: tests/test_answer.py, tests/test_answer_any_order.py.
"""
