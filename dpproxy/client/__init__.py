"""For who asks, in Python: an answer with its charge and the ends of its intervals, and refusals that can be read.

    answer = ask("SELECT sex, count(*) AS people FROM people GROUP BY sex", "host=… user=alice")
    answer.charge.epsilon, answer.intervals["people"], answer.rows

asking        one statement, with settings that hold for it alone; what it would cost
connecting    a psycopg connection, a conninfo, or an engine of SQLAlchemy's
answers       what comes back
refusals      what comes instead

Nothing but psycopg is needed, and nothing else of dpproxy is imported: no engine starts on an analyst's machine. Frames
and plots are `dpproxy.pandas`.

Checked by: tests/clients/test_client.py.
"""

from dpproxy.client.answers import AnswerColumn, PricedAnswer, ToldCharge
from dpproxy.client.asking import ask, explain
from dpproxy.client.refusals import StatementError

__all__ = ["AnswerColumn", "PricedAnswer", "StatementError", "ToldCharge", "ask", "explain"]
