"""The gate for histories: the least safe k, and what releases are still good for."""
