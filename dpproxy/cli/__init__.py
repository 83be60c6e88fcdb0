"""The command line. stdout carries what was asked for, stderr all else; exit status 0, 1 (it failed) or 2 (misused).

app                        all commands together
demo, demo_data, tour      a city of made-up people, to try everything on
serve                      the proxy
check                      the configuration against the engine
init                       a policy drafted from a database's schema
explain                    a statement's cost and bounded SQL
audit, audit_plot          what the answers of a statement tell, measured on made-up neighbours
budget, analyst, opened    the ledger's accounts and the file's analysts
console                    how things are told

Checked by: tests/test_cli.py.
"""
