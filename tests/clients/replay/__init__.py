"""Recorded statements of clients, replayed against a proxy and against a plain Postgres that judges it.

`recording` reads what was recorded, `player` says it again on a bare socket, `naming` gives the OIDs of a server their
names, `essence` is what of an answer must be the same, `verdict` compares two answers, `sides` makes both servers.
"""
