"""The private plan: data only. `rewrite` makes it; `release`, `post`, the checker and the session read it."""
