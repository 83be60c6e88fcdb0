"""Privacy loss as values: addition, comparison and conversions, always rounded against the spender. Pure."""
