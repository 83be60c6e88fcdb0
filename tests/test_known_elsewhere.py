"""Functions of other databases: the front's error that there is none says what to write instead."""

from __future__ import annotations

import pytest

from dpproxy.session.error_messages import front_fields
from dpproxy.session.expected_replies import Forwarded, Reply, SimpleQuery
from dpproxy.session.shown_errors import shown_error
from dpproxy.wire import ErrorResponse, encode_backend

OWN = "No function matches the given name and argument types. You might need to add explicit type casts."


def shown(head: Reply, state: str, message: str) -> dict[str, str]:
    """What is shown of the front's error."""
    fields = {"S": "ERROR", "V": "ERROR", "C": state, "M": message, "H": OWN, "P": "8"}
    raw = encode_backend(ErrorResponse(tuple(fields.items())), "utf-8")
    return front_fields(shown_error(head, fields, raw, "utf-8"), "utf-8")


@pytest.mark.parametrize(
    ("called", "hint"),
    [
        ("median(double precision)", "Write dp.median(x)."),
        ("quantile_cont(double precision, numeric)", "Write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."),
        ("approx_quantile(integer, numeric)", "Write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."),
        ("quantile(integer, numeric)", "Write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."),
        ("strftime(unknown, date)", "Write to_char(x, 'YYYY-MM')."),
        (
            "dp.low(date)",
            "It is of numbers, such as days: DATE '1970-01-01' + dp.low(max(x::date - DATE '1970-01-01'))::integer.",
        ),
        (
            "dp.half_width(timestamp with time zone)",
            "It is of numbers, such as days: dp.half_width(max(x::date - DATE '1970-01-01')).",
        ),
        ("dp.high(text)", "It is of released numbers: dp.high(count(*)), dp.high(avg(x))."),
    ],
)
def test_what_to_write_is_in_the_hint(called: str, hint: str) -> None:
    message = f"function {called} does not exist"
    for head, position in ((SimpleQuery(), "8"), (Forwarded(b"1"), "8"), (Forwarded(b"1", shift=3), "11")):
        found = shown(head, "42883", message)
        assert (found["C"], found["M"], found["H"], found["P"]) == ("42883", message, hint, position)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("42883", "function corr(integer, text) does not exist"),
        ("42883", "function dp.median(text) does not exist"),
        ("42883", "function alice.median(text) does not exist"),
        ("42725", "function median(unknown) is not unique"),
    ],
)
def test_the_rest_is_as_the_front_says(state: str, message: str) -> None:
    assert shown(SimpleQuery(), state, message)["H"] == OWN
