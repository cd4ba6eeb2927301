"""Swapping: values change places between records, and every column keeps its own distribution."""
