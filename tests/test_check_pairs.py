"""`dpproxy check --data` of tables whose rows belong to two units each: they are looked at for both."""

from __future__ import annotations

from pathlib import Path

import duckdb
from pair_world import POLICY, create
from towns import cells, check

ROWS = """
INSERT INTO customer VALUES (1, 0, 0), (2, 0, 0);
INSERT INTO supplier VALUES (1, 0);
INSERT INTO orders VALUES (1, 1, 0), (2, 2, 0);
INSERT INTO lineitem VALUES (1, 1, 0, 0, 'A'), (1, 1, 0, 0, 'N'), (2, 1, 0, 0, 'A'), (2, NULL, 0, 0, 'X');
INSERT INTO person VALUES ('a', 'X'), ('b', 'Y');
INSERT INTO transfers VALUES (1, 'a', 'b', 5), (2, 'a', 'c', 5);
"""


def test_both_units_are_looked_at(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "pairs.duckdb")) as connection:
        create(connection)
        connection.execute(ROWS)
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY)
    done = check(policy, "--data")
    names = ("lineitem, by o", "lineitem, by s", "transfers, by sender", "transfers, by receiver")
    assert [cells(done.stdout, name)[:4] for name in names] == [
        ["lineitem, by o", "4", "2", "2"],
        ["lineitem, by s", "4", "1", "3"],
        ["transfers, by sender", "2", "1", "2"],
        ["transfers, by receiver", "2", "2", "1"],
    ]
    assert "- tables.lineitem: 1 row belongs to nobody, s is NULL: left out" in done.stdout
    assert done.stdout.count("1 row with other values, which count nowhere") == 1
