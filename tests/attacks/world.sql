-- Added to the world of sql_fixtures: a table with a column of every type, and tame rows of ordinary people.
CREATE TABLE odds (person_id BIGINT, i INTEGER, b BIGINT, n NUMERIC(18,6), d DOUBLE PRECISION, t TEXT, day DATE, ts TIMESTAMP, flag BOOLEAN);
INSERT INTO odds SELECT p, 1 + p % 9, 1 + p % 9, 1 + p % 9, 1 + p % 9, CAST(1 + p % 9 AS TEXT), DATE '2024-01-01' + CAST(p AS INTEGER), TIMESTAMP '2024-01-01 10:00:00', p % 2 = 0 FROM generate_series(1, 60) AS g(p);
