-- A small world that both engines load: a city with clinics, and a shop whose lines are two links away from their customer.
-- Among it: units with very many rows, dangling links, NULL keys and values outside of what the policy believes.
CREATE TABLE people (person_id BIGINT PRIMARY KEY, name TEXT, age INTEGER NOT NULL, sex TEXT NOT NULL, income DOUBLE PRECISION, city TEXT, smoker BOOLEAN NOT NULL, joined DATE NOT NULL);
INSERT INTO people SELECT i, 'name ' || i, 18 + (i * 7) % 60, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END, CASE WHEN i % 11 = 0 THEN NULL ELSE 20000 + (i * 137) % 60000 END, CASE WHEN i % 17 = 0 THEN NULL WHEN i % 5 = 0 THEN 'Delft' WHEN i % 3 = 0 THEN 'Leiden' ELSE 'Gouda' END, i % 4 = 0, DATE '2020-01-01' + CAST((i * 13) % 2000 AS INTEGER) FROM generate_series(1, 400) AS g(i);

CREATE TABLE departments (dept TEXT PRIMARY KEY, building TEXT NOT NULL, beds INTEGER NOT NULL);
INSERT INTO departments VALUES ('cardio', 'north', 20), ('neuro', 'north', 15), ('ortho', 'south', 30), ('empty', 'east', 5);

CREATE TABLE visits (visit_id BIGINT NOT NULL, person_id BIGINT, day DATE NOT NULL, cost DOUBLE PRECISION NOT NULL, dept TEXT NOT NULL);
INSERT INTO visits SELECT i, CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 100000 + i WHEN i % 10 = 0 THEN 7 ELSE 1 + (i * 31) % 400 END, DATE '2024-01-01' + CAST((i * 3) % 700 AS INTEGER), ((i * 53) % 40000) / 100.0, CASE WHEN i % 3 = 0 THEN 'cardio' WHEN i % 3 = 1 THEN 'neuro' ELSE 'ortho' END FROM generate_series(1, 1500) AS g(i);

CREATE TABLE nation (nationkey INTEGER PRIMARY KEY, nation TEXT NOT NULL);
INSERT INTO nation VALUES (1, 'ALGERIA'), (2, 'BRAZIL'), (3, 'CHINA');

CREATE TABLE customer (custkey BIGINT PRIMARY KEY, segment TEXT NOT NULL, nationkey INTEGER NOT NULL, acctbal NUMERIC(15,2) NOT NULL);
INSERT INTO customer SELECT i, CASE WHEN i % 2 = 0 THEN 'BUILDING' ELSE 'MACHINERY' END, 1 + i % 3, ((i * 977) % 1000000) / 100.0 - 999 FROM generate_series(1, 120) AS g(i);

CREATE TABLE orders (orderkey BIGINT PRIMARY KEY, custkey BIGINT, orderdate DATE NOT NULL, priority TEXT NOT NULL);
INSERT INTO orders SELECT i, CASE WHEN i % 50 = 0 THEN NULL ELSE 1 + (i * 7) % 120 END, DATE '1994-01-01' + CAST((i * 5) % 1000 AS INTEGER), CASE WHEN i % 5 = 0 THEN '1-URGENT' ELSE '5-LOW' END FROM generate_series(1, 600) AS g(i);

CREATE TABLE lineitem (orderkey BIGINT NOT NULL, linenumber INTEGER NOT NULL, quantity NUMERIC(15,2) NOT NULL, price NUMERIC(15,2) NOT NULL, discount NUMERIC(15,2) NOT NULL, flag TEXT NOT NULL, shipdate DATE NOT NULL);
INSERT INTO lineitem SELECT 1 + (i * 11) % 640, i % 7, 1 + i % 50, 900 + ((i * 7919) % 9000000) / 100.0, (i % 11) / 100.0, CASE WHEN i % 3 = 0 THEN 'A' WHEN i % 3 = 1 THEN 'N' ELSE 'R' END, DATE '1994-02-01' + CAST((i * 3) % 1000 AS INTEGER) FROM generate_series(1, 2500) AS g(i);
