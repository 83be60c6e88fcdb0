"""Frames of private answers, with what they cost and how sure they are, and plots with error bars.

    from dpproxy.pandas import plot, read_sql
    frame = read_sql("SELECT sex, count(*) AS people FROM people GROUP BY sex", "host=… user=alice")
    frame.attrs["charge"], frame[["people", "people_low", "people_high"]]
    plot(frame)

frames   an answer as a frame
charts   bars and lines, with the ends of each number's interval; matplotlib is imported when something is plotted

pandas is needed, and matplotlib for plots: `pip install 'dpproxy[pandas]'`. It stands on `dpproxy.client` alone.

Checked by: tests/clients/test_frames.py, tests/clients/test_notebook.py.
"""

from dpproxy.client import StatementError, explain
from dpproxy.pandas.charts import bars, lines, plot
from dpproxy.pandas.frames import read_sql

__all__ = ["StatementError", "bars", "explain", "lines", "plot", "read_sql"]
