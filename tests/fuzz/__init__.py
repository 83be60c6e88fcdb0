"""Coverage-guided fuzzing of what reads an analyst's bytes and texts: atheris, which is libFuzzer for Python.

    python -m fuzz wire --seconds 600       from the directory tests; --keep writes what it found of interest to corpus/

    wire       bytes to messages, both directions: `dpproxy.wire`
    session    a conversation with the relay, which has no sockets: `dpproxy.session`, and `dpproxy.wire` under it
    planner    a text through the gate, the passes, the checker and the dialects, as both engines would be asked

A target is a function of bytes that raises for what must not be. corpus/ has an input a line, as Python writes bytes:
each reaches something that no other does. What was found and mended is in `found.py`, for good.
"""
