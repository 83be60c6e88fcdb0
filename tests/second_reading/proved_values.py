"""The expressions of the tree that the checker proves, as neutral nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from second_reading.proved_names import CALLS, FLAGS, OPERATORS, PATTERNS, TYPES
from second_reading.tree import NULL, Fields, Node, Unread, call, case, chain, denied, made, negative, number, operator

_PATTERN = re.compile(r"%-?.")


@dataclass(frozen=True, slots=True)
class Reader:
    """The dialect of the text, and what reads each class of nodes."""

    dialect: str
    readers: Mapping[type[exp.Expr], Callable[[Fields, Reader], Node]]


Part = Callable[[Fields, Reader], Node]


def read(node: object, reader: Reader) -> Node:
    """The neutral node. Raises Unread for a class, or an argument, that is not known."""
    if not isinstance(node, exp.Expr) or type(node) not in reader.readers:
        raise Unread(f"sqlglot's {type(node).__name__}")
    fields = Fields(type(node).__name__, node.args, FLAGS.get(type(node), ()))
    found = reader.readers[type(node)](fields, reader)
    fields.done()
    return found


def reads(fields: Fields, argument: str, reader: Reader) -> Node:
    """The one node that an argument is."""
    return read(fields.take(argument), reader)


def several(fields: Fields, argument: str, reader: Reader) -> list[Node]:
    """The nodes of an argument that is a list."""
    return [read(each, reader) for each in fields.each(argument)]


def name(node: object) -> str:
    """An identifier, in the letters that the checker sees, whether it is quoted or not."""
    if type(node) is not exp.Identifier:
        raise Unread(f"{type(node).__name__} as a name")
    return str(node.this)


def _column(fields: Fields, reader: Reader) -> Node:
    column, table = name(fields.take("this")), fields.take("table")
    return Node("column", column if table is None else f"{name(table)}.{column}")


def _literal(fields: Fields, reader: Reader) -> Node:
    text, string = str(fields.take("this") or ""), fields.take("is_string")
    return Node("string", text) if string else number(text)


def _boolean(fields: Fields, reader: Reader) -> Node:
    return Node("boolean", "true" if fields.take("this") else "false")


def _null(fields: Fields, reader: Reader) -> Node:
    return NULL


def _same(fields: Fields, reader: Reader) -> Node:
    return reads(fields, "this", reader)


def _star(fields: Fields, reader: Reader) -> Node:
    return Node("star")


def _neg(fields: Fields, reader: Reader) -> Node:
    return negative(reads(fields, "this", reader))


def _not(fields: Fields, reader: Reader) -> Node:
    return denied(reads(fields, "this", reader))


def _chain(word: str) -> Part:
    return lambda fields, reader: chain(word, [reads(fields, part, reader) for part in ("this", "expression")])


def _operator(word: str) -> Part:
    return lambda fields, reader: operator(word, *(reads(fields, part, reader) for part in ("this", "expression")))


def _is(fields: Fields, reader: Reader) -> Node:
    """IS NULL, and IS TRUE, which DuckDB reads as a comparison of what is cast."""
    operand, other = reads(fields, "this", reader), reads(fields, "expression", reader)
    really = bool(fields.take("negate"))
    if other == NULL:
        return denied(operator("is null", operand), really)
    if other.kind != "boolean":
        raise Unread(f"IS {other}")
    if reader.dialect == "duckdb":
        word = "is distinct from" if really else "is not distinct from"
        return operator(word, made("cast", "BOOLEAN", value=operand), other)
    return denied(operator(f"is {other.word}", operand), really)


def _like(word: str) -> Part:
    def part(fields: Fields, reader: Reader) -> Node:
        operands = [reads(fields, each, reader) for each in ("this", "expression")]
        return denied(operator(word, *operands), bool(fields.take("negate")))

    return part


def _escape(fields: Fields, reader: Reader) -> Node:
    like, escape = reads(fields, "this", reader), reads(fields, "expression", reader)
    if like.kind == "operator" and like.word == "not":
        return denied(_escaped(like.parts[0][1], escape))
    return _escaped(like, escape)


def _escaped(like: Node, escape: Node) -> Node:
    if like.kind != "operator" or like.word not in ("like", "ilike"):
        raise Unread(f"ESCAPE after {like}")
    return operator(like.word, *(part for _, part in like.parts), escape)


def _in(fields: Fields, reader: Reader) -> Node:
    return operator("in", reads(fields, "this", reader), *several(fields, "expressions", reader))


def _between(fields: Fields, reader: Reader) -> Node:
    return operator("between", *(reads(fields, part, reader) for part in ("this", "low", "high")))


def _case(fields: Fields, reader: Reader) -> Node:
    operand, default = fields.take("this"), fields.take("default")
    whens = []
    for branch in fields.each("ifs"):
        if type(branch) is not exp.If:
            raise Unread(f"{branch!r} as a branch")
        inner = Fields("If", branch.args)
        whens.append((reads(inner, "this", reader), reads(inner, "true", reader)))
        inner.done()
    return case(
        None if operand is None else read(operand, reader),
        whens,
        None if default is None else read(default, reader),
    )


def _cast(word: str) -> Part:
    def part(fields: Fields, reader: Reader) -> Node:
        type_, modifiers = _type(fields.take("to"), reader)
        return made(word, type_, value=reads(fields, "this", reader), modifier=modifiers)

    return part


def _type(node: object, reader: Reader) -> tuple[str, list[Node]]:
    """A type by the engine's name for it, and its modifiers."""
    if type(node) is not exp.DataType:
        raise Unread(f"{node!r} as a type")
    fields = Fields("DataType", node.args)
    kind, inner, nested = fields.take("this"), fields.each("expressions"), fields.take("nested")
    fields.done()
    if kind is exp.DataType.Type.ARRAY and nested:
        (element,) = inner
        type_, modifiers = _type(element, reader)
        return f"{type_}[]", modifiers
    if kind not in TYPES[reader.dialect]:
        raise Unread(f"the type {kind}")
    return TYPES[reader.dialect][kind], [_modifier(each, reader) for each in inner]


def _modifier(node: object, reader: Reader) -> Node:
    if type(node) is not exp.DataTypeParam:
        raise Unread(f"{node!r} as a modifier")
    fields = Fields("DataTypeParam", node.args)
    found = reads(fields, "this", reader)
    fields.done()
    return found


def _parameter(fields: Fields, reader: Reader) -> Node:
    named = fields.take("this")
    return Node(
        "parameter", named if isinstance(named, str) else str(named.name if isinstance(named, exp.Expr) else "")
    )


def _interval(fields: Fields, reader: Reader) -> Node:
    unit, count = fields.take("unit"), reads(fields, "this", reader)
    if type(unit) is not exp.Var or count.kind != "string":
        raise Unread(f"an interval of {count} {unit!r}")
    return Node("interval", f"{count.word} {_unit(str(unit.this))}")


def _unit(text: str) -> str:
    return text.lower().removesuffix("s")


def _var(fields: Fields, reader: Reader) -> Node:
    """A word, such as the field of EXTRACT, which engines read as a string."""
    return Node("string", str(fields.take("this")).lower())


def _anonymous(fields: Fields, reader: Reader) -> Node:
    return call(str(fields.take("this")).lower(), several(fields, "expressions", reader))


def _count(fields: Fields, reader: Reader) -> Node:
    counted = fields.take("this")
    if type(counted) is not exp.Distinct:
        return call("count", [read(counted, reader)])
    inner = Fields("Distinct", counted.args)
    found = call("count", several(inner, "expressions", reader), distinct=True)
    inner.done()
    return found


def _trimmed(fields: Fields, reader: Reader) -> Node:
    position = str(fields.take("position") or "BOTH")
    both = "btrim" if reader.dialect == "postgres" else "trim"
    name_ = {"LEADING": "ltrim", "TRAILING": "rtrim", "BOTH": both}[position]
    return call(name_, _others(fields, reader, "this", "expression"))


def _padded(fields: Fields, reader: Reader) -> Node:
    name_ = "lpad" if fields.take("is_left") else "rpad"
    return call(name_, [reads(fields, "this", reader), *_others(fields, reader, "expression", "fill_pattern")])


def _others(fields: Fields, reader: Reader, *arguments: str) -> list[Node]:
    return [node for each in arguments for node in several(fields, each, reader)]


def _formatted(fields: Fields, reader: Reader) -> Node:
    """A date as text. Postgres has patterns of its own, of which sqlglot made DuckDB's."""
    moment, template = reads(fields, "this", reader), reads(fields, "format", reader)
    if template.kind != "string":
        raise Unread(f"a date in the form of {template}")
    if reader.dialect == "duckdb":
        return call("strftime", [moment, template])
    if unknown := set(_PATTERN.findall(template.word)) - set(PATTERNS):
        raise Unread(f"the patterns {unknown}")
    return call("to_char", [moment, Node("string", _PATTERN.sub(lambda found: PATTERNS[found[0]], template.word))])


def _exists(fields: Fields, reader: Reader) -> Node:
    return made("exists", query=reads(fields, "this", reader))


def _collate(fields: Fields, reader: Reader) -> Node:
    collation = fields.take("expression")
    named = collation.this if type(collation) is exp.Column else collation
    return made("collate", name(named), value=reads(fields, "this", reader))


def _ordered(fields: Fields, reader: Reader) -> Node:
    direction = "descending" if fields.take("desc") else "ascending"
    nulls = "nulls first" if fields.take("nulls_first") else "nulls last"
    return made("ordered", f"{direction}, {nulls}", value=reads(fields, "this", reader))


def _window(fields: Fields, reader: Reader) -> Node:
    fields.only("over", "OVER")
    order, spec = fields.take("order"), fields.take("spec")
    start, end = _frame(spec, reader)
    return made(
        "window",
        function=reads(fields, "this", reader),
        partition=several(fields, "partition_by", reader),
        order=[] if not isinstance(order, exp.Order) else [read(each, reader) for each in order.expressions],
        start=start,
        end=end,
    )


def _frame(spec: object, reader: Reader) -> tuple[Node, Node]:
    if spec is None:
        return Node("bound", "unbounded preceding"), Node("bound", "current row by range")
    if type(spec) is not exp.WindowSpec:
        raise Unread(f"{spec!r} as a frame")
    fields = Fields("WindowSpec", spec.args)
    kind = str(fields.take("kind")).lower()
    found = [_bound(fields, end, kind, reader) for end in ("start", "end")]
    fields.done()
    return found[0], found[1]


def _bound(fields: Fields, end: str, kind: str, reader: Reader) -> Node:
    """Where a frame begins or ends; without an end it ends with the current row."""
    place, side = fields.take(end), str(fields.take(f"{end}_side") or "").lower()
    if place == "UNBOUNDED":
        return Node("bound", f"unbounded {side}")
    if place in (None, "CURRENT ROW"):
        return Node("bound", f"current row by {kind}")
    return made("bound", f"{side} by {kind}", offset=read(place, reader))


def _digest(fields: Fields, reader: Reader) -> Node:
    """SHA-256, of whose lengths there is this one alone."""
    length = reads(fields, "length", reader)
    if length != number("256"):
        raise Unread(f"a digest of {length} bits")
    return call("sha256", [reads(fields, "this", reader)])


def _called(engine_name: str, arguments: tuple[str, ...]) -> Part:
    """A function of the engine, with the node's arguments in its order."""

    return lambda fields, reader: call(engine_name, _others(fields, reader, *arguments))


def _by_dialect(kind: type[exp.Expr]) -> Part:
    """A function or an operator whose name is the engine's own."""

    def part(fields: Fields, reader: Reader) -> Node:
        if kind in OPERATORS[reader.dialect]:
            return _operator(OPERATORS[reader.dialect][kind])(fields, reader)
        if kind not in CALLS[reader.dialect]:
            raise Unread(f"{kind.__name__} in {reader.dialect}")
        return _called(*CALLS[reader.dialect][kind])(fields, reader)

    return part


def _never(fields: Fields, reader: Reader) -> Node:
    raise Unread(f"{fields.kind} where none belongs")


VALUES: Mapping[type[exp.Expr], Part] = {
    **{kind: _by_dialect(kind) for each in (*CALLS.values(), *OPERATORS.values()) for kind in each},
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Paren: _same,
    exp.Star: _star,
    exp.Neg: _neg,
    exp.Not: _not,
    exp.And: _chain("and"),
    exp.Or: _chain("or"),
    exp.Is: _is,
    exp.Like: _like("like"),
    exp.ILike: _like("ilike"),
    exp.Escape: _escape,
    exp.In: _in,
    exp.Between: _between,
    exp.Case: _case,
    exp.Cast: _cast("cast"),
    exp.TryCast: _cast("try cast"),
    exp.Placeholder: _parameter,
    exp.Parameter: _parameter,
    exp.Interval: _interval,
    exp.Var: _var,
    exp.Anonymous: _anonymous,
    exp.Count: _count,
    exp.Trim: _trimmed,
    exp.Pad: _padded,
    exp.TimeToStr: _formatted,
    exp.Exists: _exists,
    exp.Collate: _collate,
    exp.Ordered: _ordered,
    exp.Window: _window,
    **dict.fromkeys((exp.SHA2, exp.SHA2Digest), _digest),
    # Parts that their wholes read.
    **dict.fromkeys((exp.Identifier, exp.DataType, exp.DataTypeParam, exp.If, exp.WindowSpec), _never),
}
