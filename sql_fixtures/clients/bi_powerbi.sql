-- Power BI: a bar chart by DirectQuery
select "rows"."sex" as "sex",
    sum("rows"."income") as "a0"
from
(
    select "_"."sex",
        "_"."income"
    from "public"."people" "_"
) "rows"
group by "sex"
limit 1000001;
-- answered

-- Power BI: the same, as its table alias is written
select "$Table"."sex" as "c1", count(*) as "a0" from "public"."people" "$Table" group by "$Table"."sex" limit 1000001;
-- answered

-- Power BI: filters between two levels
select "_"."sex",
    "_"."a0"
from
(
    select "rows"."sex" as "sex",
        count(1) as "a0"
    from
    (
        select "_"."person_id", "_"."sex"
        from
        (
            select "person_id", "age", "sex", "city"
            from "public"."people" "$Table"
        ) "_"
        where "_"."age" >= 30 and "_"."city" is not null
    ) "rows"
    group by "sex"
) "_"
where not "_"."a0" is null
limit 1000001;
-- answered

-- Power BI: a decimal cast
select "_"."sex", sum(cast("_"."income" as decimal)) as "a0"
from "public"."people" "_" group by "_"."sex" limit 1000001;
-- answered

-- Power BI: a join of two tables
select "semijoin1"."c13" as "c13", "a0"
from
(
    select "basetable1"."c13", sum("basetable0"."cost") as "a0"
    from
    (
        select "person_id" as "c7", "cost" from "public"."visits"
    ) "basetable0"
    left outer join
    (
        select "person_id" as "c11", "sex" as "c13" from "public"."people"
    ) "basetable1" on "basetable0"."c7" = "basetable1"."c11"
    group by "basetable1"."c13"
) "semijoin1"
limit 1000001;
-- answered

-- Power BI: the equality of keys that may be null
select "$Outer"."dept", "$Inner"."building", count(*) as "a0"
from "public"."visits" "$Outer"
left outer join "public"."departments" "$Inner"
on ("$Outer"."dept" = "$Inner"."dept" or "$Outer"."dept" is null and "$Inner"."dept" is null)
group by "$Outer"."dept", "$Inner"."building"
limit 1000001;
-- answered, all public keys

-- Power BI: the rows of one kind
select count(*) as "a0" from "public"."people" "_" where ("_"."sex" = 'F' and "_"."sex" is not null) and ("_"."city" in ('Delft', 'Leiden'));
-- answered

-- Power BI: a text filter
select count(*) as "a0" from "public"."people" "_" where strpos(lower("_"."city"), 'el') > 0;
-- answered

-- Power BI: the year of a date
select "rows"."c0", count(*) as "a0" from (select extract(year from "_"."day") as "c0" from "public"."visits" "_") "rows" group by "rows"."c0" order by "rows"."c0" limit 1000001;
-- answered, all public keys

-- Power BI: the values of a slicer
select "sex" from (select "sex" from "public"."people" "_" group by "sex") "_" order by "sex" limit 501;
-- answered

-- Power BI: count of distinct values, with its null
select count(distinct("rows"."person_id")) + max(case when "rows"."person_id" is null then 1 else 0 end) as "a0"
from (select "_"."person_id" from "public"."visits" "_") "rows";
-- answered

-- Power BI: the top rows in the query editor
select "$Table"."person_id" as "person_id", "$Table"."age" as "age" from "public"."people" "$Table" limit 4096;
-- refused DP002

-- Power BI: the ends of a slicer
select min("rows"."age") as "a0", max("rows"."age") as "a1" from (select "_"."age" from "public"."people" "_") "rows";
-- answered

-- Power BI: the columns of a statement
select * from (select sex, count(*) as n from people group by sex) "_" limit 0;
-- answered
