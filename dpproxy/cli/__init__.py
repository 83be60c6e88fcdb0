"""The command line. stdout carries what was asked for, stderr all else; exit status 0, 1 (it failed) or 2 (misused).

app, commands              all commands together, each imported when it is called
demo, demo_served, demo_data, tour  a city of made-up people, to try everything on
serve                      the proxy
check                      the configuration against the engine
init                       a policy drafted from a database's schema
explain                    a statement's cost and bounded SQL
audit, audit_plot          what the answers of a statement tell, measured on made-up neighbours
budget, analyst, ledger    the ledger's accounts, the file's analysts, and whether the ledger is whole
statements                 what was asked and paid for
policy_file, connections   what a command reads and opens
console                    how things are told

Checked by: tests/test_cli.py.
"""
