"""A second reading: each text for an engine is read by the engine's own parser, and must be the tree that was proved.

    tree       the neutral tree, what is made one in it, and the first node in which two of them differ
    proved     the checker's tree as a neutral one; proved_values, its expressions; proved_names, functions and types
    postgres   the tree of Postgres's grammar as a neutral one; postgres_values, its expressions
    duckdb     the tree of DuckDB's parser as a neutral one; duckdb_values, its expressions
    read       both readings of one text, compared
    texts      the texts: of the fixtures, of TPC-H, of random statements and random expressions

No reader has a default arm: a node, or an argument of one, that is not known is `Unread`.
"""
