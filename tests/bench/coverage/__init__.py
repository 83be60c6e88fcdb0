"""How often the intervals of statements of all kinds hold the exact answer, beside how often they say they do."""
