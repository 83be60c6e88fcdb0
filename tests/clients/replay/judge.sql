-- The plain Postgres that recordings are judged by: what the owner of the policy's schema would make by hand, with the
-- roles and privileges of the front. Of the proxy's own there is the row security, which every catalog shows.
REVOKE ALL ON DATABASE demo, postgres, template1 FROM PUBLIC;
CREATE ROLE ada LOGIN NOINHERIT CONNECTION LIMIT 125;
COMMENT ON ROLE ada IS 'dpproxy front 0123456789abcdef';
ALTER DATABASE demo SET temp_file_limit = '256MB';
REVOKE USAGE ON LANGUAGE plpgsql, sql FROM PUBLIC;
GRANT CONNECT ON DATABASE demo TO ada;
CREATE SCHEMA ada AUTHORIZATION ada;
GRANT USAGE ON SCHEMA public TO PUBLIC;

CREATE TABLE people (
    id integer PRIMARY KEY,
    name text NOT NULL,
    age integer,
    income numeric(12,2),
    born date,
    u uuid
);
COMMENT ON TABLE people IS 'private: unit person. people table';
COMMENT ON COLUMN people.id IS 'key of unit person';
COMMENT ON COLUMN people.name IS 'the name';
COMMENT ON COLUMN people.age IS 'bounds 0 to 120';
COMMENT ON COLUMN people.income IS 'bounds 0 to 100000';

CREATE TABLE orders (
    oid_ bigint PRIMARY KEY,
    person integer,
    amt double precision,
    at timestamp without time zone,
    note text
);
COMMENT ON TABLE orders IS 'private: unit person, caps of 100 rows and 8 groups';
COMMENT ON COLUMN orders.person IS 'key of unit person; links to people.id';
COMMENT ON COLUMN orders.amt IS 'bounds 0 to 1000';

CREATE SCHEMA other;
GRANT USAGE ON SCHEMA other TO PUBLIC;
CREATE TABLE other.t2 (a integer, b text);
COMMENT ON TABLE other.t2 IS 'public';
INSERT INTO other.t2 VALUES (1, 'one'), (2, NULL);
ANALYZE other.t2;

ALTER TABLE orders ADD FOREIGN KEY (person) REFERENCES people (id);
GRANT SELECT ON people, orders, other.t2 TO ada;

CREATE SCHEMA dp;
CREATE SCHEMA dp_front;
CREATE FUNCTION dp_front.private() RETURNS boolean IMMUTABLE RETURN true;
GRANT USAGE ON SCHEMA dp TO PUBLIC;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY "aggregates only" ON people USING (dp_front.private());
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY "aggregates only" ON orders USING (dp_front.private());
