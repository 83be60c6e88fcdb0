-- What Postgres has and DuckDB has not, in a schema of its own: enums, domains, texts of a length, numerics of any, times with a zone, uuids as keys.
-- Among it: NaN, NULL keys, dangling links, a key that nothing enforces, columns of types that are refused.
CREATE SCHEMA clinic;
CREATE TYPE clinic.sex AS ENUM ('X', 'M', 'F');
CREATE DOMAIN clinic.euro AS numeric(12,2) CHECK (VALUE > -1000);
CREATE DOMAIN clinic.code AS varchar(4);

CREATE TABLE clinic.patients (patient_id uuid PRIMARY KEY, sex clinic.sex, code clinic.code NOT NULL, initials varchar(3) NOT NULL, weight numeric, owes clinic.euro NOT NULL, seen timestamptz NOT NULL, height real, active boolean NOT NULL, tags text[], fee money);
INSERT INTO clinic.patients SELECT md5('patient ' || i)::uuid, CASE WHEN i % 13 = 0 THEN NULL WHEN i % 2 = 0 THEN 'F'::clinic.sex ELSE 'M'::clinic.sex END, 'c' || i % 7, chr((65 + i % 4)::integer) || 'b', CASE WHEN i % 29 = 0 THEN 'NaN' ELSE (40 + (i * 17) % 600 / 10.0)::text END::numeric, (i * 37) % 900 / 4.0, TIMESTAMPTZ '2024-01-31 23:30:00+01' + (i * 5) % 60 * INTERVAL '1 day', 150 + (i * 11) % 50, i % 3 = 0, ARRAY['a', 'b'], i::integer::money FROM generate_series(1, 300) AS g(i);

CREATE TABLE clinic.stays (stay_id bigint NOT NULL, patient_id uuid, since timestamp NOT NULL, nights smallint NOT NULL, price numeric NOT NULL, ward text NOT NULL);
INSERT INTO clinic.stays SELECT i % 900, CASE WHEN i % 83 = 0 THEN NULL WHEN i % 79 = 0 THEN md5('nobody ' || i)::uuid WHEN i % 9 = 0 THEN md5('patient 7')::uuid ELSE md5('patient ' || 1 + (i * 31) % 300)::uuid END, TIMESTAMP '2023-12-30 22:00:00' + (i * 7) % 400 * INTERVAL '1 hour', i % 15, (i * 53) % 40000 / 8.0, CASE WHEN i % 3 = 0 THEN 'North' WHEN i % 3 = 1 THEN 'south' ELSE 'é' END FROM generate_series(1, 1200) AS g(i);

CREATE TYPE clinic.kind AS ENUM ('surgery', 'care');
CREATE TABLE clinic."Wards" ("Ward" varchar(10) PRIMARY KEY, kind clinic.kind NOT NULL, beds smallint NOT NULL);
INSERT INTO clinic."Wards" VALUES ('North', 'surgery', 10), ('south', 'care', 20), ('empty', 'care', 5);
