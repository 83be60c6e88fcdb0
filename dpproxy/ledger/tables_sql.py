"""The ledger's tables, as SQL: one text for each version, each made of the one before.

They are in schema `dp_ledger`, which nobody but their owner may enter: `dp` is for analysts, where the ledger is in the
front's database.

`accounts` holds analysts and budget groups alike. Money only ever goes up. Limits are not kept: they are made of the
policy's ε and δ and of the granted ones when a charge is made. Each grant, reset, policy and adopted term is a row of
its own, and so are each charge and what is shown of a public table; `entries` chains them all (`hash_chain.py`).
"""

from __future__ import annotations

from typing import Final

_LOSS: Final = "numeric NOT NULL DEFAULT 0 CHECK ({0} >= 0 AND {0} < 1e40 AND {0} = round({0}, 30))"

# What is there of 0.1.0 and 0.2.0, some of which lack its last lines, so it may be run again.
# The checks refuse what would lower a spent amount or compare falsely: negatives, NaN and infinities.
FIRST: Final = f"""
CREATE TABLE IF NOT EXISTS dp_ledger.ledger (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL,
    accounting text NOT NULL
);
CREATE TABLE IF NOT EXISTS dp_ledger.accounts (
    kind text NOT NULL CHECK (kind IN ('analyst', 'budget')),
    name text NOT NULL,
    period text NOT NULL,
    main {_LOSS.format("main")},
    delta {_LOSS.format("delta")},
    granted_main {_LOSS.format("granted_main")},
    granted_delta {_LOSS.format("granted_delta")},
    granted_epsilon numeric NOT NULL DEFAULT 0,
    granted_own_delta numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name, period)
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS dp_ledger.charges (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    analyst text NOT NULL,
    period text NOT NULL,
    statement text NOT NULL,
    epsilon numeric NOT NULL,
    main {_LOSS.format("main")},
    delta {_LOSS.format("delta")},
    outcome text NOT NULL DEFAULT 'charged',
    left_main numeric NOT NULL,
    left_delta numeric NOT NULL
);
CREATE INDEX IF NOT EXISTS charges_analyst ON dp_ledger.charges (analyst, id);
CREATE TABLE IF NOT EXISTS dp_ledger.grants (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    analyst text NOT NULL,
    period text NOT NULL,
    epsilon numeric NOT NULL,
    delta numeric NOT NULL,
    main {_LOSS.format("main")},
    own_delta {_LOSS.format("own_delta")}
);
CREATE TABLE IF NOT EXISTS dp_ledger.alarms (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    analyst text NOT NULL,
    reason text NOT NULL,
    cleared_at timestamptz
);
CREATE UNIQUE INDEX IF NOT EXISTS alarms_standing ON dp_ledger.alarms (analyst) WHERE cleared_at IS NULL;
-- Where the owner is no superuser, the table's size is to be seen by everybody: its first page is there before the
-- first alarm.
INSERT INTO dp_ledger.alarms (analyst, reason, cleared_at)
    SELECT '', 'none: the first page', clock_timestamp() WHERE NOT EXISTS (SELECT FROM dp_ledger.alarms);
-- Everybody reads in pg_class how many rows a table had when it was last vacuumed or analyzed, so these are not: rows
-- are added, and updated within their page. Against wraparound the server vacuums them all the same.
ALTER TABLE dp_ledger.accounts SET (autovacuum_enabled = off);
ALTER TABLE dp_ledger.charges SET (autovacuum_enabled = off);
ALTER TABLE dp_ledger.grants SET (autovacuum_enabled = off);
ALTER TABLE dp_ledger.alarms SET (autovacuum_enabled = off);
REVOKE ALL ON dp_ledger.ledger, dp_ledger.accounts, dp_ledger.charges, dp_ledger.grants, dp_ledger.alarms FROM PUBLIC;
"""

# Keys are ordered by their bytes: an operating system's new collation would break the index that keeps an account from
# being made twice.
PERIODS: Final = """
ALTER TABLE dp_ledger.accounts ALTER kind TYPE text COLLATE "C", ALTER name TYPE text COLLATE "C",
    ALTER period TYPE text COLLATE "C", ADD charges bigint NOT NULL DEFAULT 0;
ALTER TABLE dp_ledger.charges ALTER analyst TYPE text COLLATE "C", ALTER period TYPE text COLLATE "C";
ALTER TABLE dp_ledger.alarms ALTER analyst TYPE text COLLATE "C";
UPDATE dp_ledger.accounts a SET charges = c.charges
    FROM (SELECT analyst, period, count(*) AS charges FROM dp_ledger.charges GROUP BY analyst, period) AS c
    WHERE a.kind = 'analyst' AND a.name = c.analyst AND a.period = c.period;
CREATE TABLE dp_ledger.periods (
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    reset text COLLATE "C" NOT NULL,
    since date,
    label text COLLATE "C",
    PRIMARY KEY (kind, name, reset)
) WITH (fillfactor = 50, autovacuum_enabled = off);
CREATE TABLE dp_ledger.resets (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    UNIQUE (kind, name, period, number)
) WITH (autovacuum_enabled = off);
REVOKE ALL ON dp_ledger.periods, dp_ledger.resets FROM PUBLIC;
"""

# `accounts` of a charge: all that it was counted in, each `KIND/NAME/PERIOD`; `units`: the unit classes that it may
# have touched. Both are NULL in charges of older versions. `carried`: what an account had when the chain began, beyond
# the charges that are counted in it.
CHAIN: Final = f"""
ALTER TABLE dp_ledger.accounts DROP granted_main, DROP granted_delta;
ALTER TABLE dp_ledger.accounts RENAME granted_own_delta TO granted_delta;
ALTER TABLE dp_ledger.accounts
    ADD CONSTRAINT granted_epsilon_is_an_amount CHECK (granted_epsilon >= 0 AND granted_epsilon < 1e40),
    ADD CONSTRAINT granted_delta_is_an_amount CHECK (granted_delta >= 0 AND granted_delta < 1e40);
ALTER TABLE dp_ledger.grants DROP main, DROP own_delta;
ALTER TABLE dp_ledger.charges ADD accounts text[], ADD units text[];
ALTER TABLE dp_ledger.ledger ADD identity uuid NOT NULL DEFAULT gen_random_uuid();
CREATE TABLE dp_ledger.policies (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    digest bytea NOT NULL,
    document text NOT NULL,
    command text NOT NULL
);
CREATE TABLE dp_ledger.adoptions (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    policy bigint NOT NULL REFERENCES dp_ledger.policies,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('analyst', 'budget', 'table', 'neighbors')),
    name text COLLATE "C" NOT NULL,
    meaning text NOT NULL,
    epsilon numeric CHECK (epsilon > 0 AND epsilon < 1e40),
    delta numeric CHECK (delta >= 0 AND delta < 1)
);
CREATE INDEX adoptions_latest ON dp_ledger.adoptions (kind, name, id);
CREATE TABLE dp_ledger.acceptances (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ledger uuid NOT NULL,
    number bigint NOT NULL,
    hash bytea NOT NULL
);
CREATE TABLE dp_ledger.carried (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind text NOT NULL,
    name text NOT NULL,
    period text NOT NULL,
    main {_LOSS.format("main")},
    delta {_LOSS.format("delta")}
);
CREATE TABLE dp_ledger.entries (
    number bigint PRIMARY KEY,
    what text NOT NULL,
    id bigint NOT NULL,
    hash bytea NOT NULL
);
CREATE TABLE dp_ledger.head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    number bigint NOT NULL,
    hash bytea NOT NULL
) WITH (fillfactor = 10);
ALTER TABLE dp_ledger.policies SET (autovacuum_enabled = off, toast.autovacuum_enabled = off);
ALTER TABLE dp_ledger.adoptions SET (autovacuum_enabled = off);
ALTER TABLE dp_ledger.acceptances SET (autovacuum_enabled = off);
ALTER TABLE dp_ledger.carried SET (autovacuum_enabled = off);
ALTER TABLE dp_ledger.entries SET (autovacuum_enabled = off);
ALTER TABLE dp_ledger.head SET (autovacuum_enabled = off);
REVOKE ALL ON dp_ledger.policies, dp_ledger.adoptions, dp_ledger.acceptances, dp_ledger.carried, dp_ledger.entries,
    dp_ledger.head FROM PUBLIC;
"""

# `pairs` of a charge: what its mechanisms' privacy loss distribution is made of, as `accounting.dominating_pairs`
# writes it. NULL in charges of older versions.
PAIRS: Final = "ALTER TABLE dp_ledger.charges ADD pairs text;"

# `columns` of a public table that lists none in the policy, as they were when it was first served: JSON.
APPROVALS: Final = """
CREATE TABLE dp_ledger.approvals (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    name text COLLATE "C" NOT NULL UNIQUE,
    columns text NOT NULL
) WITH (autovacuum_enabled = off);
REVOKE ALL ON dp_ledger.approvals FROM PUBLIC;
"""
