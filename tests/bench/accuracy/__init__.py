"""How far answers are from the truth where nothing is declared: a file for each study, its figures as Markdown."""
