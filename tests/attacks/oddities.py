"""Texts that lexers and parsers read differently, around private tables; and a source of chance for more of them."""

from __future__ import annotations

import unicodedata
from random import Random

from mutations import tokens

LONG = "a" * 63
KELVIN, LONG_S, DOTTED = "\u212a", "\u017f", "\u0130"
_KEYWORDS = """
    anti semi asof positional global final sample pivot unpivot apply top format settings prewhere minus connect cluster
    use version timestamp at before changes rows qualify match_recognize straight_join sort distribute rlike glob xor
    mod div sounds overlaps regexp describe summarize exclude replace columns lambda struct map list date text row
    values interval year first key offset_ lateral_ current_ limit_ unnest explode stream watermark
"""
# A name wherever an alias may stand: keywords of other dialects, which the parser knows and Postgres does not.
ALIASES = (
    *(f"SELECT count(*) FROM visits {word}" for word in _KEYWORDS.split()),
    *(f"SELECT count(*) {word} FROM visits" for word in _KEYWORDS.split()),
    *(f"SELECT sum(t.{word}) FROM (SELECT age AS {word} FROM people) t" for word in _KEYWORDS.split()),
    *(f"SELECT count(*) FROM visits {word} JOIN people USING (person_id)" for word in _KEYWORDS.split()),
    *(f'SELECT sum({word}) FROM (SELECT age AS "{word}" FROM people) t' for word in _KEYWORDS.split()),
)
# Names that are one to some and two to others: by case, by length, by blanks, by what looks like a keyword in capitals.
NAMES = (
    f"SELECT sum({KELVIN}) FROM (SELECT age AS {KELVIN}, 0 AS k FROM people) t",
    f"SELECT sum(k) FROM (SELECT age AS {KELVIN}, 0 AS k FROM people) t",
    f"SELECT sum({DOTTED}) FROM (SELECT age AS {DOTTED}, 0 AS i FROM people) t",
    "SELECT sum(É) FROM (SELECT age AS É, 0 AS é FROM people) t",
    "SELECT sum(É) FROM (SELECT 0 AS é, age AS É FROM people) t",
    'SELECT sum("É") FROM (SELECT age AS É FROM people) t',
    'SELECT sum("é") FROM (SELECT age AS É FROM people) t',
    'SELECT sum("A" - a) + 400 FROM (SELECT age AS "A", age AS a FROM people) t',
    "SELECT count(*) FROM (SELECT age AS É, person_id FROM people) a WHERE EXISTS "
    "(SELECT 1 FROM (SELECT person_id AS p, 30 AS é FROM visits) v WHERE v.p = a.person_id AND É = 30)",
    f"SELECT count(*) FROM (SELECT age AS {LONG}y, person_id FROM people) a WHERE EXISTS "
    f"(SELECT 1 FROM (SELECT person_id AS p, 30 AS {LONG}x FROM visits) v WHERE v.p = a.person_id AND {LONG}y = 30)",
    f"SELECT sum({LONG}y) FROM (SELECT age AS {LONG}x FROM people) a",
    f'SELECT sum("{LONG}é") FROM (SELECT age AS "{LONG}" FROM people) a',
    f'SELECT sum("{LONG[1:]}é") FROM (SELECT age AS "{LONG[1:]}" FROM people) a',
    f'SELECT sum("{"é" * 40}") FROM (SELECT age AS "{"é" * 31}" FROM people) a',
    f"SELECT count(*) AS {LONG}xyz FROM people",
    f"WITH {LONG}1 AS (SELECT age FROM people) SELECT sum(age) FROM {LONG}2",
    f"SELECT {LONG}x.n FROM (SELECT count(*) AS n FROM people) {LONG}y",
    "SELECT count(*) FROM visits croß JOIN departments ON true",
    f"SELECT count(*) FROM visits cro{LONG_S * 2} JOIN departments ON true",
    f"SELECT count(*) FROM visits anti{LONG_S} JOIN people USING (person_id)",
    "SELECT count(*) FROM visits ıntersect",
    'SELECT sum(U&"ag\\0065") FROM people',
    "SELECT sum(age) FROM U&\"peopl!0065\" UESCAPE '!'",
    'SELECT sum("a.b") FROM (SELECT age AS "a.b", 1 AS b FROM people) a',
    'SELECT sum("$1") FROM (SELECT age AS "$1" FROM people) t',
    'SELECT sum("a""b") FROM (SELECT age AS "a""b", 0 AS "a\\""" FROM people) t',
    'SELECT count(*) AS "a\\b", count(*) AS "a\'b", count(*) AS ";--" FROM people',
    'SELECT "sum"("age") FROM "people"',
    'SELECT pg_catalog."sum"(age) FROM public."people"',
    "SELECT sum(rowid) FROM (SELECT age AS rowid FROM people) t",
    "SELECT sum(ctid) FROM (SELECT age AS ctid FROM people) t",
    "SELECT count(*) FROM people p JOIN (SELECT person_id AS rowid FROM visits) v ON v.rowid = p.person_id",
    "SELECT sum(p) FROM (SELECT age AS p FROM people) p",
    "SELECT count(p) FROM (SELECT age FROM people) p",
    "SELECT sum((p).age) FROM people p",
    "SELECT sum(age(p)) FROM people p",
    "SELECT sum(public.people.age) FROM public.people",
    "SELECT sum(y) FROM (SELECT age x, 1 y FROM people) AS t(y, x)",
    "SELECT sum(x) FROM (SELECT age, person_id FROM people) AS t(x)",
    "SELECT count(*) FROM (TABLE people) t",
    "SELECT sum(l.a) FROM people p, LATERAL (SELECT p.age AS a) l",
    "SELECT sum(g) FROM people p, generate_series(1, p.age) g",
    "SELECT count(*) FROM people p, unnest(ARRAY[p.age]) u",
)
NUMBERS = (
    *(f"SELECT count(*) FROM people WHERE age > {n}" for n in ("3e1", "3.e1", ".3e2", "30.", "0030", "+30", "-+-30")),
    *(
        f"SELECT count(*) FROM people WHERE age > {n}"
        for n in ("3_0", "0x1e", "0b11110", "0o36", "3_0.0_0", "x'1e'::int")
    ),
    *(f"SELECT count(*), {n} FROM people" for n in ("1_000", "0x1f", "1e3", "1e400", "1_0.5", "0o17", "1.5e-3", "- 1")),
    *(f"SELECT count(*) FROM people WHERE age > {n}" for n in ("'30'", "' 30 '", "'0x1e'", "'3_0'", "int4 '30'")),
    *(f"SELECT sum({x}) FROM people" for x in ("2^3^2", "-2^2", "100 / 7 / 2 * age", "100 / 7 % 4 * age", "-age % 7")),
    *(
        f"SELECT sum({x}) FROM people"
        for x in ("100 - age - 7", "3 * 100 % 7 + age", "-'3'::int", "-1::int2", "- age / 7")
    ),
)
OPERATORS = tuple(
    f"SELECT count(*) FROM people WHERE {condition}"
    for condition in (
        "NOT age = 30 AND smoker",
        "NOT smoker IS NULL",
        "NOT smoker IN (true)",
        "NOT smoker = smoker",
        "age > 30 IS TRUE",
        "age IS NULL = smoker",
        "age BETWEEN 20 AND 30 = smoker",
        "age NOT BETWEEN SYMMETRIC 30 AND 20",
        "age IN (30) = smoker",
        "smoker = age IN (30)",
        "city LIKE 'G' || '%'",
        "city LIKE 'G%' = smoker",
        "smoker = city LIKE 'G%'",
        "city ISNULL = smoker",
        "age < 30 OR smoker AND age > 40",
        "age IS DISTINCT FROM 30 AND smoker",
        "(age, smoker) = (30, true)",
        "(age, person_id) > (30, 10)",
        "(age, person_id) IN ((30, 10), (25, 1))",
        "age OPERATOR(pg_catalog.>) 30",
        "age>-30 --30\n+60",
        "age*-1<-30",
        "city ~~ 'G%'",
        "city !~~ 'G%'",
        "city ~~* 'g%'",
        "city !~* '^g'",
        "city ~<~ 'H'",
        "city ^@ 'G'",
        "(ARRAY[10, 30, 50])[2] < age",
        "('{10,30}'::int[])[1] < age",
        "age = ANY('{30,31}')",
        "city LIKE 'G\\ouda'",
        "city LIKE 'G!ouda' ESCAPE '!'",
        "city LIKE 'G\\ouda' ESCAPE ''",
        "city SIMILAR TO '(G|D)%'",
        "city = ANY(ARRAY['Gouda', NULL])",
        "city NOT IN ('Gouda', NULL)",
        "joined > date '2023-01-01' + interval '1' month * 3",
        "joined > date '2023-01-01' + interval '1-2' year to month",
        "joined > date'2024-01-01'",
    )
)
# One constant each, of which a row is told by its value: city = …, for 'Gouda'.
STRINGS = tuple(
    f"SELECT count(*) FROM people WHERE city {constant}"
    for constant in (
        "= 'Gou'\n'da'",
        "= 'Gou' -- x\n'da'",
        "= 'Gou'\r'da'",
        "= E'G\\x6fuda'",
        "= e'G\\157uda'",
        "= E'Gou'\n'd\\x61'",
        "= U&'G\\006fuda'",
        "= U&'G!006fuda' UESCAPE '!'",
        "= $$Gouda$$",
        "= $a$Gouda$a$",
        "<> $a$Gouda$A$a$",
        "<> 'Gou\\'",
        "<> 'Gou\\''da'",
        "<> 'Gou\\nda'",
        "<> ''''",
        "<> '\"'",
        "<> '$1' AND city <> '$$' AND city <> '%s' AND city <> '{}' AND city <> ':x' AND city <> '?'",
        "<> '--' AND city <> '/*' AND city <> ';'",
        "<> '\u2028\U0001f600\u0301\u0001'",
        "= N'Gouda'",
        "= text 'Gouda'",
        "= 'Gouda'::varchar(3)",
        "= 'Gouda   '::char(9)",
        "= 'Gouda'::name",
        "|| '\\' = 'Gouda\\'",
        "|| '''' = 'Gouda'''",
        "|| E'\\n' = 'Gouda\n'",
        "|| '\u00e9\U0001f600' = 'Gouda\u00e9\U0001f600'",
        "COLLATE \"C\" = 'Gouda'",
        f"ILIKE '{KELVIN}%'",
        "ILIKE 'GOUDA'",
    )
)
BLANKS = (
    *(f"SELECT count(*){blank}FROM{blank}visits" for blank in "\t\n\r\f\v"),
    *(f"SELECT count(*) -- x{blank} FROM people\n FROM visits" for blank in "\r\v\f\x1c\x85\u2028"),
    "SELECT count(*) /* a /* b */ FROM people */ FROM visits",
    "SELECT /*+ hint */ count(*) FROM visits",
    "SELECT count(*) /*! FROM people */ FROM visits",
    "SELECT count(*)FROM/**/visits",
    *(
        f"SELECT sum(a{blank}) FROM (SELECT age AS a, 0 AS a{blank} FROM people) t"
        for blank in "\xa0\u2003\u2028\u3000\ufeff\u200b\x85"
    ),
    *(f"SELECT count(*) AS a{blank} FROM people" for blank in "\xa0\u2003\u2028\u3000\ufeff\u200b\x85"),
    "WITH v\xa0 AS (SELECT 1 AS age), v AS (SELECT age FROM people) SELECT sum(v.age) FROM v",
    "WITH visits\xa0 AS (SELECT 1 AS n) SELECT count(*) FROM visits\xa0, visits",
)
CLAUSES = (
    "SELECT age / 40 AS sex, count(*) FROM people GROUP BY sex",
    "SELECT age / 40 AS age, count(*) FROM people GROUP BY age",
    "SELECT age / 40 AS age, count(*) FROM people GROUP BY people.age / 40",
    "SELECT sex, count(*) FROM people GROUP BY (1)",
    "SELECT sex, count(*) FROM people GROUP BY 1 + 0, sex",
    "SELECT sex, count(*) FROM people GROUP BY 1 ORDER BY 1 USING >",
    "SELECT sex, count(*) FROM people GROUP BY DISTINCT sex",
    "SELECT sex, count(*) FROM people GROUP BY 1 ORDER BY 1 OFFSET 1 ROWS FETCH NEXT 1 ROWS WITH TIES",
    "SELECT count(*) FROM people UNION ALL SELECT 1 INTERSECT SELECT 1",
    "(SELECT count(*) FROM people UNION ALL SELECT 1) EXCEPT SELECT 1",
    "SELECT count(*) FROM people EXCEPT SELECT 1 EXCEPT ALL SELECT 2",
    "SELECT count(*) FROM people, departments JOIN visits USING (dept) WHERE visits.person_id = people.person_id",
    "SELECT count(DISTINCT (age)) FROM people",
    "SELECT count(ALL age) FROM people",
    "SELECT ALL count(*) FROM people LIMIT ALL",
    "SELECT CASE sex WHEN 'F' THEN 'x' END, count(*) FROM people GROUP BY 1",
    "SELECT count(*) FROM people WHERE EXISTS (SELECT FROM visits WHERE visits.person_id = people.person_id)",
    "SELECT EXISTS (SELECT count(*) FROM people)",
    "SELECT sum(age) FROM people *",
)
FIXED = (*NAMES, *NUMBERS, *OPERATORS, *STRINGS, *BLANKS, *CLAUSES, *ALIASES)

_SPACES = [
    chr(c) for c in range(0x3100) if chr(c).isspace() or unicodedata.category(chr(c)) in ("Cf", "Zs", "Zl", "Zp")
]
_BETWEEN = [*"\t\n\r\f\v ", "", "/**/", "/* ' */", "--\n", "-- FROM people\r", "/* /* */ */", "/*\n*/", *_SPACES]


def odd(random: Random) -> str:
    """One of the fixed texts with its lexical form changed here and there: most mean what they meant, or nothing."""
    words = tokens(random.choice(FIXED if random.random() < 0.4 else _PLAIN))
    for at, word in enumerate(words):
        if random.random() < 0.07:
            words[at] = _changed(word, random)
    return "".join(words)


_PLAIN = (*OPERATORS, *CLAUSES, "SELECT dept, sum(cost) FROM visits WHERE cost > 100 AND dept <> 'neuro' GROUP BY dept")


def _changed(word: str, random: Random) -> str:
    if word.isspace():
        return random.choice(_BETWEEN)
    if word[0] == "'" and len(word) > 2:
        return _string(word[1:-1].replace("''", "'"), random)
    if word.isdigit():
        n = int(word)
        forms = (
            f"{n}.0",
            f"{n}e0",
            f"{n:#x}",
            f"0{n}",
            f"'{n}'",
            f"{n}::int4",
            f"(+{n})",
            f"- -{n}",
            f"{n:_}",
            f"{n}.",
        )
        return random.choice((*forms, f"{n}_0", f"CAST('{n}' AS integer)", f"{n}e", f".{n}e{len(word)}"))
    if word.isidentifier():
        forms = (word.upper(), word.title(), f'"{word}"', f'U&"{word}"', f'"{word.upper()}"', f"{word}\u200b")
        return random.choice((*forms, word.replace("s", LONG_S), word.replace("k", KELVIN), f"{word}$", f"/**/{word}"))
    return (
        f" {word} "
        if random.random() < 0.5
        else random.choice((f"{word}{word}", f"/**/{word}", f"{word}-", f"@{word}"))
    )


def _string(text: str, random: Random) -> str:
    quoted = text.replace("'", "''")
    half = len(text) // 2
    forms = (
        "E'" + quoted.replace("\\", "\\\\") + "'",
        f"E'{quoted}'",
        f"U&'{quoted}'",
        "'" + quoted[:half] + "'\n'" + quoted[half:] + "'",
        "'" + quoted[:half] + "' '" + quoted[half:] + "'",
        f"$$ {text}$$",
        f"$x${text}$x$",
        f"'{quoted}\\'",
        f"'{quoted}'::text",
        f"text '{quoted}'",
        f"'{quoted}' COLLATE \"C\"",
        f"N'{quoted}'",
        "E'" + "".join(f"\\x{ord(c):02x}" if ord(c) < 128 else c for c in text) + "'",
    )
    return random.choice(forms)
