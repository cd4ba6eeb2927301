"""The risk of records beyond memory: the same figures, counted by an engine."""
