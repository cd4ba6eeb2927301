"""Microaggregation: groups of like records bear their mean, median or most frequent value."""
