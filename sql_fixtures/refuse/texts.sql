-- a back reference
SELECT count(*) FROM people WHERE city ~ '(.)\1';
-- instead:
SELECT count(*) FROM people WHERE city ~ 'ee|oo|dd';
-- =>
-- 0A000 at 35 ("city ~ '(.)\\"): \1 is not supported in a pattern over private tables
-- HINT: Patterns may hold letters, ., [sets], \d \w \s, ^ $, ( ), | and repetitions; or use LIKE with % and _, starts_with, split_part.

-- looking ahead
SELECT count(*) FROM people WHERE city ~ '^(?!D).*n$';
-- instead:
SELECT count(*) FROM people WHERE city !~ '^D' AND city ~ 'n$';
-- =>
-- 0A000 at 35 ("city ~ '^(?!"): (?! is not supported in a pattern over private tables
-- HINT: Write two conditions: x ~ 'a' AND x !~ 'b', or LIKE.

-- whole words
SELECT count(*) FROM people WHERE city ~ '\mDen\M';
-- instead:
SELECT count(*) FROM people WHERE city ~ '(^|\W)Den(\W|$)';
-- =>
-- 0A000 at 35 ("city ~ '\\mDe"): \m is not supported in a pattern over private tables
-- HINT: Write '(^|\W)word(\W|$)' for whole words.

-- a pattern of the row's
SELECT count(*) FROM people WHERE city ~ sex;
-- instead:
SELECT count(*) FROM people WHERE strpos(city, sex) > 0;
-- =>
-- 0A000 at 35 ('city ~ sex'): the pattern must be a constant of at most 1000 letters
-- HINT: Write it as a text or a parameter; strpos(x, y) > 0 and starts_with(x, y) take columns.

-- an escape in a pattern of LIKE that is the row's
SELECT count(*) FROM people WHERE city LIKE sex || '\_%';
-- instead:
SELECT count(*) FROM people WHERE starts_with(city, sex || '_');
-- =>
-- 0A000 at 35 ('city LIKE se'): an escape in a pattern that is no constant is not supported over private tables
-- HINT: Look for the letters themselves: strpos(x, y) > 0, starts_with(x, y), or a constant pattern.

-- a match that engines end differently
SELECT regexp_replace(city, '.*?-', '') AS c, count(*) FROM people GROUP BY 1;
-- instead:
SELECT regexp_replace(city, '[^-]*-', '') AS c, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('regexp_repla'): engines do not agree on which part of a text this pattern would replace
-- HINT: Write '[^-]*-' instead of '.*?-', 'a+' instead of 'a*', 'abc|ab' instead of 'ab|abc'; or use replace(x, 'a', 'b').

-- a search that reads on behind each match
SELECT regexp_replace(city, 'a([^-]*-)?', '', 'g') AS c, count(*) FROM people GROUP BY 1;
-- instead:
SELECT regexp_replace(city, 'a[^-]*-', '', 'g') AS c, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('regexp_repla'): replacing every match of this pattern could take very long
-- HINT: Let a match end where it can: 'a[^-]*-' instead of 'a([^-]*-)?'; or leave the flag g away.

-- every empty match
SELECT regexp_replace(city, '[0-9]*', '', 'g') AS c, count(*) FROM people GROUP BY 1;
-- instead:
SELECT regexp_replace(city, '[0-9]+', '', 'g') AS c, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('regexp_repla'): replacing every empty match is not supported over private tables
-- HINT: Write '[^-]*-' instead of '.*?-', 'a+' instead of 'a*', 'abc|ab' instead of 'ab|abc'; or use replace(x, 'a', 'b').

-- substring with a pattern of which engines would take different parts
SELECT substring(city from 'D(e|elf).') AS c, count(*) FROM people GROUP BY 1;
-- instead:
SELECT substring(city from 'D(elf|ent)') AS c, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 18 ("city from 'D"): engines do not agree on which part of a text this pattern would replace
-- HINT: Write '[^-]*-' instead of '.*?-', 'a+' instead of 'a*', 'abc|ab' instead of 'ab|abc'; or use replace(x, 'a', 'b').

-- substring with a pattern that matches nothing everywhere
SELECT substring(city from '[0-9]*') AS c, count(*) FROM people GROUP BY 1;
-- instead:
SELECT substring(city from '[0-9]+') AS c, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 18 ("city from '["): the part of a pattern that may match nothing is not supported
-- HINT: Let it match a letter at least: '[0-9]+' instead of '[0-9]*'; or write what it begins with, as '^a*'.

-- substring with a pattern of SQL's own
SELECT substring(city from '%#"D%#"' for '#') AS c, count(*) FROM people GROUP BY 1;
-- instead:
SELECT substring(city from 'D.*') AS c, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 18 ("city from '%"): substring() with FOR behind a pattern is not supported over private tables
-- HINT: Write a regular expression, which needs no FOR: substring(x from '@(.*)$').

-- text that grows without end
SELECT repeat(city, 1000000) AS c, count(*) FROM people GROUP BY 1;
-- instead:
SELECT repeat(city, 3) AS c, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('repeat(city,'): repeat() would make the text too long
-- HINT: Put in something that is not longer, or make the text at most 20 times as long, once.

-- a padding without end
SELECT lpad(city, 1000000) AS c, count(*) FROM people GROUP BY 1;
-- instead:
SELECT lpad(city, 20) AS c, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('lpad(city, 1'): the padded text would be too long
-- HINT: Pad to 1000 letters at most.

-- an array of the row's
SELECT count(*) FROM people WHERE 'D' < ANY (string_to_array(city, 'e'));
-- instead:
SELECT count(*) FROM people WHERE split_part(city, 'e', 1) = 'D';
-- =>
-- 0A000 at 46 ('string_to_ar'): string_to_array() is not supported in a statement over private tables
-- HINT: Its parts are rows behind its table: FROM t, unnest(string_to_array(t.x, ',')) AS part; or use split_part(x, ',', 1), LIKE or ~.

-- floating point as text
SELECT income::text AS i, count(*) FROM people GROUP BY 1;
-- instead:
SELECT income::numeric(12,2)::text AS i, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('income::text'): a cast from double precision to text is not supported over private tables
-- HINT: Casts between numbers, date and timestamp, of text to numbers, boolean and dates, of most types to text are supported.

-- buckets of the row's
SELECT width_bucket(income, 0, age, 5) AS b, count(*) FROM people GROUP BY 1;
-- instead:
SELECT width_bucket(income, 0, 120, 5) AS b, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('width_bucket'): the buckets must be constant
-- HINT: Write width_bucket(x, 0, 100, 10): two ends that differ, and 1 to 1000 buckets, all of them constants.

-- bits
SELECT count(*) FROM people WHERE age & 1 = 1;
-- instead:
SELECT count(*) FROM people WHERE age % 2 = 1;
-- =>
-- 0A000 at 35 ('age & 1 = 1'): BITWISE AND is not supported in a statement over private tables
-- HINT: Use arithmetic: x % 2 is the last bit, x / 4 % 2 the third.

-- absolute value by its operator
SELECT sum(@ age) FROM people;
-- instead:
SELECT sum(abs(age)) FROM people;
-- =>
-- 0A000: the operator @ is not supported over private tables
-- HINT: Write abs(x).

-- text as a uuid
SELECT count(*) FROM people WHERE city::uuid IS NULL;
-- instead:
SELECT count(*) FROM people WHERE city IS NULL;
-- =>
-- 0A000 at 35 ('city::uuid I'): a cast from text to uuid is not supported over private tables
-- HINT: Casts between numbers, date and timestamp, of text to numbers, boolean and dates, of most types to text are supported.

-- rows of the parts of a value
SELECT unnest(regexp_split_to_array(city, ' ')), count(*) FROM people GROUP BY 1;
-- instead:
SELECT count(*) FILTER (WHERE city LIKE '%New%') FROM people;
-- =>
-- 0A000 at 8 ('unnest(regex'): unnest() is not supported in a statement over private tables
-- HINT: No rows are made of the parts of one value: ask for those you know, COUNT(*) FILTER (WHERE x LIKE '%a%').

-- a part by a number of rows that may be 0
SELECT split_part(p.city, 'e', n - 1), count(*) FROM people p, generate_series(1, 3) AS g(n) GROUP BY 1;
-- instead:
SELECT split_part(p.city, 'e', n), count(*) FROM people p, generate_series(1, 3) AS g(n) GROUP BY 1;
-- =>
-- 0A000 at 8 ('split_part(p'): split_part() needs constant numbers here
-- HINT: Write the number as a constant or parameter.

-- a text as often as a row says, of numbers that are known
SELECT repeat(p.sex, n), count(*) FROM people p, generate_series(1, 3) AS g(n) GROUP BY 1;
-- instead:
SELECT repeat(p.sex, 3), count(*) FROM people p GROUP BY 1;
-- =>
-- 0A000 at 8 ('repeat(p.sex'): repeat() needs constant numbers here
-- HINT: Write the number as a constant or parameter.

-- parts of a text by a pattern
SELECT w, count(*) FROM people p, regexp_split_to_table(p.city, '[ ,]+') AS w GROUP BY 1;
-- instead:
SELECT w, count(*) FROM people p, regexp_split_to_table(replace(p.city, ',', ' '), ' ') AS w GROUP BY 1;
-- =>
-- 0A000 at 35 ('regexp_split'): function regexp_split_to_table() is not supported in a statement over private tables
-- HINT: Keep the private answer in a table of your own and apply the function there.
