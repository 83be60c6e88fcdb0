"""Patterns. What analysts may write, a row each."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.expressions.function import CopyingNode, Function, Own, PlainNode
from dpproxy.rewrite.expressions.patterns import like, matches, substring_by_pattern

FUNCTIONS = (
    Function(
        kind=exp.Like,
        names=("LIKE",),
        signatures=("text, text → boolean",),
        rule=like.like,
        arguments="this expression negate",
        makes={exp.Like: PlainNode()},
        examples=("city LIKE 'D%'", "city LIKE sex || '%'"),
        note="NULL where a pattern that is no constant has a backslash or more than 100 letters",
    ),
    Function(
        kind=exp.ILike,
        names=("ILIKE",),
        signatures=("text, text → boolean",),
        rule=like.like,
        arguments="this expression negate",
        makes={exp.ILike: CopyingNode(("this",))},
        examples=("city ILIKE 'd%'", "city ILIKE '%' || sex"),
        note="NULL where a pattern that is no constant has a backslash or more than 100 letters",
    ),
    Function(
        kind=exp.Escape,
        names=("ESCAPE",),
        signatures=("text → boolean",),
        rule=like.escaped,
        arguments="this expression",
        makes={exp.Escape: PlainNode()},
        examples=("city LIKE 'D!%' ESCAPE '!'",),
    ),
    Function(
        kind=exp.SimilarTo,
        names=("SIMILAR TO",),
        signatures=("text, text → boolean",),
        rule=matches.similar_to,
        arguments="this expression",
        examples=("city SIMILAR TO 'D(e|o)%'",),
        note="constant patterns",
    ),
    Function(
        kind=exp.RegexpLike,
        names=("~", "regexp_like"),
        signatures=("text, text → boolean",),
        rule=matches.matches,
        arguments="this expression flag",
        makes={exp.RegexpLike: Own()},
        examples=("city ~ '^D'",),
        note="constant patterns without back references",
    ),
    Function(
        kind=exp.RegexpILike,
        names=("~*",),
        signatures=("text, text → boolean",),
        rule=matches.matches,
        arguments="this expression",
        examples=("city ~* '^d'",),
        note="constant patterns without back references",
    ),
    Function(
        kind=exp.RegexpReplace,
        names=("regexp_replace",),
        signatures=("text, text, text → text", "text, text, text, text → text"),
        rule=matches.replacement,
        arguments="this expression replacement modifiers position single_replace",
        makes={exp.RegexpReplace: CopyingNode(("this",))},
        examples=("regexp_replace(city, '[aeiou]', '-')",),
        note="constant patterns without back references",
    ),
    Function(
        kind=exp.Substring,
        names=("substring", "substr"),
        signatures=("text, integer → text", "text, integer, integer → text", "text, text → text"),
        rule=substring_by_pattern.part,
        arguments="this start length",
        makes={exp.Substring: PlainNode()},
        examples=("substring(city, 1, 3)", "substring(city from '^(.*)-')"),
        note="constant patterns without back references, of which Postgres and others take the same part",
    ),
)
