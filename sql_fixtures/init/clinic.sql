-- A clinic as people have it: what `dpproxy init` makes of it is in clinic.toml.
CREATE TYPE sex AS ENUM ('female', 'male', 'other');
CREATE TYPE triage AS ENUM ('red', 'yellow', 'green');
CREATE DOMAIN celsius AS numeric(4,1) CHECK (VALUE BETWEEN 25 AND 45);
CREATE DOMAIN fever AS celsius NOT NULL CHECK (VALUE > 37.5);
CREATE DOMAIN urgency AS triage;
CREATE SCHEMA billing;
CREATE SCHEMA "Research Lab";

CREATE TABLE wards (ward_id integer PRIMARY KEY, name text NOT NULL, floor smallint NOT NULL);
CREATE TABLE icd10 (code text PRIMARY KEY, title text NOT NULL, chapter text NOT NULL);
CREATE TABLE holidays (day date PRIMARY KEY, title text);

CREATE TABLE employees (
  employee_id integer PRIMARY KEY,
  full_name text NOT NULL,
  manager_id integer REFERENCES employees,
  ward_id integer REFERENCES wards
);

CREATE TABLE patients (
  patient_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_name text NOT NULL,
  last_name text NOT NULL,
  ssn varchar(11) UNIQUE,
  email text,
  born date NOT NULL CHECK (born >= '1900-01-01' AND born <= '2029-12-31'),
  sex sex NOT NULL,
  smoker boolean,
  height_cm integer CHECK (height_cm > 20 AND height_cm < 260),
  weight double precision CHECK (weight > 0),
  blood_group text CHECK (blood_group IN ('0', 'A', 'B', 'AB')),
  insurance varchar(8) NOT NULL CHECK (insurance IN ('public', 'private')),
  language character varying(2),
  guardian_id bigint REFERENCES patients,
  tags text[],
  profile jsonb,
  registered timestamp with time zone NOT NULL DEFAULT now(),
  CHECK (born < '2030-01-01' OR guardian_id IS NULL)
);
COMMENT ON TABLE patients IS 'everybody who was ever here, "walk-ins" too';
COMMENT ON COLUMN patients.born IS 'day of birth';
COMMENT ON COLUMN patients.weight IS E'in kg\nwithout shoes';

CREATE TABLE admissions (
  admission_id uuid PRIMARY KEY,
  patient_id bigint NOT NULL REFERENCES patients,
  referred_by bigint REFERENCES patients,
  ward_id integer REFERENCES wards,
  doctor_id integer NOT NULL REFERENCES employees,
  admitted timestamp NOT NULL,
  discharged timestamp,
  urgency urgency NOT NULL,
  temperature celsius,
  highest fever,
  cost numeric(10,2) NOT NULL CHECK (cost >= 0),
  note text
) ;
CREATE TABLE diagnoses (
  admission_id uuid NOT NULL REFERENCES admissions,
  place smallint NOT NULL CHECK (place BETWEEN 1 AND 20),
  code text NOT NULL REFERENCES icd10,
  certainty real CHECK (certainty >= 0::real AND certainty <= 1::real),
  PRIMARY KEY (admission_id, place)
);
CREATE TABLE treatments (
  treatment_id bigint PRIMARY KEY,
  admission_id uuid NOT NULL,
  place smallint NOT NULL,
  minutes integer NOT NULL CHECK (minutes % 5 = 0),
  price money,
  FOREIGN KEY (admission_id, place) REFERENCES diagnoses
);
CREATE TABLE beds (bed_id integer PRIMARY KEY, ward_id integer NOT NULL REFERENCES wards, occupant bigint UNIQUE REFERENCES patients);
-- A circle, and two ways to a patient.
CREATE TABLE billing.invoices (
  invoice_id bigint PRIMARY KEY,
  patient_id bigint REFERENCES patients,
  admission_id uuid NOT NULL REFERENCES admissions,
  latest_payment bigint,
  total numeric NOT NULL
);
CREATE TABLE billing.payments (
  payment_id bigint PRIMARY KEY,
  invoice_id bigint NOT NULL REFERENCES billing.invoices,
  method text NOT NULL CHECK (method = ANY (ARRAY['cash', 'card'])),
  paid date NOT NULL
);
ALTER TABLE billing.invoices ADD FOREIGN KEY (latest_payment) REFERENCES billing.payments;
CREATE TABLE measurements (
  patient_id bigint NOT NULL REFERENCES patients,
  taken timestamp NOT NULL,
  "Heart Rate" integer CHECK ("Heart Rate" BETWEEN 0 AND 300),
  PRIMARY KEY (patient_id, taken)
) PARTITION BY RANGE (taken);
CREATE TABLE measurements_2026 PARTITION OF measurements FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE alarms (
  alarm_id bigint PRIMARY KEY,
  patient_id bigint NOT NULL,
  taken timestamp NOT NULL,
  FOREIGN KEY (patient_id, taken) REFERENCES measurements
);
CREATE TABLE "Research Lab"."Samples" (
  "Sample Id" integer PRIMARY KEY,
  "patientId" bigint NOT NULL REFERENCES patients,
  "Kind" varchar CHECK ("Kind" IN ('blood', 'urine')),
  "a ""b"" ${c}" integer
);
CREATE TABLE "Research Lab".consents (patient_id integer NOT NULL REFERENCES patients, given boolean NOT NULL);
CREATE TABLE "Research Lab"."v1.runs" (id integer PRIMARY KEY);
CREATE TABLE devices (device_id integer PRIMARY KEY);
CREATE TABLE scanners (resolution integer) INHERITS (devices);
CREATE VIEW adults AS SELECT patient_id FROM patients WHERE born < '2008-01-01';
CREATE MATERIALIZED VIEW per_ward AS SELECT ward_id, count(*) FROM admissions GROUP BY 1;
