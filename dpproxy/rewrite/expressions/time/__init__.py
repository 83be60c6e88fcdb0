"""Dates and timestamps: made, moved, cut, read and written. Intervals alone are in `intervals`.

clocks         now(), current_date and their like
grains         which values functions take that are the same all through a month, a day, an hour …
fields         EXTRACT of them
moving         a date or timestamp plus an interval
dates          their + and -, EXTRACT and date_trunc
ages           age(a, b)
make_date      make_date(year, month, day)
templates      'YYYY-MM-DD' and its like, cut into patterns
date_reading   text read as dates and timestamps: casts, to_date, to_timestamp
date_texts     what each pattern of to_char makes of a moment
formats        to_char
monotone       functions that never fall as time rises, and what a comparison of one says of its column

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
