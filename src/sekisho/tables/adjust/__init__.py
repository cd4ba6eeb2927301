"""Controlled adjustment: sums moved away from their values, and others as little as possible, so that all add up."""
