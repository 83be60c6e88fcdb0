"""The chain: every row that matters has an entry, whose hash holds the row and the hash of the entry before.

    hash of entry n = SHA-256(hash of entry n − 1 ‖ canonical(n, what, id, the row's columns))

Entry 0 is the ledger's identity. A row that is changed, left out, added or moved no longer fits its entry; whoever
makes all later entries anew, or puts an older copy in place, has another head than the one that was kept elsewhere
(`chain_head.py`). The entry is made in the transaction that makes the row, under a lock on the head, which is the last
lock that anybody takes. Outcomes of charges are not chained: they are written later, and say nothing about losses.

Claim: two histories with one head are the same history, unless a collision of SHA-256 was found.
Because: `canonical` is injective (each field has its length before it) and each hash holds the one before.
Checked by: tests/test_ledger_chain.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

_AT: Final = "to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"
_HEX: Final = "encode({0}, 'hex')"


def _columns(*names: str) -> tuple[str, ...]:
    """As text that no setting of a session changes."""
    kinds = {"at": _AT, "cleared_at": _AT, "digest": _HEX, "hash": _HEX}
    return tuple(kinds.get(name, "{0}::text").format(f"t.{name}") for name in names)


ROWS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "charge": (
        "charges",
        _columns(
            "at", "analyst", "period", "statement", "epsilon", "main", "delta", "left_main", "left_delta",
            "accounts", "units",
        ),
    ),
    "grant": ("grants", _columns("at", "analyst", "period", "epsilon", "delta")),
    "reset": ("resets", _columns("at", "kind", "name", "period", "number")),
    "alarm": ("alarms", _columns("at", "analyst", "reason")),
    "clear": ("alarms", _columns("cleared_at", "analyst")),
    "policy": ("policies", _columns("at", "digest", "document", "command")),
    "adoption": ("adoptions", _columns("at", "policy", "kind", "name", "meaning", "epsilon", "delta")),
    "approval": ("approvals", _columns("at", "name", "columns")),
    "carried": ("carried", _columns("at", "kind", "name", "period", "main", "delta")),
    "acceptance": ("acceptances", _columns("at", "ledger", "number", "hash")),
}  # fmt: skip
"""By the kind of an entry: the table of its rows, and the columns that are chained, as SQL over its row `t`."""
_LATER: Final[Mapping[str, str]] = {"charge": "t.pairs"}
"""Columns that came later: chained where they are not NULL, so that entries of before are as they were."""


def chained(what: str) -> str:
    """SQL over its row `t`: the columns that are chained, as an array."""
    _, columns = ROWS[what]
    later = _LATER.get(what)
    more = "" if later is None else f" || CASE WHEN {later} IS NULL THEN '{{}}' ELSE ARRAY[{later}] END"
    return f"ARRAY[{', '.join(columns)}]{more}"


def _cases() -> str:
    cases = (
        f"WHEN '{what}' THEN RETURN (SELECT {chained(what)} FROM dp_ledger.{table} t WHERE t.id = p_id);"
        for what, (table, _) in ROWS.items()
    )
    return "\n        ".join(cases)


# The head's row is locked to the end of the transaction: entries have one order, that of their commits.
FUNCTIONS: Final = f"""
CREATE FUNCTION dp_ledger.canonical(p_fields text[]) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT convert_to(string_agg(coalesce(octet_length(f) || ':' || f, '-'), ',' ORDER BY n), 'UTF8')
    FROM unnest(p_fields) WITH ORDINALITY AS x (f, n)
$$;

CREATE FUNCTION dp_ledger.chained(p_what text, p_id bigint) RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    CASE p_what
        {_cases()}
    END CASE;
END $$;

CREATE FUNCTION dp_ledger.link(p_what text, VARIADIC p_ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    latest record;
    row_id bigint;
BEGIN
    SELECT h.number, h.hash INTO STRICT latest FROM dp_ledger.head h FOR UPDATE;
    FOREACH row_id IN ARRAY p_ids LOOP
        latest.number := latest.number + 1;
        latest.hash := sha256(latest.hash || dp_ledger.canonical(
            ARRAY[latest.number::text, p_what, row_id::text] || dp_ledger.chained(p_what, row_id)));
        INSERT INTO dp_ledger.entries (number, what, id, hash) VALUES (latest.number, p_what, row_id, latest.hash);
    END LOOP;
    UPDATE dp_ledger.head SET number = latest.number, hash = latest.hash;
END $$;
"""

# Once, when the chain begins: what older versions wrote, in the order of time. An account of an analyst is at least
# what its charges add up to, and a group's at least what all analysts lost since it was reset last: groups were charged
# only while they had a cap. What is there beyond its charges is carried, as a row of its own.
BEGIN: Final = """
INSERT INTO dp_ledger.head (number, hash)
    SELECT 0, sha256(convert_to(l.identity::text, 'UTF8')) FROM dp_ledger.ledger l;
INSERT INTO dp_ledger.accounts (kind, name, period)
    VALUES ('budget', 'everyone', dp_ledger.account_label('budget', 'everyone', 'ever'))
    ON CONFLICT DO NOTHING;
DO $$
DECLARE
    account record;
    entry record;
    carried_id bigint;
    next_number bigint := 0;
    made bytea := (SELECT h.hash FROM dp_ledger.head h);
BEGIN
    FOR account IN
        SELECT a.kind, a.name, a.period, a.main, a.delta, coalesce(c.main, 0) AS charged_main,
               coalesce(c.delta, 0) AS charged_delta
        FROM dp_ledger.accounts a LEFT JOIN LATERAL (
            SELECT sum(t.main) AS main, sum(t.delta) AS delta FROM dp_ledger.charges t
            WHERE CASE a.kind
                WHEN 'analyst' THEN t.analyst = a.name AND t.period = a.period
                ELSE a.period = dp_ledger.account_label('budget', a.name, 'ever') AND t.at >= coalesce((
                    SELECT max(r.at) FROM dp_ledger.resets r WHERE r.kind = 'budget' AND r.name = a.name), '-infinity')
                END) AS c ON true
        ORDER BY a.kind, a.name, a.period
    LOOP
        UPDATE dp_ledger.accounts a SET main = greatest(a.main, account.charged_main),
                delta = greatest(a.delta, account.charged_delta)
            WHERE a.kind = account.kind AND a.name = account.name AND a.period = account.period;
        IF account.kind = 'analyst' THEN
            account.main := account.main - account.charged_main;
            account.delta := account.delta - account.charged_delta;
        ELSE
            account.main := greatest(account.main, account.charged_main);
            account.delta := greatest(account.delta, account.charged_delta);
        END IF;
        IF account.main > 0 OR account.delta > 0 THEN
            INSERT INTO dp_ledger.carried (kind, name, period, main, delta) VALUES (
                account.kind, account.name, account.period, greatest(account.main, 0), greatest(account.delta, 0));
        END IF;
    END LOOP;
    FOR entry IN
        SELECT t.at, 'charge' AS what, t.id FROM dp_ledger.charges t
        UNION ALL SELECT t.at, 'grant', t.id FROM dp_ledger.grants t
        UNION ALL SELECT t.at, 'reset', t.id FROM dp_ledger.resets t
        UNION ALL SELECT t.at, 'alarm', t.id FROM dp_ledger.alarms t
        UNION ALL SELECT t.cleared_at, 'clear', t.id FROM dp_ledger.alarms t WHERE t.cleared_at IS NOT NULL
        UNION ALL SELECT t.at, 'carried', t.id FROM dp_ledger.carried t
        ORDER BY 1, 2, 3
    LOOP
        next_number := next_number + 1;
        made := sha256(made || dp_ledger.canonical(
            ARRAY[next_number::text, entry.what, entry.id::text] || dp_ledger.chained(entry.what, entry.id)));
        INSERT INTO dp_ledger.entries (number, what, id, hash) VALUES (next_number, entry.what, entry.id, made);
    END LOOP;
    UPDATE dp_ledger.head SET number = next_number, hash = made;
END $$;
"""


def beginning(identity: str) -> bytes:
    """The hash of entry 0."""
    return hashlib.sha256(identity.encode()).digest()


def following(before: bytes, number: int, what: str, id_: int, fields: Sequence[str | None]) -> bytes:
    """The hash of an entry, as `dp_ledger.link` makes it."""
    return hashlib.sha256(before + canonical((str(number), what, str(id_), *fields))).digest()


def canonical(fields: Sequence[str | None]) -> bytes:
    """Fields as bytes, each with its length before it; no two lists of fields have the same."""
    parts = (b"-" if each is None else b"%d:%b" % (len(each.encode()), each.encode()) for each in fields)
    return b",".join(parts)
