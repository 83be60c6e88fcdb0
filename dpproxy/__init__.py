"""dpproxy: a differentially private SQL proxy."""
